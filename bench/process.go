package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"mobius/backend/llm/modeltest"
	"mobius/backend/wire"
)

const ticksPerSecond = 100 // USER_HZ, the same on every Linux that Go runs on

// program is a running headless server with a client on its events.
type program struct {
	cmd    *exec.Cmd
	url    string
	token  string
	socket *websocket.Conn
	http   *http.Client
	took   time.Duration // process start → ready line
	bot    wire.Bot
}

// launch starts the server on a state directory and, if connect is set, follows its events.
func (b *bench) launch(ctx context.Context, state string, connect bool) (*program, error) {
	p := &program{cmd: exec.Command(b.program, "serve"), http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	p.cmd.Env = append(os.Environ(), "MOBIUS_STATE_DIR="+state, "MOBIUS_KEYS=file")
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	p.took = time.Since(began)
	if err != nil {
		return nil, fmt.Errorf("the program did not become ready: %w", err)
	}
	var ready struct{ URL, Token string }
	if err := json.Unmarshal(line, &ready); err != nil {
		return nil, err
	}
	p.url, p.token = ready.URL, ready.Token
	if !connect {
		return p, nil
	}
	p.socket, _, err = websocket.Dial(ctx, strings.Replace(p.url, "http", "ws", 1)+"events?client=bench&token="+p.token, nil) //nolint:bodyclose // the library closes it
	if err != nil {
		return nil, err
	}
	p.socket.SetReadLimit(64 << 20)
	return p, nil
}

func (p *program) stop() {
	if p.socket != nil {
		_ = p.socket.CloseNow()
	}
	_ = p.cmd.Process.Signal(os.Interrupt)
	_ = p.cmd.Wait()
}

func (p *program) call(ctx context.Context, method string, out any, args ...any) error {
	if args == nil {
		args = []any{}
	}
	body, err := json.Marshal(args)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"api/"+method, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	res, err := p.http.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	var answer struct {
		Result json.RawMessage
		Error  *wire.Rejection
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	if answer.Error != nil {
		return answer.Error
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, out)
}

// prepare gives the built-in Bot a model of the bench's server and switches titles off.
func (b *bench) prepare(ctx context.Context, p *program) error {
	var instance wire.ProviderInstance
	if err := p.call(ctx, "Providers.Save", &instance, wire.ProviderDraft{Kind: "compatible", Name: "bench", BaseURL: b.server.Base(modeltest.Chat)}); err != nil {
		return err
	}
	var bots wire.BotList
	if err := p.call(ctx, "Bots.List", &bots); err != nil {
		return err
	}
	config := bots.Bots[0].Config.Config
	config.Provider = wire.ProviderChoice{Instance: instance.ID, Model: "test-model"}
	config.Capabilities.Enabled = []string{}
	if err := p.call(ctx, "Bots.Update", &p.bot, wire.BotUpdate{ID: bots.Bots[0].ID, ExpectedRevision: bots.Bots[0].Config.Revision, Config: &config}); err != nil {
		return err
	}
	var settings wire.Settings
	if err := p.call(ctx, "Settings.Get", &settings); err != nil {
		return err
	}
	settings.TitleModelAuto = false
	return p.call(ctx, "Settings.Set", nil, settings)
}

// fresh starts the server on a new, prepared state.
func (b *bench) fresh(ctx context.Context, name string) (*program, string, error) {
	state := filepath.Join(b.work, name)
	p, err := b.launch(ctx, state, true)
	if err != nil {
		return nil, "", err
	}
	return p, state, b.prepare(ctx, p)
}

func (b *bench) session(ctx context.Context, p *program) (string, error) {
	var s wire.Session
	err := p.call(ctx, "Sessions.Create", &s, wire.SessionDraft{BotID: p.bot.ID, Workspace: b.folder()})
	return s.ID, err
}

// folder is the workspace of the sessions.
func (b *bench) folder() string { return filepath.Join(b.work, "folder") }

func (p *program) submit(ctx context.Context, session, text string) (*wire.Accepted, error) {
	var a wire.Accepted
	err := p.call(ctx, "Sessions.Submit", &a, wire.Submission{SessionID: session, ID: uuid.NewString(), Message: &wire.Message{Text: text}})
	return &a, err
}

// read gives the next batch as it came, and decoded.
func (p *program) read(ctx context.Context) ([]wire.Envelope, error) {
	_, batch, err := p.socket.Read(ctx)
	if err != nil {
		return nil, err
	}
	var list []wire.Envelope
	return list, json.Unmarshal(batch, &list)
}

// ended waits for the end of a session's turn.
func (p *program) ended(ctx context.Context, session string) error {
	for {
		list, err := p.read(ctx)
		if err != nil {
			return err
		}
		for _, e := range list {
			if e.Event != nil && e.SessionID == session && e.Event.Kind == wire.EventTurnCompleted {
				if e.Event.Outcome.Status != wire.OutcomeCompleted {
					return fmt.Errorf("a turn ended %s", e.Event.Outcome.Status)
				}
				return nil
			}
		}
	}
}

// tree gives a process with all its descendants.
func tree(pid int) []int {
	list := []int{pid}
	for i := 0; i < len(list); i++ {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", list[i]))
		for _, t := range tasks {
			b, _ := os.ReadFile(t)
			for _, f := range strings.Fields(string(b)) {
				if n, err := strconv.Atoi(f); err == nil {
					list = append(list, n)
				}
			}
		}
	}
	return list
}

// pss is the proportional memory of a process tree, in megabytes.
func pss(pid int) float64 {
	sum := 0.0
	for _, p := range tree(pid) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", p))
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(b), "\n") {
			if rest, ok := strings.CutPrefix(line, "Pss:"); ok {
				kb, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
				sum += kb / 1024
			}
		}
	}
	return sum
}

// cpu is the processor time that a process has used.
func cpu(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * time.Second / ticksPerSecond
}

// written is what a process has sent to storage, in bytes.
func written(pid int) int64 {
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	for _, line := range strings.Split(string(b), "\n") {
		if rest, ok := strings.CutPrefix(line, "write_bytes: "); ok {
			n, _ := strconv.ParseInt(rest, 10, 64)
			return n
		}
	}
	return 0
}
