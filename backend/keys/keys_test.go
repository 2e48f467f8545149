package keys

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"

	"mobius/backend/wire"
)

// memoryRing is a key store that answers as told.
type memoryRing struct {
	entries map[string]string
	err     error
}

func (r *memoryRing) Get(_, u string) (string, error) {
	if r.err != nil {
		return "", r.err
	}
	if v, ok := r.entries[u]; ok {
		return v, nil
	}
	return "", keyring.ErrNotFound
}

func (r *memoryRing) Set(_, u, p string) error {
	if r.err == nil {
		r.entries[u] = p
	}
	return r.err
}

func (r *memoryRing) Delete(_, u string) error {
	delete(r.entries, u)
	return r.err
}

const secret = "sk-test-0123456789abcdef"

func TestTheFileKeepsKeysEncryptedAndPrivate(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, New(dir, ModeFile).Set("openai", secret))
	again := New(dir, ModeFile)
	key, err := again.Get("openai")
	require.NoError(t, err)
	require.Equal(t, secret, key)
	for _, name := range []string{"keys.age", "keys.identity"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), name)
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		require.False(t, bytes.Contains(content, []byte(secret)), name)
	}
	require.NoError(t, again.Delete("openai"))
	key, err = again.Get("openai")
	require.NoError(t, err)
	require.Empty(t, key)
}

func TestAKeyFileThatOthersCanReadIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, New(dir, ModeFile).Set("a", secret))
	require.NoError(t, os.Chmod(filepath.Join(dir, "keys.identity"), 0o644))
	_, err := New(dir, ModeFile).Get("a")
	require.Equal(t, wire.CodeKeyStoreUnavailable, wire.CodeOf(err))
	require.ErrorContains(t, err, "chmod 600")
}

func TestALinkInPlaceOfTheKeyFileIsRefused(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.Symlink("/etc/hostname", filepath.Join(dir, "keys.age")))
	_, err := New(dir, ModeFile).Get("a")
	require.Equal(t, wire.CodeKeyStoreUnavailable, wire.CodeOf(err))
}

func TestTheSystemsKeyStoreIsUsedWhenItAnswers(t *testing.T) {
	dir := t.TempDir()
	s := New(dir, ModeAuto)
	r := &memoryRing{entries: map[string]string{}}
	s.ring = r
	require.NoError(t, s.Set("a", secret))
	require.Equal(t, secret, r.entries["a"])
	require.NoFileExists(t, filepath.Join(dir, "keys.age"))
	require.Contains(t, s.Where(), "operating system")
}

func TestALockedKeyStoreIsNotTakenForAnEmptyOne(t *testing.T) {
	s := New(t.TempDir(), ModeAuto)
	r := &memoryRing{entries: map[string]string{"a": secret}}
	s.ring = r
	_, err := s.Get("a")
	require.NoError(t, err)
	r.err = errors.New("locked")
	_, err = s.Get("a")
	require.Equal(t, wire.CodeKeyStoreUnavailable, wire.CodeOf(err))
	require.Error(t, s.Set("a", "other"))
	r.err = nil
	key, err := s.Get("a")
	require.NoError(t, err)
	require.Equal(t, secret, key)
}

func TestWithoutAKeyStoreTheFileIsUsedAndSaysSo(t *testing.T) {
	s := New(t.TempDir(), ModeAuto)
	s.ring = &memoryRing{err: errors.New("no bus")}
	require.NoError(t, s.Set("a", secret))
	require.Contains(t, s.Where(), "encrypted file")
}
