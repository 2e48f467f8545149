package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"mobius/backend/wire"
)

// The errors of opening a state directory.
var (
	ErrNewer   = errors.New("the database was made by a newer version of Mobius")
	ErrForeign = errors.New("the file is not a Mobius database")
	ErrDamaged = errors.New("the database is damaged")
	ErrClosed  = errors.New("the store is closed")
)

// LockedError says which process owns the state directory.
type LockedError struct {
	Dir   string
	Owner Owner
}

// Error implements error.
func (e *LockedError) Error() string {
	if e.Owner.PID == 0 {
		return fmt.Sprintf("another Mobius runs on %s", e.Dir)
	}
	return fmt.Sprintf("another Mobius (process %d, %s) runs on %s", e.Owner.PID, e.Owner.Shell, e.Dir)
}

// Reject turns an error of this package into the Rejection that a shell shows. Other errors pass unchanged.
func Reject(err error) error {
	var locked *LockedError
	var se *sqlite.Error
	var already *wire.Rejection
	switch {
	case err == nil, errors.As(err, &already):
		return err
	case errors.As(err, &locked):
		return wire.Reject(wire.CodeStateLocked, "%s. Use that one, or quit it first.", locked.Error())
	case errors.Is(err, ErrNewer):
		return wire.Reject(wire.CodeStateNewer, "%v. Nothing was changed. Update Mobius, or restore a backup made by this version.", err)
	case errors.Is(err, ErrForeign):
		return wire.Reject(wire.CodeStateForeign, "%v. Nothing was changed. Choose another folder with MOBIUS_STATE_DIR, or move the file away.", err)
	case errors.Is(err, ErrDamaged):
		return wire.Reject(wire.CodeStorageDamaged, "%v. Your file is kept as it is: restore the last backup, salvage what can be read, or start fresh.", err)
	case errors.Is(err, ErrClosed):
		return wire.Reject(wire.CodeGatewayStopped, "Mobius is shutting down.")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return wire.Reject(wire.CodeStorageFull, "The disk is full. Nothing was lost that was saved before; free some space and try again.")
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return wire.Reject(wire.CodeStorageReadOnly, "The state directory cannot be written (%v). Check its owner and permissions, or set MOBIUS_STATE_DIR to another folder.", err)
	case errors.Is(err, context.DeadlineExceeded):
		return wire.Reject(wire.CodeStorageBusy, "Storage did not answer in time. Try again.")
	case errors.As(err, &se):
		return rejectSQLite(se)
	}
	return err
}

// rejectSQLite maps the primary result code, https://www.sqlite.org/rescode.html.
func rejectSQLite(e *sqlite.Error) error {
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		return wire.Reject(wire.CodeStorageFull, "The disk is full. Nothing was lost that was saved before; free some space and try again.")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return wire.Reject(wire.CodeStorageReadOnly, "The database cannot be written. Check the owner and permissions of the state directory.")
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return wire.Reject(wire.CodeStorageBusy, "Another program holds the database. Try again in a moment.")
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return wire.Reject(wire.CodeStorageDamaged, "The database is damaged (%v). Restart Mobius to restore a backup or salvage it.", e)
	}
	return wire.Reject(wire.CodeGatewayError, "Storage failed: %v", e)
}

// damaged tells whether err says that the file's content is broken.
func damaged(err error) bool {
	var se *sqlite.Error
	if !errors.As(err, &se) {
		return false
	}
	c := se.Code() & 0xff
	return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
}
