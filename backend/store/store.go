package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"mobius/backend/store/db"
)

const (
	// writeQueue is how many writes may wait before callers block.
	writeQueue = 1024
	// groupLimit is how many waiting writes one commit takes together.
	groupLimit = 128
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	Dir string

	writer  *sql.DB
	conn    *sql.Conn // the writer's only connection, used by the writer goroutine alone
	reader  *sql.DB
	read    *db.Queries
	stmts   *statements
	jobs    chan job
	closing chan struct{}
	closed  chan struct{}
	once    sync.Once
}

type job struct {
	ctx  context.Context
	fn   func(*db.Queries) error
	done func(error)
}

func start(dir string, writer *sql.DB, conn *sql.Conn, reader *sql.DB) *Store {
	s := &Store{
		Dir: dir, writer: writer, conn: conn, reader: reader, stmts: newStatements(reader),
		jobs: make(chan job, writeQueue), closing: make(chan struct{}), closed: make(chan struct{}),
	}
	s.read = db.New(s.stmts)
	go s.write()
	return s
}

// Read gives the queries on the readers' side.
func (s *Store) Read() *db.Queries { return s.read }

// Reader gives the readers' database for checks that are no fixed query.
func (s *Store) Reader() *sql.DB { return s.reader }

// Write runs fn in a transaction and returns when it is durable. An error of fn undoes what fn did, nothing else. Once
// fn has begun, ending ctx no longer undoes it.
func (s *Store) Write(ctx context.Context, fn func(*db.Queries) error) error {
	done := make(chan error, 1)
	if err := s.submit(job{ctx: ctx, fn: fn, done: func(err error) { done <- err }}); err != nil {
		return err
	}
	return <-done
}

// WriteLater is Write without the wait: done is called from the writer's goroutine and must not block.
func (s *Store) WriteLater(fn func(*db.Queries) error, done func(error)) {
	if err := s.submit(job{ctx: context.Background(), fn: fn, done: done}); err != nil {
		done(err)
	}
}

func (s *Store) submit(j job) error {
	select {
	case <-s.closing:
		return ErrClosed
	default:
	}
	select {
	case s.jobs <- j:
		return nil
	case <-j.ctx.Done():
		return j.ctx.Err()
	case <-s.closing:
		return ErrClosed
	}
}

// Close ends the writer after what waits is durable, folds the write-ahead log into the database and closes it.
func (s *Store) Close() error {
	s.once.Do(func() { close(s.closing) })
	<-s.closed
	s.stmts.close()
	err := s.reader.Close()
	if _, e := s.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)"); e != nil && err == nil {
		err = e
	}
	if e := s.conn.Close(); e != nil && err == nil {
		err = e
	}
	if e := s.writer.Close(); e != nil && err == nil {
		err = e
	}
	return err
}

// write is the writer's goroutine.
func (s *Store) write() {
	defer close(s.closed)
	stmts := newStatements(s.conn)
	defer stmts.close()
	queries := db.New(stmts)
	group := make([]job, 0, groupLimit)
	for {
		group = group[:0]
		select {
		case j := <-s.jobs:
			group = append(group, j)
		case <-s.closing:
			select {
			case j := <-s.jobs:
				group = append(group, j)
			default:
				return
			}
		}
	fill:
		for len(group) < groupLimit {
			select {
			case j := <-s.jobs:
				group = append(group, j)
			default:
				break fill
			}
		}
		s.commit(stmts, queries, group)
	}
}

// commit runs a group in one transaction and answers each of its members.
func (s *Store) commit(stmts *statements, queries *db.Queries, group []job) {
	results := make([]error, len(group))
	err := exec(stmts, "BEGIN IMMEDIATE")
	if err == nil {
		for i, j := range group {
			if results[i] = j.ctx.Err(); results[i] == nil {
				results[i] = runInSavepoint(stmts, queries, j, len(group) > 1)
			}
			if errors.Is(results[i], errUndone) {
				err = results[i] // nothing may run now, it would be outside of any transaction
				break
			}
		}
		if err != nil {
			err = errors.Join(err, rollback(stmts))
		} else if len(group) == 1 && results[0] != nil {
			err = rollback(stmts)
		} else if err = exec(stmts, "COMMIT"); err != nil {
			err = errors.Join(err, rollback(stmts))
		}
	}
	for i, j := range group {
		if err != nil && results[i] == nil {
			results[i] = err
		}
		j.done(results[i])
	}
}

// errUndone says that a failure made SQLite undo the whole transaction, the other members of the group included.
var errUndone = errors.New("the transaction was undone")

// runInSavepoint runs one member so that its failure undoes it alone.
func runInSavepoint(stmts *statements, queries *db.Queries, j job, shared bool) (err error) {
	if !shared {
		return guard(j.fn, queries)
	}
	if err := exec(stmts, "SAVEPOINT member"); err != nil {
		return err
	}
	if err := guard(j.fn, queries); err != nil {
		if e := exec(stmts, "ROLLBACK TO member"); e != nil {
			return errors.Join(err, errUndone, e)
		}
		return errors.Join(err, exec(stmts, "RELEASE member"))
	}
	return exec(stmts, "RELEASE member")
}

// guard keeps a panic in one write from taking the writer, and with it every session, down.
func guard(fn func(*db.Queries) error, queries *db.Queries) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("a write panicked: %v", p)
		}
	}()
	return fn(queries)
}

// rollback undoes the open transaction. A full disk makes SQLite undo it by itself, then there is none to roll back.
func rollback(stmts *statements) error {
	if err := exec(stmts, "ROLLBACK"); err != nil && exec(stmts, "BEGIN") == nil {
		return exec(stmts, "ROLLBACK")
	}
	return nil
}

func exec(stmts *statements, text string) error {
	_, err := stmts.ExecContext(context.Background(), text)
	return err
}
