package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func open(t testing.TB, dir string) *Root {
	t.Helper()
	root, err := Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, root.Close()) })
	return root
}

func TestRelAcceptsWhatLiesInside(t *testing.T) {
	dir := makeTree(t, nil)
	root := open(t, dir)
	for name, want := range map[string]string{
		"":                         ".",
		".":                        ".",
		"./a/b":                    "a/b",
		"a/../b":                   "b",
		"a//b/":                    "a/b",
		dir:                        ".",
		filepath.Join(dir, "a"):    "a",
		"...":                      "...",
		"..a":                      "..a",
		filepath.Join(dir) + "/./": ".",
	} {
		got, err := root.Rel(name)
		require.NoError(t, err, name)
		assert.Equal(t, want, got, name)
	}
}

func TestRelRefusesWhatLeadsOut(t *testing.T) {
	root := open(t, makeTree(t, nil))
	for _, name := range []string{"..", "../x", "a/../../x", "/etc/passwd", root.Dir() + "/../x", root.Dir() + "x", "a\x00b"} {
		_, err := root.Rel(name)
		assert.ErrorIs(t, err, ErrOutside, name)
	}
}

func TestFilesOutsideCannotBeRead(t *testing.T) {
	dir := makeTree(t, map[string]string{"ws/in.txt": "inside", "ws/sub/": "", "secret.txt": "secret"})
	ws := filepath.Join(dir, "ws")
	link(t, "../secret.txt", filepath.Join(ws, "relative-link"))
	link(t, filepath.Join(dir, "secret.txt"), filepath.Join(ws, "absolute-link"))
	link(t, "..", filepath.Join(ws, "up"))
	link(t, "/proc/self/root", filepath.Join(ws, "magic"))
	link(t, "nowhere", filepath.Join(ws, "dangling"))
	link(t, "loop", filepath.Join(ws, "loop"))
	root := open(t, ws)
	for _, name := range []string{"relative-link", "absolute-link", "up/secret.txt", "../secret.txt", "sub/../../secret.txt", "magic/etc/passwd", "/etc/passwd"} {
		_, err := root.ReadFile(name, 100)
		assert.ErrorIs(t, err, ErrOutside, name)
	}
	_, err := root.ReadFile("dangling", 100)
	assert.ErrorIs(t, err, fs.ErrNotExist)
	_, err = root.ReadFile("loop", 100)
	assert.Error(t, err)
	text, err := root.ReadFile("in.txt", 100)
	require.NoError(t, err)
	assert.Equal(t, "inside", string(text))
}

func TestLinksInsideAreFollowed(t *testing.T) {
	dir := makeTree(t, map[string]string{"a/file.txt": "text"})
	link(t, "a/file.txt", filepath.Join(dir, "link"))
	link(t, "a", filepath.Join(dir, "folder"))
	root := open(t, dir)
	for _, name := range []string{"link", "folder/file.txt"} {
		text, err := root.ReadFile(name, 100)
		require.NoError(t, err)
		assert.Equal(t, "text", string(text))
	}
}

// A hard link to a file outside is a file of the folder to every program. This documents the limit of what a folder
// can mean.
func TestAHardLinkIsAnOrdinaryFile(t *testing.T) {
	dir := makeTree(t, map[string]string{"ws/": "", "other.txt": "other"})
	if err := os.Link(filepath.Join(dir, "other.txt"), filepath.Join(dir, "ws", "hard.txt")); err != nil {
		t.Skip("no hard links here: ", err)
	}
	text, err := open(t, filepath.Join(dir, "ws")).ReadFile("hard.txt", 100)
	require.NoError(t, err)
	assert.Equal(t, "other", string(text))
}

// A link that is swapped in between a check and the read must never show what is outside.
func TestASwappedLinkNeverShowsTheOutside(t *testing.T) {
	dir := makeTree(t, map[string]string{"ws/file": "inside", "secret": "SECRET"})
	ws := filepath.Join(dir, "ws")
	link(t, filepath.Join(dir, "secret"), filepath.Join(ws, "probe"))
	root := open(t, ws)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		file, other := filepath.Join(ws, "file"), filepath.Join(ws, "other")
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			if i%2 == 0 {
				_ = os.Symlink("../secret", other)
			} else {
				_ = os.WriteFile(other, []byte("inside"), 0o600)
			}
			_ = os.Rename(other, file)
		}
	}()
	defer func() { close(stop); <-done }()

	read, refused := 0, 0
	for range 3000 {
		text, err := root.ReadFile("file", 100)
		switch {
		case err == nil:
			read++
			require.NotContains(t, string(text), "SECRET")
		case errors.Is(err, ErrOutside):
			refused++
		}
	}
	assert.Positive(t, read+refused)
}

func TestReadFileIsLimited(t *testing.T) {
	root := open(t, makeTree(t, map[string]string{"ten": "0123456789", "empty": ""}))
	_, err := root.ReadFile("ten", 9)
	require.ErrorIs(t, err, ErrTooLarge)
	text, err := root.ReadFile("ten", 10)
	require.NoError(t, err)
	assert.Len(t, text, 10)
	text, err = root.ReadFile("empty", 0)
	require.NoError(t, err)
	assert.Empty(t, text)
	_, err = root.ReadFile(".", 10)
	assert.ErrorIs(t, err, ErrNotRegular)
}
