package store

import (
	"context"
	"database/sql"
	"embed"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

//go:embed migrations/*.sql
var migrations embed.FS

const (
	// applicationID is "MOBI", at offset 68 of the file (https://www.sqlite.org/fileformat.html#application_id).
	applicationID = 0x4d4f4249
	// SchemaVersion is the newest migration, kept in user_version.
	SchemaVersion = 1
	// pageSize is a quarter of SQLite's default: a short turn touches six pages, and what is written is whole pages. With
	// 4,096 a turn writes 45 kB, with 1,024 it is 19 kB, at the same speed (make bench, row 7).
	pageSize = 1024
	fileName = "mobius.db"
	// damagedMark is a file that a check leaves which has found damage: the next start then looks through the whole
	// database before it uses it, which takes too long for every start.
	damagedMark = "mobius.db.damaged"
	// readers is the number of connections that read beside the writer.
	readers = 4
)

// Open opens the database of a state directory whose lock the caller holds, creating or migrating it as needed. It gives
// [ErrNewer] or [ErrForeign] without having touched the file, and [ErrDamaged] when it cannot be used.
func Open(ctx context.Context, dir string) (*Store, error) {
	path := filepath.Join(dir, fileName)
	if err := finishRescue(dir, time.Now()); err != nil {
		return nil, err
	}
	version, err := inspect(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := create(ctx, path); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case version < SchemaVersion:
		if err := backupFile(ctx, path, backupName(dir, "before-update", time.Now())); err != nil {
			return nil, fmt.Errorf("back up before the update: %w", err)
		}
		if err := migrate(ctx, path); err != nil {
			return nil, err
		}
	}
	s, err := connect(ctx, dir, path)
	if err != nil {
		if damaged(err) {
			return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return nil, err
	}
	if err := s.recheck(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// recheck looks through a database in which damage was found before.
func (s *Store) recheck(ctx context.Context) error {
	mark := filepath.Join(s.Dir, damagedMark)
	if _, err := os.Lstat(mark); err != nil {
		return nil //nolint:nilerror // none was found
	}
	result, err := s.QuickCheck(ctx)
	if err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, result)
	}
	return removeIfThere(mark)
}

// inspect reads the header without SQLite, so that a file that is not ours stays untouched.
func inspect(path string) (version int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("open the database: %w", err)
	}
	defer func() { _ = f.Close() }()
	header := make([]byte, 100)
	if n, err := io.ReadFull(f, header); err != nil {
		return 0, fmt.Errorf("%w: %s has only %d bytes", ErrDamaged, path, n)
	}
	if string(header[:16]) != "SQLite format 3\x00" {
		return 0, fmt.Errorf("%w: %s does not begin as a database", ErrDamaged, path)
	}
	if id := binary.BigEndian.Uint32(header[68:]); id != applicationID {
		return 0, fmt.Errorf("%w: %s", ErrForeign, path)
	}
	version = int(binary.BigEndian.Uint32(header[60:]))
	if version > SchemaVersion {
		return version, fmt.Errorf("%w (schema %d, this version knows %d)", ErrNewer, version, SchemaVersion)
	}
	return version, nil
}

// create makes the database beside its place and moves it there whole, so that a crash leaves none or a complete one.
func create(ctx context.Context, path string) error {
	next := path + ".new"
	if err := removeUnfinished(next); err != nil {
		return err
	}
	if err := migrate(ctx, next); err != nil {
		return err
	}
	if err := os.Rename(next, path); err != nil {
		return fmt.Errorf("put the database in place: %w", err)
	}
	return nil
}

// removeUnfinished removes what a crash left of a database in the making. A journal left beside it would be rolled back
// into the next file of that name.
func removeUnfinished(path string) error {
	for _, suffix := range []string{"-journal", "-wal", "-shm", ""} {
		if err := removeIfThere(path + suffix); err != nil {
			return fmt.Errorf("remove an unfinished database: %w", err)
		}
	}
	return nil
}

// migrate brings the file to SchemaVersion and folds the write-ahead log into it, so that its header tells the truth.
func migrate(ctx context.Context, path string) error {
	conn, err := sql.Open("sqlite", dsn(path, "rwc", "journal_mode(DELETE)", fmt.Sprintf("page_size(%d)", pageSize)))
	if err != nil {
		return err
	}
	conn.SetMaxOpenConns(1)
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return fmt.Errorf("create the database: %w", err)
	}
	sub, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, conn, sub)
	if err != nil {
		return fmt.Errorf("read the migrations: %w", err)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", SchemaVersion)); err != nil {
		return fmt.Errorf("set the schema version: %w", err)
	}
	if err := conn.Close(); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}

func connect(ctx context.Context, dir, path string) (*Store, error) {
	w, err := sql.Open("sqlite", dsn(path, "rw", "journal_mode(WAL)", "synchronous(FULL)", "busy_timeout(5000)",
		"foreign_keys(ON)", "cache_size(-4000)", "wal_autocheckpoint(4000)", "journal_size_limit(16777216)"))
	if err != nil {
		return nil, err
	}
	w.SetMaxOpenConns(1)
	conn, err := w.Conn(ctx)
	if err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("open the database: %w", err)
	}
	var tables int
	if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		_ = w.Close()
		return nil, fmt.Errorf("read the database: %w", err)
	}
	r, err := sql.Open("sqlite", dsn(path, "rw", "query_only(ON)", "busy_timeout(5000)", "cache_size(-2000)"))
	if err != nil {
		_ = w.Close()
		return nil, err
	}
	r.SetMaxOpenConns(readers)
	r.SetMaxIdleConns(readers)
	return start(dir, w, conn, r), nil
}

func dsn(path, mode string, pragmas ...string) string {
	q := url.Values{"mode": {mode}}
	for _, p := range pragmas {
		q.Add("_pragma", p)
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}
