package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"mobius/backend/store/db"
)

const (
	backupFolder = "backups"
	// backupsKept is how many daily backups stay; those made before an update stay until they are a year old.
	backupsKept   = 7
	backupEvery   = 24 * time.Hour
	updateBackups = 365 * 24 * time.Hour
)

// Backup is one backup file.
type Backup struct {
	Path   string `json:"path"`
	Reason string `json:"reason"` // daily, before-update
	At     int64  `json:"at"`     // UTC milliseconds
	Bytes  int64  `json:"bytes"`
}

func backupName(dir, reason string, at time.Time) string {
	return filepath.Join(dir, backupFolder, fmt.Sprintf("mobius-%s-%s.db", at.UTC().Format("20060102T150405.000Z"), reason))
}

// backupFile writes a compact copy of the database at path; the copy is complete or absent.
func backupFile(ctx context.Context, path, to string) error {
	conn, err := sql.Open("sqlite", dsn(path, "rw", "busy_timeout(5000)"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return copyTo(ctx, conn, to)
}

func copyTo(ctx context.Context, conn *sql.DB, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return fmt.Errorf("make the backup folder: %w", err)
	}
	part := to + ".part"
	if err := os.Remove(part); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return errors.Join(fmt.Errorf("copy the database: %w", err), removeIfThere(part))
	}
	if err := os.Chmod(part, 0o600); err != nil {
		return err
	}
	return os.Rename(part, to)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Backups lists the backups of a state directory, newest first.
func Backups(dir string) ([]Backup, error) {
	entries, err := os.ReadDir(filepath.Join(dir, backupFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return []Backup{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the backups: %w", err)
	}
	list := []Backup{}
	for _, e := range entries {
		stamp, reason, ok := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(e.Name(), "mobius-"), ".db"), "-")
		at, err := time.Parse("20060102T150405.000Z", stamp)
		if !ok || err != nil || !strings.HasSuffix(e.Name(), ".db") {
			continue
		}
		info, err := e.Info()
		if err != nil {
			continue
		}
		list = append(list, Backup{Path: filepath.Join(dir, backupFolder, e.Name()), Reason: reason, At: at.UnixMilli(), Bytes: info.Size()})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].At > list[j].At })
	return list, nil
}

// BackUpIfDue makes the daily backup when the last one is a day old, then removes backups past their time. It reads the
// whole database, so it belongs after the start, in quiet moments. A database that fails its check is not backed up, so
// that it never pushes good backups out.
func (s *Store) BackUpIfDue(ctx context.Context, now time.Time) error {
	list, err := Backups(s.Dir)
	if err != nil {
		return err
	}
	for _, b := range list {
		if b.Reason == "daily" && now.Sub(time.UnixMilli(b.At)) < backupEvery {
			return nil
		}
	}
	result, err := s.QuickCheck(ctx)
	if err != nil {
		return err
	}
	if result != "ok" {
		return errors.Join(fmt.Errorf("%w: %s", ErrDamaged, result), os.WriteFile(filepath.Join(s.Dir, damagedMark), []byte(result+"\n"), 0o600))
	}
	if err := backupFile(ctx, filepath.Join(s.Dir, fileName), backupName(s.Dir, "daily", now)); err != nil {
		return err
	}
	return prune(list, now)
}

// prune removes what is too old of the backups there were before today's.
func prune(list []Backup, now time.Time) error {
	daily := 1
	for _, b := range list {
		old := now.Sub(time.UnixMilli(b.At)) > updateBackups
		if b.Reason == "daily" {
			daily++
			old = daily > backupsKept
		}
		if old {
			if err := removeIfThere(b.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// QuickCheck runs SQLite's quick_check; "ok" is its good answer.
func (s *Store) QuickCheck(ctx context.Context) (string, error) {
	var result string
	if err := s.reader.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&result); err != nil {
		if damaged(err) {
			return err.Error(), nil
		}
		return "", fmt.Errorf("check the database: %w", err)
	}
	return result, nil
}

// WALBytes is the size of the write-ahead log.
func (s *Store) WALBytes() int64 {
	info, err := os.Stat(filepath.Join(s.Dir, fileName+"-wal"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// DatabaseBytes is the size of the database without its log.
func (s *Store) DatabaseBytes() int64 {
	info, err := os.Stat(filepath.Join(s.Dir, fileName))
	if err != nil {
		return 0
	}
	return info.Size()
}

// LimitPages bounds the file to its present size plus extra pages of growth, as a full disk would; tests use it.
func (s *Store) LimitPages(ctx context.Context, extra int64) error {
	return s.Write(ctx, func(*db.Queries) error {
		var now int64
		row, err := s.conn.QueryContext(ctx, "PRAGMA page_count")
		if err != nil {
			return err
		}
		for row.Next() {
			if err := row.Scan(&now); err != nil {
				return errors.Join(err, row.Close())
			}
		}
		if err := row.Close(); err != nil {
			return err
		}
		_, err = s.conn.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", now+extra))
		return err
	})
}
