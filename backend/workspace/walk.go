package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// MaxEntries is how many files and folders one walk visits unless told less.
const MaxEntries = 200_000

// WalkOptions narrow a walk.
type WalkOptions struct {
	Start   string // folder to begin in, "" = the workspace
	Depth   int    // levels below Start; 0 = all
	Limit   int    // entries to visit; 0 = MaxEntries
	Ignored bool   // visit what .gitignore leaves out as well
}

// Entry is a file or folder that a walk visits.
type Entry struct {
	Path string      // relative to the workspace, with /
	Type fs.FileMode // type bits: 0 = regular file
}

// Walked says how a walk went.
type Walked struct {
	Entries    int  // visited
	Ignored    int  // left out because of .gitignore; a folder counts as one
	Unreadable int  // folders that could not be read
	Truncated  bool // the limit was reached before the end
}

// pending is a folder whose entries are still to be visited.
type pending struct {
	path   string
	depth  int
	ignore *ignore
}

// Walk visits what is in the workspace, level by level, so that a limit cuts off what lies deepest; within a folder in
// the order of names. It follows no links, leaves .git out, and leaves out what .gitignore says. visit may return
// fs.SkipDir to keep out of a folder and fs.SkipAll to end the walk. A folder that cannot be read is counted and passed
// over, except the first one.
func (r *Root) Walk(ctx context.Context, o WalkOptions, visit func(Entry) error) (Walked, error) {
	if o.Limit <= 0 || o.Limit > MaxEntries {
		o.Limit = MaxEntries
	}
	start := "."
	if o.Start != "" {
		start = path.Clean(o.Start)
	}
	w := walker{root: r, options: o, visit: visit}
	queue := []pending{{path: start, ignore: w.rulesAbove(start)}}
	for i := 0; i < len(queue); i++ {
		folder := queue[i]
		queue[i] = pending{}
		more, err := w.folder(ctx, folder)
		queue = append(queue, more...)
		switch {
		case errors.Is(err, fs.SkipAll):
			return w.walked, nil
		case ctx.Err() != nil:
			return w.walked, context.Cause(ctx)
		case err != nil && i == 0:
			return w.walked, err
		case errors.As(err, new(unreadableError)):
			w.walked.Unreadable++
		case err != nil:
			return w.walked, err
		}
		if w.walked.Truncated {
			break
		}
	}
	return w.walked, nil
}

type walker struct {
	root    *Root
	options WalkOptions
	visit   func(Entry) error
	walked  Walked
}

// unreadableError is the error of a folder that could not be read, to tell it from one that visit returned.
type unreadableError struct{ error }

func (e unreadableError) Unwrap() error { return e.error }

// rulesAbove gives the rules that hold for start: from outside the workspace and from the folders down to it.
func (w *walker) rulesAbove(start string) *ignore {
	if w.options.Ignored {
		return nil
	}
	ig := inherited(w.root.dir)
	if start == "." {
		return ig
	}
	folder := "."
	for name := range strings.SplitSeq(start, "/") {
		ig = w.rules(folder, ig)
		folder = path.Join(folder, name)
	}
	return ig
}

// rules adds the ignore file of a folder, if there is one.
func (w *walker) rules(folder string, ig *ignore) *ignore {
	name := path.Join(folder, ignoreName)
	if info, err := w.root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return ig // Git does not follow a link here either
	}
	text, err := w.root.ReadFile(name, maxIgnoreFile)
	if err != nil {
		return ig
	}
	return ig.with(folder, string(text))
}

// folder visits the entries of one folder and gives the folders among them that are to be visited next.
func (w *walker) folder(ctx context.Context, at pending) ([]pending, error) {
	entries, err := w.read(ctx, at.path)
	if err != nil {
		return nil, err
	}
	ig := at.ignore
	if !w.options.Ignored && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ignoreName }) {
		ig = w.rules(at.path, ig)
	}
	var next []pending
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		name := path.Join(at.path, e.Name())
		if ig != nil && ig.matches(name, e.IsDir()) {
			w.walked.Ignored++
			continue
		}
		if w.walked.Entries >= w.options.Limit {
			w.walked.Truncated = true
			return nil, nil
		}
		w.walked.Entries++
		err := w.visit(Entry{Path: name, Type: e.Type()})
		if err != nil && !errors.Is(err, fs.SkipDir) {
			return nil, err
		}
		if err == nil && e.IsDir() && (w.options.Depth <= 0 || at.depth+1 < w.options.Depth) {
			next = append(next, pending{path: name, depth: at.depth + 1, ignore: ig})
		}
	}
	return next, nil
}

// read gives the entries of a folder by name. Of one with more entries than the walk may visit, some are left out.
func (w *walker) read(ctx context.Context, name string) ([]fs.DirEntry, error) {
	f, err := w.root.root.OpenFile(filepath.FromSlash(name), openFlags, 0)
	if err != nil {
		return nil, unreadableError{w.root.outside(err)}
	}
	defer f.Close()
	var entries []fs.DirEntry
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		batch, err := f.ReadDir(readBatch)
		entries = append(entries, batch...)
		if errors.Is(err, io.EOF) || err == nil && len(entries) > MaxEntries {
			break
		}
		if err != nil {
			return nil, unreadableError{err}
		}
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}
