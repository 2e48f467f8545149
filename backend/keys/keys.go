// Package keys keeps the keys of model providers: in the key store of the operating system where there is one, else in
// an encrypted file that only its owner can read. They are never written anywhere else.
//
// The file is encrypted with an identity that lies beside it, so it protects against what looks into single files (a
// backup of the database, a search index, a log that was sent away), not against someone who can read the whole state
// directory as its owner. Where that matters, use the key store of the operating system.
package keys

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"mobius/backend/wire"
)

const (
	service = "mobius"
	// probeEntry is read to learn whether the key store answers.
	probeEntry = "mobius-probe"
	// ringLimit is how long the key store may take: without a desktop the bus may not answer at all.
	ringLimit = 3 * time.Second
)

// Where keys may be kept.
const (
	// ModeAuto uses the operating system's key store if it answers, else the file.
	ModeAuto = ""
	// ModeFile uses the file.
	ModeFile = "file"
)

// Store keeps keys by the id of a provider instance. It touches nothing before the first call.
type Store struct {
	mode string
	file *file
	ring ring

	mu      sync.Mutex
	decided bool
	useRing bool
}

// ring is the part of go-keyring that is used.
type ring interface {
	Get(service, user string) (string, error)
	Set(service, user, password string) error
	Delete(service, user string) error
}

type systemRing struct{}

func (systemRing) Get(s, u string) (string, error) { return keyring.Get(s, u) }
func (systemRing) Set(s, u, p string) error        { return keyring.Set(s, u, p) }
func (systemRing) Delete(s, u string) error        { return keyring.Delete(s, u) }

// New makes a store for a state directory.
func New(stateDir, mode string) *Store {
	return &Store{mode: mode, file: &file{path: filepath.Join(stateDir, "keys.age"), identity: filepath.Join(stateDir, "keys.identity")}, ring: systemRing{}}
}

// decide finds out once whether the operating system's key store answers. The lock is held.
func (s *Store) decide() {
	if s.decided {
		return
	}
	s.decided = true
	if s.mode == ModeFile {
		return
	}
	_, err := limited(func() (string, error) { return s.ring.Get(service, probeEntry) })
	s.useRing = err == nil || errors.Is(err, keyring.ErrNotFound)
}

var errNoAnswer = errors.New("the key store of the operating system does not answer")

// limited runs a call of the key store that may hang. One that hangs is left behind.
func limited(call func() (string, error)) (string, error) {
	type result struct {
		value string
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := call()
		done <- result{v, err}
	}()
	timer := time.NewTimer(ringLimit)
	defer timer.Stop()
	select {
	case r := <-done:
		return r.value, r.err
	case <-timer.C:
		return "", errNoAnswer
	}
}

func unavailable(err error) error {
	return wire.Reject(wire.CodeKeyStoreUnavailable, "The key store cannot be used right now (%v). If it is locked, unlock it and try again; MOBIUS_KEYS=file keeps keys in an encrypted file instead.", err)
}

// Get gives a key, "" when there is none.
func (s *Store) Get(id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decide()
	if s.useRing {
		key, err := limited(func() (string, error) { return s.ring.Get(service, id) })
		switch {
		case err == nil:
			return key, nil
		case !errors.Is(err, keyring.ErrNotFound):
			return "", unavailable(err)
		}
	}
	all, err := s.file.load() // also where the ring has none: it may have been stored before the ring was there
	if err != nil {
		return "", unavailable(err)
	}
	return all[id], nil
}

// Set stores a key.
func (s *Store) Set(id, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decide()
	if s.useRing {
		if _, err := limited(func() (string, error) { return "", s.ring.Set(service, id, key) }); err != nil {
			return unavailable(err)
		}
		return nil
	}
	return s.edit(func(all map[string]string) { all[id] = key })
}

// Delete removes a key wherever it is; one that is not there is no error.
func (s *Store) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decide()
	if s.useRing {
		if _, err := limited(func() (string, error) { return "", s.ring.Delete(service, id) }); err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return unavailable(err)
		}
	}
	return s.edit(func(all map[string]string) { delete(all, id) })
}

func (s *Store) edit(change func(map[string]string)) error {
	all, err := s.file.load()
	if err != nil {
		return unavailable(err)
	}
	before := len(all)
	change(all)
	if before == 0 && len(all) == 0 {
		return nil
	}
	if err := s.file.save(all); err != nil {
		return unavailable(err)
	}
	return nil
}

// Where says in plain words where keys are kept.
func (s *Store) Where() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decide()
	if s.useRing {
		return "the key store of the operating system"
	}
	return fmt.Sprintf("an encrypted file that only you can read (%s)", s.file.path)
}
