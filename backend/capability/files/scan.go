package files

import (
	"bytes"
	"context"
	"regexp"
	"regexp/syntax"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"mobius/backend/workspace"
)

const (
	// batch is how many files are searched between two looks at the limit.
	batch      = 256
	maxWorkers = 4
	// maxNeedles and minNeedle bound the texts that a match must contain, to be worth looking for.
	maxNeedles = 16
	minNeedle  = 2
)

// scan is one search through files.
type scan struct {
	root       *workspace.Root
	expression *regexp.Regexp
	needles    needles
	context    int
	limit      int // matching lines in all
	perFile    int // of one file

	results    []namedResult
	more       bool // the limit cut matches off
	unreadable int
}

// files searches the files, several at a time, and keeps what it finds in their order. It ends when there are enough
// matches, and soon after ctx.
func (s *scan) files(ctx context.Context, paths []string) error {
	matches := 0
	for len(paths) > 0 {
		now := paths[:min(batch, len(paths))]
		paths = paths[len(now):]
		results := s.batch(ctx, now)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		for i, r := range results {
			if r.err != nil {
				s.unreadable++
			}
			if r.matches == 0 {
				continue
			}
			if matches >= s.limit {
				s.more = true
				return nil
			}
			if over := matches + min(r.matches, s.perFile) - s.limit; over > 0 {
				r.hits, s.more = dropMatches(r.hits, over), true
				r.matches = min(r.matches, s.perFile) - over
			}
			matches += min(r.matches, s.perFile)
			s.results = append(s.results, namedResult{now[i], r})
		}
	}
	return nil
}

// dropMatches takes the last n matches off, with the lines around them.
func dropMatches(hits []hit, n int) []hit {
	for i := len(hits) - 1; i >= 0; i-- {
		if !hits[i].match {
			continue
		}
		if n == 0 {
			return hits[:i+1]
		}
		n--
	}
	return nil
}

// batch searches some files at the same time.
func (s *scan) batch(ctx context.Context, paths []string) []found {
	results := make([]found, len(paths))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(maxWorkers, runtime.GOMAXPROCS(0), len(paths)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(paths) {
					return
				}
				results[i] = s.file(ctx, paths[i])
			}
		})
	}
	workers.Wait()
	return results
}

// needles are texts of which every match contains one. None means that nothing is known.
type needles struct {
	texts []string // ASCII
	fold  bool     // upper and lower case are the same
}

// in tells whether a file may match. Texts are looked for in the bytes of the file, which is right for all encodings but
// UTF-16, since they are ASCII.
func (n needles) in(data []byte) bool {
	if len(n.texts) == 0 || n.fold {
		return true
	}
	for _, text := range n.texts {
		if bytes.Contains(data, []byte(text)) {
			return true
		}
	}
	return false
}

// required finds the texts that a match of the expression must contain.
func required(expression *regexp.Regexp) needles {
	tree, err := syntax.Parse(expression.String(), syntax.Perl)
	if err != nil {
		return needles{}
	}
	n := requiredBy(tree.Simplify())
	for _, text := range n.texts {
		if len(text) < minNeedle {
			return needles{}
		}
	}
	return n
}

func requiredBy(re *syntax.Regexp) needles {
	switch re.Op {
	case syntax.OpLiteral:
		return needles{texts: longestASCII(re.Rune), fold: re.Flags&syntax.FoldCase != 0}
	case syntax.OpCapture, syntax.OpPlus:
		return requiredBy(re.Sub[0])
	case syntax.OpConcat:
		var best needles
		for _, sub := range re.Sub {
			if n := requiredBy(sub); n.shortest() > best.shortest() {
				best = n
			}
		}
		return best
	case syntax.OpAlternate:
		var all needles
		for _, sub := range re.Sub {
			n := requiredBy(sub)
			if len(n.texts) == 0 || len(all.texts)+len(n.texts) > maxNeedles {
				return needles{}
			}
			all.texts, all.fold = append(all.texts, n.texts...), all.fold || n.fold
		}
		return all
	}
	return needles{}
}

func (n needles) shortest() int {
	if len(n.texts) == 0 {
		return 0
	}
	least := len(n.texts[0])
	for _, t := range n.texts {
		least = min(least, len(t))
	}
	return least
}

// longestASCII gives the longest part of a literal that is printable ASCII.
func longestASCII(runes []rune) []string {
	best := ""
	for part := range strings.FieldsFuncSeq(string(runes), func(r rune) bool { return r < ' ' || r > '~' }) {
		if len(part) > len(best) {
			best = part
		}
	}
	if best == "" {
		return nil
	}
	return []string{best}
}
