package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// walk gives the paths that a walk visits, folders with a / at the end.
func walk(t testing.TB, dir string, o WalkOptions) ([]string, Walked) {
	t.Helper()
	var paths []string
	walked, err := open(t, dir).Walk(context.Background(), o, func(e Entry) error {
		if e.Type.IsDir() {
			e.Path += "/"
		}
		paths = append(paths, e.Path)
		return nil
	})
	require.NoError(t, err)
	return paths, walked
}

// files keeps only the files.
func files(paths []string) []string {
	return slices.DeleteFunc(paths, func(p string) bool { return strings.HasSuffix(p, "/") })
}

func TestWalkGoesLevelByLevelInOrder(t *testing.T) {
	dir := makeTree(t, map[string]string{"b/x": "", "a/deep/y": "", "a/z": "", "c": "", ".github/ci": "", ".git/HEAD": "", "a/.git/HEAD": ""})

	paths, walked := walk(t, dir, WalkOptions{})

	assert.Equal(t, []string{".github/", "a/", "b/", "c", ".github/ci", "a/deep/", "a/z", "b/x", "a/deep/y"}, paths)
	assert.Equal(t, Walked{Entries: 9}, walked)
}

func TestWalkIsNarrowed(t *testing.T) {
	dir := makeTree(t, map[string]string{".gitignore": "skip\n", "a/b/c/d": "", "a/skip": "", "a/.gitignore": "b/c\n", "e": ""})

	paths, _ := walk(t, dir, WalkOptions{Depth: 1})
	assert.Equal(t, []string{".gitignore", "a/", "e"}, paths)

	paths, walked := walk(t, dir, WalkOptions{Start: "a"})
	assert.Equal(t, []string{"a/.gitignore", "a/b/"}, paths, "the rules of the folders above count")
	assert.Equal(t, 2, walked.Ignored)

	paths, _ = walk(t, dir, WalkOptions{Start: "a/b/c"})
	assert.Equal(t, []string{"a/b/c/d"}, paths, "an ignored folder that is asked for by name is shown")

	paths, _ = walk(t, dir, WalkOptions{Start: "a", Ignored: true})
	assert.Equal(t, []string{"a/.gitignore", "a/b/", "a/skip", "a/b/c/", "a/b/c/d"}, paths)

	paths, walked = walk(t, dir, WalkOptions{Limit: 2})
	assert.Equal(t, []string{".gitignore", "a/"}, paths)
	assert.True(t, walked.Truncated)
}

func TestWalkObeysVisit(t *testing.T) {
	dir := makeTree(t, map[string]string{"a/x": "", "b/y": "", "c": ""})
	root := open(t, dir)
	var seen []string
	visit := func(e Entry) error {
		seen = append(seen, e.Path)
		switch e.Path {
		case "a":
			return fs.SkipDir
		case "b/y":
			return fs.SkipAll
		}
		return nil
	}
	_, err := root.Walk(context.Background(), WalkOptions{}, visit)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c", "b/y"}, seen)

	_, err = root.Walk(context.Background(), WalkOptions{}, func(Entry) error { return os.ErrClosed })
	assert.ErrorIs(t, err, os.ErrClosed)
	_, err = root.Walk(context.Background(), WalkOptions{Start: "gone"}, visit)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = root.Walk(context.Background(), WalkOptions{Start: ".."}, visit)
	assert.ErrorIs(t, err, ErrOutside)
}

func TestWalkEndsWithItsContext(t *testing.T) {
	dir := makeTree(t, map[string]string{"a/x": "", "b/y": ""})
	ctx, cancel := context.WithCancelCause(context.Background())
	stopped := errors.New("stopped")
	seen := 0
	_, err := open(t, dir).Walk(ctx, WalkOptions{}, func(Entry) error {
		seen++
		cancel(stopped)
		return nil
	})
	assert.ErrorIs(t, err, stopped)
	assert.Equal(t, 2, seen, "the folder that was being visited, no further one")
}

func TestWalkFollowsNoLinks(t *testing.T) {
	dir := makeTree(t, map[string]string{"ws/a/x": "", "out/secret": ""})
	ws := filepath.Join(dir, "ws")
	link(t, "../out", filepath.Join(ws, "out"))
	link(t, "a", filepath.Join(ws, "inner"))
	link(t, ".", filepath.Join(ws, "self"))

	paths, _ := walk(t, ws, WalkOptions{})

	assert.Equal(t, []string{"a/", "inner", "out", "self", "a/x"}, paths)
	_, err := open(t, ws).Walk(context.Background(), WalkOptions{Start: "out"}, func(Entry) error { return nil })
	assert.ErrorIs(t, err, ErrOutside)
}

func TestIgnoreRules(t *testing.T) {
	for _, c := range []struct{ rules, ignored, kept string }{
		{"*.log", "a.log d/b.log .log", "a.log.txt log"},
		{"# comment\n\n\\#file\n\\!wow", "#file !wow", "comment file"},
		{"/top", "top top/x", "d/top"},
		{"d/x", "d/x d/x/y", "e/d/x"},
		{"build/", "build/x d/build/y", "d/e/build"},
		{"*.txt\n!keep.txt", "a.txt d/b.txt", "keep.txt d/keep.txt"},
		{"d/\n!d/x", "d/x d/y", "e"},
		{"d/*\n!d/x", "d/y", "d/x"},
		{"**/foo", "foo a/foo a/b/foo foo/x", "afoo"},
		{"**/foo/bar", "foo/bar a/foo/bar", "foo/x/bar"},
		{"abc/**", "abc/x abc/d/y", "d/abc/x"},
		{"a/**/b", "a/b a/x/b a/x/y/b", "ab x/a/b"},
		{"a**b", "ab axxb d/axb", "axc"},
		{"?at", "cat d/hat", "at chat"},
		{"[a-c]x[!0-9]", "axy cxz", "ax1 dxy"},
		{"x[[:digit:]]", "x1 d/x2", "xa"},
		{"[]x]y", "]y xy", "y"},
		{"[a", "", "a [a"},
		{"\\", "", "x"},
		{"trail   ", "trail", "trails"},
		{"crlf\r\nother\r", "crlf other", "x"},
		{"\ufeffbom", "bom", "x"},
		{"f*o*o*o*o*o*x", "fooooox", "foooox"},
		{"é*", "éa d/éb", "ea"},
		{"/*\n!/src", "a b/c", "src/x"},
		{"!x", "", "x"},
		{"/", "", "x d/y"},
		{"x//y", "", "x/y"},
	} {
		want := strings.Fields(c.kept)
		content := map[string]string{".gitignore": c.rules}
		for _, f := range append(strings.Fields(c.ignored), want...) {
			content[f] = ""
		}
		dropParents(content)
		want = slices.DeleteFunc(want, func(w string) bool { _, there := content[w]; return !there })
		paths, _ := walk(t, makeTree(t, content), WalkOptions{})
		got := slices.DeleteFunc(files(paths), func(p string) bool { return p == ".gitignore" })
		assert.ElementsMatch(t, want, got, "rules %q", c.rules)
	}
}

func TestABackslashKeepsATrailingSpace(t *testing.T) {
	paths, _ := walk(t, makeTree(t, map[string]string{".gitignore": "space\\ \n", "space ": "", "space": ""}), WalkOptions{})
	assert.Equal(t, []string{".gitignore", "space"}, paths)
}

// dropParents takes out the files whose name another one needs for a folder.
func dropParents(tree map[string]string) {
	for f := range tree {
		for d := filepath.Dir(f); d != "."; d = filepath.Dir(d) {
			delete(tree, d)
		}
	}
}

func TestIgnoreFilesRefineEachOther(t *testing.T) {
	dir := makeTree(t, map[string]string{
		".gitignore": "*.log\n", ".git/info/exclude": "private\n*.tmp\n",
		"a.log": "", "private": "", "x.tmp": "",
		"d/.gitignore": "!keep.log\n!x.tmp\n/own\n", "d/keep.log": "", "d/other.log": "", "d/x.tmp": "", "d/own": "", "d/e/own": "", "d/private": "",
	})
	paths, _ := walk(t, dir, WalkOptions{})
	assert.ElementsMatch(t, []string{".gitignore", "d/.gitignore", "d/keep.log", "d/x.tmp", "d/e/own"}, files(paths))
}

func TestRulesOfTheRepositoryAboveCount(t *testing.T) {
	dir := makeTree(t, map[string]string{
		".git/info/exclude": "excluded\n", ".gitignore": "node_modules/\n/packages/app/dist\n", "packages/.gitignore": "*.gen\n",
		"packages/app/node_modules/x": "", "packages/app/dist/y": "", "packages/app/a.gen": "", "packages/app/excluded": "", "packages/app/src": "",
		"packages/app/lib/dist/z": "",
	})
	paths, _ := walk(t, filepath.Join(dir, "packages", "app"), WalkOptions{})
	assert.Equal(t, []string{"src", "lib/dist/z"}, files(paths))

	paths, _ = walk(t, filepath.Join(dir, "packages", "app", "node_modules"), WalkOptions{})
	assert.Equal(t, []string{"x"}, paths, "a folder that the person chose is shown although it is ignored")
}

func TestRulesOfAWorktreeCount(t *testing.T) {
	dir := makeTree(t, map[string]string{
		"main/.git/info/exclude": "local\n", "main/.git/worktrees/w/HEAD": "ref: refs/heads/w\n", "main/.git/worktrees/w/commondir": "../..\n",
		"tree/.git": "gitdir: ../main/.git/worktrees/w\n", "tree/local": "", "tree/x": "",
	})
	paths, _ := walk(t, filepath.Join(dir, "tree"), WalkOptions{})
	assert.Equal(t, []string{"x"}, paths)
}

func TestALinkedIgnoreFileDoesNotCount(t *testing.T) {
	dir := makeTree(t, map[string]string{"rules": "*.x\n", "a.x": ""})
	link(t, "rules", filepath.Join(dir, ".gitignore"))
	paths, _ := walk(t, dir, WalkOptions{})
	assert.Contains(t, paths, "a.x")
}

// The rules are Git's, so Git is asked, on random rules and names.
func TestIgnoreAgreesWithGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for round := range 60 {
		files := map[string]string{}
		for range 30 {
			files[pick("a", "b", "ab", "build", "x.log")+"/"+pick("", "a/", "b/", "build/", "c.d/")+pick("a", "b", "ab", "x.log", "y.log", "ab.txt", "[a]", "c d")] = ""
		}
		dropParents(files)
		rules := func() string {
			var b strings.Builder
			for range 1 + random.IntN(5) {
				b.WriteString(pick("", "", "!") + pick("", "", "/", "**/") + pick("a", "b", "*", "a*", "*.log", "build", "[ab]", "[!a]", "?", "**", "x.???", "c\\ d", "a/b", "a/**", "*/b", "**/a", "a/**/b", "*b*", "c d ") + pick("", "", "/", "/*", "/**") + "\n")
			}
			return b.String()
		}
		text := rules()
		files[".gitignore"], files["a/.gitignore"] = text, rules()
		files[".git-exclude"] = rules()
		dir := makeTree(t, files)
		run := func(args ...string) string {
			cmd := exec.Command(git, append([]string{"-C", dir, "-c", "core.quotepath=false", "-c", "core.excludesFile=/dev/null"}, args...)...)
			cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, string(out))
			return string(out)
		}
		run("init", "-q")
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".git", "info", "exclude"), []byte(files[".git-exclude"]), 0o600))

		want := strings.Split(strings.TrimSuffix(run("ls-files", "-z", "--others", "--exclude-standard"), "\x00"), "\x00")
		paths, _ := walk(t, dir, WalkOptions{})
		got := append([]string{}, filesOnly(paths)...)
		if want[0] == "" {
			want = want[1:]
		}
		slices.Sort(got)
		slices.Sort(want)
		require.Equal(t, want, got, "round %d\nroot rules:\n%s\nrules of a:\n%s\nexclude:\n%s", round, text, files["a/.gitignore"], files[".git-exclude"])
	}
}

func filesOnly(paths []string) []string { return files(slices.Clone(paths)) }

func FuzzIgnore(f *testing.F) {
	for _, s := range []string{"*.log", "!a", "/a/**/b/", "[a-", "[[:x:]]", "\\", "**", "a**b***c", "\xff*"} {
		f.Add(s, "a/b/c.log")
	}
	f.Fuzz(func(t *testing.T, rules, name string) {
		name = strings.Trim(name, "/")
		if name == "" {
			return
		}
		var ig *ignore
		ig = ig.with(".", rules)
		ig.matches(name, true) // must not crash and must end soon
		if !ig.matches(name, true) && ig.matches(name, false) && !strings.Contains(rules, "!") {
			t.Fatalf("%q ignores the file %q but not the folder", rules, name)
		}
	})
}

func BenchmarkWalk50000(b *testing.B) {
	dir := bigTree(b, 50_000)
	root := open(b, dir)
	for b.Loop() {
		n := 0
		_, err := root.Walk(context.Background(), WalkOptions{}, func(Entry) error { n++; return nil })
		if err != nil || n < 50_000 {
			b.Fatal(n, err)
		}
	}
}

// bigTree makes a folder with n files, 20 in a folder.
func bigTree(t testing.TB, n int) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("*.o\nnode_modules/\n/build\n**/target/**\n!important.o\n"), 0o600))
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("pkg%d", i/1000), fmt.Sprintf("sub%d", i/20%50))
		if i%20 == 0 {
			require.NoError(t, os.MkdirAll(folder, 0o755))
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("file_%d.go", i)), []byte("package x\n"), 0o600))
	}
	return dir
}
