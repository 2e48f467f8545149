package workspace

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

const (
	ignoreName      = ".gitignore"
	maxIgnoreFile   = 1 << 20 // bytes of one ignore file that are read
	maxIgnoreRules  = 10_000  // rules that are taken from one
	maxIgnoreLength = 4096    // bytes of one rule
)

// foldCase is set where file names are usually the same in upper and lower case.
var foldCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// rule is one line of an ignore file.
type rule struct {
	glob     glob
	negate   bool // a ! before it: what it matches is not ignored after all
	dirOnly  bool // a / at its end: it matches folders only
	nameOnly bool // no other /: it matches the last name of a path, at any depth
}

// ignore is the rules of one ignore file with those that it refines: the file's of the folder above, and below all of
// them the repository's own exclude file. It is immutable.
type ignore struct {
	outer *ignore
	base  string // folder of the file inside the workspace, "" = the workspace itself
	above string // path of the workspace below the file's folder, for files above the workspace
	rules []rule
}

// parseIgnore reads the lines of an ignore file. Lines that can match nothing are left out.
func parseIgnore(text string) []rule {
	text = strings.TrimPrefix(text, "\ufeff")
	var rules []rule
	for line := range strings.SplitSeq(text, "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r")); ok {
			rules = append(rules, r)
		}
		if len(rules) >= maxIgnoreRules {
			break
		}
	}
	return rules
}

func parseRule(line string) (r rule, ok bool) {
	if line == "" || line[0] == '#' || len(line) > maxIgnoreLength {
		return r, false
	}
	line = trimSpaces(line)
	if rest, found := strings.CutPrefix(line, "!"); found {
		r.negate, line = true, rest
	}
	if rest, found := strings.CutSuffix(line, "/"); found {
		r.dirOnly, line = true, rest
	}
	r.nameOnly = !strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	if rest, found := strings.CutPrefix(line, "**/"); found && rest != "" && !strings.Contains(rest, "/") && rest != anyFolders {
		r.nameOnly, line = true, rest // the usual long form of the same
	}
	if r.nameOnly && line == anyFolders {
		line = "*"
	}
	if foldCase {
		line = strings.ToLower(line)
	}
	r.glob, ok = compileGlob(line)
	return r, ok
}

// trimSpaces takes spaces off the end unless a backslash keeps one.
func trimSpaces(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
			end = min(i+1, len(line))
		case ' ':
		default:
			end = i + 1
		}
	}
	return line[:end]
}

// matches tells whether what the rules of ig say is that a path of the workspace is ignored. The last rule that matches
// decides, those of a deeper file first. That a folder above the path is ignored is for the caller to know.
func (ig *ignore) matches(name string, isDir bool) bool {
	if foldCase {
		name = strings.ToLower(name)
	}
	base := path.Base(name)
	for ; ig != nil; ig = ig.outer {
		rel := ig.relative(name)
		for i := len(ig.rules) - 1; i >= 0; i-- {
			r := &ig.rules[i]
			if r.dirOnly && !isDir {
				continue
			}
			target := rel
			if r.nameOnly {
				target = base
			}
			if r.glob.match(target) {
				return !r.negate
			}
		}
	}
	return false
}

func (ig *ignore) relative(name string) string {
	switch {
	case ig.above != "":
		return ig.above + "/" + name
	case ig.base != "":
		return name[len(ig.base)+1:]
	}
	return name
}

// with adds the rules of a file in folder base of the workspace; ig stays as it is.
func (ig *ignore) with(base, text string) *ignore {
	rules := parseIgnore(text)
	if len(rules) == 0 {
		return ig
	}
	if base == "." {
		base = ""
	}
	return &ignore{outer: ig, base: base, rules: rules}
}

// inherited gives the rules that hold for the workspace from outside of it: the exclude file of the repository that it
// belongs to and the ignore files of the folders above it. A workspace that is itself ignored there was chosen by the
// person all the same, so then they do not count.
func inherited(dir string) *ignore {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil
	}
	top, git := repository(resolved)
	if top == "" {
		return nil
	}
	var ig *ignore
	add := func(folder, file string) {
		above, err := filepath.Rel(folder, resolved)
		if err != nil {
			return
		}
		if above = filepath.ToSlash(above); above == "." {
			above = ""
		}
		if rules := parseIgnore(readOutside(file)); len(rules) > 0 {
			ig = &ignore{outer: ig, above: above, rules: rules}
		}
	}
	add(top, filepath.Join(commonDir(git), "info", "exclude"))
	var folders []string
	for f := resolved; f != top; {
		f = filepath.Dir(f)
		folders = append(folders, f)
	}
	for i := len(folders) - 1; i >= 0; i-- {
		add(folders[i], filepath.Join(folders[i], ignoreName))
	}
	if ig.hides(resolved, top) {
		return nil
	}
	return ig
}

// hides tells whether the rules from above ignore the workspace itself or a folder between it and the repository's top.
func (ig *ignore) hides(workspace, top string) bool {
	for folder := workspace; folder != top; folder = filepath.Dir(folder) {
		for at := ig; at != nil; at = at.outer {
			if at.above == "" {
				continue
			}
			base := strings.TrimSuffix(filepath.ToSlash(workspace), "/"+at.above)
			rel, err := filepath.Rel(filepath.FromSlash(base), folder)
			if err != nil || rel == "." || strings.HasPrefix(rel, "..") {
				continue
			}
			alone := &ignore{rules: at.rules}
			if alone.matches(filepath.ToSlash(rel), true) {
				return true
			}
		}
	}
	return false
}

func readOutside(file string) string {
	if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return "" // Git does not follow a link here either
	}
	return readSmall(file, maxIgnoreFile)
}
