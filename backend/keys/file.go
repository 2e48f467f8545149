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
	text, err := readPrivate(f.identity)
	if err != nil {
		return nil, fmt.Errorf("the identity that opens the key file: %w", err)
	}
	id, err := age.ParseX25519Identity(strings.TrimSpace(string(text)))
	if err != nil {
		return nil, errors.New("the identity that opens the key file is damaged")
	}
	plain, err := age.Decrypt(bytes.NewReader(sealed), id)
	if err != nil {
		return nil, fmt.Errorf("open the key file: %w", err)
	}
	if err := json.NewDecoder(io.LimitReader(plain, maxFile)).Decode(&all); err != nil {
		return nil, errors.New("the key file is damaged")
	}
	return all, nil
}

func (f *file) save(all map[string]string) error {
	id, err := f.open()
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
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return writePrivate(f.path, sealed.Bytes())
}

// open gives the identity, making one if there is none.
func (f *file) open() (*age.X25519Identity, error) {
	text, err := readPrivate(f.identity)
	if err == nil {
		return age.ParseX25519Identity(strings.TrimSpace(string(text)))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	id, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, err
	}
	return id, writePrivate(f.identity, []byte(id.String()+"\n"))
}

// readPrivate reads a file that only its owner may read; a link or wider rights are an error.
func readPrivate(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s can be read by others; run: chmod 600 %s", path, path)
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s is too large", path)
	}
	return os.ReadFile(path)
}

// writePrivate replaces a file as a whole.
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
	return os.Rename(t.Name(), path)
}
