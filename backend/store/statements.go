package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements prepares each query text once and keeps it: preparing costs more than running a short query. The texts are
// the constants of package db, so there are no more statements than queries.
type statements struct {
	on   connection
	mu   sync.RWMutex
	kept map[string]*sql.Stmt
}

// connection is what statements needs of *sql.DB or *sql.Conn.
type connection interface {
	PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func newStatements(on connection) *statements {
	return &statements{on: on, kept: make(map[string]*sql.Stmt)}
}

// PrepareContext gives the kept statement. It must not be closed by the caller.
func (s *statements) PrepareContext(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.RLock()
	stmt := s.kept[query]
	s.mu.RUnlock()
	if stmt != nil {
		return stmt, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if stmt := s.kept[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := s.on.PrepareContext(context.WithoutCancel(ctx), query)
	if err != nil {
		return nil, err
	}
	s.kept[query] = stmt
	return stmt, nil
}

// ExecContext implements db.DBTX.
func (s *statements) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, err := s.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.ExecContext(ctx, args...)
}

// QueryContext implements db.DBTX.
func (s *statements) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	stmt, err := s.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	return stmt.QueryContext(ctx, args...)
}

// QueryRowContext implements db.DBTX. A text that cannot be prepared fails again, as a row, on the connection itself.
func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	stmt, err := s.PrepareContext(ctx, query)
	if err != nil {
		return s.on.QueryRowContext(ctx, query, args...)
	}
	return stmt.QueryRowContext(ctx, args...)
}

func (s *statements) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stmt := range s.kept {
		_ = stmt.Close()
	}
	s.kept = map[string]*sql.Stmt{}
}
