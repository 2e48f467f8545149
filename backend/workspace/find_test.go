package workspace

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mobius/backend/wire"
)

func found(t testing.TB, f *Folders, dir, query string, limit int) []string {
	t.Helper()
	list, err := f.Find(context.Background(), dir, query, limit)
	require.NoError(t, err)
	paths := []string{}
	for _, m := range list {
		if m.Dir {
			m.Path += "/"
		}
		paths = append(paths, m.Path)
	}
	return paths
}

func TestFindGivesTheBestFirst(t *testing.T) {
	dir := makeTree(t, map[string]string{
		"main.go": "", "cmd/main.go": "", "docs/main.md": "", "domain/x.txt": "", "src/my_app/index.ts": "", "src/mailbox/a_in.go": "",
		"README.md": "", "backend/readme.md": "", "Makefile": "", ".github/workflows/main.yml": "", "node_modules/main.go": "", ".gitignore": "node_modules\n",
	})
	for query, want := range map[string][]string{
		"main.go":       {"main.go", "cmd/main.go"},
		"main":          {"main.go", "cmd/main.go", "docs/main.md", ".github/workflows/main.yml", "domain/", "domain/x.txt"},
		"MAIN.G":        {"main.go", "cmd/main.go"},
		"cmd/ma":        {"cmd/main.go"},
		"./cmd":         {"cmd/", "cmd/main.go"},
		"mkfl":          {"Makefile"},
		"src my ind":    {"src/my_app/index.ts"},
		"nothing at x!": {},
	} {
		got := found(t, new(Folders), dir, query, 50)
		if len(got) > len(want) && len(want) > 0 {
			got = got[:len(want)]
		}
		assert.Equal(t, want, got, query)
	}
}

func TestFindOfNothingShowsTheTop(t *testing.T) {
	dir := makeTree(t, map[string]string{"b": "", "a/x": "", ".env": "", "a/y/z": ""})
	assert.Equal(t, []string{"a/", "b", ".env", "a/x"}, found(t, new(Folders), dir, "  ", 4))
}

func TestFindUnderstandsAccentsInBothForms(t *testing.T) {
	dir := makeTree(t, map[string]string{"cre\u0301ation.txt": "", "ÜBER.md": "", "测试/文件.txt": ""})
	assert.Equal(t, []string{"cre\u0301ation.txt"}, found(t, new(Folders), dir, "cr\u00e9a", 5))
	assert.Equal(t, []string{"ÜBER.md"}, found(t, new(Folders), dir, "über", 5))
	assert.Equal(t, []string{"测试/文件.txt"}, found(t, new(Folders), dir, "文", 5))
}

func TestFindBoundsQueryAndAnswer(t *testing.T) {
	dir := makeTree(t, map[string]string{"aa": "", "ab": "", "ac": ""})
	assert.Len(t, found(t, new(Folders), dir, "a", 2), 2)
	assert.Len(t, found(t, new(Folders), dir, "a", 0), 1)
	assert.Empty(t, found(t, new(Folders), dir, strings.Repeat("é", 10_000), 5))
}

func TestFindReadsTheFolderAnewAfterAWhile(t *testing.T) {
	dir := makeTree(t, map[string]string{"one": ""})
	now := time.Unix(1000, 0)
	f := &Folders{Now: func() time.Time { return now }}
	assert.Equal(t, []string{"one"}, found(t, f, dir, "o", 5))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600))
	now = now.Add(listingKept)
	assert.Equal(t, []string{"one", "other"}, found(t, f, dir, "o", 5))
}

func TestFindInAFolderThatIsGone(t *testing.T) {
	_, err := new(Folders).Find(context.Background(), filepath.Join(t.TempDir(), "gone"), "x", 5)
	assert.Equal(t, wire.CodeInvalidWorkspace, wire.CodeOf(err))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = new(Folders).Find(ctx, t.TempDir(), "x", 5)
	assert.ErrorIs(t, err, context.Canceled)
}

func BenchmarkFind50000(b *testing.B) {
	dir := bigTree(b, 50_000)
	for name, f := range map[string]*Folders{"cold": {Now: func() func() time.Time {
		now := time.Now()
		return func() time.Time { now = now.Add(time.Hour); return now }
	}()}, "typing on": {}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := f.Find(context.Background(), dir, "pkg7file42", 50); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
