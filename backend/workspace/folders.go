package workspace

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"mobius/backend/wire"
)

const (
	maxFolders = 1000
	findLimit  = 400 * time.Millisecond
)

// Info describes a folder for the status line. It reads .git itself and runs nothing.
func (Folders) Info(dir string) wire.WorkspaceInfo {
	info := wire.WorkspaceInfo{Path: dir, Name: filepath.Base(dir)}
	st, err := os.Stat(dir)
	info.Exists = err == nil && st.IsDir()
	if info.Exists {
		info.Branch = branch(dir)
	}
	return info
}

// branch reads the current branch, or the short commit of a detached head, from the repository that dir is in.
func branch(dir string) string {
	for range 64 {
		git := filepath.Join(dir, ".git")
		if text := readSmall(git); strings.HasPrefix(text, "gitdir: ") { // a worktree or submodule
			if git = strings.TrimSpace(strings.TrimPrefix(text, "gitdir: ")); !filepath.IsAbs(git) {
				git = filepath.Join(dir, git)
			}
		}
		head := strings.TrimSpace(readSmall(filepath.Join(git, "HEAD")))
		if ref, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
			return ref
		}
		if len(head) >= 40 {
			return head[:8]
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return ""
}

func readSmall(name string) string {
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, 4<<10))
	if err != nil {
		return ""
	}
	return string(b)
}

// Folders lists the folders inside one; "" is the home folder. Hidden ones come last.
func (Folders) Folders(dir string) (*wire.FolderListing, error) {
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, wire.Reject(wire.CodeInvalidWorkspace, "The home folder is not known: %v.", err)
		}
		dir = home
	}
	if !filepath.IsAbs(dir) || strings.ContainsRune(dir, 0) {
		return nil, wire.Reject(wire.CodeInvalidWorkspace, "%q is not an absolute path.", dir)
	}
	dir = filepath.Clean(dir)
	f, err := os.Open(dir)
	if err != nil {
		return nil, wire.Reject(wire.CodeInvalidWorkspace, "%s cannot be opened: %v.", dir, reason(err))
	}
	defer func() { _ = f.Close() }()
	out := &wire.FolderListing{Path: dir, Folders: []wire.Folder{}}
	if parent := filepath.Dir(dir); parent != dir {
		out.Parent = parent
	}
	for seen := 0; ; {
		entries, err := f.ReadDir(readBatch)
		for _, e := range entries {
			name := filepath.Join(dir, e.Name())
			if e.IsDir() || e.Type()&fs.ModeSymlink != 0 && isDir(name) {
				out.Folders = append(out.Folders, wire.Folder{Name: e.Name(), Path: name})
			}
		}
		if seen += len(entries); err != nil || seen >= 20*maxFolders {
			if err != nil && !errors.Is(err, io.EOF) {
				return nil, wire.Reject(wire.CodeInvalidWorkspace, "%s cannot be read: %v.", dir, reason(err))
			}
			break
		}
	}
	sort.Slice(out.Folders, func(i, j int) bool {
		a, b := out.Folders[i].Name, out.Folders[j].Name
		if ha, hb := strings.HasPrefix(a, "."), strings.HasPrefix(b, "."); ha != hb {
			return hb
		}
		return strings.ToLower(a) < strings.ToLower(b)
	})
	if len(out.Folders) > maxFolders {
		out.Folders, out.Truncated = out.Folders[:maxFolders], true
	}
	return out, nil
}

// reason is what went wrong without the path, which the message names already.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

func isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// Find gives the files and folders of a workspace whose path has the letters of query in their order, best first.
func (Folders) Find(ctx context.Context, dir, query string, limit int) ([]wire.FileMatch, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, wire.Reject(wire.CodeInvalidWorkspace, "%s cannot be opened: %v.", dir, reason(err))
	}
	defer func() { _ = root.Close() }()
	ctx, cancel := context.WithTimeout(ctx, findLimit)
	defer cancel()
	type scored struct {
		wire.FileMatch
		score int
	}
	var found []scored
	query = strings.ToLower(strings.TrimPrefix(query, "./"))
	_, err = Walk(ctx, root, ".", 0, func(e Entry) bool {
		if s, ok := score(strings.ToLower(e.Path), query); ok && !e.Link {
			found = append(found, scored{wire.FileMatch{Path: e.Path, Dir: e.Dir}, s})
		}
		return true
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) { // late means fewer matches, not none
		return nil, err
	}
	sort.SliceStable(found, func(i, j int) bool {
		if found[i].score != found[j].score {
			return found[i].score < found[j].score
		}
		return len(found[i].Path) < len(found[j].Path)
	})
	out := []wire.FileMatch{}
	for _, f := range found[:min(len(found), limit)] {
		out = append(out, f.FileMatch)
	}
	return out, nil
}

// score is lower the better a path matches: in the name before in the path, as a whole before letter by letter.
func score(name, query string) (int, bool) {
	base := path.Base(name)
	switch {
	case query == "":
		return strings.Count(name, "/"), true
	case base == query || name == query:
		return 0, true
	case strings.HasPrefix(base, query):
		return 1, true
	case strings.Contains(base, query):
		return 2, true
	case strings.Contains(name, query):
		return 3, true
	}
	at, gaps, last := 0, 0, -1
	for _, c := range query {
		i := strings.IndexRune(name[at:], c)
		if i < 0 {
			return 0, false
		}
		if last >= 0 && i > 0 {
			gaps += i
		}
		last = at + i
		at = last + len(string(c))
	}
	return 4 + gaps, true
}
