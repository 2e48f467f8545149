package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/capability"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// makeTree makes files (name → text) below a fresh folder; a name with / at its end is a folder.
func makeTree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(p, 0o755))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(text), 0o644))
	}
	return dir
}

func link(t testing.TB, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
}

// call runs a tool as the agent does.
func call(t testing.TB, ctx context.Context, dir, tool, args string, opts ...Option) capability.Result {
	t.Helper()
	set, err := capability.NewSet(New(opts...))
	require.NoError(t, err)
	return set.Enabled([]string{ID}).Run(ctx, capability.Call{Workspace: dir, Name: tool, Args: json.RawMessage(args)})
}

// output runs a tool that must succeed.
func output(t testing.TB, dir, tool, args string, opts ...Option) string {
	t.Helper()
	r := call(t, context.Background(), dir, tool, args, opts...)
	require.False(t, r.IsError, r.Output)
	return r.Output
}

// failure runs a tool that must not succeed.
func failure(t testing.TB, dir, tool, args string) string {
	t.Helper()
	r := call(t, context.Background(), dir, tool, args)
	require.True(t, r.IsError, r.Output)
	return r.Output
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func TestSchemasDescribeTheArguments(t *testing.T) {
	args := map[string]any{"list_files": listArgs{}, "glob": globArgs{}, "read_file": readArgs{}, "search": searchArgs{}}
	tools := New().Tools
	require.Len(t, tools, len(args))
	for _, tool := range tools {
		info := tool.Info()
		assert.True(t, tool.ReadOnly(), info.Name)
		assert.NotEmpty(t, info.Description, info.Name)
		var schema struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		}
		require.NoError(t, json.Unmarshal([]byte(info.Schema), &schema), info.Name)
		assert.Equal(t, "object", schema.Type)
		var inSchema, inStruct []string
		for name := range schema.Properties {
			inSchema = append(inSchema, name)
		}
		s := reflect.TypeOf(args[info.Name])
		for i := range s.NumField() {
			inStruct = append(inStruct, s.Field(i).Tag.Get("json"))
		}
		sort.Strings(inSchema)
		sort.Strings(inStruct)
		assert.Equal(t, inStruct, inSchema, info.Name)
		assert.Subset(t, inSchema, schema.Required, info.Name)
	}
}

func TestListFiles(t *testing.T) {
	dir := makeTree(t, map[string]string{
		"b.txt": "12345", "a/x/deep.go": "package x", "a/y.md": strings.Repeat("x", 2345), "a-b": "", ".gitignore": "*.log\n/out/\n", "x.log": "", "out/file": "", ".git/HEAD": "", "new\nline": "1",
	})
	link(t, "a", filepath.Join(dir, "shortcut"))

	assert.Equal(t, "6 files and 2 folders in the workspace, 2 levels deep; 2 entries left out by .gitignore:\n\n"+
		".gitignore  12 B\na/\na/x/\na/y.md  2.3 kB\na-b  0 B\nb.txt  5 B\n\"new\\nline\"  1 B\nshortcut  (link)\n", output(t, dir, "list_files", `{}`))
	assert.Equal(t, "2 files and 1 folder in a, 2 levels deep:\n\na/x/\na/x/deep.go  9 B\na/y.md  2.3 kB\n", output(t, dir, "list_files", `{"path":"a"}`))
	assert.Contains(t, output(t, dir, "list_files", `{"depth":1,"ignored":true}`), "out/\n")
	assert.Equal(t, "1 file and 0 folders in a/x:\n\na/x/deep.go  9 B\n", output(t, dir, "list_files", `{"path":`+quote(filepath.Join(dir, "a/x"))+`}`), "the absolute path of something inside works")
	assert.Equal(t, "0 files and 0 folders in the workspace.", output(t, makeTree(t, nil), "list_files", ``))
}

func TestListFilesIsBounded(t *testing.T) {
	files := map[string]string{"a/below": ""}
	for i := range maxListed + 10 {
		files[fmt.Sprintf("f%d", i)] = ""
	}
	out := output(t, makeTree(t, files), "list_files", `{}`)
	assert.Contains(t, out, "there is more than the 1000 entries shown")
	assert.NotContains(t, out, "a/below", "the upper levels come first")
	assert.Equal(t, maxListed, strings.Count(out, "\n")-2)
}

func TestGlob(t *testing.T) {
	dir := makeTree(t, map[string]string{"main.go": "", "src/a.go": "", "src/d/b_test.go": "", "src/c.ts": "", "vendor/v.go": "", ".gitignore": "vendor\n"})
	assert.Equal(t, "3 files match *.go.\n\nmain.go\nsrc/a.go\nsrc/d/b_test.go\n", output(t, dir, "glob", `{"pattern":"*.go"}`))
	assert.Equal(t, "3 files match **/*.{go,ts} in src; the first 2 are shown, narrow the pattern or the path for the rest.\n\nsrc/a.go\nsrc/c.ts\n",
		output(t, dir, "glob", `{"pattern":"**/*.{go,ts}","path":"src","limit":2}`))
	assert.Equal(t, "1 file matches /main.go.\n\nmain.go\n", output(t, dir, "glob", `{"pattern":"/main.go"}`))
	assert.Equal(t, "No files match *.rs in src.", output(t, dir, "glob", `{"pattern":"*.rs","path":"src"}`))
	assert.Contains(t, output(t, dir, "glob", `{"pattern":"vendor/*.go","ignored":true}`), "vendor/v.go")
	assert.Contains(t, failure(t, dir, "glob", `{}`), "pattern is missing")
	assert.Contains(t, failure(t, dir, "glob", `{"pattern":"[a"}`), "not a valid pattern")
	assert.Contains(t, failure(t, dir, "glob", `{"pattern":"*","limit":5000}`), "limit must be from 1 to 1000")
	assert.Contains(t, failure(t, dir, "glob", `{"pattern":"*","path":"main.go"}`), "main.go is a file, not a folder")
}

func TestErrorsTellTheModelWhatToDo(t *testing.T) {
	dir := makeTree(t, map[string]string{"README.md": "x", "docs/readme.txt": "", "src/": ""})
	for _, c := range []struct{ tool, args, says string }{
		{"read_file", `{"path":"readme.md"}`, "there is no readme.md. Did you mean README.md?"},
		{"read_file", `{"path":"docs/readme"}`, "Did you mean docs/readme.txt?"},
		{"read_file", `{"path":"nothing.xyz"}`, "Look with list_files or glob"},
		{"read_file", `{"path":"gone/x"}`, "The folder gone does not exist either"},
		{"read_file", `{"path":"src"}`, "src is a folder; list_files shows what is in it"},
		{"read_file", `{}`, "path is missing"},
		{"read_file", `{"path":"README.md","offset":3}`, `there is no argument "offset"; the arguments are: path, start_line, lines, line_numbers`},
		{"read_file", `{"path":"README.md","start_line":"3"}`, "start_line must be a whole number, not a text"},
		{"read_file", `{"path":"README.md","start_line":-3}`, "counted from 1"},
		{"read_file", `{"path":"README.md","start_line":7}`, "README.md has 1 lines, so there is no line 7"},
		{"read_file", `{"path":"README.md","lines":100000}`, "lines must be from 1 to 5000"},
		{"list_files", `{"path":"README.md"}`, "README.md is a file, not a folder"},
		{"list_files", `{"depth":99}`, "depth must be from 1 to 20"},
		{"list_files", `[]`, "not a JSON object"},
		{"search", `{"pattern":"("}`, "not a valid RE2 expression"},
		{"search", `{"pattern":"a\nb"}`, "line break"},
		{"search", `{}`, "pattern is missing"},
		{"search", `{"pattern":"x","context":99}`, "context must be from 0 to 10"},
		{"search", `{"pattern":"x","glob":"{a"}`, "without its }"},
		{"write_file", `{}`, "There is no tool \"write_file\". The tools are: list_files, glob, read_file, search."},
	} {
		assert.Contains(t, failure(t, dir, c.tool, c.args), c.says, c.args)
	}
	assert.Contains(t, failure(t, filepath.Join(dir, "gone"), "list_files", `{}`), "cannot be opened: it does not exist")
}

func TestNothingOutsideIsReached(t *testing.T) {
	base := makeTree(t, map[string]string{"ws/in.txt": "inside", "secret.txt": "SECRET", "ws-other/x": "SECRET", "private/key": "SECRET"})
	dir := filepath.Join(base, "ws")
	link(t, "../secret.txt", filepath.Join(dir, "link"))
	link(t, filepath.Join(base, "private"), filepath.Join(dir, "folder"))
	link(t, "..", filepath.Join(dir, "up"))
	link(t, "gone", filepath.Join(dir, "dangling"))
	link(t, "link", filepath.Join(dir, "chain"))
	for _, path := range []string{
		"../secret.txt", "..", "/etc/passwd", base + "/secret.txt", base + "/ws-other/x", "in.txt/../../secret.txt", "./../ws-other", "link", "chain", "folder", "folder/key", "up", "up/secret.txt",
		"dangling", "..\\secret.txt", "a\u0000b", "~/x", strings.Repeat("x", 300), strings.Repeat("d/", 3000) + "x", "\xff\xfe", "IN.TXT\u0000",
	} {
		for tool, args := range map[string]string{
			"read_file":  `{"path":` + quote(path) + `}`,
			"list_files": `{"path":` + quote(path) + `}`,
			"glob":       `{"pattern":"*","path":` + quote(path) + `}`,
			"search":     `{"pattern":"SECRET","path":` + quote(path) + `}`,
		} {
			assert.NotContains(t, failure(t, dir, tool, args), "SECRET", "%s %s", tool, path)
		}
	}
	for _, opts := range engines(t) {
		assert.Equal(t, "No matches for /SECRET/.", output(t, dir, "search", `{"pattern":"SECRET","ignored":true}`, opts))
	}
	assert.Equal(t, "1 file matches *.txt.\n\nin.txt\n", output(t, dir, "glob", `{"pattern":"*.txt"}`))
}

func TestOddNames(t *testing.T) {
	names := []string{" space ", "-rf", "ünï", "测试", "a\"b", "tab\there", "new\nline", "[x]", "{y}", "*", "con", strings.Repeat("n", 255)}
	files := map[string]string{}
	for _, n := range names {
		files[n] = "the text of it"
	}
	dir := makeTree(t, files)
	for _, n := range names {
		out := output(t, dir, "read_file", `{"path":`+quote(n)+`}`)
		assert.Contains(t, out, "the text of it", n)
		head, _, _ := strings.Cut(out, ":\n\n")
		assert.NotContains(t, head, "\n", "a name never breaks the line that it stands on")
	}
	assert.Contains(t, output(t, dir, "search", `{"pattern":"text of"}`), "12 matches in 12 files")
}

func TestAnInterruptEndsACall(t *testing.T) {
	dir := makeTree(t, map[string]string{"a": "x"})
	stopped := errors.New("stopped")
	for tool, args := range map[string]string{"read_file": `{"path":"a"}`, "list_files": `{}`, "glob": `{"pattern":"*"}`, "search": `{"pattern":"x"}`} {
		for _, made := range New().Tools {
			if made.Info().Name != tool {
				continue
			}
			ctx, cancel := context.WithCancelCause(context.Background())
			cancel(stopped)
			r := made.Run(ctx, capability.Call{Workspace: dir, Args: json.RawMessage(args)})
			assert.True(t, r.IsError, tool)
			assert.Contains(t, r.Output, "stopped", tool)
		}
	}
}

func FuzzTools(f *testing.F) {
	for _, s := range []string{`{"path":"a"}`, `{"pattern":"x","context":2}`, `{"pattern":"(a|b)+","literal":false}`, `{"path":"..","start_line":1}`, `{"pattern":"**/{a,b}","limit":1}`} {
		f.Add(s)
	}
	dir := f.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x\nab\n"), 0o600); err != nil {
		f.Fatal(err)
	}
	tools := New(WithRipgrep("")).Tools
	f.Fuzz(func(t *testing.T, args string) {
		for _, tool := range tools {
			r := tool.Run(context.Background(), capability.Call{Workspace: dir, Args: json.RawMessage(args)})
			if strings.TrimSpace(r.Output) == "" {
				t.Fatalf("%s %s: no output", tool.Info().Name, args)
			}
		}
	})
}
