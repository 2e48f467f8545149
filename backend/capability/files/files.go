// Package files is the capability to look at the workspace: list, glob, read and search, all read-only and through the
// workspace's root.
package files

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"mobius/backend/capability"
	"mobius/backend/workspace"
)

//go:embed list.md
var listText string

//go:embed glob.md
var globText string

//go:embed read.md
var readText string

//go:embed search.md
var searchText string

//go:embed prompt.md
var promptText string

const (
	maxListed    = 1000
	maxGlobbed   = 500
	defaultDepth = 2
	maxDepth     = 20
)

// New makes the capability. ripgrep is the path of the rg program, "" to search in Go.
func New(ripgrep string) capability.Capability {
	return capability.Capability{
		ID: "files", Name: "Files", Description: "Look at the files of the folder: list, find, read and search. Changes nothing.", Prompt: promptText,
		Tools: []capability.Tool{
			{Name: "list_files", Summary: "List a folder", Description: listText, ReadOnly: true, Run: list, Schema: `{"type":"object","properties":{` +
				`"path":{"type":"string","description":"Folder to list, default the workspace itself"},` +
				`"depth":{"type":"integer","minimum":1,"maximum":20,"description":"Levels to show, default 2"}},"additionalProperties":false}`},
			{Name: "glob", Summary: "Find files by a pattern", Description: globText, ReadOnly: true, Run: glob, Schema: `{"type":"object","properties":{` +
				`"pattern":{"type":"string","description":"Pattern such as **/*.go"}},"required":["pattern"],"additionalProperties":false}`},
			{Name: "read_file", Summary: "Read a file", Description: readText, ReadOnly: true, Run: read, Schema: `{"type":"object","properties":{` +
				`"path":{"type":"string"},"offset":{"type":"integer","minimum":1,"description":"First line, default 1"},` +
				`"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"Number of lines, default 2000"}},"required":["path"],"additionalProperties":false}`},
			{Name: "search", Summary: "Search in files", Description: searchText, ReadOnly: true, Run: searcher{ripgrep}.run, Schema: `{"type":"object","properties":{` +
				`"query":{"type":"string"},"regex":{"type":"boolean","description":"The query is a regular expression"},"ignore_case":{"type":"boolean"},` +
				`"glob":{"type":"string","description":"Only files whose path matches"},"context":{"type":"integer","minimum":0,"maximum":10,"description":"Lines around each match"}},` +
				`"required":["query"],"additionalProperties":false}`},
		},
	}
}

// relative checks a path of a call and gives it in the form that a root takes.
func relative(name string) (string, error) {
	name = strings.ReplaceAll(name, "\\", "/")
	if name == "" {
		return ".", nil
	}
	if strings.ContainsRune(name, 0) || path.IsAbs(name) {
		return "", fmt.Errorf("%q is not a path inside the workspace; give it relative to the workspace folder", name)
	}
	name = path.Clean(name)
	if name == ".." || strings.HasPrefix(name, "../") {
		return "", fmt.Errorf("%q leads out of the workspace", name)
	}
	return name, nil
}

// plain words an error of the file system for a model, without the path, which the sentence names.
func plain(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist in the workspace; list_files shows what there is", name)
	case errors.Is(err, workspace.ErrNotRegular):
		return fmt.Errorf("%s is not a regular file", name)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s may not be read", name)
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s cannot be read: %w", name, err)
}

func list(ctx context.Context, call capability.Call) (string, error) {
	args := struct {
		Path  string `json:"path"`
		Depth int    `json:"depth"`
	}{}
	if err := capability.Decode(call.Args, &args); err != nil {
		return "", err
	}
	dir, err := relative(args.Path)
	if err != nil {
		return "", err
	}
	if args.Depth <= 0 {
		args.Depth = defaultDepth
	}
	if info, err := call.Root.Stat(dir); err != nil {
		return "", plain(dir, err)
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is a file; read_file reads it", dir)
	}
	var out strings.Builder
	shown, more := 0, 0
	complete, err := workspace.Walk(ctx, call.Root, dir, min(args.Depth, maxDepth), func(e workspace.Entry) bool {
		if shown++; shown > maxListed {
			more++
			return false
		}
		name := e.Path
		if dir != "." {
			name = strings.TrimPrefix(name, dir+"/")
		}
		switch {
		case e.Dir:
			fmt.Fprintf(&out, "%s/\n", name)
		case e.Link:
			fmt.Fprintf(&out, "%s (link)\n", name)
		default:
			fmt.Fprintf(&out, "%s  %s\n", name, size(e.Size()))
		}
		return true
	})
	if err != nil {
		return "", plain(dir, err)
	}
	switch {
	case shown == 0:
		return "The folder is empty, or everything in it is ignored by Git.", nil
	case more > 0:
		fmt.Fprintf(&out, "\n[the first %d entries; give a path for more]\n", maxListed)
	case !complete:
		out.WriteString("\n[deeper folders are not shown; give a path or a greater depth]\n")
	}
	return out.String(), nil
}

func size(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

func glob(ctx context.Context, call capability.Call) (string, error) {
	args := struct {
		Pattern string `json:"pattern"`
	}{}
	if err := capability.Decode(call.Args, &args); err != nil {
		return "", err
	}
	pattern := strings.TrimPrefix(strings.ReplaceAll(args.Pattern, "\\", "/"), "./")
	if pattern == "" || len(pattern) > 1000 || !doublestar.ValidatePattern(pattern) {
		return "", fmt.Errorf("%q is not a valid pattern", args.Pattern)
	}
	type match struct {
		path string
		at   int64
	}
	var found []match
	complete, err := workspace.Walk(ctx, call.Root, ".", 0, func(e workspace.Entry) bool {
		if ok, _ := doublestar.Match(pattern, e.Path); ok && !e.Dir {
			m := match{path: e.Path}
			if info, err := call.Root.Lstat(e.Path); err == nil {
				m.at = info.ModTime().UnixNano()
			}
			found = append(found, m)
		}
		return true
	})
	if err != nil {
		return "", plain(".", err)
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].at > found[j].at })
	var out strings.Builder
	for _, m := range found[:min(len(found), maxGlobbed)] {
		out.WriteString(m.path + "\n")
	}
	switch {
	case len(found) == 0:
		return "No file matches.", nil
	case len(found) > maxGlobbed:
		fmt.Fprintf(&out, "\n[%d of %d matches; use a narrower pattern]\n", maxGlobbed, len(found))
	case !complete:
		fmt.Fprintf(&out, "\n[only the first %d files were looked at]\n", workspace.MaxWalk)
	}
	return out.String(), nil
}
