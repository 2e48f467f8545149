//go:build window

package windowtest

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	patience = 20 * time.Second // for anything that the window does
	tick     = 50 * time.Millisecond
	enter    = "\ue007"
)

// built gives a program that make test-window has built.
func built(t *testing.T, name string) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	path := filepath.Join(root, "build", name)
	if dir := os.Getenv("MOBIUS_BUILD"); dir != "" {
		path = filepath.Join(dir, name)
	}
	require.FileExists(t, path, "make test-window builds it")
	return path
}

// home is a person's home folder of its own, so that nothing of a test outlives it.
type home struct{ dir string }

func newHome(t *testing.T) home {
	t.Helper()
	return home{t.TempDir()}
}

func (h home) state() string { return filepath.Join(h.dir, "state") }

// env is the environment of a program in this home, with more variables on top.
func (h home) env(more ...string) []string {
	env := []string{
		"HOME=" + h.dir, "XDG_DATA_HOME=" + filepath.Join(h.dir, "data"), "XDG_CACHE_HOME=" + filepath.Join(h.dir, "cache"),
		"XDG_CONFIG_HOME=" + filepath.Join(h.dir, "config"), "MOBIUS_STATE_DIR=" + h.state(), "MOBIUS_KEYS=file", "LANG=C.UTF-8",
	}
	for _, name := range []string{"PATH", "DISPLAY", "XAUTHORITY", "DBUS_SESSION_BUS_ADDRESS"} {
		env = append(env, name+"="+os.Getenv(name))
	}
	return append(env, more...)
}

// until waits for a condition of another process, which can only be asked for again and again.
func until(t *testing.T, what string, met func() bool) {
	t.Helper()
	require.Eventually(t, met, patience, tick, what)
}

// window is the real window, steered through WebKit's WebDriver.
type window struct {
	t       *testing.T
	home    home
	base    string
	session string
	closed  bool
}

// openWindow starts the program that can be steered, in a home, and waits for its page.
func openWindow(t *testing.T, h home) *window {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	driver := exec.Command("WebKitWebDriver", "--port="+strconv.Itoa(port))
	// Pictures need a policy that lets WebKit composite.
	driver.Env = h.env("MOBIUS_GPU=ondemand")
	driver.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, err := os.Create(filepath.Join(t.TempDir(), "driver.log")) // a file: the program may outlive the driver
	require.NoError(t, err)
	driver.Stdout, driver.Stderr = said, said
	require.NoError(t, driver.Start())
	w := &window{t: t, home: h, base: fmt.Sprintf("http://127.0.0.1:%d", port)}
	t.Cleanup(func() {
		w.close()
		_ = syscall.Kill(-driver.Process.Pid, syscall.SIGKILL) // the driver, and the program if it is still there
		_ = driver.Wait()
		if text, err := os.ReadFile(said.Name()); err == nil && t.Failed() {
			t.Logf("the driver and the program said:\n%s", text)
		}
	})
	until(t, "the driver answers", func() bool {
		res, err := http.Get(w.base + "/status")
		if err != nil {
			return false
		}
		return res.Body.Close() == nil
	})
	var session struct {
		ID string `json:"sessionId"`
	}
	w.post("/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"webkitgtk:browserOptions": map[string]any{"binary": built(t, "test/mobius-webdriver"), "args": []string{}},
	}}}, &session)
	w.session = "/session/" + session.ID
	until(t, "the page is drawn", func() bool { return w.eval(`return document.querySelector("main") !== null`) == true })
	return w
}

func (w *window) request(method, path string, body, out any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s", method, path, answer)
	}
	return json.Unmarshal(answer, &struct {
		Value any `json:"value"`
	}{out})
}

func (w *window) post(path string, body, out any) {
	w.t.Helper()
	require.NoError(w.t, w.request(http.MethodPost, path, body, out))
}

// eval runs the body of a function in the page.
func (w *window) eval(script string, args ...any) any {
	w.t.Helper()
	if args == nil {
		args = []any{}
	}
	var out any
	w.post(w.session+"/execute/sync", map[string]any{"script": script, "args": args}, &out)
	return out
}

// find waits for an element by XPath and gives its path in the protocol.
func (w *window) find(xpath string) string {
	w.t.Helper()
	var found map[string]string
	until(w.t, "there is "+xpath, func() bool {
		return w.request(http.MethodPost, w.session+"/element", map[string]any{"using": "xpath", "value": xpath}, &found) == nil
	})
	for _, id := range found {
		return w.session + "/element/" + id
	}
	w.t.Fatalf("no element in %v", found)
	return ""
}

func (w *window) click(xpath string) {
	w.t.Helper()
	w.post(w.find(xpath)+"/click", map[string]any{}, nil)
}

func (w *window) write(xpath, text string) {
	w.t.Helper()
	w.post(w.find(xpath)+"/value", map[string]any{"text": text}, nil)
}

// waitText waits until the page's main part shows a text.
func (w *window) waitText(text string) {
	w.t.Helper()
	until(w.t, fmt.Sprintf("the page shows %q", text), func() bool {
		return w.eval(`return document.querySelector("main")?.innerText.includes(arguments[0]) ?? false`, text) == true
	})
}

// picture keeps what the page shows in build/test, once it shows something: the page's elements are there a moment
// before the window has drawn them.
func (w *window) picture(name string) {
	w.t.Helper()
	var data []byte
	until(w.t, "the window draws the page", func() bool {
		var encoded string
		require.NoError(w.t, w.request(http.MethodGet, w.session+"/screenshot", nil, &encoded))
		var err error
		data, err = base64.StdEncoding.DecodeString(encoded)
		require.NoError(w.t, err)
		return len(data) > 5_000
	})
	require.NoError(w.t, os.WriteFile(filepath.Join(filepath.Dir(built(w.t, "test/mobius-webdriver")), name+".png"), data, 0o600))
}

// close quits the program as a person would, and waits for its end.
func (w *window) close() {
	if w.closed || w.session == "" {
		return
	}
	w.closed = true
	var owner struct {
		PID int `json:"pid"`
	}
	text, err := os.ReadFile(filepath.Join(w.home.state(), "owner.json"))
	require.NoError(w.t, err)
	require.NoError(w.t, json.Unmarshal(text, &owner), string(text))
	// The answer may not come any more.
	_ = w.request(http.MethodPost, w.session+"/execute/sync", map[string]any{"script": "window.runtime.Quit()", "args": []any{}}, nil)
	until(w.t, "the program ends", func() bool { return !running(owner.PID) })
}

// running tells whether a process is there and is more than a remnant that nobody has waited for.
func running(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(text, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z'
}
