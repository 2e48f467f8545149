package workspace

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"mobius/backend/wire"
)

const (
	maxGitFile   = 4096 // bytes of .git and HEAD that are read
	maxUp        = 64   // folders that are climbed in search of a repository
	maxBranch    = 255  // bytes of a branch name that are shown
	shortCommit  = 8    // characters of a commit that is shown instead of a branch
	branchPrefix = "refs/heads/"
)

// Info describes a folder for the status line. It reads .git/HEAD and never runs Git, since a repository's own
// configuration may name programs.
func Info(path string) wire.WorkspaceInfo {
	info := wire.WorkspaceInfo{Path: path, Name: filepath.Base(path)}
	clean, err := expand(path)
	if err != nil {
		return info
	}
	info.Path, info.Name = clean, filepath.Base(clean)
	stat, err := os.Stat(clean)
	if err != nil || !stat.IsDir() {
		return info
	}
	info.Exists = true
	if _, git := repository(clean); git != "" {
		info.Branch = branch(git)
	}
	return info
}

// repository finds the work tree that dir belongs to and its Git folder, both "" when there is none.
func repository(dir string) (top, git string) {
	for range maxUp {
		candidate := filepath.Join(dir, ".git")
		if info, err := os.Stat(candidate); err == nil {
			if info.IsDir() {
				return dir, candidate
			}
			if target := gitFile(candidate); target != "" {
				return dir, target
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return "", ""
}

// gitFile gives the folder that a .git file of a worktree or submodule points to.
func gitFile(path string) string {
	target, ok := strings.CutPrefix(readSmall(path, maxGitFile), "gitdir:")
	if !ok {
		return ""
	}
	target = strings.TrimSpace(target)
	if target == "" {
		return ""
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	if info, err := os.Stat(target); err != nil || !info.IsDir() {
		return ""
	}
	return target
}

// commonDir is the Git folder that all worktrees of a repository share.
func commonDir(git string) string {
	common := strings.TrimSpace(readSmall(filepath.Join(git, "commondir"), maxGitFile))
	switch {
	case common == "":
		return git
	case filepath.IsAbs(common):
		return common
	}
	return filepath.Join(git, common)
}

// branch reads HEAD: the branch's name, or the short commit of a detached one.
func branch(git string) string {
	head := strings.TrimSpace(readSmall(filepath.Join(git, "HEAD"), maxGitFile))
	if ref, ok := strings.CutPrefix(head, "ref:"); ok {
		name, ok := strings.CutPrefix(strings.TrimSpace(ref), branchPrefix)
		if !ok || len(name) > maxBranch || strings.HasPrefix(name, ".") || strings.ContainsFunc(name, unprintable) {
			return "" // ".invalid" stands there when the branch is stored in another form
		}
		return name
	}
	if len(head) < shortCommit || strings.ContainsFunc(head, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) }) {
		return ""
	}
	return head[:shortCommit]
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// readSmall reads the first bytes of a regular file, "" when that is not possible. It is for Git's own files, which may
// lie outside of the workspace; nothing of them is ever shown but a branch name.
func readSmall(path string, limit int64) string {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.OpenFile(path, openFlags, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, err := io.ReadAll(io.LimitReader(f, limit))
	if err != nil {
		return ""
	}
	return string(b)
}
