package workspace

import (
	"os"
	"path/filepath"
	"strings"

	"mobius/backend/wire"
)

// Folders judges folders; it implements what the gateway asks.
type Folders struct{}

// Check gives the cleaned absolute path and the identity of a folder that a conversation may work in. It exists, is a
// directory, is not the root of a file system and shares nothing with the state directory; else invalid_workspace.
func (Folders) Check(path, stateDir string) (clean, identity string, err error) {
	refuse := func(why string) (string, string, error) {
		return "", "", wire.Reject(wire.CodeInvalidWorkspace, "%s %s. Choose another folder.", path, why)
	}
	if path == "" || strings.ContainsRune(path, 0) {
		return refuse("is not a folder")
	}
	if path == "~" || strings.HasPrefix(path, "~"+string(filepath.Separator)) {
		home, e := os.UserHomeDir()
		if e != nil {
			return refuse("cannot be resolved")
		}
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		return refuse("is not an absolute path")
	}
	clean = filepath.Clean(path)
	real, e := filepath.EvalSymlinks(clean)
	if e != nil {
		return refuse("does not exist or cannot be read")
	}
	info, e := os.Stat(real)
	switch {
	case e != nil:
		return refuse("cannot be read")
	case !info.IsDir():
		return refuse("is not a folder")
	case filepath.Dir(real) == real:
		return refuse("is the root of a file system")
	}
	state := stateDir
	if resolved, e := filepath.EvalSymlinks(stateDir); e == nil {
		state = resolved
	}
	if within(real, state) || within(state, real) {
		return refuse("holds or is part of the place where Mobius keeps its own data")
	}
	return clean, identify(info), nil
}

// within tells whether path is dir or lies in it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
