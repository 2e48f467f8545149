//go:build unix

package workspace

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// within fails the test when f does not return: reading a pipe that nobody writes to waits for ever.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("did not return")
	}
}

func TestPipesAndSocketsAreNotOpened(t *testing.T) {
	dir := makeTree(t, nil)
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	link(t, "pipe", filepath.Join(dir, "link-to-pipe"))
	root := open(t, dir)
	within(t, func() {
		for _, name := range []string{"pipe", "link-to-pipe"} {
			_, err := root.ReadFile(name, 100)
			require.ErrorIs(t, err, ErrNotRegular, name)
			assert.Contains(t, err.Error(), "named pipe")
		}
	})
}

func TestDevicesAreNotOpened(t *testing.T) {
	root := open(t, "/dev")
	within(t, func() {
		_, err := root.ReadFile("zero", 100)
		require.ErrorIs(t, err, ErrNotRegular)
		assert.Contains(t, err.Error(), "device")
	})
}

func TestAPipeInPlaceOfAnIgnoreFileIsPassedOver(t *testing.T) {
	dir := makeTree(t, map[string]string{"a": ""})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, ".gitignore"), 0o600))
	root := open(t, dir)
	within(t, func() {
		_, err := root.Walk(context.Background(), WalkOptions{}, func(Entry) error { return nil })
		assert.NoError(t, err)
	})
}
