// Package files is the capability to look at the files of a workspace: list, glob, read and search. Nothing here
// changes anything. All files are reached through [workspace.Root], so that no path and no link leads out.
//
// What each tool is to a model stands in the .md (its description) and .json (its arguments) of its name.
package files

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"mobius/backend/capability"
	"mobius/backend/llm"
	"mobius/backend/workspace"
)

// ID is the capability's id.
const ID = "files"

const (
	// maxText is how many bytes of text one result holds, with room for what the tool says about it.
	maxText = capability.MaxOutput - 8<<10
	// toolTime is how long one call may take; what was found by then is the answer.
	toolTime = 30 * time.Second
)

//go:embed *.md *.json
var texts embed.FS

// Option changes the capability.
type Option func(*searcher)

// WithRipgrep sets the ripgrep program that searches use to pass over files faster; "" searches without one. The results
// are the same. By default it is looked for on the PATH at the first search.
func WithRipgrep(program string) Option {
	return func(s *searcher) { s.ripgrep = func() string { return program } }
}

// New makes the capability.
func New(opts ...Option) capability.Capability {
	s := searcher{ripgrep: findRipgrep()}
	for _, opt := range opts {
		opt(&s)
	}
	return capability.Capability{
		ID: ID, Name: "Files", Description: "Look at the files of the conversation's folder: list, find, read and search them.",
		Prompt: text("prompt.md"),
		Tools: []capability.Tool{
			newTool("list_files", listFiles),
			newTool("glob", globFiles),
			newTool("read_file", readFile),
			newTool("search", s.search),
		},
	}
}

func text(name string) string {
	b, err := texts.ReadFile(name)
	if err != nil {
		panic(err) // embedded: cannot be missing in a program that was built
	}
	return strings.TrimSpace(string(b))
}

// tool is a tool with arguments A. run's error is what the model reads.
type tool[A any] struct {
	info llm.Tool
	run  func(ctx context.Context, root *workspace.Root, args A) (string, error)
}

func newTool[A any](name string, run func(context.Context, *workspace.Root, A) (string, error)) capability.Tool {
	return tool[A]{llm.Tool{Name: name, Description: text(name + ".md"), Schema: compact(text(name + ".json"))}, run}
}

// compact takes the white space out of a schema, which is sent with every request.
func compact(schema string) string {
	b, err := json.Marshal(json.RawMessage(schema))
	if err != nil {
		panic(err) // embedded
	}
	return string(b)
}

// Info implements capability.Tool.
func (t tool[A]) Info() llm.Tool { return t.info }

// ReadOnly implements capability.Tool.
func (t tool[A]) ReadOnly() bool { return true }

// Run implements capability.Tool.
func (t tool[A]) Run(ctx context.Context, call capability.Call) capability.Result {
	var args A
	if err := capability.Decode(call.Args, &args); err != nil {
		return capability.Errorf("The arguments of %s are not right: %v.", t.info.Name, err)
	}
	root, err := workspace.Open(call.Workspace)
	if err != nil {
		return capability.Errorf("The folder of this conversation cannot be opened: %s.", describe(err))
	}
	defer root.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, toolTime, errTime)
	defer cancel()
	output, err := t.run(ctx, root, args)
	if err != nil {
		return capability.Errorf("%s", err.Error())
	}
	return capability.Result{Output: output}
}

var errTime = fmt.Errorf("it took longer than %s; ask for less, for example for one folder", toolTime)

// locate gives the path inside the workspace and what is there; its errors are for the model.
func locate(root *workspace.Root, name string) (string, fs.FileInfo, error) {
	rel, err := root.Rel(name)
	if err != nil {
		return "", nil, fmt.Errorf("%s is outside of the folder of this conversation. Only paths inside it can be used, relative to it", show(name))
	}
	info, err := root.Stat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil, fmt.Errorf("there is no %s.%s", show(rel), suggest(root, rel))
	case errors.Is(err, workspace.ErrOutside):
		return "", nil, fmt.Errorf("%s is a link that leads out of the folder of this conversation, so it cannot be used", show(rel))
	case err != nil:
		return "", nil, fmt.Errorf("%s cannot be used: %s", show(rel), describe(err))
	}
	return rel, info, nil
}

// locateFolder is locate for a folder.
func locateFolder(root *workspace.Root, name string) (string, error) {
	rel, info, err := locate(root, name)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is a %s, not a folder", show(rel), workspace.Kind(info.Mode()))
	}
	return rel, err
}

// suggest names the files of the same folder that the model may have meant.
func suggest(root *workspace.Root, rel string) string {
	const shown = 5
	want := strings.ToLower(path.Base(rel))
	var like []string
	_, err := root.Walk(context.Background(), workspace.WalkOptions{Start: path.Dir(rel), Depth: 1, Limit: 1000}, func(e workspace.Entry) error {
		name := strings.ToLower(path.Base(e.Path))
		if strings.Contains(name, want) || strings.Contains(want, name) || strings.TrimSuffix(name, path.Ext(name)) == strings.TrimSuffix(want, path.Ext(want)) {
			like = append(like, show(e.Path))
		}
		return nil
	})
	switch {
	case err != nil:
		return fmt.Sprintf(" The folder %s does not exist either; look with list_files", show(path.Dir(rel)))
	case len(like) == 0:
		return " Look with list_files or glob"
	}
	return " Did you mean " + strings.Join(like[:min(len(like), shown)], ", ") + "?"
}

// describe puts an error of the file system into words, without the path that it names.
func describe(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "it does not exist"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, workspace.ErrOutside):
		return "it leads out of the folder of this conversation"
	case errors.Is(err, workspace.ErrTooLarge):
		return "it is too large"
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}

// show writes a path so that it stays on one line and its ends are seen.
func show(name string) string {
	if name == "" || strings.TrimSpace(name) != name || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == '"' || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}

// size writes a number of bytes for people.
func size(bytes int64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	value, unit := float64(bytes), 0
	for value >= 999.95 && unit < 4 {
		value /= 1000
		unit++
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + []string{"B", "kB", "MB", "GB", "TB"}[unit]
}

// count writes a number with its noun.
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// inTreeOrder sorts paths so that what is in a folder stands right behind it.
func inTreeOrder(paths []string) {
	sort.Slice(paths, func(i, j int) bool { return treeLess(paths[i], paths[j]) })
}

func treeLess(a, b string) bool {
	for a != "" && b != "" {
		var nameA, nameB string
		nameA, a, _ = strings.Cut(a, "/")
		nameB, b, _ = strings.Cut(b, "/")
		if nameA != nameB {
			return nameA < nameB
		}
	}
	return a == "" && b != ""
}

// within bounds a number that the model gave; 0 is the default.
func within(name string, n, standard, most int) (int, error) {
	switch {
	case n == 0:
		return standard, nil
	case n < 0 || n > most:
		return 0, fmt.Errorf("%s must be from 1 to %d", name, most)
	}
	return n, nil
}
