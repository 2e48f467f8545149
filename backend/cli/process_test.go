package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/diag"
	"mobius/backend/engine"
	"mobius/backend/wire"
)

// The tests start this very program as the command line, so that signals, exit codes, locks and sockets are real.
const (
	asProgram = "MOBIUS_TEST_PROGRAM"
	// asWindow gives it a window that does as told: open, or fail.
	asWindow = "MOBIUS_TEST_WINDOW"
)

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(program())
	}
	goleak.VerifyTestMain(m)
}

func program() int {
	redactor := diag.NewRedactor()
	deps := Deps{
		Version: "test", Page: fstest.MapFS{"index.html": {Data: []byte("<html><head></head></html>")}}, Secret: redactor.AddSecret, Doctor: redactor.Doctor,
		Log: func(dir string) (io.Closer, error) { return redactor.OpenLog(dir, "debug") },
		Out: os.Stdout, Err: os.Stderr, In: os.Stdin,
	}
	if window := os.Getenv(asWindow); window != "" {
		deps.Display = func() error { return nil }
		deps.Browser = func(address string) error {
			fmt.Fprintln(os.Stderr, "browser", address)
			return nil
		}
		deps.Desktop = func(ctx context.Context, _ *engine.Engine, w *Window) error {
			if window == "fail" {
				return errors.New("no webview")
			}
			w.OnShow(func(token string) { fmt.Println("shown", token) })
			fmt.Println("open")
			<-ctx.Done()
			w.OnShow(nil)
			return nil
		}
	}
	return Run(os.Args[1:], deps)
}

// machine is a person's computer: a state directory, a workspace and an environment without anything else.
type machine struct {
	t     *testing.T
	state string
	work  string
	env   []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, state: filepath.Join(t.TempDir(), "state"), work: t.TempDir()}
	require.NoError(t, os.WriteFile(filepath.Join(m.work, "README.md"), []byte("# Hello\n"), 0o600))
	m.env = []string{
		asProgram + "=1", "MOBIUS_STATE_DIR=" + m.state, "MOBIUS_KEYS=file", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"),
		"GOCOVERDIR=" + t.TempDir(), "TMPDIR=" + os.TempDir(),
		"GORACE=atexit_sleep_ms=0", // the race detector else waits a second at every end
	}
	return m
}

func (m *machine) command(args ...string) *exec.Cmd {
	self, err := os.Executable()
	require.NoError(m.t, err)
	cmd := exec.Command(self, args...)
	cmd.Env, cmd.Dir = m.env, m.work
	return cmd
}

type outcome struct {
	code     int
	out, err string
}

// run runs a command to its end.
func (m *machine) run(args ...string) outcome { return m.feed("", args...) }

func (m *machine) feed(input string, args ...string) outcome {
	m.t.Helper()
	p := m.start(input, args...)
	return p.wait()
}

func (m *machine) json(into any, args ...string) {
	m.t.Helper()
	o := m.run(append(args, "--json")...)
	require.Zero(m.t, o.code, o.err)
	require.NoError(m.t, json.Unmarshal([]byte(o.out), into), o.out)
}

// process is one that runs; its lines can be waited for.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string // of standard output

	mu    sync.Mutex
	out   bytes.Buffer
	err   bytes.Buffer
	done  chan struct{}
	ended outcome
}

type lockedWriter struct {
	mu *sync.Mutex
	b  *bytes.Buffer
}

func (w lockedWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(b)
}

func (m *machine) start(input string, args ...string) *process {
	m.t.Helper()
	p := &process{t: m.t, cmd: m.command(args...), lines: make(chan string, 10_000), done: make(chan struct{})}
	p.cmd.Stdin = strings.NewReader(input)
	p.cmd.Stderr = lockedWriter{&p.mu, &p.err}
	out, err := p.cmd.StdoutPipe()
	require.NoError(m.t, err)
	require.NoError(m.t, p.cmd.Start())
	go func() {
		defer close(p.done)
		r := bufio.NewReader(out)
		for {
			text, err := r.ReadString('\n')
			p.mu.Lock()
			p.out.WriteString(text)
			p.mu.Unlock()
			if text != "" {
				p.lines <- strings.TrimSuffix(text, "\n")
			}
			if err != nil {
				break
			}
		}
		_ = p.cmd.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ended = outcome{p.cmd.ProcessState.ExitCode(), p.out.String(), p.err.String()}
	}()
	m.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
	})
	return p
}

const patience = 30 * time.Second

func (p *process) wait() outcome {
	p.t.Helper()
	select {
	case <-p.done:
		return p.ended
	case <-time.After(patience):
		p.t.Fatalf("%v did not end; it said: %s", p.cmd.Args, p.said())
		return outcome{}
	}
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String() + p.err.String()
}

// line waits for a line of standard output that contains a text.
func (p *process) line(part string) string {
	p.t.Helper()
	limit := time.After(patience)
	for {
		select {
		case text := <-p.lines:
			if strings.Contains(text, part) {
				return text
			}
		case <-p.done:
			select {
			case text := <-p.lines:
				if strings.Contains(text, part) {
					return text
				}
				continue
			default:
			}
			p.t.Fatalf("%v ended without saying %q: %+v", p.cmd.Args, part, p.ended)
		case <-limit:
			p.t.Fatalf("%v did not say %q but %s", p.cmd.Args, part, p.said())
		}
	}
}

func (p *process) signal(s os.Signal) { require.NoError(p.t, p.cmd.Process.Signal(s)) }

func (p *process) stop() outcome {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	return p.wait()
}

// serve starts a server and waits until it is ready and answers commands.
func (m *machine) serve(args ...string) (*process, ready) {
	m.t.Helper()
	p := m.start("", append([]string{"serve"}, args...)...)
	var r ready
	require.NoError(m.t, json.Unmarshal([]byte(p.line(`"url"`)), &r))
	require.Equal(m.t, p.cmd.Process.Pid, r.PID)
	return p, r
}

// fast makes the built-in Bot speak without pauses.
func (m *machine) fast() {
	m.t.Helper()
	e, err := engine.Open(m.t.Context(), engine.Options{StateDir: m.state, Shell: "test"})
	require.NoError(m.t, err)
	defer func() { require.NoError(m.t, e.Close()) }()
	list, err := e.Services.Bots.List()
	require.NoError(m.t, err)
	bot := list.Bots[0]
	bot.Config.Config.Provider.Model = "demo-fast"
	_, err = e.Services.Bots.Update(wire.BotUpdate{ID: bot.ID, ExpectedRevision: bot.Config.Revision, Config: &bot.Config.Config})
	require.NoError(m.t, err)
}
