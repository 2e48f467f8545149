package workspace

import (
	"bufio"
	"io"
	"os"
	"path"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

const (
	maxIgnoreFile  = 256 << 10 // bytes
	maxIgnoreLines = 5000
)

// ignore knows what Git would leave out: .gitignore files of the folder and those inside it, and .git/info/exclude.
type ignore struct {
	root     *os.Root
	patterns []gitignore.Pattern
}

func newIgnore(root *os.Root) *ignore {
	g := &ignore{root: root}
	g.read(".git/info/exclude", nil)
	return g
}

// enter takes over the .gitignore of a directory and gives how many patterns there were before it.
func (g *ignore) enter(dir string) int {
	before := len(g.patterns)
	var domain []string
	if dir != "." {
		domain = strings.Split(dir, "/")
	}
	g.read(path.Join(dir, ".gitignore"), domain)
	return before
}

// leave forgets what a directory added.
func (g *ignore) leave(before int) { g.patterns = g.patterns[:before] }

func (g *ignore) read(name string, domain []string) {
	f, err := open(g.root, name)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(io.LimitReader(f, maxIgnoreFile))
	for lines.Scan() && len(g.patterns) < maxIgnoreLines {
		line := strings.TrimSuffix(lines.Text(), "\r")
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			g.patterns = append(g.patterns, gitignore.ParsePattern(line, domain))
		}
	}
}

// skips tells whether Git would leave the path out. The last pattern that matches decides.
func (g *ignore) skips(name string, dir bool) bool {
	parts := strings.Split(name, "/")
	for i := len(g.patterns) - 1; i >= 0; i-- {
		switch g.patterns[i].Match(parts, dir) {
		case gitignore.Exclude:
			return true
		case gitignore.Include:
			return false
		}
	}
	return false
}
