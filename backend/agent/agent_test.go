package agent

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"mobius/backend/llm"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// script is a model that answers as told, one entry a request.
type script struct {
	answers  []func(ctx context.Context, emit func(llm.Piece)) (*llm.Answer, error)
	requests []*llm.Request
}

func (s *script) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	s.requests = append(s.requests, req)
	next := s.answers[0]
	s.answers = s.answers[1:]
	return next(ctx, emit)
}

func says(text string) func(context.Context, func(llm.Piece)) (*llm.Answer, error) {
	return func(_ context.Context, emit func(llm.Piece)) (*llm.Answer, error) {
		b := llm.NewBuilder(emit)
		b.Append(llm.Text, text)
		return &llm.Answer{Blocks: b.Blocks(), Finish: llm.FinishStop}, nil
	}
}

func callsTool(finish llm.Finish, calls ...llm.Block) func(context.Context, func(llm.Piece)) (*llm.Answer, error) {
	return func(_ context.Context, emit func(llm.Piece)) (*llm.Answer, error) {
		b := llm.NewBuilder(emit)
		for _, c := range calls {
			i := b.Open(llm.Block{Kind: llm.ToolCall, CallID: c.CallID, Name: c.Name})
			b.Add(i, c.Args)
		}
		return &llm.Answer{Blocks: b.Blocks(), Finish: finish}, nil
	}
}

// tools is a toolbox with one tool.
type tools struct {
	run func(ctx context.Context, call llm.Block) Result
	ran []llm.Block
}

func (t *tools) List() []llm.Tool { return []llm.Tool{{Name: "tool", Schema: `{"type":"object"}`}} }

func (t *tools) Run(ctx context.Context, call llm.Block) Result {
	t.ran = append(t.ran, call)
	if t.run != nil {
		return t.run(ctx, call)
	}
	return Result{Output: "ok"}
}

// notes records what a turn reported.
type notes struct {
	steps    []StepRecord
	results  []ToolRecord
	waits    []llm.Wait
	attempts []int
	deltas   string
	steer    [][]*llm.Message
	goOn     bool
	started  chan struct{}
}

func (n *notes) Steering(context.Context) ([]*llm.Message, error) {
	if len(n.steer) == 0 {
		return nil, nil
	}
	s := n.steer[0]
	n.steer = n.steer[1:]
	return s, nil
}
func (n *notes) AttemptStarted(_, attempt int) {
	n.attempts = append(n.attempts, attempt)
	n.deltas = ""
}
func (n *notes) Delta(p llm.Piece)  { n.deltas += p.Text }
func (n *notes) Waiting(w llm.Wait) { n.waits = append(n.waits, w) }
func (n *notes) StepCompleted(r StepRecord) (bool, error) {
	n.steps = append(n.steps, r)
	goOn := n.goOn && r.Final && !r.Last
	n.goOn = false
	return goOn, nil
}
func (n *notes) ToolStarted(llm.Block) {
	if n.started != nil {
		close(n.started)
	}
}
func (n *notes) ToolCompleted(r ToolRecord) error { n.results = append(n.results, r); return nil }

func once(ctx context.Context, _ func(llm.Wait), do func(context.Context, int) error) error {
	return do(ctx, 1)
}

func turn(m llm.Model, box Tools) *Turn {
	return &Turn{Model: m, Attempts: once, Tools: box, MaxSteps: 8, Now: time.Now, ToolGrace: 50 * time.Millisecond}
}

func TestATurnCallsToolsUntilTheModelAnswers(t *testing.T) {
	m := &script{answers: []func(context.Context, func(llm.Piece)) (*llm.Answer, error){
		callsTool(llm.FinishToolCalls, llm.Block{CallID: "1", Name: "tool", Args: `{"a":1}`}), says("done"),
	}}
	box, rec := &tools{}, &notes{}
	history, err := turn(m, box).Run(t.Context(), []*llm.Message{user("hi")}, rec)
	require.NoError(t, err)
	require.Len(t, history, 4)
	require.Equal(t, `{"a":1}`, box.ran[0].Args)
	require.False(t, rec.steps[0].Final)
	require.True(t, rec.steps[1].Final)
	require.Equal(t, "ok", m.requests[1].Messages[2].Blocks[0].Text)
}

func TestCallsThatCannotBeRunAreAnsweredAndNotRun(t *testing.T) {
	for name, test := range map[string]struct {
		finish llm.Finish
		args   string
		want   string
	}{
		"broken JSON":             {llm.FinishToolCalls, `{"path": "a`, "not a valid JSON object"},
		"not an object":           {llm.FinishToolCalls, `[1]`, "not a valid JSON object"},
		"cut at the output limit": {llm.FinishLength, `{"path":"a"}`, "cut off"},
	} {
		t.Run(name, func(t *testing.T) {
			m := &script{answers: []func(context.Context, func(llm.Piece)) (*llm.Answer, error){
				callsTool(test.finish, llm.Block{CallID: "1", Name: "tool", Args: test.args}), says("done"),
			}}
			box, rec := &tools{}, &notes{}
			_, err := turn(m, box).Run(t.Context(), []*llm.Message{user("hi")}, rec)
			require.NoError(t, err)
			require.Empty(t, box.ran)
			require.True(t, rec.results[0].Result.IsError)
			require.Contains(t, rec.results[0].Result.Output, test.want)
		})
	}
}

func TestAnInterruptKeepsWhatWasSaid(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	m := &script{answers: []func(context.Context, func(llm.Piece)) (*llm.Answer, error){
		func(ctx context.Context, emit func(llm.Piece)) (*llm.Answer, error) {
			emit(llm.Piece{Kind: llm.Text, Text: "half a "})
			emit(llm.Piece{Text: "sentence"})
			emit(llm.Piece{Index: 1, Kind: llm.ToolCall, CallID: "1", Name: "tool", Text: `{"x`})
			cancel(stop)
			<-ctx.Done()
			return nil, ctx.Err()
		},
	}}
	rec := &notes{}
	_, err := turn(m, &tools{}).Run(ctx, []*llm.Message{user("hi")}, rec)
	require.ErrorIs(t, err, stop)
	require.Len(t, rec.steps, 1)
	require.Equal(t, FinishInterrupted, rec.steps[0].Finish)
	require.Equal(t, []llm.Block{{Kind: llm.Text, Text: "half a sentence"}}, rec.steps[0].Blocks)
}

func TestAToolThatNeverReturnsDoesNotHoldTheTurn(t *testing.T) {
	release := make(chan struct{})
	box := &tools{run: func(context.Context, llm.Block) Result { <-release; return Result{} }}
	defer close(release)
	m := &script{answers: []func(context.Context, func(llm.Piece)) (*llm.Answer, error){
		callsTool(llm.FinishToolCalls, llm.Block{CallID: "1", Name: "tool"}, llm.Block{CallID: "2", Name: "tool"}),
	}}
	ctx, cancel := context.WithCancel(t.Context())
	rec := &notes{started: make(chan struct{})}
	go func() { <-rec.started; cancel() }()
	_, err := turn(m, box).Run(ctx, []*llm.Message{user("hi")}, rec)
	require.ErrorIs(t, err, context.Canceled)
	require.Len(t, rec.results, 2, "every call is answered")
	require.True(t, rec.results[0].Interrupted)
	require.True(t, rec.results[1].Interrupted)
	require.Contains(t, rec.results[1].Result.Output, "nothing was done")
}

func TestARetryVoidsWhatTheAttemptBeforeItSaid(t *testing.T) {
	m := &script{answers: []func(context.Context, func(llm.Piece)) (*llm.Answer, error){
		func(_ context.Context, emit func(llm.Piece)) (*llm.Answer, error) {
			emit(llm.Piece{Kind: llm.Text, Text: "lost"})
			return nil, &llm.Error{Kind: llm.ErrDropped}
		},
		says("whole"),
	}}
	run := turn(m, &tools{})
	run.Attempts = func(ctx context.Context, waiting func(llm.Wait), do func(context.Context, int) error) error {
		var failed *llm.Error
		if err := do(ctx, 1); !errors.As(err, &failed) {
			return err
		}
		waiting(llm.Wait{Err: failed, Attempt: 1})
		return do(ctx, 2)
	}
	rec := &notes{}
	_, err := run.Run(t.Context(), []*llm.Message{user("hi")}, rec)
	require.NoError(t, err)
	require.Equal(t, []int{1, 2}, rec.attempts)
	require.Equal(t, "whole", rec.deltas)
	require.Len(t, rec.steps, 1)
	require.Equal(t, "whole", rec.steps[0].Blocks[0].Text)
	require.Len(t, rec.waits, 1)
}

func TestAnEmptyAnswerIsAnError(t *testing.T) {
	m := &script{answers: []func(context.Context, func(llm.Piece)) (*llm.Answer, error){says("")}}
	_, err := turn(m, &tools{}).Run(t.Context(), []*llm.Message{user("hi")}, &notes{})
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.ErrEmpty, e.Kind)
}

func TestSteeringContinuesATurnThatWasAboutToEnd(t *testing.T) {
	m := &script{answers: []func(context.Context, func(llm.Piece)) (*llm.Answer, error){says("first"), says("second")}}
	rec := &notes{goOn: true, steer: [][]*llm.Message{nil, {user("also this")}}}
	history, err := turn(m, &tools{}).Run(t.Context(), []*llm.Message{user("hi")}, rec)
	require.NoError(t, err)
	require.Len(t, history, 4)
	require.Equal(t, "also this", m.requests[1].Messages[2].Blocks[0].Text)
}

func TestTheStepLimitEndsATurn(t *testing.T) {
	m := &script{}
	for range 2 {
		m.answers = append(m.answers, callsTool(llm.FinishToolCalls, llm.Block{CallID: "1", Name: "tool"}))
	}
	run := turn(m, &tools{})
	run.MaxSteps = 2
	_, err := run.Run(t.Context(), []*llm.Message{user("hi")}, &notes{})
	require.ErrorIs(t, err, ErrStepLimit)
}

func TestAToolThatPanicsIsAnErrorResult(t *testing.T) {
	m := &script{answers: []func(context.Context, func(llm.Piece)) (*llm.Answer, error){
		callsTool(llm.FinishToolCalls, llm.Block{CallID: "1", Name: "tool"}), says("done"),
	}}
	rec := &notes{}
	_, err := turn(m, &tools{run: func(context.Context, llm.Block) Result { panic("broken") }}).Run(t.Context(), []*llm.Message{user("hi")}, rec)
	require.NoError(t, err)
	require.Contains(t, rec.results[0].Result.Output, "broken")
}

func TestAnInterruptedTurnTakesNoSteering(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("stop")
	cancel(reason)
	turn := Turn{Tools: noTools{}, MaxSteps: 3}
	_, err := turn.Run(ctx, nil, refuser{t: t})
	require.ErrorIs(t, err, reason)
}

type noTools struct{ Tools }

func (noTools) List() []llm.Tool { return nil }

type refuser struct {
	Recorder
	t *testing.T
}

func (r refuser) Steering(context.Context) ([]*llm.Message, error) {
	r.t.Error("steering was taken by a turn that cannot pass it on")
	return nil, nil
}
