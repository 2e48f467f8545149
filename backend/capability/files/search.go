package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"mobius/backend/workspace"
)

const (
	defaultMatches = 100
	maxMatches     = 1000
	maxContext     = 10
	maxExpression  = 2000 // bytes of a pattern
	// shownLine is how many characters of a line are shown, aroundMatch how many of them before the match.
	shownLine   = 300
	aroundMatch = 100
)

type searchArgs struct {
	Pattern    string `json:"pattern"`
	Literal    bool   `json:"literal"`
	IgnoreCase bool   `json:"ignore_case"`
	Path       string `json:"path"`
	Glob       string `json:"glob"`
	Context    int    `json:"context"`
	Limit      int    `json:"limit"`
	Ignored    bool   `json:"ignored"`
}

// searcher searches with the ripgrep program, if there is one, to pass over files.
type searcher struct {
	ripgrep func() string // path of the program, "" = none
}

// search gives the matching lines by file. Every line that is given was found here, by Go's own regular expressions, in
// a file that was opened inside the root. ripgrep only says beforehand which files cannot match, so that the answer is
// the same with and without it, and nothing that it might be led to is ever shown.
func (s searcher) search(ctx context.Context, root *workspace.Root, args searchArgs) (string, error) {
	limit, err := within("limit", args.Limit, defaultMatches, maxMatches)
	if err != nil {
		return "", err
	}
	if args.Context < 0 || args.Context > maxContext {
		return "", fmt.Errorf("context must be from 0 to %d", maxContext)
	}
	expression, err := compile(args)
	if err != nil {
		return "", err
	}
	where, info, err := locate(root, args.Path)
	if err != nil {
		return "", err
	}
	paths, walked := []string{where}, workspace.Walked{}
	perFile := limit
	switch {
	case info.IsDir():
		if paths, walked, err = matching(ctx, root, where, args.Glob, args.Ignored); err != nil {
			return "", err
		}
		perFile = max(limit/4, 10) // so that one file does not hide the others
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is a %s, which is not searched", show(where), workspace.Kind(info.Mode()))
	}
	needles := required(expression)
	if program := s.ripgrep(); program != "" && len(needles.texts) > 0 && len(paths) >= worthRipgrep {
		paths = possible(ctx, program, root.Dir(), paths, needles)
	}
	scan := &scan{root: root, expression: expression, needles: needles, context: args.Context, limit: limit, perFile: perFile}
	err = scan.files(ctx, paths)
	if err != nil && !errors.Is(err, errTime) {
		return "", err
	}
	return scan.result(args, where, walked, err != nil), nil
}

func compile(args searchArgs) (*regexp.Regexp, error) {
	switch {
	case args.Pattern == "":
		return nil, errors.New("pattern is missing: give the text or expression to search for")
	case len(args.Pattern) > maxExpression:
		return nil, fmt.Errorf("the pattern has more than %d bytes", maxExpression)
	case !utf8.ValidString(args.Pattern):
		return nil, errors.New("the pattern is not valid UTF-8")
	case strings.ContainsAny(args.Pattern, "\r\n"):
		return nil, errors.New("the pattern holds a line break; files are searched line by line")
	}
	text := args.Pattern
	if args.Literal {
		text = regexp.QuoteMeta(text)
	}
	if args.IgnoreCase {
		text = "(?i)" + text
	}
	expression, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("the pattern is not a valid RE2 expression (%v); to search for it as plain text set literal", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return expression, nil
}

// shorten gives the part of a long line around a match.
func shorten(line string, at int) string {
	line = strings.TrimSuffix(line, "\r")
	if len(line) <= shownLine {
		return line
	}
	before, after := line[:at], line[at:]
	for n := aroundMatch; n > 0 && before != ""; n-- {
		_, size := utf8.DecodeLastRuneInString(before)
		before, after = before[:len(before)-size], line[len(before)-size:]
	}
	if before != "" {
		before = "…"
	}
	if cut, ok := firstRunes(after, shownLine); ok {
		after = cut + "…"
	}
	return before + after
}

// result writes the lines under the names of their files.
func (s *scan) result(args searchArgs, where string, walked workspace.Walked, outOfTime bool) string {
	what := args.Pattern
	if !args.Literal {
		what = "/" + what + "/"
	}
	what = "for " + show(what) + inFolder(where)
	if args.Glob != "" {
		what += ", files " + show(args.Glob)
	}
	note := incomplete(walked)
	if s.unreadable > 0 {
		note += fmt.Sprintf(" %s could not be read.", count(s.unreadable, "file", "files"))
	}
	if outOfTime {
		note += " Not everything was searched: " + errTime.Error() + "."
	}
	if len(s.results) == 0 {
		return "No matches " + what + "." + note
	}
	var body bytes.Buffer
	matches, shown := 0, 0
	for i, r := range s.results {
		if body.Len() > maxText {
			note += fmt.Sprintf(" The result is too long; %s with matches are left out, narrow the search to see them.", count(len(s.results)-i, "file", "files"))
			break
		}
		matches += r.matches
		shown += r.write(&body, s.perFile, args.Context > 0)
	}
	header := fmt.Sprintf("%s in %s %s.", count(matches, "match", "matches"), count(len(s.results), "file", "files"), what)
	if s.more {
		header = fmt.Sprintf("More than %s %s; the first are shown, narrow the search to see others.", count(shown, "match", "matches"), what)
	}
	return header + note + "\n" + body.String()
}

// namedResult is what was found in a file that has matches.
type namedResult struct {
	name string
	found
}

// write writes the lines of one file and gives how many of them are matches.
func (r *namedResult) write(b *bytes.Buffer, perFile int, gaps bool) (shown int) {
	fmt.Fprintf(b, "\n%s\n", show(r.name))
	last := 0
	for _, h := range r.hits {
		if gaps && last > 0 && h.number > last+1 {
			b.WriteString("  …\n")
		}
		mark := "-"
		if h.match {
			mark = ":"
			shown++
		}
		fmt.Fprintf(b, "%d%s %s\n", h.number, mark, strings.ToValidUTF8(h.text, "\ufffd"))
		last = h.number
	}
	if r.matches > perFile {
		fmt.Fprintf(b, "… and %d more in this file\n", r.matches-perFile)
	}
	return shown
}
