package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mobius/backend/wire"
)

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

func TestCheckAcceptsAFolder(t *testing.T) {
	dir := makeTree(t, map[string]string{"project/": "", "state/": ""})
	link(t, filepath.Join(dir, "project"), filepath.Join(dir, "shortcut"))

	for _, path := range []string{"project", "project/", "project/../project", "shortcut"} {
		clean, err := Check(filepath.Join(dir, "x")+"/../"+path, filepath.Join(dir, "state"))
		require.NoError(t, err, path)
		assert.Equal(t, filepath.Join(dir, filepath.Clean(path)), clean)
	}
}

func TestCheckUnderstandsTheHomeFolder(t *testing.T) {
	home := makeTree(t, map[string]string{"project/": ""})
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)

	clean, err := Check("~/project", "")

	require.NoError(t, err)
	assert.Equal(t, filepath.Join(home, "project"), clean)
}

func TestCheckRefuses(t *testing.T) {
	dir := makeTree(t, map[string]string{"file.txt": "x", "state/sub/": "", "above/state/": "", "other/": ""})
	at := func(name string) string { return filepath.Join(dir, name) }
	link(t, at("state"), at("link-to-state"))
	link(t, string(filepath.Separator), at("link-to-root"))
	link(t, at("above"), at("link-above"))
	link(t, at("nowhere"), at("dangling"))

	for name, c := range map[string]struct{ path, state, says string }{
		"empty":                       {"", at("state"), "No folder"},
		"relative":                    {"other", at("state"), "whole path"},
		"NUL":                         {at("oth\x00er"), at("state"), "NUL"},
		"too long":                    {at(strings.Repeat("x", 5000)), at("state"), "at most"},
		"missing":                     {at("nowhere"), at("state"), "does not exist"},
		"dangling link":               {at("dangling"), at("state"), "does not exist"},
		"a file":                      {at("file.txt"), at("state"), "not a folder"},
		"the root":                    {string(filepath.Separator), at("state"), "root of a file system"},
		"a link to the root":          {at("link-to-root"), at("state"), "root of a file system"},
		"the state folder":            {at("state"), at("state"), "own data"},
		"inside the state folder":     {at("state/sub"), at("state"), "own data"},
		"above the state folder":      {at("above"), at("above/state"), "own data"},
		"a link to it":                {at("link-to-state"), at("state"), "own data"},
		"a link above it":             {at("link-above"), at("above/state"), "own data"},
		"state folder given as link":  {at("above"), at("link-above/state"), "own data"},
		"state folder not made yet":   {at("other"), at("other/new/state"), "own data"},
		"not made yet, behind a link": {at("above"), at("link-above/new/state"), "own data"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Check(c.path, c.state)
			require.Error(t, err)
			assert.Equal(t, wire.CodeInvalidWorkspace, wire.CodeOf(err))
			assert.Contains(t, err.Error(), c.says)
		})
	}
}

func TestCheckAllowsANeighbourWithTheSameBeginning(t *testing.T) {
	dir := makeTree(t, map[string]string{"state/": "", "state-of-the-art/": ""})

	_, err := Check(filepath.Join(dir, "state-of-the-art"), filepath.Join(dir, "state"))

	assert.NoError(t, err)
}

func TestCheckRefusesAnUnreadableFolder(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("needs a user to whom permissions apply")
	}
	dir := makeTree(t, map[string]string{"closed/": ""})
	closed := filepath.Join(dir, "closed")
	require.NoError(t, os.Chmod(closed, 0))
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })

	_, err := Check(closed, "")

	require.Error(t, err)
	assert.Contains(t, err.Error(), "permission denied")
}

func TestIdentityStaysWhenAFolderMoves(t *testing.T) {
	dir := makeTree(t, map[string]string{"a/": "", "b/": ""})
	before := Identity(filepath.Join(dir, "a"))
	require.NotEmpty(t, before)
	assert.NotEqual(t, before, Identity(filepath.Join(dir, "b")))

	require.NoError(t, os.Rename(filepath.Join(dir, "a"), filepath.Join(dir, "c")))

	assert.Equal(t, before, Identity(filepath.Join(dir, "c")))
	assert.Empty(t, Identity(filepath.Join(dir, "a")))
}

func TestListShowsFoldersInOrder(t *testing.T) {
	dir := makeTree(t, map[string]string{"b/": "", "A/": "", "c.txt": "", ".hidden/": "", "pi\nng/": ""})
	link(t, filepath.Join(dir, "A"), filepath.Join(dir, "d-link"))
	link(t, filepath.Join(dir, "c.txt"), filepath.Join(dir, "e-link-to-a-file"))

	list, err := List(dir)

	require.NoError(t, err)
	var names []string
	for _, f := range list.Folders {
		names = append(names, f.Name)
		assert.Equal(t, filepath.Join(dir, f.Name), f.Path)
	}
	assert.Equal(t, []string{"A", "b", "d-link", "pi\nng", ".hidden"}, names)
	assert.Equal(t, filepath.Dir(dir), list.Parent)
	assert.False(t, list.Truncated)
}

func TestListIsBounded(t *testing.T) {
	dir := makeTree(t, nil)
	for i := range maxFolders + 5 {
		require.NoError(t, os.Mkdir(filepath.Join(dir, fmt.Sprint(i)), 0o755))
	}

	list, err := List(dir)

	require.NoError(t, err)
	assert.Len(t, list.Folders, maxFolders)
	assert.True(t, list.Truncated)
}

func TestListRefusesWhatIsNoFolder(t *testing.T) {
	dir := makeTree(t, map[string]string{"file": ""})
	for _, path := range []string{filepath.Join(dir, "gone"), filepath.Join(dir, "file"), "relative"} {
		_, err := List(path)
		assert.Equal(t, wire.CodeInvalidWorkspace, wire.CodeOf(err), path)
	}
}

func TestListOfTheRootHasNoParent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("has several roots")
	}
	list, err := List("/")
	require.NoError(t, err)
	assert.Empty(t, list.Parent)
	assert.NotNil(t, list.Folders)
}

func TestInfoReadsTheBranch(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	dir := makeTree(t, map[string]string{
		"repo/.git/HEAD":             "ref: refs/heads/feature/login\n",
		"repo/src/deep/":             "",
		"detached/.git/HEAD":         commit + "\n",
		"reftable/.git/HEAD":         "ref: refs/heads/.invalid\n",
		"hostile/.git/HEAD":          "ref: refs/heads/a\x1b[31mb\n",
		"strange/.git/HEAD":          "hello",
		"main/.git/worktrees/w/HEAD": "ref: refs/heads/side\n",
		"tree/.git":                  "gitdir: ../main/.git/worktrees/w\n",
		"broken/.git":                "gitdir: ../gone\n",
		"plain/":                     "",
		"file":                       "",
	})
	for name, want := range map[string]wire.WorkspaceInfo{
		"repo":          {Branch: "feature/login", Exists: true},
		"repo/src/deep": {Branch: "feature/login", Exists: true},
		"detached":      {Branch: "01234567", Exists: true},
		"reftable":      {Exists: true},
		"hostile":       {Exists: true},
		"strange":       {Exists: true},
		"tree":          {Branch: "side", Exists: true},
		"broken":        {Exists: true},
		"plain":         {Exists: true},
		"file":          {},
		"gone":          {},
	} {
		want.Path = filepath.Join(dir, filepath.FromSlash(name))
		want.Name = filepath.Base(want.Path)
		got := Info(want.Path)
		assert.Equal(t, want, got, name)
	}
}
