package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Salvaged tells what a salvage brought over.
type Salvaged struct {
	Rows   int64  `json:"rows"`
	Lost   int64  `json:"lost"`    // places that could not be read; each may hide more than one row
	KeptAs string `json:"kept_as"` // where the damaged file is now
}

// SetAside moves the database with its log out of the way, under a name that says when, and gives that name. Nothing is
// ever deleted.
func SetAside(dir string, now time.Time) (string, error) {
	kept := filepath.Join(dir, fmt.Sprintf("mobius-damaged-%s.db", now.UTC().Format("20060102T150405Z")))
	for _, suffix := range []string{"-journal", "-wal", "-shm", ""} {
		err := os.Rename(filepath.Join(dir, fileName+suffix), kept+suffix)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("set the damaged database aside: %w", err)
		}
	}
	return kept, removeIfThere(filepath.Join(dir, damagedMark))
}

// Restore puts a backup in the database's place; the file there before is set aside.
func Restore(ctx context.Context, dir, backup string, now time.Time) (keptAs string, err error) {
	if filepath.Dir(backup) != filepath.Join(dir, backupFolder) {
		return "", fmt.Errorf("%s is not in the backup folder", backup)
	}
	if _, err := inspect(backup); err != nil {
		return "", err
	}
	next := filepath.Join(dir, fileName+".new")
	if err := removeUnfinished(next); err != nil {
		return "", err
	}
	if err := backupFile(ctx, backup, next); err != nil {
		return "", err
	}
	return replace(dir, next, now)
}

// rescuedName is a complete database that is about to take the damaged one's place. While it is there the exchange is
// not over: the next [Open] finishes it.
const rescuedName = fileName + ".rescued"

// replace puts a complete database in the place of the one there, which is set aside.
func replace(dir, next string, now time.Time) (keptAs string, err error) {
	rescued := filepath.Join(dir, rescuedName)
	if err := os.Rename(next, rescued); err != nil {
		return "", fmt.Errorf("put the database in place: %w", err)
	}
	if keptAs, err = SetAside(dir, now); err != nil {
		return "", err
	}
	return keptAs, os.Rename(rescued, filepath.Join(dir, fileName))
}

// finishRescue completes an exchange that was interrupted.
func finishRescue(dir string, now time.Time) error {
	rescued := filepath.Join(dir, rescuedName)
	if _, err := os.Lstat(rescued); err != nil {
		return nil //nolint:nilerror // there is none
	}
	if _, err := SetAside(dir, now); err != nil {
		return err
	}
	return os.Rename(rescued, filepath.Join(dir, fileName))
}

// Salvage copies every row that can be read into a new database, which takes the damaged one's place; that one is set
// aside. Rows whose parent was lost are dropped, so the new database is consistent.
func Salvage(ctx context.Context, dir string, now time.Time) (*Salvaged, error) {
	path := filepath.Join(dir, fileName)
	next := path + ".new"
	if err := removeUnfinished(next); err != nil {
		return nil, err
	}
	if err := migrate(ctx, next); err != nil {
		return nil, err
	}
	result, err := copyReadable(ctx, path, next)
	if err != nil {
		return nil, errors.Join(err, removeUnfinished(next))
	}
	if result.Rows == 0 {
		return nil, errors.Join(fmt.Errorf("%w: nothing in it can be read", ErrDamaged), removeUnfinished(next))
	}
	if result.KeptAs, err = replace(dir, next, now); err != nil {
		return nil, err
	}
	return result, nil
}

func copyReadable(ctx context.Context, from, to string) (*Salvaged, error) {
	old, err := sql.Open("sqlite", dsn(from, "rw", "query_only(ON)"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = old.Close() }()
	fresh, err := sql.Open("sqlite", dsn(to, "rw", "foreign_keys(OFF)"))
	if err != nil {
		return nil, err
	}
	fresh.SetMaxOpenConns(1)
	defer func() { _ = fresh.Close() }()
	tables, err := tableColumns(ctx, fresh)
	if err != nil {
		return nil, err
	}
	result := &Salvaged{}
	for _, t := range tables {
		if err := t.copy(ctx, old, fresh, result); err != nil {
			return nil, err
		}
	}
	// Two passes of orphan removal are enough for the two levels of references in the schema.
	for range 2 {
		if err := dropOrphans(ctx, fresh); err != nil {
			return nil, err
		}
	}
	return result, nil
}

type table struct {
	name    string
	columns []string
	rowid   bool
}

func tableColumns(ctx context.Context, conn *sql.DB) ([]table, error) {
	rows, err := conn.QueryContext(ctx, `SELECT m.name, p.name, m.sql NOT LIKE '%WITHOUT ROWID%' FROM sqlite_schema m, pragma_table_info(m.name) p
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'goose_%' ORDER BY m.name, p.cid`)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	defer func() { _ = rows.Close() }()
	var list []table
	for rows.Next() {
		var name, column string
		var rowid bool
		if err := rows.Scan(&name, &column, &rowid); err != nil {
			return nil, err
		}
		if len(list) == 0 || list[len(list)-1].name != name {
			list = append(list, table{name: name, rowid: rowid})
		}
		last := &list[len(list)-1]
		last.columns = append(last.columns, column)
	}
	return list, rows.Err()
}

// copy reads the table in order; where a rowid table cannot be read on, it goes on behind the gap in growing strides.
func (t table) copy(ctx context.Context, old, fresh *sql.DB, result *Salvaged) error {
	insert := fmt.Sprintf("INSERT OR REPLACE INTO %s (%s) VALUES (%s)", t.name, strings.Join(t.columns, ", "),
		strings.TrimSuffix(strings.Repeat("?, ", len(t.columns)), ", "))
	after, stride := int64(0), int64(1)
	for {
		last, rows, err := t.copyRun(ctx, old, fresh, insert, after)
		result.Rows += rows
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		result.Lost++
		if !t.rowid || stride > 1<<40 {
			return nil
		}
		if rows > 0 {
			stride = 1
		}
		after = max(last, after) + stride
		stride *= 2
	}
}

// copyRun copies until the end or the first unreadable place; last is the rowid it came to.
func (t table) copyRun(ctx context.Context, old, fresh *sql.DB, insert string, after int64) (last, copied int64, err error) {
	query := fmt.Sprintf("SELECT 0, %s FROM %s", strings.Join(t.columns, ", "), t.name)
	args := []any{}
	if t.rowid {
		query = fmt.Sprintf("SELECT rowid, %s FROM %s WHERE rowid > ? ORDER BY rowid", strings.Join(t.columns, ", "), t.name)
		args = append(args, after)
	}
	rows, err := old.QueryContext(ctx, query, args...)
	if err != nil {
		return after, 0, err
	}
	defer func() { _ = rows.Close() }()
	tx, err := fresh.BeginTx(ctx, nil)
	if err != nil {
		return after, 0, err
	}
	last = after
	values := make([]any, len(t.columns)+1)
	for i := range values[1:] {
		values[i+1] = new(any)
	}
	values[0] = &last
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return last, copied, errors.Join(err, tx.Commit())
		}
		if _, err := tx.ExecContext(ctx, insert, values[1:]...); err == nil {
			copied++
		}
	}
	return last, copied, errors.Join(rows.Err(), tx.Commit())
}

func dropOrphans(ctx context.Context, conn *sql.DB) error {
	for _, q := range []string{
		"DELETE FROM bot_revisions WHERE bot NOT IN (SELECT n FROM bots)",
		// A Bot whose newest configuration was lost goes back to the newest one that was not.
		`UPDATE bots SET revision = (SELECT max(revision) FROM bot_revisions r WHERE r.bot = bots.n)
			WHERE n IN (SELECT bot FROM bot_revisions) AND NOT EXISTS (SELECT 1 FROM bot_revisions r WHERE r.bot = bots.n AND r.revision = bots.revision)`,
		// The built-in Bot is made again if it was lost, and only then.
		"DELETE FROM settings WHERE key = 'seeded' AND NOT EXISTS (SELECT 1 FROM bots WHERE builtin = 1)",
		"INSERT OR IGNORE INTO settings (key, revision, value) SELECT 'seeded', 1, 'true' WHERE EXISTS (SELECT 1 FROM bots WHERE builtin = 1)",
		"DELETE FROM sessions WHERE bot NOT IN (SELECT n FROM bots)",
		"UPDATE sessions SET parent = NULL WHERE parent NOT IN (SELECT n FROM sessions)",
		"DELETE FROM events WHERE (id >> 32) NOT IN (SELECT n FROM sessions)",
		"DELETE FROM context WHERE session NOT IN (SELECT n FROM sessions)",
		"DELETE FROM submissions WHERE session NOT IN (SELECT n FROM sessions)",
		"DELETE FROM queue WHERE session NOT IN (SELECT n FROM sessions)",
		"DELETE FROM partials WHERE session NOT IN (SELECT n FROM sessions)",
		"DELETE FROM model_overrides WHERE provider NOT IN (SELECT id FROM providers)",
		`UPDATE sessions SET last_seq = coalesce((SELECT max(e.id & 4294967295) FROM events e
			WHERE e.id > sessions.n << 32 AND e.id < (sessions.n + 1) << 32), 0)`,
	} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return fmt.Errorf("tidy the salvaged database: %w", err)
		}
	}
	return fillGaps(ctx, conn)
}

// gapLimit bounds how many lost events of a session are marked one by one; a larger jump is a broken number.
const gapLimit = 1 << 16

// fillGaps puts a notice in the place of every lost event: a journal's sequence has no gap.
func fillGaps(ctx context.Context, conn *sql.DB) error {
	rows, err := conn.QueryContext(ctx, "SELECT id FROM events ORDER BY id")
	if err != nil {
		return fmt.Errorf("look for gaps: %w", err)
	}
	var missing []int64
	previous := int64(0)
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return errors.Join(err, rows.Close())
		}
		if id>>32 != previous>>32 {
			previous = id >> 32 << 32
		}
		for gap := previous + 1; gap < id && id-previous < gapLimit; gap++ {
			missing = append(missing, gap)
		}
		previous = id
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for _, id := range missing {
		if _, err := conn.ExecContext(ctx, `INSERT INTO events (id, at, kind, turn, data) VALUES (?, 0, 'notice', 0,
			'{"notice":{"code":"storage_damaged","text":"A part of the conversation could not be read here."}}')`, id); err != nil {
			return fmt.Errorf("mark a gap: %w", err)
		}
	}
	return nil
}
