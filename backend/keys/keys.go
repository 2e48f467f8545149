// Package keys keeps the keys of model providers: in the key store of the operating system where there is one, else in
// an encrypted file that only its owner can read. They are never written anywhere else.
//
// # What the file protects against
//
// keys.age is encrypted with an identity that lies beside it in keys.identity, both readable by their owner alone. That
// protects against what looks into single files (a backup of the database, a search index, a log or a folder that was
// sent away without the identity), not against someone who can read the whole state directory as its owner. Where that
// matters, use the key store of the operating system.
//
// # Where a key is
//
// A locked or unreachable key store must not look like an empty one, so keys.system lists the ids (never the keys) whose
// key was put into the system's key store. A key in the file is always newer than one of the same id in the key store:
// storing into the key store removes it from the file, and the file is only written while the key store is not there.
package keys

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/zalando/go-keyring"

	"mobius/backend/wire"
)

// Where keys may be kept.
const (
	// ModeAuto uses the operating system's key store if it answers, else the file.
	ModeAuto = ""
	// ModeFile uses the file.
	ModeFile = "file"
)

const (
	// absentFor is how long a key store that was not there is not asked again: asking may take ringLimit.
	absentFor = 30 * time.Second
	// quietFor is how long reading does not make the system ask for its password again after it was not given.
	quietFor = time.Minute
)

// Store keeps keys by the id of a provider instance. It touches nothing before the first call and is safe for concurrent
// use. All its errors are key_store_unavailable rejections.
type Store struct {
	mode   string
	file   *file
	system *idList
	ring   ring
	now    func() time.Time
	secret func(key string)

	mu      sync.Mutex
	pending pending // a call of the key store that has not come back
	state   ringState
	reason  string    // why the key store is not ready
	checked time.Time // when it was found absent
	asked   time.Time // when the system last asked for the password in vain
}

// New makes a store for a state directory.
func New(stateDir, mode string) *Store {
	return &Store{
		mode: mode, ring: systemRing{}, now: time.Now, secret: func(string) {},
		file:   &file{path: filepath.Join(stateDir, "keys.age"), identity: filepath.Join(stateDir, "keys.identity")},
		system: &idList{path: filepath.Join(stateDir, "keys.system")},
	}
}

// OnSecret sets what is told every key that is read or stored, so that logs can hide it. Set it before the first call.
func (s *Store) OnSecret(fn func(key string)) { s.secret = fn }

func unavailable(err error) error {
	var r *wire.Rejection
	if errors.As(err, &r) {
		return err
	}
	return wire.Reject(wire.CodeKeyStoreUnavailable, "The key store cannot be used right now: %v.", err)
}

func locked() error {
	return wire.Reject(wire.CodeKeyStoreUnavailable, "The system's key store is locked. Unlock it (the system asks for its password) and try again; nothing in it was changed.")
}

func outOfReach(reason string) error {
	return wire.Reject(wire.CodeKeyStoreUnavailable, "This key is in the system's key store, which cannot be reached from here: %s. Start Mobius where it can, or store the key anew.", reason)
}

// look finds out how the operating system's key store is. mayAsk lets a locked one ask for its password.
func (s *Store) look(mayAsk bool) ringState {
	if s.mode == ModeFile {
		s.state, s.reason = ringAbsent, "MOBIUS_KEYS=file is set"
		return s.state
	}
	if s.state == ringReady {
		return s.state
	}
	if s.pending.is() { // most likely the system asks for its password at this moment
		return ringLocked
	}
	if !s.checked.IsZero() && s.now().Sub(s.checked) < absentFor {
		return ringAbsent
	}
	ctx, cancel := context.WithTimeout(context.Background(), ringLimit)
	defer cancel()
	s.state, s.reason = s.ring.State(ctx)
	s.checked = time.Time{}
	switch s.state {
	case ringAbsent:
		s.checked = s.now()
	case ringLocked:
		s.unlock(mayAsk)
	}
	return s.state
}

// unlock reads an entry, at which the system asks for the password. The answer may take longer than we wait.
func (s *Store) unlock(mayAsk bool) {
	if !mayAsk && !s.asked.IsZero() && s.now().Sub(s.asked) < quietFor {
		return
	}
	_, err := s.pending.limited(func() (string, error) { return s.ring.Get(service, probeEntry) })
	if err == nil || errors.Is(err, keyring.ErrNotFound) {
		s.state, s.reason = ringReady, ""
		return
	}
	s.asked = s.now()
}

// use calls the key store. One that fails is looked at anew at the next call.
func (s *Store) use(call func() (string, error)) (string, error) {
	value, err := s.pending.limited(call)
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		s.state = ringUnknown
		return "", unavailable(err)
	}
	return value, err
}

// Get gives a key, "" when there is none. A key store that is locked or out of reach is an error, never "".
func (s *Store) Get(id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, err := s.get(id)
	if key != "" {
		s.secret(key)
	}
	return key, err
}

func (s *Store) get(id string) (string, error) {
	all, fileErr := s.file.load()
	if key, ok := all[id]; ok {
		return key, nil
	}
	inSystem, err := s.system.has(id)
	if err != nil {
		return "", unavailable(err)
	}
	if fileErr != nil && !inSystem {
		return "", unavailable(fileErr)
	}
	switch s.look(false) {
	case ringReady:
		key, err := s.use(func() (string, error) { return s.ring.Get(service, id) })
		if errors.Is(err, keyring.ErrNotFound) {
			return "", nil
		}
		return key, err
	case ringLocked:
		return "", locked()
	}
	if inSystem {
		return "", outOfReach(s.reason)
	}
	return "", nil
}

// Set stores a key. While the system's key store is locked it fails, so that no second key comes to be.
func (s *Store) Set(id, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.secret(key)
	switch s.look(true) {
	case ringReady:
		if _, err := s.use(func() (string, error) { return "", s.ring.Set(service, id, key) }); err != nil {
			return unavailable(err)
		}
		if err := s.system.edit(id, true); err != nil {
			return unavailable(err)
		}
		if _, err := s.file.load(); err != nil {
			return nil // a file that cannot be read is not in the way: the list says that this key is in the key store
		}
		return s.edit(func(all map[string]string) { delete(all, id) })
	case ringLocked:
		return locked()
	}
	if err := s.edit(func(all map[string]string) { all[id] = key }); err != nil {
		return err
	}
	if err := s.system.edit(id, false); err != nil {
		return unavailable(err)
	}
	return nil
}

// Delete removes a key wherever it is; one that is not there is no error. A key in a key store that cannot be reached
// is an error, and stays.
func (s *Store) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	inSystem, err := s.system.has(id)
	if err != nil {
		return unavailable(err)
	}
	switch state := s.look(inSystem); {
	case state == ringReady:
		if _, err := s.use(func() (string, error) { return "", s.ring.Delete(service, id) }); err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return err
		}
	case inSystem && state == ringLocked:
		return locked()
	case inSystem:
		return outOfReach(s.reason)
	}
	if err := s.edit(func(all map[string]string) { delete(all, id) }); err != nil {
		return err
	}
	if err := s.system.edit(id, false); err != nil {
		return unavailable(err)
	}
	return nil
}

// edit changes the file; a change that changes nothing leaves it as it is.
func (s *Store) edit(change func(map[string]string)) error {
	all, err := s.file.load()
	if err != nil {
		return unavailable(err)
	}
	before := make(map[string]string, len(all))
	for id, key := range all {
		before[id] = key
	}
	change(all)
	if same(before, all) {
		return nil
	}
	if err := s.file.save(all); err != nil {
		return unavailable(err)
	}
	return nil
}

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for id, key := range a {
		if other, ok := b[id]; !ok || other != key {
			return false
		}
	}
	return true
}

// Where says in plain words where a new key would be kept.
func (s *Store) Where() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.look(false) {
	case ringReady:
		return "the key store of the operating system"
	case ringLocked:
		return "the key store of the operating system, which is locked at the moment"
	}
	return fmt.Sprintf("an encrypted file that only you can read (%s), since %s", s.file.path, s.reason)
}
