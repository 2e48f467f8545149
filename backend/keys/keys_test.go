package keys

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"

	"mobius/backend/wire"
)

// memoryRing is a key store that is and answers as told.
type memoryRing struct {
	state   ringState
	entries map[string]string
	err     error         // of every call
	hang    chan struct{} // calls wait until it is closed
	opens   bool          // reading unlocks it, as when the person gives the password
	looks   int
	asks    int
}

func (r *memoryRing) State(context.Context) (ringState, string) {
	r.looks++
	return r.state, "it is a test"
}

func (r *memoryRing) answer() error {
	if r.hang != nil {
		<-r.hang
	}
	if r.state == ringLocked {
		r.asks++
		if !r.opens {
			return errors.New("failed to unlock")
		}
		r.state = ringReady
	}
	return r.err
}

func (r *memoryRing) Get(_, u string) (string, error) {
	if err := r.answer(); err != nil {
		return "", err
	}
	if v, ok := r.entries[u]; ok {
		return v, nil
	}
	return "", keyring.ErrNotFound
}

func (r *memoryRing) Set(_, u, p string) error {
	if err := r.answer(); err != nil {
		return err
	}
	r.entries[u] = p
	return nil
}

func (r *memoryRing) Delete(_, u string) error {
	if err := r.answer(); err != nil {
		return err
	}
	if _, ok := r.entries[u]; !ok {
		return keyring.ErrNotFound
	}
	delete(r.entries, u)
	return nil
}

const (
	secret = "sk-test-0123456789abcdef"
	other  = "sk-test-fedcba9876543210"
)

func withRing(dir string, state ringState) (*Store, *memoryRing) {
	s := New(dir, ModeAuto)
	r := &memoryRing{state: state, entries: map[string]string{}}
	s.ring = r
	return s, r
}

func get(t *testing.T, s *Store, id string) string {
	t.Helper()
	key, err := s.Get(id)
	require.NoError(t, err)
	return key
}

func requireUnavailable(t *testing.T, err error, text string) {
	t.Helper()
	require.Equal(t, wire.CodeKeyStoreUnavailable, wire.CodeOf(err))
	require.ErrorContains(t, err, text)
}

func TestTheFileKeepsKeysEncryptedAndPrivate(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, New(dir, ModeFile).Set("openai", secret))
	again := New(dir, ModeFile)
	require.Equal(t, secret, get(t, again, "openai"))
	for _, name := range []string{"keys.age", "keys.identity"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.False(t, bytes.Contains(content, []byte(secret)), name)
	}
	require.NoError(t, again.Delete("openai"))
	require.Empty(t, get(t, again, "openai"))
}

func TestNothingIsTouchedBeforeTheFirstCall(t *testing.T) {
	dir := t.TempDir()
	s, r := withRing(dir, ringReady)
	s.OnSecret(func(string) {})
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, entries)
	require.Zero(t, r.looks)
}

func TestAWriteThatFailsLeavesTheOldKeys(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	s := New(dir, ModeFile)
	require.NoError(t, s.Set("a", secret))
	require.NoError(t, os.Chmod(dir, 0o500))
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	requireUnavailable(t, s.Set("b", other), "permission")
	require.Equal(t, secret, get(t, s, "a"))
}

func TestAKeyFileThatIsNotOursAloneIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(t *testing.T, dir string)
		says string
	}{
		"readable by others": {func(t *testing.T, dir string) {
			require.NoError(t, os.Chmod(filepath.Join(dir, "keys.age"), 0o640))
		}, "chmod 600"},
		"identity readable by others": {func(t *testing.T, dir string) {
			require.NoError(t, os.Chmod(filepath.Join(dir, "keys.identity"), 0o604))
		}, "chmod 600"},
		"a link": {func(t *testing.T, dir string) {
			path := filepath.Join(dir, "keys.age")
			require.NoError(t, os.Rename(path, path+".moved"))
			require.NoError(t, os.Symlink(path+".moved", path))
		}, "not a regular file"},
		"a folder": {func(t *testing.T, dir string) {
			path := filepath.Join(dir, "keys.identity")
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		}, "not a regular file"},
		"of another user": {func(t *testing.T, dir string) {
			if os.Chown(filepath.Join(dir, "keys.age"), 12345, -1) != nil {
				t.Skip("only root can give files away")
			}
		}, "belongs to another user"},
		"without its identity": {func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "keys.identity")))
		}, "move it away"},
		"with another identity": {func(t *testing.T, dir string) {
			elsewhere := t.TempDir()
			require.NoError(t, New(elsewhere, ModeFile).Set("a", secret))
			require.NoError(t, os.Rename(filepath.Join(elsewhere, "keys.identity"), filepath.Join(dir, "keys.identity")))
		}, "move it away"},
		"cut": {func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(dir, "keys.age"), 100))
		}, "move it away"},
		"huge": {func(t *testing.T, dir string) {
			require.NoError(t, os.Truncate(filepath.Join(dir, "keys.age"), maxFile+1))
		}, "too large"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, New(dir, ModeFile).Set("a", secret))
			c.harm(t, dir)
			s := New(dir, ModeFile)
			_, err := s.Get("a")
			requireUnavailable(t, err, c.says)
			require.NotContains(t, err.Error(), "AGE-SECRET-KEY")
			requireUnavailable(t, s.Set("b", other), c.says)
		})
	}
}

func TestTheSystemsKeyStoreIsUsedWhenItAnswers(t *testing.T) {
	dir := t.TempDir()
	s, r := withRing(dir, ringReady)
	require.NoError(t, s.Set("a", secret))
	require.Equal(t, secret, r.entries["a"])
	require.NoFileExists(t, filepath.Join(dir, "keys.age"))
	list, err := os.ReadFile(filepath.Join(dir, "keys.system"))
	require.NoError(t, err)
	require.Equal(t, `["a"]`, string(list))
	require.Equal(t, "the key store of the operating system", s.Where())
	require.NoError(t, s.Delete("a"))
	require.Empty(t, r.entries)
	require.Empty(t, get(t, s, "a"))
}

func TestALockedKeyStoreIsNotTakenForAnEmptyOne(t *testing.T) {
	dir := t.TempDir()
	before, r := withRing(dir, ringReady)
	require.NoError(t, before.Set("a", secret))

	s := New(dir, ModeAuto) // the next start, at which the key store is still locked
	s.ring = r
	r.state = ringLocked
	_, err := s.Get("a")
	requireUnavailable(t, err, "locked")
	_, err = s.Get("never stored")
	requireUnavailable(t, err, "locked")
	requireUnavailable(t, s.Set("a", other), "locked")
	requireUnavailable(t, s.Delete("a"), "locked")
	require.Contains(t, s.Where(), "locked")
	require.NoFileExists(t, filepath.Join(dir, "keys.age"))

	r.state = ringReady
	require.Equal(t, secret, get(t, s, "a"))
}

func TestReadingDoesNotAskForThePasswordAgainAndAgain(t *testing.T) {
	s, r := withRing(t.TempDir(), ringLocked)
	now := time.Now()
	s.now = func() time.Time { return now }
	for range 5 {
		_, err := s.Get("a")
		require.Error(t, err)
	}
	require.Equal(t, 1, r.asks)
	require.Error(t, s.Set("a", secret)) // the person acts: the system may ask
	require.Equal(t, 2, r.asks)
	now = now.Add(quietFor)
	_, err := s.Get("a")
	require.Error(t, err)
	require.Equal(t, 3, r.asks)
}

func TestAKeyStoreThatThePersonUnlocksIsUsed(t *testing.T) {
	s, r := withRing(t.TempDir(), ringLocked)
	r.opens = true
	require.NoError(t, s.Set("a", secret))
	require.Equal(t, secret, r.entries["a"])
}

func TestWithoutAKeyStoreTheFileIsUsedAndSaysSo(t *testing.T) {
	dir := t.TempDir()
	s, r := withRing(dir, ringAbsent)
	require.NoError(t, s.Set("a", secret))
	require.Equal(t, secret, get(t, s, "a"))
	require.Empty(t, r.entries)
	require.Equal(t, "an encrypted file that only you can read ("+filepath.Join(dir, "keys.age")+"), since it is a test", s.Where())
	require.Equal(t, 1, r.looks, "an absent key store is not asked at every call")
}

func TestAKeyInAKeyStoreThatIsOutOfReachIsAnError(t *testing.T) {
	dir := t.TempDir()
	before, r := withRing(dir, ringReady)
	require.NoError(t, before.Set("a", secret))

	s := New(dir, ModeAuto) // started where there is no session bus
	s.ring = r
	r.state = ringAbsent
	_, err := s.Get("a")
	requireUnavailable(t, err, "cannot be reached from here: it is a test")
	require.Empty(t, get(t, s, "b"))
	requireUnavailable(t, s.Delete("a"), "cannot be reached")
	_, err = New(dir, ModeFile).Get("a")
	requireUnavailable(t, err, "MOBIUS_KEYS=file")

	// A key that is stored anew goes to the file, and is the newer one from then on, wherever Mobius starts.
	require.NoError(t, s.Set("a", other))
	require.Equal(t, other, get(t, s, "a"))
	desktop := New(dir, ModeAuto)
	desktop.ring = r
	r.state = ringReady
	require.Equal(t, other, get(t, desktop, "a"))

	// Storing into the key store takes it out of the file.
	require.NoError(t, desktop.Set("a", secret))
	require.Equal(t, secret, get(t, desktop, "a"))
	require.Empty(t, mustLoad(t, desktop))
	require.NoError(t, desktop.Delete("a"))
	require.Empty(t, get(t, desktop, "a"))
}

func mustLoad(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all, err := s.file.load()
	require.NoError(t, err)
	return all
}

func TestADamagedFileDoesNotHideKeysInTheKeyStore(t *testing.T) {
	dir := t.TempDir()
	s, _ := withRing(dir, ringReady)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "keys.age"), []byte("rubbish"), 0o600))
	require.NoError(t, s.Set("a", secret))
	require.Equal(t, secret, get(t, s, "a"))
	_, err := s.Get("b")
	requireUnavailable(t, err, "move it away")
}

func TestAKeyStoreThatHangsIsGivenUpAndAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, r := withRing(t.TempDir(), ringReady)
		r.hang = make(chan struct{})
		begin := time.Now()
		requireUnavailable(t, s.Set("a", secret), "does not answer")
		require.Equal(t, ringLimit, time.Since(begin))
		begin = time.Now()
		_, err := s.Get("a")
		requireUnavailable(t, err, "locked")
		require.Zero(t, time.Since(begin), "a second call does not wait behind the one that hangs")
		close(r.hang)
		synctest.Wait()
		r.hang = nil
		require.Equal(t, secret, get(t, s, "a"))
	})
}

func TestAKeyStoreThatFailsIsLookedAtAnew(t *testing.T) {
	s, r := withRing(t.TempDir(), ringReady)
	require.NoError(t, s.Set("a", secret))
	r.err = errors.New("the daemon went away")
	_, err := s.Get("a")
	requireUnavailable(t, err, "the daemon went away")
	r.err = nil
	looks := r.looks
	require.Equal(t, secret, get(t, s, "a"))
	require.Equal(t, looks+1, r.looks)
}

func TestEveryKeyIsReportedSoThatLogsCanHideIt(t *testing.T) {
	dir := t.TempDir()
	s := New(dir, ModeFile)
	var told []string
	s.OnSecret(func(key string) { told = append(told, key) })
	require.NoError(t, s.Set("a", secret))
	require.Equal(t, []string{secret}, told)
	again := New(dir, ModeFile)
	told = nil
	again.OnSecret(func(key string) { told = append(told, key) })
	get(t, again, "a")
	get(t, again, "b")
	require.Equal(t, []string{secret}, told)
}

func FuzzIDListNeverFails(f *testing.F) {
	f.Add([]byte(`["a"]`))
	f.Add([]byte(`{`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, content []byte) {
		if len(content) > maxFile {
			return
		}
		l := &idList{path: filepath.Join(t.TempDir(), "list")}
		require.NoError(t, os.WriteFile(l.path, content, 0o600))
		require.NoError(t, l.edit("x", true))
		has, err := l.has("x")
		require.NoError(t, err)
		require.True(t, has)
		require.NoError(t, l.edit("x", false))
	})
}

func TestErrorsNeverHoldAKey(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, New(dir, ModeFile).Set("a", secret))
	s := New(dir, ModeFile)
	id, err := s.file.open()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(s.file.identity, []byte(strings.ToLower(id.String())+"x"), 0o600))
	_, err = s.Get("a")
	require.Error(t, err)
	require.NotContains(t, strings.ToUpper(err.Error()), "AGE-SECRET-KEY")
}
