package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"mobius/backend/capability"
	"mobius/backend/workspace"
)

const (
	maxMatches     = 200
	maxSearchFile  = 8 << 20 // bytes; larger files are not searched
	maxShownLine   = 400     // bytes of a matching line
	maxContext     = 10
	maxQuery       = 1000 // bytes
	searchDeadline = 30 * time.Second
)

type searchArgs struct {
	Query      string `json:"query"`
	Regex      bool   `json:"regex"`
	IgnoreCase bool   `json:"ignore_case"`
	Glob       string `json:"glob"`
	Context    int    `json:"context"`
}

// searcher searches with ripgrep where there is one, else in Go. ripgrep only names candidate files, quickly; what is
// shown is read through the workspace's root either way, so both give the same and neither leads out of the folder.
type searcher struct{ ripgrep string }

func (s searcher) run(ctx context.Context, call capability.Call) (string, error) {
	var args searchArgs
	if err := capability.Decode(call.Args, &args); err != nil {
		return "", err
	}
	if args.Query == "" || len(args.Query) > maxQuery {
		return "", fmt.Errorf("the query has 1 to %d bytes", maxQuery)
	}
	args.Context = max(0, min(args.Context, maxContext))
	if args.Glob != "" && !doublestar.ValidatePattern(args.Glob) {
		return "", fmt.Errorf("%q is not a valid pattern", args.Glob)
	}
	if args.Glob != "" && !strings.Contains(args.Glob, "/") {
		args.Glob = "**/" + args.Glob
	}
	pattern := args.Query
	if !args.Regex {
		pattern = regexp.QuoteMeta(pattern)
	}
	if args.IgnoreCase {
		pattern = "(?i)" + pattern
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return "", fmt.Errorf("the regular expression is not valid: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, searchDeadline)
	defer cancel()
	return s.search(ctx, call, args, re)
}

func (s searcher) search(ctx context.Context, call capability.Call, args searchArgs, re *regexp.Regexp) (string, error) {
	r := &results{re: re, context: args.Context}
	candidates, limited := s.candidates(ctx, call.Dir, args)
	_, err := workspace.Walk(ctx, call.Root, ".", 0, func(e workspace.Entry) bool {
		if r.matches >= maxMatches {
			return false
		}
		if e.Dir || limited && !candidates[e.Path] {
			return true
		}
		if args.Glob != "" {
			if ok, _ := doublestar.Match(args.Glob, e.Path); !ok {
				return true
			}
		}
		r.file(call, e.Path)
		return true
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		r.out.WriteString("\n[the search took too long and was ended; narrow it with glob]\n")
	case err != nil:
		return "", plain(".", err)
	case r.matches == 0:
		return "Nothing was found.", nil
	case r.matches >= maxMatches:
		fmt.Fprintf(&r.out, "\n[the first %d matches; narrow the search for more]\n", maxMatches)
	}
	return r.out.String(), nil
}

// candidates asks ripgrep which files may match; limited is false when it cannot say.
func (s searcher) candidates(ctx context.Context, dir string, args searchArgs) (files map[string]bool, limited bool) {
	if s.ripgrep == "" || strings.ContainsFunc(args.Query, func(r rune) bool { return r > unicode.MaxASCII }) {
		return nil, false // ripgrep does not recognise the encodings that read_file does
	}
	flags := []string{"--no-config", "--files-with-matches", "--null", "--hidden", "--no-ignore", "--no-messages", "--glob", "!.git", "--encoding", "auto"}
	if !args.Regex {
		flags = append(flags, "--fixed-strings")
	}
	if args.IgnoreCase {
		flags = append(flags, "--ignore-case")
	}
	cmd := exec.CommandContext(ctx, s.ripgrep, append(flags, "--regexp="+args.Query, "--", ".")...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, []string{}, time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) { // 1 is "no match"
		return nil, false
	}
	files = map[string]bool{}
	for _, name := range bytes.Split(out, []byte{0}) {
		files[strings.TrimPrefix(strings.ReplaceAll(string(name), "\\", "/"), "./")] = true
	}
	return files, true
}

// results collects matches.
type results struct {
	re      *regexp.Regexp
	context int
	out     strings.Builder
	matches int
}

func (r *results) file(call capability.Call, name string) {
	f, err := workspace.Open(call.Root, name)
	if err != nil {
		return // unreadable, no regular file, or a link that leads out
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxSearchFile+1))
	if err != nil || len(raw) > maxSearchFile {
		return
	}
	text, _, ok := workspace.Decode(raw)
	if !ok {
		return
	}
	if !r.re.Match(text) && r.context == 0 {
		return
	}
	var lines []string
	scan := bufio.NewScanner(bytes.NewReader(text))
	scan.Buffer(make([]byte, 0, 64<<10), maxSearchFile+1)
	for scan.Scan() {
		lines = append(lines, scan.Text())
	}
	shown := -1
	for i, line := range lines {
		if r.matches >= maxMatches || !r.re.MatchString(line) {
			continue
		}
		r.matches++
		first := max(shown+1, i-r.context)
		if r.context > 0 && shown >= 0 && first > shown+1 {
			r.out.WriteString("--\n")
		}
		for j := first; j <= min(len(lines)-1, i+r.context); j++ {
			mark := "-"
			if r.re.MatchString(lines[j]) {
				mark = ":"
			}
			fmt.Fprintf(&r.out, "%s%s%d%s%s\n", name, mark, j+1, mark, short(lines[j]))
			shown = j
		}
	}
}

func short(line string) string {
	if len(line) <= maxShownLine {
		return line
	}
	return strings.ToValidUTF8(line[:maxShownLine], "") + " …"
}
