package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// ErrNotRegular is the error for anything that is no regular file: a folder, a pipe, a socket, a device.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is the error for a file over the limit that the caller gave.
var ErrTooLarge = errors.New("the file is too large")

// ErrOutside is the error for a path that leads out of the workspace.
var ErrOutside = errors.New("the path leads out of the folder")

// Root gives access to the files of one workspace and to nothing else. Paths are relative to it and use /. It is safe
// for concurrent use.
//
// A hard link inside the folder to a file outside of it is, to every program, simply a file of the folder; that one
// cannot be told apart.
type Root struct {
	dir  string
	root *os.Root
	// escapes is the error of package os for a path that leaves a root; os does not export it.
	escapes error
}

// Open opens a workspace. Close it after use.
func Open(dir string) (*Root, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder: %w", err)
	}
	r := &Root{dir: dir, root: root}
	var refused *fs.PathError
	if _, err := root.Lstat(".."); errors.As(err, &refused) {
		r.escapes = refused.Err
	}
	return r, nil
}

// Close releases the handle on the folder.
func (r *Root) Close() error { return r.root.Close() }

// Dir is the path that the root was opened with.
func (r *Root) Dir() string { return r.dir }

// Rel gives the path inside the workspace for one that a model or a person wrote: relative, or absolute below the
// folder. "" is the folder itself. Anything else is [ErrOutside]. Links are not looked at: opening the path does that.
func (r *Root) Rel(name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("%w: it holds a NUL character", ErrOutside)
	}
	if filepath.IsAbs(name) || path.IsAbs(name) {
		rel, err := filepath.Rel(r.dir, name)
		if err != nil {
			return "", ErrOutside
		}
		name = rel
	}
	name = path.Clean(filepath.ToSlash(name))
	if name == ".." || strings.HasPrefix(name, "../") || path.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", ErrOutside
	}
	return name, nil
}

// Stat describes a file; a link inside the folder is followed.
func (r *Root) Stat(name string) (fs.FileInfo, error) {
	info, err := r.root.Stat(filepath.FromSlash(name))
	return info, r.outside(err)
}

// Lstat describes a file without following a link.
func (r *Root) Lstat(name string) (fs.FileInfo, error) {
	info, err := r.root.Lstat(filepath.FromSlash(name))
	return info, r.outside(err)
}

// OpenFile opens a regular file for reading and never waits: what is no regular file gives [ErrNotRegular].
func (r *Root) OpenFile(name string) (*os.File, fs.FileInfo, error) {
	name = filepath.FromSlash(name)
	before, err := r.root.Stat(name) // asked before the open, since opening a device may already do something
	if err != nil {
		return nil, nil, r.outside(err)
	}
	if !before.Mode().IsRegular() {
		return nil, before, fmt.Errorf("%w but a %s", ErrNotRegular, Kind(before.Mode()))
	}
	f, err := r.root.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, nil, r.outside(err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%w but a %s", ErrNotRegular, Kind(info.Mode()))
	}
	if err != nil {
		return nil, info, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// ReadFile reads a whole regular file of at most limit bytes, else [ErrTooLarge].
func (r *Root) ReadFile(name string, limit int64) ([]byte, error) {
	f, info, err := r.OpenFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, ErrTooLarge
	}
	return readLimited(f, info.Size(), limit)
}

// readLimited reads to the end, also of a file that grows meanwhile.
func readLimited(f io.Reader, size, limit int64) ([]byte, error) {
	buf := make([]byte, 0, size+1)
	for {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			return nil, ErrTooLarge
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return nil, err
		case len(buf) == cap(buf):
			buf = append(buf, 0)[:len(buf)]
		}
	}
}

// outside marks the error that os.Root gives for a path that leaves it.
func (r *Root) outside(err error) error {
	if err != nil && r.escapes != nil && errors.Is(err, r.escapes) {
		return ErrOutside
	}
	return err
}

// Kind names what a file is, for people.
func Kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeSymlink != 0:
		return "link"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	case mode&fs.ModeDevice != 0:
		return "device"
	case mode&fs.ModeIrregular != 0:
		return "special file"
	}
	return "file"
}
