package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mobius/backend/wire"
)

// maxPath is the longest path of a folder, in bytes: what Linux allows.
const maxPath = 4096

// Check tells whether a folder may be a workspace, and gives its cleaned absolute path. A leading ~ is the home folder.
// The folder must exist, be readable, be no file-system root and not overlap stateDir in either direction, whatever
// links lead to it; otherwise the error is an invalid_workspace rejection that says why.
func Check(path, stateDir string) (clean string, err error) {
	clean, err = expand(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(clean)
	if err != nil {
		return "", reject("The folder %s %s.", clean, reason(err))
	}
	if !info.IsDir() {
		return "", reject("%s is not a folder.", clean)
	}
	resolved, err := filepath.EvalSymlinks(clean)
	if err != nil {
		return "", reject("The folder %s %s.", clean, reason(err))
	}
	if isFileSystemRoot(resolved, info) {
		return "", reject("%s is the root of a file system. Choose a folder inside it.", clean)
	}
	if stateDir != "" && overlap(resolved, stateDir) {
		return "", reject("%s overlaps the folder in which Mobius keeps its own data (%s). Choose another folder.", clean, stateDir)
	}
	if err := readable(clean); err != nil {
		return "", reject("The folder %s %s.", clean, reason(err))
	}
	return clean, nil
}

func reject(format string, args ...any) error {
	return wire.Reject(wire.CodeInvalidWorkspace, format, args...)
}

// expand gives the cleaned absolute form of what a person typed.
func expand(path string) (string, error) {
	switch {
	case path == "":
		return "", reject("No folder was given.")
	case len(path) > maxPath:
		return "", reject("The path of a folder has at most %d bytes.", maxPath)
	case strings.ContainsRune(path, 0):
		return "", reject("The path of a folder cannot hold a NUL character.")
	}
	if path == "~" || strings.HasPrefix(path, "~/") || strings.HasPrefix(path, `~`+string(filepath.Separator)) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", reject("The home folder is not known: %v.", err)
		}
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		return "", reject("%q is not the whole path of a folder. Give it from the root on, or begin it with ~.", path)
	}
	return filepath.Clean(path), nil
}

// reason puts the usual errors of the file system into words that continue "The folder X …".
func reason(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "cannot be read: permission denied"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return "cannot be read: " + err.Error()
}

// isFileSystemRoot knows a root by its name and, on systems with one tree, also under another name (a bind mount).
func isFileSystemRoot(resolved string, info fs.FileInfo) bool {
	if filepath.Dir(resolved) == resolved {
		return true
	}
	root, err := os.Stat(filepath.VolumeName(resolved) + string(filepath.Separator))
	return err == nil && os.SameFile(root, info)
}

// overlap tells whether one of the two folders is the other or lies in it. Folders are compared by identity, so that
// upper and lower case, links and bind mounts make no difference. stateDir may not exist yet.
func overlap(resolved, stateDir string) bool {
	state, err := filepath.Abs(stateDir)
	if err != nil {
		return true // nothing is known about it, so nothing is allowed
	}
	state = resolveExisting(state)
	if inside(resolved, state) || inside(state, resolved) {
		return true
	}
	return below(resolved, state) || below(state, resolved)
}

// inside tells by name whether path is dir or lies in it.
func inside(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)))
}

// below tells by identity whether path is dir or lies in it.
func below(path, dir string) bool {
	target, err := os.Stat(dir)
	if err != nil {
		return false
	}
	for {
		if info, err := os.Stat(path); err == nil && os.SameFile(info, target) {
			return true
		}
		parent := filepath.Dir(path)
		if parent == path {
			return false
		}
		path = parent
	}
}

// resolveExisting resolves the links of the part of a path that exists.
func resolveExisting(path string) string {
	rest := ""
	for p := path; ; p = filepath.Dir(p) {
		if resolved, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(resolved, rest)
		}
		if filepath.Dir(p) == p {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}

func readable(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Readdirnames(1); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// Identity names a folder independently of its path, so that it is recognised after it was moved or renamed on the same
// disk. It is "" where the system gives nothing to know a folder by, or the folder is gone.
func Identity(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	return identity(f)
}
