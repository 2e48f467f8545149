package keys

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"filippo.io/age"
)

const maxFile = 1 << 20 // bytes

// file is the encrypted file and the identity that opens it.
type file struct {
	path     string
	identity string
}

// load gives all keys; none when there is no file.
func (f *file) load() (map[string]string, error) {
	all := map[string]string{}
	sealed, err := readPrivate(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	id, err := f.open()
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened (%w); move it away to store keys anew", f.path, err)
	}
	plain, err := age.Decrypt(bytes.NewReader(sealed), id)
	if err != nil {
		return nil, fmt.Errorf("%s does not belong to %s or is damaged; move it away to store keys anew", f.path, f.identity)
	}
	text, err := io.ReadAll(io.LimitReader(plain, maxFile))
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil { // not its text: it could hold keys
		return nil, fmt.Errorf("%s is damaged; move it away to store keys anew", f.path)
	}
	if all == nil {
		all = map[string]string{}
	}
	return all, nil
}

func (f *file) save(all map[string]string) error {
	id, err := f.open()
	if errors.Is(err, fs.ErrNotExist) {
		id, err = f.make()
	}
	if err != nil {
		return err
	}
	text, err := json.Marshal(all)
	if err != nil {
		return err
	}
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, id.Recipient())
	if err != nil {
		return fmt.Errorf("seal the key file: %w", err)
	}
	if _, err := w.Write(text); err != nil {
		return fmt.Errorf("seal the key file: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("seal the key file: %w", err)
	}
	return writePrivate(f.path, sealed.Bytes())
}

// open reads the identity.
func (f *file) open() (*age.X25519Identity, error) {
	text, err := readPrivate(f.identity)
	if err != nil {
		return nil, err
	}
	id, err := age.ParseX25519Identity(strings.TrimSpace(string(text)))
	if err != nil { // not its text: it could hold the identity
		return nil, fmt.Errorf("%s is damaged", f.identity)
	}
	return id, nil
}

func (f *file) make() (*age.X25519Identity, error) {
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	return id, writePrivate(f.identity, []byte(id.String()+"\n"))
}

// idList is the list of ids whose key is in the system's key store.
type idList struct{ path string }

func (l *idList) load() ([]string, error) {
	text, err := readPrivate(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var ids []string
	if err := json.Unmarshal(text, &ids); err != nil {
		return nil, nil // nothing that cannot be found out again: the key store is asked then
	}
	return ids, nil
}

func (l *idList) has(id string) (bool, error) {
	ids, err := l.load()
	return slices.Contains(ids, id), err
}

func (l *idList) edit(id string, in bool) error {
	ids, err := l.load()
	if err != nil || slices.Contains(ids, id) == in {
		return err
	}
	if in {
		ids = append(ids, id)
	} else {
		ids = slices.DeleteFunc(ids, func(other string) bool { return other == id })
	}
	text, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return writePrivate(l.path, text)
}

// readPrivate reads a file that only its owner, this user, may read. A link, another owner or wider rights are an error.
func readPrivate(path string) ([]byte, error) {
	before, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !before.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat() // of what was opened, which must be what was looked at
	if err != nil {
		return nil, err
	}
	switch {
	case !os.SameFile(before, info):
		return nil, fmt.Errorf("%s was replaced while it was opened", path)
	case !ownedByUs(info):
		return nil, fmt.Errorf("%s belongs to another user", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%s can be read by others; run: chmod 600 %s", path, path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s is too large", path)
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// writePrivate replaces a file as a whole, durably.
func writePrivate(path string, content []byte) (err error) {
	t, err := os.CreateTemp(filepath.Dir(path), ".keys-*") // made with 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(t.Name())
		}
	}()
	if _, err = t.Write(content); err != nil {
		return errors.Join(err, t.Close())
	}
	if err = t.Sync(); err != nil {
		return errors.Join(err, t.Close())
	}
	if err = t.Close(); err != nil {
		return err
	}
	if err = os.Rename(t.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}
