//go:build window

package windowtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// program is the shipped program, run as a person runs it.
type program struct {
	t     *testing.T
	cmd   *exec.Cmd
	out   *bufio.Reader
	ended chan struct{}
	mu    sync.Mutex
	said  bytes.Buffer
}

// Write collects what the program says on its standard error.
func (p *program) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.Write(b)
}

func (p *program) errors() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

func start(t *testing.T, env []string, args ...string) *program {
	t.Helper()
	p := &program{t: t, cmd: exec.Command(built(t, "bin/mobius"), args...), ended: make(chan struct{})}
	p.cmd.Env, p.cmd.Stderr = env, p
	out, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.out = bufio.NewReader(out)
	require.NoError(t, p.cmd.Start())
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("the program said:\n%s", p.errors())
		}
	})
	return p
}

// stop ends it in order and gives its exit code.
func (p *program) stop() int {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Process.Signal(syscall.SIGTERM))
	return p.exit()
}

func (p *program) exit() int {
	p.t.Helper()
	until(p.t, "the program ends", func() bool {
		select {
		case <-p.ended:
			return true
		default:
			return false
		}
	})
	return p.cmd.ProcessState.ExitCode()
}

// xdo runs xdotool and gives what it prints.
func xdo(args ...string) (string, error) {
	out, err := exec.Command("xdotool", args...).Output()
	return strings.TrimSpace(string(out)), err
}

// window waits for the program's window and gives its id.
func (p *program) window() string {
	p.t.Helper()
	var id string
	until(p.t, "the window is shown", func() bool {
		out, err := xdo("search", "--onlyvisible", "--pid", strconv.Itoa(p.cmd.Process.Pid), "--name", "Mobius")
		id, _, _ = strings.Cut(out, "\n")
		return err == nil && id != ""
	})
	return id
}

func (p *program) log(h home) string {
	text, _ := os.ReadFile(filepath.Join(h.state(), "logs", "mobius.log"))
	return string(text)
}

// children are the processes that a process has started, by the name of their program.
func children(t *testing.T, pid int, name string) []int {
	t.Helper()
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(pid), "-f", name).Output()
	var list []int
	for _, field := range strings.Fields(string(out)) {
		n, err := strconv.Atoi(field)
		require.NoError(t, err)
		list = append(list, n)
	}
	return list
}

func geometry(t *testing.T, id string) string {
	t.Helper()
	out, err := xdo("getwindowgeometry", "--shell", id)
	require.NoError(t, err)
	var kept []string
	for _, line := range strings.Split(out, "\n") {
		if k, _, _ := strings.Cut(line, "="); k == "X" || k == "Y" || k == "WIDTH" || k == "HEIGHT" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, " ")
}

func TestTheWindowComesBackToItsPlace(t *testing.T) {
	h := newHome(t)
	p := start(t, h.env())
	id := p.window()
	var place string
	until(t, "it is moved", func() bool { // the window may still be on its way to the place where it opens
		_, err := xdo("windowsize", id, "900", "600", "windowmove", id, "140", "90")
		place = geometry(t, id)
		return err == nil && strings.HasPrefix(place, "X=14") && strings.HasSuffix(place, "WIDTH=900 HEIGHT=600")
	})
	require.Zero(t, p.stop())

	p = start(t, h.env())
	id = p.window()
	until(t, "it is where it was: "+place, func() bool { return geometry(t, id) == place })
	require.Zero(t, p.stop())
}

func TestASecondStartBringsTheWindowUp(t *testing.T) {
	h := newHome(t)
	p := start(t, h.env())
	id := p.window()
	_, err := xdo("windowminimize", "--sync", id)
	require.NoError(t, err)

	second := start(t, h.env())
	require.Zero(t, second.exit(), "the second process ends")
	require.Equal(t, id, p.window(), "the first one's window is back")
	until(t, "it has the keyboard", func() bool {
		active, err := xdo("getactivewindow")
		return err == nil && active == id
	})
	require.Zero(t, p.stop())
}

// painted is in the log once for each time that the page was drawn.
const painted = `"page painted"`

func TestThePageIsLoadedAgainAfterItsProcessDied(t *testing.T) {
	h := newHome(t)
	p := start(t, h.env())
	p.window()
	var pages []int
	until(t, "the page runs", func() bool {
		pages = children(t, p.cmd.Process.Pid, "WebKitWebProcess")
		// WebKit gives the program up when a process dies before they have spoken, so the page must have been drawn.
		return len(pages) == 1 && strings.Contains(p.log(h), "page painted")
	})
	require.NoError(t, syscall.Kill(pages[0], syscall.SIGKILL))
	until(t, "another process shows the page", func() bool {
		now := children(t, p.cmd.Process.Pid, "WebKitWebProcess")
		return len(now) == 1 && now[0] != pages[0] && strings.Count(p.log(h), painted) == 2
	})
	require.Contains(t, p.log(h), `"loaded_again":true`)
	require.Zero(t, p.stop())
}

// readyLine is what a program without a window prints.
type readyLine struct{ URL, Token string }

func (p *program) ready() readyLine {
	p.t.Helper()
	text, err := p.out.ReadBytes('\n')
	require.NoError(p.t, err, p.errors())
	var line readyLine
	require.NoError(p.t, json.Unmarshal(text, &line), string(text))
	return line
}

func served(t *testing.T, line readyLine) {
	t.Helper()
	res, err := http.Get(line.URL)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	require.Equal(t, http.StatusOK, res.StatusCode)
	require.Contains(t, res.Header.Get("Content-Type"), "text/html")
}

func TestWithoutADisplayItSaysSoAndServesThePage(t *testing.T) {
	h := newHome(t)
	p := start(t, append(h.env(), "DISPLAY=", "WAYLAND_DISPLAY="))
	served(t, p.ready())
	require.Contains(t, p.errors(), "No window can be shown")
	require.Zero(t, p.stop())
}

func TestAWebviewThatCannotStartGivesThePageToTheBrowser(t *testing.T) {
	h := newHome(t)
	bin := filepath.Join(h.dir, "bin")
	require.NoError(t, os.MkdirAll(bin, 0o700))
	shown := filepath.Join(h.dir, "shown")
	require.NoError(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\necho \"$1\" >"+shown+".new && mv "+shown+".new "+shown+"\n"), 0o700))
	p := start(t, append(h.env(), "DISPLAY=:987", "PATH="+bin+":"+os.Getenv("PATH")))
	line := p.ready()
	served(t, line)
	require.Contains(t, p.errors(), "The window could not be opened")
	until(t, "the browser is started", func() bool {
		text, err := os.ReadFile(shown)
		return err == nil && strings.TrimSpace(string(text)) == line.URL+"#token="+line.Token
	})
	require.Zero(t, p.stop())
}
