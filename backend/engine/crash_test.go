package engine_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"mobius/backend/llm/modeltest"
	"mobius/backend/wire"
)

// program is the real headless program in a process of its own.
type program struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	token  string
	socket *websocket.Conn
}

// build makes the headless program once for a test.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mobius")
	cmd := exec.Command("go", "build", "-o", path, "mobius")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return path
}

func launch(t *testing.T, path, stateDir string) *program {
	t.Helper()
	p := &program{t: t, cmd: exec.Command(path, "serve")}
	p.cmd.Env = append(os.Environ(), "MOBIUS_STATE_DIR="+stateDir, "MOBIUS_KEYS=file")
	stdout, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.cmd.Stderr = io.Discard
	require.NoError(t, p.cmd.Start())
	t.Cleanup(func() { _ = p.cmd.Process.Kill() }) // a test that fails leaves no program behind
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	require.NoError(t, err, "the program did not become ready")
	var ready struct{ URL, Token string }
	require.NoError(t, json.Unmarshal(line, &ready))
	p.url, p.token = ready.URL, ready.Token
	address := strings.Replace(p.url, "http://", "ws://", 1) + "events?client=test&token=" + p.token
	p.socket, _, err = websocket.Dial(t.Context(), address, nil) //nolint:bodyclose // the library closes it
	require.NoError(t, err)
	p.socket.SetReadLimit(64 << 20)
	return p
}

// kill ends the process as a crash does.
func (p *program) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	_ = p.socket.CloseNow()
}

func (p *program) try(method string, out any, args ...any) error {
	body, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+"api/"+method, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	var answer struct {
		Result json.RawMessage
		Error  *wire.Rejection
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
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

func (p *program) call(method string, out any, args ...any) {
	p.t.Helper()
	require.NoError(p.t, p.try(method, out, args...), method)
}

func (p *program) next() ([]wire.Envelope, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), 30*time.Second)
	defer cancel()
	_, batch, err := p.socket.Read(ctx)
	if err != nil {
		return nil, err
	}
	var list []wire.Envelope
	return list, json.Unmarshal(batch, &list)
}

// untilTurnEnds reads events until a turn is over: the named one, or any.
func (p *program) untilTurnEnds(turn string) {
	p.t.Helper()
	for {
		list, err := p.next()
		require.NoError(p.t, err)
		for _, e := range list {
			if e.Event != nil && e.Event.Kind == wire.EventTurnCompleted && (turn == "" || e.Event.TurnID == turn) {
				return
			}
		}
	}
}

// shown is text that a client has seen.
type shown struct {
	at   time.Time
	text string
}

// slowly answers with paced text, now and then with a tool call before it.
func slowly(r *modeltest.Request) modeltest.Reply {
	if strings.Contains(r.LastUser(), "with a tool") && len(r.Last().Results) == 0 {
		return modeltest.Reply{Parts: []modeltest.Part{modeltest.Text("I look first. ", 3), modeltest.Call("list_files", `{}`)}, Delay: 2 * time.Millisecond}
	}
	return modeltest.Reply{Parts: []modeltest.Part{modeltest.Words(60)}, Delay: 4 * time.Millisecond}
}

// setUp gives the built-in Bot a model of the server and makes a conversation.
func setUp(p *program, server *modeltest.Server, folder string) wire.Session {
	var instance wire.ProviderInstance
	p.call("Providers.Save", &instance, wire.ProviderDraft{Kind: "compatible", Name: "test", BaseURL: server.Base(modeltest.Chat)})
	var bots wire.BotList
	p.call("Bots.List", &bots)
	bot := bots.Bots[0]
	config := bot.Config.Config
	config.Provider = wire.ProviderChoice{Instance: instance.ID, Model: "test-model"}
	p.call("Bots.Update", nil, wire.BotUpdate{ID: bot.ID, ExpectedRevision: bot.Config.Revision, Config: &config})
	var settings wire.Settings
	p.call("Settings.Get", &settings)
	settings.TitleModelAuto = false
	p.call("Settings.Set", nil, settings)
	var session wire.Session
	p.call("Sessions.Create", &session, wire.SessionDraft{BotID: bot.ID, Workspace: folder})
	return session
}

// TestKillingTheProgramAtRandomMomentsLosesNothing kills the process in each of 50 turns after a random number of
// envelopes. Every accepted message must be in the journal afterwards, every text that was shown more than 100 ms before
// must be kept, finished answers must stay as they were, and every request to the model must be well formed.
func TestKillingTheProgramAtRandomMomentsLosesNothing(t *testing.T) {
	server := modeltest.New(t, slowly)
	path, state, folder := build(t), t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte("a"), 0o600))
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	p := launch(t, path, state)
	session := setUp(p, server, folder)
	accepted, all := map[string]string{}, map[string]string{} // submission → text
	finished := map[int64]string{}                            // seq → event, of answers that were published whole
	turns, until := 50, time.Time{}
	if testing.Short() {
		turns = 10
	}
	if long, err := time.ParseDuration(os.Getenv("MOBIUS_SOAK")); err == nil {
		until = time.Now().Add(long)
	}
	for i := 0; i < turns || time.Now().Before(until); i++ {
		text := fmt.Sprintf("message %d", i)
		if i%3 == 1 {
			text += " with a tool"
		}
		id := uuid.NewString()
		var a wire.Accepted
		if p.try("Sessions.Submit", &a, wire.Submission{SessionID: session.ID, ID: id, Message: &wire.Message{Text: text}}) == nil {
			accepted[id], all[id] = text, text
		}
		seen := readSome(p, random.IntN(40), finished)
		killed := time.Now()
		p.kill()
		p = launch(t, path, state)
		events := journal(p, session.ID)
		verify(t, events, accepted, finished, seen, killed)
		clear(accepted) // each is looked for after its own kill, and all of them once more at the end
	}
	// What comes after all that works, on a request that is well formed (the server checks each).
	idle(p, session.ID)
	var last wire.Accepted
	p.call("Sessions.Submit", &last, wire.Submission{SessionID: session.ID, ID: uuid.NewString(), Message: &wire.Message{Text: "still there?"}})
	p.untilTurnEnds(last.TurnID)
	events := journal(p, session.ID)
	require.Equal(t, wire.OutcomeCompleted, events[len(events)-1].Outcome.Status)
	for before := events[0].Seq; before > 1; before = events[0].Seq {
		var page wire.EventPage
		p.call("Sessions.History", &page, wire.HistoryRequest{ID: session.ID, Before: before, Turns: 2000})
		events = append(page.Events, events...)
	}
	verify(t, events, all, finished, nil, time.Now())
	p.kill()
	require.Empty(t, server.Violations())
}

// idle waits until the session has nothing left to do.
func idle(p *program, id string) {
	for {
		var open wire.OpenSession
		p.call("Sessions.Open", &open, wire.OpenRequest{ID: id})
		if open.Session.Activity == wire.ActivityIdle && len(open.Queue) == 0 {
			return
		}
		p.untilTurnEnds("")
	}
}

// readSome reads about n envelopes and gives the text that was shown in them.
func readSome(p *program, n int, finished map[int64]string) []shown {
	var seen []shown
	for n > 0 {
		list, err := p.next()
		if err != nil {
			return seen
		}
		for _, e := range list {
			n--
			if e.Event != nil && e.Event.Kind == wire.EventStepCompleted {
				finished[e.Event.Seq] = e.Event.Step.Blocks[0].Text
				seen = nil
			}
			if e.Event != nil && e.Event.Kind == wire.EventTurnCompleted {
				n = 0 // nothing more would come
			}
			if e.Frame == nil {
				continue
			}
			for _, d := range e.Frame.Deltas {
				seen = append(seen, shown{time.Now(), d.Text})
			}
		}
	}
	return seen
}

func journal(p *program, id string) []wire.Event {
	var open wire.OpenSession
	p.call("Sessions.Open", &open, wire.OpenRequest{ID: id, Turns: 60})
	return open.Page.Events
}

func verify(t *testing.T, events []wire.Event, accepted map[string]string, finished map[int64]string, seen []shown, killed time.Time) {
	t.Helper()
	messages := map[string]string{}
	newest := ""
	calls := map[string]bool{}
	for i, e := range events {
		require.EqualValues(t, events[0].Seq+int64(i), e.Seq, "the journal has no gap")
		switch e.Kind {
		case wire.EventTurnStarted, wire.EventMessageQueued, wire.EventMessageSteered:
			messages[e.Message.ID] = e.Message.Text
		case wire.EventStepCompleted:
			for _, b := range e.Step.Blocks {
				newest += b.Text
				if b.Kind == wire.BlockToolCall {
					calls[b.CallID] = true
				}
			}
			if whole, ok := finished[e.Seq]; ok {
				require.Equal(t, whole, e.Step.Blocks[0].Text, "a finished answer stays as it was")
			}
		case wire.EventToolCompleted:
			require.True(t, calls[e.Tool.CallID], "a result has its call")
			delete(calls, e.Tool.CallID)
		}
	}
	for id, text := range accepted {
		require.Equal(t, text, messages[id], "an accepted message is kept")
	}
	old := ""
	for _, s := range seen {
		if killed.Sub(s.at) > 100*time.Millisecond {
			old += s.text
		}
	}
	require.Contains(t, newest, strings.TrimSpace(old), "what was shown more than 100 ms before is kept")
}
