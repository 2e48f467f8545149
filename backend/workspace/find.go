package workspace

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
	"weak"

	"golang.org/x/text/unicode/norm"

	"mobius/backend/wire"
)

const (
	maxQuery = 256 // bytes of a query that count
	// findEntries bounds how many files and folders are looked at, findTime how long; what was found by then is the answer.
	findEntries = 100_000
	findTime    = 1500 * time.Millisecond
	// listingKept is how long a listing answers further letters of the same query before the folder is read again.
	listingKept = 3 * time.Second
	maxListings = 4
	maxMatches  = 200
)

// Folders gives the functions of this package as one value, for those who take them through an interface. It keeps what
// it read of a folder for a few seconds, so that typing on costs nothing. The zero value works; it is safe for
// concurrent use.
type Folders struct {
	// Now is the time source; nil = time.Now.
	Now func() time.Time

	mu       sync.Mutex
	listings map[string]weak.Pointer[listing] // the garbage collector takes what nobody asks for
}

// listing is what a folder holds, as candidates for a match.
type listing struct {
	at    time.Time
	files []candidate
}

// candidate is one path, with the form that is compared.
type candidate struct {
	path   string
	folded string
	base   int // where the last name begins in folded
	dir    bool
}

// Check is [Check] with the folder's [Identity].
func (*Folders) Check(path, stateDir string) (clean, identity string, err error) {
	clean, err = Check(path, stateDir)
	if err != nil {
		return "", "", err
	}
	return clean, Identity(clean), nil
}

// Info is [Info].
func (*Folders) Info(path string) wire.WorkspaceInfo { return Info(path) }

// Folders is [List].
func (*Folders) Folders(path string) (*wire.FolderListing, error) { return List(path) }

// Find gives the files and folders below root whose path fits a query, best first: the letters of the query occur in the
// path in their order. An empty query gives what lies at the top. A folder that is gone gives an invalid_workspace
// rejection.
func (f *Folders) Find(ctx context.Context, root, query string, limit int) ([]wire.FileMatch, error) {
	files, err := f.list(ctx, root)
	if err != nil {
		return nil, err
	}
	return rank(files, query, min(max(limit, 1), maxMatches)), nil
}

func (f *Folders) list(ctx context.Context, root string) ([]candidate, error) {
	now := time.Now
	if f.Now != nil {
		now = f.Now
	}
	f.mu.Lock()
	kept := f.listings[root].Value()
	f.mu.Unlock()
	if kept != nil && now().Sub(kept.at).Abs() < listingKept {
		return kept.files, nil
	}
	files, err := candidates(ctx, root)
	if err != nil {
		return nil, err
	}
	fresh := &listing{at: now(), files: files}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listings == nil || len(f.listings) >= maxListings {
		f.listings = make(map[string]weak.Pointer[listing], maxListings)
	}
	f.listings[root] = weak.Make(fresh)
	return files, nil
}

var errFindTime = errors.New("the time for finding files is over")

func candidates(ctx context.Context, dir string) ([]candidate, error) {
	root, err := Open(dir)
	if err != nil {
		return nil, reject("The folder %s %s.", dir, reason(err))
	}
	defer root.Close()
	limited, cancel := context.WithTimeoutCause(ctx, findTime, errFindTime)
	defer cancel()
	var list []candidate
	_, err = root.Walk(limited, WalkOptions{Limit: findEntries}, func(e Entry) error {
		if e.Type.IsRegular() || e.Type.IsDir() || e.Type&fs.ModeSymlink != 0 {
			folded := fold(e.Path)
			list = append(list, candidate{path: e.Path, folded: folded, base: strings.LastIndexByte(folded, '/') + 1, dir: e.Type.IsDir()})
		}
		return nil
	})
	if err != nil && !errors.Is(err, errFindTime) {
		if ctx.Err() == nil {
			err = reject("The folder %s %s.", dir, reason(err))
		}
		return nil, err
	}
	return list, nil
}

// fold makes paths comparable: in lower case, and with accents in one form, since macOS hands out another one than
// keyboards type.
func fold(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return strings.ToLower(norm.NFC.String(s))
		}
	}
	return strings.ToLower(s)
}

// scored is a match with how good it is; more is better.
type scored struct {
	candidate *candidate
	score     int
}

// rank gives the best matches of a query.
func rank(files []candidate, query string, limit int) []wire.FileMatch {
	query = fold(strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1 // letters of a path in their order: a space between them says nothing
		}
		return r
	}, strings.ToValidUTF8(cutQuery(query), "")))
	query = strings.TrimPrefix(query, "./")
	var best []scored
	for i := range files {
		if score, ok := match(&files[i], query); ok {
			best = append(best, scored{&files[i], score})
		}
	}
	slices.SortFunc(best, func(a, b scored) int {
		return cmp.Or(
			cmp.Compare(b.score, a.score),
			cmp.Compare(len(a.candidate.path), len(b.candidate.path)),
			strings.Compare(a.candidate.path, b.candidate.path),
		)
	})
	out := make([]wire.FileMatch, 0, min(len(best), limit))
	for _, s := range best[:min(len(best), limit)] {
		out = append(out, wire.FileMatch{Path: s.candidate.path, Dir: s.candidate.dir})
	}
	return out
}

func cutQuery(q string) string {
	if len(q) > maxQuery {
		q = q[:maxQuery]
	}
	return q
}

// The ranks of a match, in thousands so that the finer points of one never reach the next.
const (
	rankScattered = 1000 * iota // the letters occur in the path in their order
	rankInBase                  // in its last name
	rankPath                    // the path holds the query as a whole
	rankBase                    // its last name does
	rankStart                   // its last name begins with it
	rankStem                    // its last name without the ending is it
	rankExact                   // its last name is it
)

// match scores one path.
func match(c *candidate, query string) (score int, ok bool) {
	if query == "" {
		return -100*strings.Count(c.folded, "/") - hidden(c), true
	}
	base := c.folded[c.base:]
	switch at := strings.Index(base, query); {
	case base == query:
		score = rankExact
	case strings.TrimSuffix(base, path.Ext(base)) == query:
		score = rankStem
	case at == 0:
		score = rankStart
	case at > 0:
		score = rankBase + wordStart(base, at)
	default:
		at = strings.Index(c.folded, query)
		if at >= 0 {
			score = rankPath + wordStart(c.folded, at)
			if at+len(query) == len(c.folded) {
				score += 100 // the query is the end of the path, whole names of it
			}
			break
		}
		if score, ok = scattered(base, query); ok {
			score += rankInBase
		} else if score, ok = scattered(c.folded, query); ok {
			score += rankScattered
		} else {
			return 0, false
		}
	}
	return score - hidden(c) - strings.Count(c.folded, "/"), true
}

// hidden makes files that are usually not meant come later.
func hidden(c *candidate) int {
	if c.folded[0] == '.' || strings.Contains(c.folded, "/.") {
		return 20
	}
	return 0
}

// wordStart rewards a match that begins where a word of the name does.
func wordStart(s string, at int) int {
	if at == 0 || strings.IndexByte("/-_. ", s[at-1]) >= 0 {
		return 50
	}
	return 0
}

// scattered finds the letters of query in s in their order and rewards those that stand together or begin a word. The
// score is below 900.
func scattered(s, query string) (score int, ok bool) {
	at, last := 0, -2
	for _, want := range query {
		i := strings.IndexRune(s[at:], want)
		if i < 0 {
			return 0, false
		}
		i += at
		switch {
		case i == last:
			score += 6
		case wordStart(s, i) > 0:
			score += 4
		}
		at = i + utf8.RuneLen(want)
		last = at
	}
	return min(score, 800), true
}
