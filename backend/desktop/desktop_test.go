package desktop

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheWindowComesBackWhereItWas(t *testing.T) {
	dir := t.TempDir()
	w := Window{X: 10, Y: 20, Width: 900, Height: 700, Maximised: true, Placed: true}
	require.NoError(t, w.Save(dir))
	require.Equal(t, w, LoadWindow(dir))
	require.Equal(t, w, w.Fit([]Screen{{1920, 1080}}))
}

func TestNonsenseIsNeitherSavedNorLoaded(t *testing.T) {
	dir := t.TempDir()
	plain := Window{Width: DefaultWidth, Height: DefaultHeight}
	require.NoError(t, Window{}.Save(dir))
	require.Equal(t, plain, LoadWindow(dir))
	for _, text := range []string{"", "no", `{"width":0,"height":0}`, `{"width":999999,"height":700}`, `{"width":"a"}`} {
		require.NoError(t, os.WriteFile(windowFile(dir), []byte(text), 0o600))
		require.Equal(t, plain, LoadWindow(dir), text)
	}
}

func TestAWindowOnAScreenThatIsGoneIsPlacedAnew(t *testing.T) {
	w := Window{X: 2600, Y: 100, Width: 1200, Height: 800, Placed: true}
	require.True(t, w.Fit([]Screen{{1920, 1080}, {1920, 1080}}).Placed)
	require.False(t, w.Fit([]Screen{{1920, 1080}}).Placed)
	small := w.Fit([]Screen{{1024, 640}})
	require.Equal(t, 1024, small.Width)
	require.Equal(t, 640, small.Height)
}

func TestTheRendererIsChangedOnlyWhereItHasTo(t *testing.T) {
	const name = "WEBKIT_DISABLE_DMABUF_RENDERER"
	module := filepath.Join(t.TempDir(), "nvidia")
	t.Setenv(name, "0")
	require.NoError(t, os.Mkdir(module, 0o700))
	Renderer(module)
	require.Equal(t, "0", os.Getenv(name), "what the person set stays")
	require.NoError(t, os.Unsetenv(name))
	Renderer(filepath.Join(module, "missing"))
	_, set := os.LookupEnv(name)
	require.False(t, set)
	Renderer(module)
	require.Equal(t, "1", os.Getenv(name))
}
