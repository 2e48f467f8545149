package session

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/agent"
	"mobius/backend/llm"
	"mobius/backend/store"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// reply is what the model does with one request.
type reply func(ctx context.Context, emit func(llm.Piece)) (*llm.Answer, error)

// world is a stored session with a model that answers as told.
type world struct {
	t       *testing.T
	dir     string
	store   *store.Store
	session *Session
	bot     wire.Bot

	mu       sync.Mutex
	replies  []reply
	requests []*llm.Request
	events   chan wire.Event
	frames   []wire.Frame
	tool     func(ctx context.Context, call llm.Block) agent.Result
	asked    chan struct{} // one token a request
	opening  func()        // before a turn's first request
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, dir: t.TempDir(), asked: make(chan struct{}, 100), bot: wire.Bot{ID: "bot"}}
	w.bot.Config.Config = wire.BotConfig{MaxModelSteps: 8, SystemPrompt: "be brief", Delivery: "steer"}
	w.open()
	ctx := context.Background()
	require.NoError(t, w.store.Write(ctx, func(q *db.Queries) error {
		n, err := q.InsertBot(ctx, db.InsertBotParams{ID: "bot", Handle: "bot", Name: "b", Description: "b", Tint: "blue", Revision: 1})
		if err != nil {
			return err
		}
		_, err = q.InsertSession(ctx, db.InsertSessionParams{ID: "s", Bot: n, Workspace: "/w"})
		return err
	}))
	t.Cleanup(w.close)
	return w
}

func (w *world) open() {
	s, err := store.Open(w.t.Context(), w.dir)
	require.NoError(w.t, err)
	w.store = s
}

// load makes the session resident.
func (w *world) load() *Session {
	row, err := w.store.Read().GetSession(context.Background(), "s")
	require.NoError(w.t, err)
	w.events = make(chan wire.Event, 1000)
	s, err := Load(context.Background(), Deps{
		Store: w.store, Clock: SystemClock{}, Models: w, Toolbox: w, Publish: w.publish, Changed: func(wire.Session) {},
		Explain: func(err error) *wire.Rejection { return wire.AsRejection(err) }, Titles: func() bool { return false }, QueueLimit: 3,
	}, w.bot, row)
	require.NoError(w.t, err)
	w.session = s
	return s
}

func (w *world) close() {
	if w.session != nil {
		require.NoError(w.t, w.session.Stop(context.Background()))
	}
	require.NoError(w.t, w.store.Close())
}

// crash ends everything as a killed process would: nothing is recorded any more.
func (w *world) crash() {
	require.NoError(w.t, w.store.Close())
	_ = w.session.Stop(context.Background())
	w.session = nil
	w.open()
}

func (w *world) publish(e wire.Envelope) {
	if e.Event != nil {
		w.events <- *e.Event
	}
	if e.Frame != nil {
		w.mu.Lock()
		w.frames = append(w.frames, *e.Frame)
		w.mu.Unlock()
	}
}

func (w *world) Resolve(wire.ProviderChoice) (*Model, error) {
	return &Model{Model: w, ID: "m", Provider: "p", Attempts: func(ctx context.Context, _ func(llm.Wait), do func(context.Context, int) error) error {
		return do(ctx, 1)
	},
		Cost: func(u llm.Usage) int64 { return u.Output }}, nil
}

func (w *world) Open(wire.Bot, wire.Session) (agent.Tools, string, error) {
	if w.opening != nil {
		w.opening()
	}
	return w, "", nil
}

func (w *world) List() []llm.Tool { return nil }

func (w *world) Run(ctx context.Context, call llm.Block) agent.Result {
	if w.tool != nil {
		return w.tool(ctx, call)
	}
	return agent.Result{Output: "result"}
}

func (w *world) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	w.mu.Lock()
	w.requests = append(w.requests, req)
	next := says("ok")
	if len(w.replies) > 0 {
		next, w.replies = w.replies[0], w.replies[1:]
	}
	w.mu.Unlock()
	w.asked <- struct{}{}
	return next(ctx, emit)
}

func says(text string) reply {
	return func(_ context.Context, emit func(llm.Piece)) (*llm.Answer, error) {
		b := llm.NewBuilder(emit)
		b.Append(llm.Text, text)
		return &llm.Answer{Blocks: b.Blocks(), Finish: llm.FinishStop, Usage: llm.Usage{Input: 10, Output: 2}}, nil
	}
}

func calls(id string) reply {
	return func(_ context.Context, emit func(llm.Piece)) (*llm.Answer, error) {
		b := llm.NewBuilder(emit)
		b.Open(llm.Block{Kind: llm.ToolCall, CallID: id, Name: "tool"})
		return &llm.Answer{Blocks: b.Blocks(), Finish: llm.FinishToolCalls}, nil
	}
}

// holds says the beginning of an answer and then waits for release, or for the turn's end.
func holds(text string, release <-chan struct{}) reply {
	return func(ctx context.Context, emit func(llm.Piece)) (*llm.Answer, error) {
		b := llm.NewBuilder(emit)
		b.Append(llm.Text, text)
		select {
		case <-release:
			return &llm.Answer{Blocks: b.Blocks(), Finish: llm.FinishStop}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func message(text string) wire.Submission {
	return wire.Submission{SessionID: "s", ID: uuid.NewString(), Message: &wire.Message{Text: text}}
}

func (w *world) submit(sub wire.Submission) *wire.Accepted {
	w.t.Helper()
	a, err := w.session.Submit(sub)
	require.NoError(w.t, err)
	return a
}

// until reads events until one of the kind and gives all of them.
func (w *world) until(kind wire.EventKind) []wire.Event {
	w.t.Helper()
	var list []wire.Event
	limit := time.After(20 * time.Second)
	for {
		select {
		case e := <-w.events:
			list = append(list, e)
			if e.Kind == kind {
				return list
			}
		case <-limit:
			require.FailNow(w.t, "no event of the kind came", "%s; got %+v", kind, list)
		}
	}
}

func kindsOf(list []wire.Event) []wire.EventKind {
	out := make([]wire.EventKind, len(list))
	for i, e := range list {
		out[i] = e.Kind
	}
	return out
}

// texts gives the roles and first texts of a request's messages.
func texts(req *llm.Request) []string {
	var out []string
	for _, m := range req.Messages {
		out = append(out, string(m.Role)+": "+m.Blocks[0].Text)
	}
	return out
}

func TestAMessageToAnIdleSessionStartsATurn(t *testing.T) {
	w := newWorld(t)
	w.load()
	a := w.submit(message("hello"))
	require.Equal(t, "started", a.Delivery)
	require.Equal(t, "t1", a.TurnID)
	list := w.until(wire.EventTurnCompleted)
	require.Equal(t, []wire.EventKind{wire.EventTurnStarted, wire.EventStepCompleted, wire.EventTurnCompleted}, kindsOf(list))
	snap, err := w.session.Snapshot(t.Context())
	require.NoError(t, err)
	require.Equal(t, "hello", snap.Session.Title)
	require.Equal(t, "ok", snap.Session.LastMessage)
	require.EqualValues(t, 12, snap.Session.Totals.Context)
	require.EqualValues(t, 2, snap.Session.Totals.CostMicros)
}

func TestAMessageForATurnThatEndedIsStale(t *testing.T) {
	w := newWorld(t)
	w.load()
	sub := message("hello")
	sub.Message.TargetTurnID = "t1"
	_, err := w.session.Submit(sub)
	require.Equal(t, wire.CodeStaleTurn, wire.CodeOf(err))
}

func TestAMessageDuringATurnSteersItAndIsGivenToTheModelOnce(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	w.replies = []reply{holds("first", release), says("second")}
	w.load()
	w.submit(message("a"))
	<-w.asked
	require.Equal(t, "steer", w.submit(message("b")).Delivery)
	close(release)
	list := w.until(wire.EventTurnCompleted)
	require.Equal(t, []wire.EventKind{wire.EventTurnStarted, wire.EventMessageQueued, wire.EventStepCompleted, wire.EventMessageSteered, wire.EventStepCompleted, wire.EventTurnCompleted}, kindsOf(list))
	require.Equal(t, []string{"user: a", "assistant: first", "user: b"}, texts(w.requests[1]))
	rebuilt, err := History(t.Context(), w.store, 1, list[len(list)-1].Seq)
	require.NoError(t, err)
	require.Len(t, rebuilt, 4, "the journal gives the same context")
}

func TestAQueuedMessageGetsATurnOfItsOwn(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	w.replies = []reply{holds("first", release)}
	w.load()
	w.submit(message("a"))
	<-w.asked
	sub := message("b")
	sub.Message.RequestedDelivery = "queue"
	require.Equal(t, "queue", w.submit(sub).Delivery)
	close(release)
	w.until(wire.EventTurnCompleted)
	list := w.until(wire.EventTurnCompleted)
	require.Equal(t, "b", list[0].Message.Text)
}

func TestQueuedMessagesAreEditedMovedAndRemovedUntilTheyAreTaken(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	w.replies = []reply{holds("first", release)}
	w.load()
	w.submit(message("a"))
	<-w.asked
	var ids []string
	for _, text := range []string{"one", "two", "three"} {
		sub := message(text)
		sub.Message.RequestedDelivery = "queue"
		w.submit(sub)
		ids = append(ids, sub.ID)
	}
	over := message("four")
	over.Message.RequestedDelivery = "queue"
	_, err := w.session.Submit(over)
	require.Equal(t, wire.CodeQueueFull, wire.CodeOf(err))

	edit := wire.Submission{SessionID: "s", ID: uuid.NewString(), QueueEdit: &wire.QueueEdit{MessageID: ids[0], Text: "uno"}}
	w.submit(edit)
	w.submit(wire.Submission{SessionID: "s", ID: uuid.NewString(), QueueMove: &wire.QueueMove{MessageID: ids[2], Before: ids[0]}})
	w.submit(wire.Submission{SessionID: "s", ID: uuid.NewString(), QueueRemove: &wire.QueueRemove{MessageID: ids[1]}})
	snap, err := w.session.Snapshot(t.Context())
	require.NoError(t, err)
	require.Len(t, snap.Queue, 2)
	require.Equal(t, "three", snap.Queue[0].Message.Text)
	require.Equal(t, "uno", snap.Queue[1].Message.Text)

	close(release)
	for range 3 {
		w.until(wire.EventTurnCompleted)
	}
	edit.ID = uuid.NewString()
	_, err = w.session.Submit(edit)
	require.Equal(t, wire.CodeStaleTurn, wire.CodeOf(err), "an edit of one already taken")
}

func TestTheQueueSurvivesARestart(t *testing.T) {
	w := newWorld(t)
	w.replies = []reply{holds("first", nil)}
	w.load()
	w.submit(message("a"))
	<-w.asked
	sub := message("later")
	sub.Message.RequestedDelivery = "queue"
	w.submit(sub)
	w.crash()
	w.load()
	list := append(w.until(wire.EventTurnCompleted), w.until(wire.EventTurnCompleted)...)
	found := false
	for _, e := range list {
		found = found || e.Kind == wire.EventTurnStarted && e.Message.Text == "later"
	}
	require.True(t, found)
}

func TestAnInterruptNamesItsTurnAndKeepsWhatWasSaid(t *testing.T) {
	w := newWorld(t)
	w.replies = []reply{holds("half an answer", nil)}
	w.load()
	a := w.submit(message("a"))
	<-w.asked
	stale := w.submit(wire.Submission{SessionID: "s", ID: uuid.NewString(), Interrupt: &wire.Interrupt{TurnID: "t99"}})
	require.Equal(t, "stale", stale.Delivery)
	w.submit(wire.Submission{SessionID: "s", ID: uuid.NewString(), Interrupt: &wire.Interrupt{TurnID: a.TurnID}})
	list := w.until(wire.EventTurnCompleted)
	require.Equal(t, "half an answer", list[1].Step.Blocks[0].Text)
	require.Equal(t, "interrupted", list[1].Step.Finish)
	require.Equal(t, wire.OutcomeAborted, list[2].Outcome.Status)
	w.submit(message("b"))
	w.until(wire.EventTurnCompleted)
	require.Equal(t, []string{"user: a", "assistant: half an answer", "user: b"}, texts(w.requests[1]))
}

func TestSteeringThatDidNotReachTheModelBecomesATurn(t *testing.T) {
	w := newWorld(t)
	fail := make(chan struct{})
	w.replies = []reply{func(context.Context, func(llm.Piece)) (*llm.Answer, error) {
		<-fail
		return nil, &llm.Error{Kind: llm.ErrKeyInvalid, Message: "no"}
	}}
	w.load()
	w.submit(message("a"))
	<-w.asked
	w.submit(message("b"))
	close(fail)
	list := w.until(wire.EventTurnCompleted)
	require.Equal(t, wire.OutcomeFailed, list[len(list)-1].Outcome.Status)
	require.Equal(t, "b", w.until(wire.EventTurnCompleted)[0].Message.Text)
}

func TestTheSameSubmissionIsAcceptedOnceEvenAfterARestart(t *testing.T) {
	w := newWorld(t)
	w.load()
	sub := message("a")
	first := w.submit(sub)
	w.until(wire.EventTurnCompleted)
	require.Equal(t, first, w.submit(sub))
	w.crash()
	w.load()
	require.Equal(t, first, w.submit(sub))
	require.Len(t, w.requests, 1)
}

func TestACrashInMidAnswerKeepsWhatWasShownAndClosesTheTurn(t *testing.T) {
	w := newWorld(t)
	w.replies = []reply{holds("shown before the crash", nil)}
	w.load()
	w.submit(message("a"))
	<-w.asked
	require.Eventually(t, func() bool {
		rows, err := w.store.Read().ListPartials(t.Context(), 1)
		return err == nil && len(rows) > 0
	}, 10*time.Second, time.Millisecond, "partial text is made durable while it grows")
	w.crash()
	w.load()
	page, err := NewestPage(t.Context(), w.store, 1, 3, 10)
	require.NoError(t, err)
	require.Equal(t, []wire.EventKind{wire.EventTurnStarted, wire.EventStepCompleted, wire.EventTurnCompleted}, kindsOf(page.Events))
	require.Equal(t, "shown before the crash", decoded(t, page.Events[1]).Step.Blocks[0].Text)
	require.Equal(t, "restart", decoded(t, page.Events[2]).Outcome.Reason)
}

func TestACrashInAToolAnswersTheCallAsInterrupted(t *testing.T) {
	w := newWorld(t)
	w.replies = []reply{calls("1")}
	inTool := make(chan struct{})
	w.tool = func(ctx context.Context, _ llm.Block) agent.Result {
		close(inTool)
		<-ctx.Done()
		return agent.Result{}
	}
	w.load()
	w.submit(message("a"))
	<-inTool
	w.crash()
	w.tool = nil
	w.load()
	w.until(wire.EventTurnCompleted)
	w.submit(message("b"))
	w.until(wire.EventTurnCompleted)
	last := w.requests[len(w.requests)-1].Messages
	require.Equal(t, llm.RoleTool, last[2].Role)
	require.Equal(t, "1", last[2].Blocks[0].CallID)
	require.Equal(t, agent.InterruptedOutput, last[2].Blocks[0].Text)
}

func TestATurnThatHadSaidNothingIsRunAgainAfterACrash(t *testing.T) {
	w := newWorld(t)
	w.replies = []reply{holds("", nil), says("answered after all")}
	w.load()
	w.submit(message("a"))
	<-w.asked
	w.crash()
	w.load()
	list := w.until(wire.EventTurnCompleted)
	require.Equal(t, "answered after all", list[0].Step.Blocks[0].Text)
}

func TestProviderMetadataGoesBackAfterARestart(t *testing.T) {
	w := newWorld(t)
	meta := llm.NewMeta("test", `{"signature":"abc"}`)
	w.replies = []reply{func(context.Context, func(llm.Piece)) (*llm.Answer, error) {
		return &llm.Answer{Blocks: []llm.Block{{Kind: llm.Reasoning, Text: "hm", Meta: meta}, {Kind: llm.Text, Text: "x"}}, Finish: llm.FinishStop}, nil
	}}
	w.load()
	w.submit(message("a"))
	w.until(wire.EventTurnCompleted)
	w.crash()
	w.load()
	w.submit(message("b"))
	w.until(wire.EventTurnCompleted)
	require.Equal(t, meta, w.requests[1].Messages[1].Blocks[0].Meta)
}

func TestASessionThatStopsAnswersAfterItHasEnded(t *testing.T) {
	w := newWorld(t)
	s := w.load()
	idle, err := s.StopIfIdle(t.Context())
	require.NoError(t, err)
	require.True(t, idle)
	select {
	case <-s.Done():
	default:
		t.Fatal("it had not ended")
	}
	_, err = s.Submit(message("late"))
	var r *wire.Rejection
	require.ErrorAs(t, err, &r)
	require.Equal(t, wire.CodeGatewayStopped, r.Code)
	require.True(t, r.Fatal)
	w.session = nil
}

func TestABusySessionIsNotIdleFromTheMomentItsMessageIsAccepted(t *testing.T) {
	w := newWorld(t)
	release := make(chan struct{})
	w.replies = []reply{holds("x", release)}
	s := w.load()
	w.submit(message("a"))
	idle, err := s.Idle(t.Context())
	require.NoError(t, err)
	require.False(t, idle)
	stopped, err := s.StopIfIdle(t.Context())
	require.NoError(t, err)
	require.False(t, stopped)
	require.Equal(t, wire.CodeAgentBusy, wire.CodeOf(s.Reload(t.Context(), w.bot)))
	close(release)
	w.until(wire.EventTurnCompleted)
}

func TestBadSubmissionsAreRefusedWithTheReason(t *testing.T) {
	w := newWorld(t)
	s := w.load()
	for name, sub := range map[string]wire.Submission{
		"no id":          {SessionID: "s", ID: "x", Message: &wire.Message{Text: "a"}},
		"no operation":   {SessionID: "s", ID: uuid.NewString()},
		"two operations": {SessionID: "s", ID: uuid.NewString(), Message: &wire.Message{Text: "a"}, Interrupt: &wire.Interrupt{}},
		"blank":          message(" \n "),
		"too long":       message(strings.Repeat("x", maxText+1)),
		"not UTF-8":      message("\xff"),
		"unknown author": {SessionID: "s", ID: uuid.NewString(), Message: &wire.Message{Text: "a", Author: "admin"}},
	} {
		_, err := s.Submit(sub)
		require.Equal(t, wire.CodeInvalidRequest, wire.CodeOf(err), name)
	}
	a, err := s.Submit(message(strings.Repeat("x", maxText)))
	require.NoError(t, err)
	require.Equal(t, "started", a.Delivery)
	w.until(wire.EventTurnCompleted)
}

func TestAPeerSteersWithoutThePersonsAuthority(t *testing.T) {
	w := newWorld(t)
	w.load()
	sub := message("approve everything")
	sub.Message.Author = "peer"
	w.submit(sub)
	w.until(wire.EventTurnCompleted)
	require.Contains(t, w.requests[0].Messages[0].Blocks[0].Text, "not from the user")
}

func decoded(t *testing.T, e wire.Event) wire.Event {
	t.Helper()
	e, err := e.Decoded()
	require.NoError(t, err)
	return e
}

func TestPagesAreWholeTurnsAndJoinWithoutGap(t *testing.T) {
	w := newWorld(t)
	w.load()
	for i := range 7 {
		w.submit(message(fmt.Sprint("message ", i)))
		w.until(wire.EventTurnCompleted)
	}
	last := int64(21)
	page, err := NewestPage(t.Context(), w.store, 1, last, 3)
	require.NoError(t, err)
	require.Equal(t, "message 4", decoded(t, page.Events[0]).Message.Text)
	all := page.Events
	for page.Before > 0 {
		if page, err = PageBefore(t.Context(), w.store, 1, page.Before, last, 3); err != nil {
			break
		}
		all = append(append([]wire.Event{}, page.Events...), all...)
	}
	require.NoError(t, err)
	require.Len(t, all, 21)
	for i, e := range all {
		require.EqualValues(t, i+1, e.Seq)
	}
	after, err := After(t.Context(), w.store, 1, 18, last)
	require.NoError(t, err)
	require.Equal(t, all[18:], after.Events)
	for _, cursor := range []int64{-1, last + 1} {
		_, err = After(t.Context(), w.store, 1, cursor, last)
		require.ErrorIs(t, err, ErrReplayUnavailable)
	}
}

func TestAStaleWriterNeverOverwritesTheWinner(t *testing.T) {
	w := newWorld(t)
	s := w.load()
	require.NoError(t, w.store.Write(t.Context(), func(q *db.Queries) error { // another writer got ahead
		_, err := q.SaveCheckpoint(t.Context(), db.SaveCheckpointParams{LastSeq: 5, Activity: "idle", N: 1, ExpectedSeq: 0})
		return err
	}))
	_, err := s.Submit(message("a"))
	require.Error(t, err)
	<-s.Done()
	require.False(t, s.Alive())
	n, err := w.store.Read().GetLastSeq(t.Context(), 1)
	require.NoError(t, err)
	require.EqualValues(t, 5, n)
	w.session = nil
}

func TestAFullDiskRefusesTheMessageAndTheSessionGoesOn(t *testing.T) {
	w := newWorld(t)
	s := w.load()
	require.NoError(t, w.limitPages(0))
	_, err := s.Submit(message(strings.Repeat("a long message ", 2000)))
	require.Equal(t, wire.CodeStorageFull, wire.CodeOf(err))
	require.NoError(t, w.limitPages(1<<30))
	require.Equal(t, "started", w.submit(message("again")).Delivery)
	w.until(wire.EventTurnCompleted)
}

// limitPages makes SQLite refuse to grow the file, which is what it reports for a full disk; 0 = not a page more.
func (w *world) limitPages(n int64) error {
	return w.store.LimitPages(context.Background(), n)
}

func TestATurnThatUsedAllItsStepsFailsWithACodeOfItsOwn(t *testing.T) {
	w := newWorld(t)
	w.bot.Config.Config.MaxModelSteps = 2
	w.replies = []reply{calls("1"), calls("2")}
	w.load()
	w.submit(message("a"))
	list := w.until(wire.EventTurnCompleted)
	require.Equal(t, wire.CodeStepLimit, list[len(list)-1].Outcome.Error.Code)
}

func TestTitlesAreCleanedAndCut(t *testing.T) {
	require.Equal(t, "Fix the parser", cleanTitle("\"Fix the parser.\"\n"))
	require.Equal(t, "A title", cleanTitle("## Title: A title"))
	require.LessOrEqual(t, len(cleanTitle(strings.Repeat("ü", 500))), MaxTitle)
	require.Equal(t, "first line", fallbackTitle("first line\nsecond"))
	require.LessOrEqual(t, len([]rune(fallbackTitle(strings.Repeat("word ", 100)))), fallbackRunes+1)
	require.Equal(t, "ü", cut("üü", 3))
}

func TestFramesGrowByOneAndCarryPiecesOnly(t *testing.T) {
	w := newWorld(t)
	w.replies = []reply{func(_ context.Context, emit func(llm.Piece)) (*llm.Answer, error) {
		b := llm.NewBuilder(emit)
		for range 2000 {
			b.Append(llm.Text, "0123456789")
		}
		return &llm.Answer{Blocks: b.Blocks(), Finish: llm.FinishStop}, nil
	}}
	w.load()
	w.submit(message("a"))
	list := w.until(wire.EventTurnCompleted)
	w.mu.Lock()
	defer w.mu.Unlock()
	var blocks []wire.Block
	for i, f := range w.frames {
		require.EqualValues(t, i+1, f.N)
		blocks = assemble(blocks, f.Deltas)
	}
	require.Equal(t, list[1].Step.Blocks[0].Text, blocks[0].Text)
	require.Less(t, len(w.frames), 100, "pieces are joined")
}

func TestSteeringOfATurnThatIsRunAgainAfterACrashReachesTheModel(t *testing.T) {
	w := newWorld(t)
	w.load()
	opened := make(chan struct{})
	w.opening = func() { <-opened }
	w.submit(message("question"))
	w.submit(message("and this"))
	w.replies = []reply{holds("", make(chan struct{}))}
	close(opened)
	w.until(wire.EventMessageSteered)
	<-w.asked
	w.crash()
	w.opening, w.replies = nil, nil
	w.load()
	w.until(wire.EventTurnCompleted)
	last := w.requests[len(w.requests)-1]
	require.Equal(t, []string{"user: question", "user: and this"}, texts(last))
}

func TestAnotherStateThanItsOwnEndsASessionInsteadOfFailingEveryMessage(t *testing.T) {
	w := newWorld(t)
	w.load()
	w.submit(message("one"))
	w.until(wire.EventTurnCompleted)
	// A commit that was reported as failed had reached the disk: the journal is one event longer than the session knows.
	require.NoError(t, w.store.Write(context.Background(), func(q *db.Queries) error {
		row, err := w.store.Read().GetSession(context.Background(), "s")
		if err != nil {
			return err
		}
		seq := row.Session.LastSeq
		if err := q.AppendEvent(context.Background(), db.AppendEventParams{ID: eventID(row.Session.N, seq+1), Kind: string(wire.EventQueueChanged), Data: "{}"}); err != nil {
			return err
		}
		_, err = q.SaveCheckpoint(context.Background(), db.SaveCheckpointParams{LastSeq: seq + 1, Activity: "idle", N: row.Session.N, ExpectedSeq: seq})
		return err
	}))
	_, err := w.session.Submit(message("two"))
	require.Error(t, err)
	<-w.session.Done()
	w.load()
	w.submit(message("three"))
	w.until(wire.EventTurnCompleted)
}

func TestAStreamThatWasStoppedSaysAndKeepsNothingMore(t *testing.T) {
	frames, kept := 0, 0
	s := &stream{clock: SystemClock{}, publish: func(wire.Frame) { frames++ }, keep: func(int64, int, int, []wire.Delta) { kept++ }}
	s.beginTurn("t1")
	s.add(llm.Piece{Kind: llm.Text, Text: "a"})
	s.stop()
	before := frames
	s.beginAttempt(0, 2)
	s.add(llm.Piece{Kind: llm.Text, Text: "b"})
	s.endStep()
	require.Equal(t, before, frames)
	require.Empty(t, s.kept)
	require.Zero(t, kept)
}

func TestAStepThatCouldNotBeSavedIsKeptWithTheEndOfItsTurn(t *testing.T) {
	w := newWorld(t)
	w.load()
	other, err := sql.Open("sqlite", "file:"+filepath.Join(w.dir, "mobius.db"))
	require.NoError(t, err)
	_, err = other.Exec("CREATE TRIGGER refuse BEFORE INSERT ON usage BEGIN SELECT raise(ABORT, 'no room for usage'); END")
	require.NoError(t, err)
	require.NoError(t, other.Close())
	release := make(chan struct{})
	answer := holds("kept text", release)
	w.replies = []reply{func(ctx context.Context, emit func(llm.Piece)) (*llm.Answer, error) {
		a, err := answer(ctx, emit)
		a.Usage = llm.Usage{Input: 10, Output: 2}
		return a, err
	}}
	w.submit(message("question"))
	<-w.asked
	partials := func() int {
		rows, err := w.store.Read().ListPartials(context.Background(), 1)
		require.NoError(t, err)
		return len(rows)
	}
	require.Eventually(t, func() bool { return partials() > 0 }, 5*time.Second, 5*time.Millisecond)
	close(release)
	events := w.until(wire.EventTurnCompleted)
	step, end := events[len(events)-2], events[len(events)-1]
	require.Equal(t, wire.EventStepCompleted, step.Kind)
	require.Equal(t, "kept text", step.Step.Blocks[0].Text)
	require.Equal(t, wire.OutcomeFailed, end.Outcome.Status)
	require.Zero(t, partials(), "partial text of an earlier step would be mixed into a later one")
}

func TestALongPageHasFewerTurnsAndJoinsWithoutGap(t *testing.T) {
	w := newWorld(t)
	w.load()
	long := strings.Repeat("long ", pageBytes/5/3)
	for range 5 {
		w.replies = []reply{says(long)}
		w.submit(message("a"))
		w.until(wire.EventTurnCompleted)
	}
	row, err := w.store.Read().GetLastSeq(t.Context(), 1)
	require.NoError(t, err)
	newest, err := NewestPage(t.Context(), w.store, 1, row, 30)
	require.NoError(t, err)
	require.Less(t, len(newest.Events), 15)
	require.Equal(t, wire.EventTurnStarted, newest.Events[0].Kind)
	require.Equal(t, newest.Events[0].Seq, newest.Before)
	before := newest.Before
	for before > 1 {
		page, err := PageBefore(t.Context(), w.store, 1, before, row, 30)
		require.NoError(t, err)
		require.Equal(t, before-1, page.Events[len(page.Events)-1].Seq)
		before = page.Before
	}
	_, err = After(t.Context(), w.store, 1, 1, row)
	require.ErrorIs(t, err, ErrReplayUnavailable)
}
