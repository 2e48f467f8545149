package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sort"
)

// ErrNotRegular says that a path is no plain file (a pipe, a device, a directory).
var ErrNotRegular = errors.New("not a regular file")

// MaxWalk bounds how many entries one walk looks at.
const MaxWalk = 200_000

// readBatch is how many entries of a directory are read at once.
const readBatch = 1000

// Entry is one file or folder of a walk.
type Entry struct {
	Path string // relative, with /
	Dir  bool
	Link bool // a symbolic link; it is not followed
	info fs.DirEntry
}

// Size is the size in bytes, 0 when it cannot be read.
func (e Entry) Size() int64 {
	info, err := e.info.Info()
	if err != nil {
		return 0
	}
	return info.Size()
}

// open opens a regular file for reading without ever waiting for a pipe.
func open(root *os.Root, name string) (*os.File, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	// It may have been replaced between the two calls: what was opened is what counts.
	if info, err = f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, ErrNotRegular), f.Close())
	}
	return f, nil
}

// Open opens a regular file of the folder for reading. A path that leads out of the folder is an error.
func Open(root *os.Root, name string) (*os.File, error) { return open(root, name) }

// Walk visits what is in dir in order of names, without what Git ignores, .git itself, and anything behind a link.
// visit returns false to leave a folder out. It ends with ctx, after depth levels (0 = no limit) or after MaxWalk
// entries, and tells whether it saw everything.
func Walk(ctx context.Context, root *os.Root, dir string, depth int, visit func(Entry) bool) (complete bool, err error) {
	w := &walker{ctx: ctx, root: root, ignore: newIgnore(root), visit: visit, left: MaxWalk}
	// The .gitignore files above dir count too.
	if dir != "." {
		w.ignore.enter(".")
		for i, c := range dir {
			if c == '/' {
				w.ignore.enter(dir[:i])
			}
		}
	}
	err = w.walk(dir, depth)
	if errors.Is(err, errEnough) {
		return false, nil
	}
	return !w.cut, err
}

var errEnough = errors.New("enough")

type walker struct {
	ctx    context.Context
	root   *os.Root
	ignore *ignore
	visit  func(Entry) bool
	left   int
	cut    bool
}

func (w *walker) walk(dir string, depth int) error {
	before := w.ignore.enter(dir)
	defer w.ignore.leave(before)
	entries, err := w.entries(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		name := path.Join(dir, e.Name())
		link := e.Type()&fs.ModeSymlink != 0
		if e.Name() == ".git" || w.ignore.skips(name, e.IsDir()) {
			continue
		}
		if w.left--; w.left < 0 {
			return errEnough
		}
		into := w.visit(Entry{Path: name, Dir: e.IsDir(), Link: link, info: e})
		if !e.IsDir() || !into {
			continue
		}
		if depth == 1 {
			w.cut = true
			continue
		}
		if err := w.walk(name, max(0, depth-1)); err != nil {
			if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
				continue // one unreadable folder must not hide the others
			}
			return err
		}
	}
	return nil
}

func (w *walker) entries(dir string) ([]fs.DirEntry, error) {
	f, err := w.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var list []fs.DirEntry
	for len(list) < MaxWalk {
		batch, err := f.ReadDir(readBatch)
		list = append(list, batch...)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name() < list[j].Name() })
	return list, nil
}
