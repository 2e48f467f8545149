//go:build unix

package files

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mobius/backend/capability"
)

func TestPipesAndDevicesNeverHang(t *testing.T) {
	dir := makeTree(t, map[string]string{"a.txt": "needle"})
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	link(t, "pipe", filepath.Join(dir, "link"))
	done := make(chan struct{})
	go func() {
		defer close(done)
		assert.Contains(t, failure(t, dir, "read_file", `{"path":"pipe"}`), "named pipe, which is not read")
		assert.Contains(t, failure(t, dir, "read_file", `{"path":"link"}`), "named pipe")
		assert.Contains(t, failure(t, dir, "search", `{"pattern":"x","path":"pipe"}`), "not searched")
		assert.Contains(t, failure(t, "/dev", "read_file", `{"path":"zero"}`), "device, which is not read")
		assert.Contains(t, output(t, dir, "search", `{"pattern":"needle"}`), "1 match in 1 file")
		assert.Contains(t, output(t, dir, "list_files", `{}`), "pipe  (named pipe)")
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("a tool hangs")
	}
}

func TestUnreadableFilesAreCounted(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("needs a user to whom permissions apply")
	}
	dir := makeTree(t, map[string]string{"a": "needle", "b": "needle"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "b"), 0))
	assert.Contains(t, output(t, dir, "search", `{"pattern":"needle"}`), "1 file could not be read")
	assert.Contains(t, failure(t, dir, "read_file", `{"path":"b"}`), "permission denied")
}

// A link that is put in a file's place while tools run never shows what is outside.
func TestSwappedLinksNeverShowTheOutside(t *testing.T) {
	base := makeTree(t, map[string]string{"ws/file": "inside", "ws/d/x": "inside", "secret": "SECRET", "out/x": "SECRET"})
	dir := filepath.Join(base, "ws")
	link(t, "x", filepath.Join(dir, "probe"))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			other := filepath.Join(dir, "other")
			if i%2 == 0 {
				_ = os.Symlink("../secret", other)
			} else {
				_ = os.WriteFile(other, []byte("inside"), 0o600)
			}
			_ = os.Rename(other, filepath.Join(dir, "file"))
			_ = os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "kept"))
			_ = os.Symlink("../out", filepath.Join(dir, "d"))
			_ = os.Remove(filepath.Join(dir, "d"))
			_ = os.Rename(filepath.Join(dir, "kept"), filepath.Join(dir, "d"))
		}
	}()
	defer func() { close(stop); <-done }()
	set, err := capability.NewSet(New())
	require.NoError(t, err)
	box := set.Enabled([]string{ID})
	for range 500 {
		for tool, args := range map[string]string{"read_file": `{"path":"file"}`, "search": `{"pattern":"SECRET|inside"}`, "list_files": `{}`} {
			r := box.Run(context.Background(), capability.Call{Workspace: dir, Name: tool, Args: json.RawMessage(args)})
			_, body, _ := cutHeader(r.Output)
			require.NotContains(t, body, "SECRET", tool)
		}
	}
}
