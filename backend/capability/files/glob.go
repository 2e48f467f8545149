package files

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"mobius/backend/workspace"
)

const (
	defaultFound = 200
	maxFound     = 1000
)

type globArgs struct {
	Pattern string `json:"pattern"`
	Path    string `json:"path"`
	Limit   int    `json:"limit"`
	Ignored bool   `json:"ignored"`
}

// globFiles gives the paths of the files that match, one a line.
func globFiles(ctx context.Context, root *workspace.Root, args globArgs) (string, error) {
	limit, err := within("limit", args.Limit, defaultFound, maxFound)
	if err != nil {
		return "", err
	}
	if args.Pattern == "" {
		return "", errors.New("pattern is missing: give one such as *.go or src/**")
	}
	folder, err := locateFolder(root, args.Path)
	if err != nil {
		return "", err
	}
	paths, walked, err := matching(ctx, root, folder, args.Pattern, args.Ignored)
	if err != nil {
		return "", err
	}
	note := incomplete(walked)
	if len(paths) == 0 {
		return fmt.Sprintf("No files match %s%s.%s", show(args.Pattern), inFolder(folder), note), nil
	}
	header := fmt.Sprintf("%s match %s%s", count(len(paths), "file", "files"), show(args.Pattern), inFolder(folder))
	if len(paths) == 1 {
		header = strings.Replace(header, " match ", " matches ", 1)
	}
	if len(paths) > limit {
		header += fmt.Sprintf("; the first %d are shown, narrow the pattern or the path for the rest", limit)
		paths = paths[:limit]
	}
	var b strings.Builder
	b.WriteString(header + "." + note + "\n\n")
	for i, p := range paths {
		if b.Len() > maxText {
			fmt.Fprintf(&b, "… and %d more\n", len(paths)-i)
			break
		}
		b.WriteString(show(p) + "\n")
	}
	return b.String(), nil
}

// matching gives the regular files below a folder that match a pattern, in tree order; no pattern matches all.
func matching(ctx context.Context, root *workspace.Root, folder, pattern string, ignored bool) ([]string, workspace.Walked, error) {
	match := func(string) bool { return true }
	if pattern != "" {
		p, err := workspace.CompilePattern(pattern)
		if err != nil {
			return nil, workspace.Walked{}, err
		}
		match = p.Match
	}
	prefix := ""
	if folder != "." {
		prefix = folder + "/"
	}
	var paths []string
	walked, err := root.Walk(ctx, workspace.WalkOptions{Start: folder, Ignored: ignored}, func(e workspace.Entry) error {
		if e.Type.IsRegular() && match(strings.TrimPrefix(e.Path, prefix)) {
			paths = append(paths, e.Path)
		}
		return nil
	})
	switch {
	case errors.Is(err, errTime):
		walked.Truncated = true
	case err != nil:
		return nil, walked, fmt.Errorf("%s cannot be searched: %s", show(folder), describe(err))
	}
	inTreeOrder(paths)
	return paths, walked, nil
}

// incomplete says that not everything was looked at.
func incomplete(walked workspace.Walked) string {
	note := ""
	if walked.Truncated {
		note += fmt.Sprintf(" Only the first %d files and folders were looked at, so there may be more; give a path to look in one folder.", walked.Entries)
	}
	if walked.Unreadable > 0 {
		note += fmt.Sprintf(" %s could not be read.", count(walked.Unreadable, "folder", "folders"))
	}
	return note
}

func inFolder(folder string) string {
	if folder == "." {
		return ""
	}
	return " in " + show(folder)
}
