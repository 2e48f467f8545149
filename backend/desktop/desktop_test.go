package desktop

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTheWindowComesBackWhereItWas(t *testing.T) {
	dir := t.TempDir()
	w := Window{X: 10, Y: 20, Width: 900, Height: 700, Maximised: true, Placed: true}
	require.NoError(t, w.Save(dir))
	require.Equal(t, w, LoadWindow(dir))
	require.Equal(t, w, w.Fit([]Screen{{0, 0, 1920, 1080}}))
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
	one, second := Screen{0, 0, 1920, 1080}, Screen{1920, 0, 1920, 1080}
	for name, c := range map[string]struct {
		x, y    int
		screens []Screen
		placed  bool
	}{
		"on the second screen":              {2600, 100, []Screen{one, second}, true},
		"the second screen is gone":         {2600, 100, []Screen{one}, false},
		"on a screen to the left":           {-1500, 50, []Screen{{-1920, 0, 1920, 1080}, one}, true},
		"that screen is gone":               {-1500, 50, []Screen{one}, false},
		"enough of it reaches in":           {1920 - grip, 0, []Screen{one}, true},
		"too little of it reaches in":       {1921 - grip, 0, []Screen{one}, false},
		"its title bar is above the screen": {100, -1, []Screen{one}, false},
		"its title bar is below the screen": {100, 1080 - grip + 1, []Screen{one}, false},
		"its title bar is under the panel":  {100, 10, []Screen{{0, 30, 1920, 1050}}, false},
		"in the hole of an L of screens":    {2000, 900, []Screen{one, {1920, 0, 1280, 720}}, false},
		"no screen is known":                {100, 100, nil, false},
	} {
		w := Window{X: c.x, Y: c.y, Width: 1200, Height: 800, Placed: true}
		require.Equal(t, c.placed, w.Fit(c.screens).Placed, name)
	}
}

func TestAWindowIsNoLargerThanTheScreen(t *testing.T) {
	w := Window{Width: 1900, Height: 1000}.Fit([]Screen{{0, 0, 1024, 640}})
	require.Equal(t, Window{Width: 1024, Height: 640}, w)
	require.Equal(t, Window{Width: MinWidth, Height: MinHeight}, Window{Width: 900, Height: 700}.Fit([]Screen{{0, 0, 200, 100}}))
}

func TestAPageThatKeepsEndingIsNotLoadedForEver(t *testing.T) {
	var r restarts
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for range maxRestarts {
		require.True(t, r.again(at))
		at = at.Add(time.Second)
	}
	require.False(t, r.again(at))
	require.True(t, r.again(at.Add(restartSpan)), "what was long ago does not count")
}

func TestTheRendererIsChangedOnlyWhereItHasTo(t *testing.T) {
	const dmabuf, compositing = "WEBKIT_DISABLE_DMABUF_RENDERER", "WEBKIT_DISABLE_COMPOSITING_MODE"
	nvidia := filepath.Join(t.TempDir(), "nvidia")
	require.NoError(t, os.Mkdir(nvidia, 0o700))
	other := filepath.Join(nvidia, "missing")
	for name, c := range map[string]struct {
		set    map[string]string
		module string
		safe   bool
		want   map[string]string
	}{
		"any other card":                {nil, other, false, map[string]string{}},
		"NVIDIA's driver":               {nil, nvidia, false, map[string]string{dmabuf: "1"}},
		"what the person set stays":     {map[string]string{dmabuf: "0"}, nvidia, false, map[string]string{dmabuf: "0"}},
		"even set to nothing":           {map[string]string{dmabuf: ""}, nvidia, false, map[string]string{dmabuf: ""}},
		"safe mode":                     {nil, other, true, map[string]string{dmabuf: "1", compositing: "1"}},
		"safe mode beside the person's": {map[string]string{dmabuf: "0"}, nvidia, true, map[string]string{dmabuf: "0", compositing: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, name := range []string{dmabuf, compositing} {
				t.Setenv(name, "") // restores it after the test
				require.NoError(t, os.Unsetenv(name))
			}
			for name, value := range c.set {
				t.Setenv(name, value)
			}
			require.NotEmpty(t, Renderer(c.module, c.safe))
			got := map[string]string{}
			for _, name := range []string{dmabuf, compositing} {
				if v, ok := os.LookupEnv(name); ok {
					got[name] = v
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestTheWindowStaysOnItsPage(t *testing.T) {
	for _, address := range []string{"wails://wails/", "wails://wails/#/chat/1", "wails://wails/?x=1", "about:blank"} {
		require.True(t, staysOnPage(address), address)
	}
	for _, address := range []string{
		"", "file:///etc/passwd", "https://example.org/", "http://wails/", "data:text/html,x", "blob:wails://wails/1", "javascript:alert(1)",
		"wails://wails.example.org/", "wails://wails/icon.svg", "about:srcdoc",
	} {
		require.False(t, staysOnPage(address), address)
	}
}
