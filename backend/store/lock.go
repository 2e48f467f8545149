package store

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Owner says which process holds a state directory.
type Owner struct {
	PID     int    `json:"pid"`
	Shell   string `json:"shell"`
	Started int64  `json:"started"` // UTC milliseconds
}

// Lock is the hold on a state directory. The operating system releases it when the process ends, however it ends.
type Lock struct {
	file *flock.Flock
}

// LockDir takes the lock of a state directory for this process, or gives a *[LockedError]. The owner's record is in a
// second file, since a locked file cannot be read by others on every system.
func LockDir(dir, shell string) (*Lock, error) {
	path := filepath.Join(dir, "lock")
	f := flock.New(path, flock.SetPermissions(0o600))
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		return nil, &LockedError{Dir: dir, Owner: ReadOwner(dir)}
	}
	record, err := json.Marshal(Owner{PID: os.Getpid(), Shell: shell, Started: time.Now().UnixMilli()})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "owner.json"), record, 0o600); err != nil {
		_ = f.Unlock()
		return nil, fmt.Errorf("write the owner of %s: %w", dir, err)
	}
	return &Lock{file: f}, nil
}

// ReadOwner reads who holds the directory; the zero Owner when that is not known.
func ReadOwner(dir string) Owner {
	var o Owner
	b, err := os.ReadFile(filepath.Join(dir, "owner.json"))
	if err == nil {
		_ = json.Unmarshal(b, &o)
	}
	return o
}

// Release gives the directory free.
func (l *Lock) Release() error { return l.file.Unlock() }
