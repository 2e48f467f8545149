package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"mobius/backend/wire"
)

// script is a client and a subscription that play a fixed course of events.
type script struct {
	batches chan []wire.Envelope
	open    wire.OpenSession
	submit  func(wire.Submission) error
	subs    []wire.Submission
}

func (s *script) call(_ context.Context, method string, out any, args ...any) error {
	switch method {
	case "Sessions.Open":
		text, err := json.Marshal(s.open)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, out)
	case "Sessions.Submit":
		sub, _ := args[0].(wire.Submission)
		s.subs = append(s.subs, sub)
		if s.submit != nil {
			return s.submit(sub)
		}
	}
	return nil
}

func (s *script) events(context.Context, string) (subscription, error) { return s, nil }

func (s *script) next(ctx context.Context) ([]wire.Envelope, error) {
	select {
	case b := <-s.batches:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *script) close() {}

type closing struct{ *script }

func (closing) close() error { return nil }

// theatre shows a turn to a person (live) or to a pipe.
type theatre struct {
	t        *testing.T
	script   *script
	turn     *turn
	signals  chan os.Signal
	out, err bytes.Buffer
	ended    chan error
}

const ours = "our-submission"

func newTheatre(t *testing.T, live bool, delivery string) *theatre {
	t.Helper()
	h := &theatre{t: t, script: &script{batches: make(chan []wire.Envelope)}, signals: make(chan os.Signal), ended: make(chan error, 1)}
	h.turn = newTurn(&app{Deps: Deps{Out: &h.out, Err: &h.err}}, closing{h.script}, "s")
	h.turn.out.live = live
	h.turn.accepted = wire.Accepted{SubmissionID: ours, Delivery: delivery}
	if delivery == "started" {
		h.turn.accepted.TurnID = "t1"
	}
	return h
}

func (h *theatre) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	h.t.Cleanup(cancel)
	go func() { h.ended <- h.turn.follow(ctx, h.script, h.signals) }()
}

func (h *theatre) play(list ...wire.Envelope) { h.script.batches <- list }

func delta(n int64, attempt, index int, kind, text string) wire.Envelope {
	return frame(wire.Frame{N: n, Kind: wire.FrameDelta, TurnID: "t1", Attempt: attempt, Deltas: []wire.Delta{{Index: index, Kind: kind, Text: text}}})
}

func frame(f wire.Frame) wire.Envelope {
	return wire.Envelope{Kind: wire.EnvelopeFrame, SessionID: "s", Frame: &f}
}

func journal(e wire.Event) wire.Envelope {
	if e.TurnID == "" {
		e.TurnID = "t1"
	}
	return wire.Envelope{Kind: wire.EnvelopeEvent, SessionID: "s", Event: &e}
}

func step(seq int64, s wire.Step) wire.Envelope {
	return journal(wire.Event{Seq: seq, Kind: wire.EventStepCompleted, Step: &s})
}

func completed(seq int64) wire.Envelope {
	return journal(wire.Event{Seq: seq, Kind: wire.EventTurnCompleted, Outcome: &wire.Outcome{Status: wire.OutcomeCompleted}})
}

func text(s string) wire.Block { return wire.Block{Kind: wire.BlockText, Text: s} }

func TestAPersonSeesTheAnswerGrowWithThoughtsAndToolsOnLinesOfTheirOwn(t *testing.T) {
	h := newTheatre(t, true, "started")
	var both bytes.Buffer // one terminal
	h.turn.out.out, h.turn.out.err = &both, &both
	h.begin()
	h.play(
		delta(1, 1, 0, wire.BlockReasoning, "hm, "), delta(2, 1, 0, "", "a file"), delta(3, 1, 1, wire.BlockText, "Let me "), delta(4, 1, 1, "", "look."),
		frame(wire.Frame{N: 5, Kind: wire.FrameDelta, TurnID: "t1", Attempt: 1, Deltas: []wire.Delta{{Index: 2, Kind: wire.BlockToolCall, CallID: "c", Name: "read", Text: `{"path":`}}}),
		delta(6, 1, 2, "", `"a.md"}`),
		step(2, wire.Step{Blocks: []wire.Block{{Kind: wire.BlockReasoning, Text: "hm, a file"}, text("Let me look."), {Kind: wire.BlockToolCall, CallID: "c", Name: "read", Args: `{"path":"a.md"}`}}}),
		frame(wire.Frame{N: 7, Kind: wire.FrameTool, TurnID: "t1", Attempt: 1, Tool: &wire.Block{CallID: "c", Name: "read"}}),
		journal(wire.Event{Seq: 3, Kind: wire.EventToolCompleted, Tool: &wire.ToolResult{Name: "read", Status: "error", Output: "no such\nfile"}}),
		frame(wire.Frame{N: 8, Kind: wire.FrameDelta, TurnID: "t1", Step: 1, Attempt: 1, Deltas: []wire.Delta{{Kind: wire.BlockText, Text: "It is not there."}}}),
		step(4, wire.Step{Index: 1, Blocks: []wire.Block{text("It is not there. Sorry.")}}), // the end of it came too late for a frame
		completed(5),
	)
	require.NoError(t, <-h.ended)
	require.Equal(t, "hm, a file\nLet me look.\n· read {\"path\":\"a.md\"}\n· read: error: no such file\nIt is not there. Sorry.\n", both.String())
}

func TestAPipeGetsTheTextOfTheAttemptThatCounts(t *testing.T) {
	h := newTheatre(t, false, "started")
	h.begin()
	h.play(
		delta(1, 1, 0, wire.BlockText, "One tw"),
		frame(wire.Frame{N: 2, Kind: wire.FrameRetry, TurnID: "t1", Attempt: 1, Retry: &wire.RetryNotice{Message: "Trying again in 1 s."}}),
		frame(wire.Frame{N: 3, Kind: wire.FrameAttempt, TurnID: "t1", Attempt: 2}),
		delta(4, 2, 0, wire.BlockText, "One two"),
		step(2, wire.Step{Attempt: 2, Blocks: []wire.Block{text("One two three")}}),
		completed(3),
	)
	require.NoError(t, <-h.ended)
	require.Equal(t, "One two three\n", h.out.String())
	require.Equal(t, "Trying again in 1 s.\n", h.err.String())
}

func TestAPersonIsToldThatTheAnswerBeginsAnew(t *testing.T) {
	h := newTheatre(t, true, "started")
	h.begin()
	h.play(delta(1, 1, 0, wire.BlockText, "One tw"), delta(2, 2, 0, wire.BlockText, "One two"), step(2, wire.Step{Attempt: 2, Blocks: []wire.Block{text("One two three")}}), completed(3))
	require.NoError(t, <-h.ended)
	require.Equal(t, "One tw\nOne two three\n", h.out.String())
	require.Contains(t, h.err.String(), "begins anew")
}

func TestAResyncLosesAndRepeatsNothing(t *testing.T) {
	for name, live := range map[string]*wire.Live{
		"in the middle of a step": {TurnID: "t1", Step: 1, Attempt: 1, N: 9, Blocks: []wire.Block{text("second half")}},
		"between steps":           nil,
	} {
		t.Run(name, func(t *testing.T) {
			h := newTheatre(t, true, "started")
			h.script.open = wire.OpenSession{Live: live, Page: wire.EventPage{Events: []wire.Event{
				{Seq: 1, Kind: wire.EventTurnStarted, TurnID: "t1", Message: &wire.Message{ID: ours}},
				{Seq: 2, Kind: wire.EventStepCompleted, TurnID: "t1", Step: &wire.Step{Blocks: []wire.Block{text("first step")}}},
			}}}
			h.begin()
			h.play(
				journal(wire.Event{Seq: 1, Kind: wire.EventTurnStarted, Message: &wire.Message{ID: ours}}), delta(1, 1, 0, wire.BlockText, "first"),
				wire.Envelope{Kind: wire.EnvelopeResync},
				step(2, wire.Step{Blocks: []wire.Block{text("first step")}}), // on its way when the session was opened
				frame(wire.Frame{N: 9, Kind: wire.FrameDelta, TurnID: "t1", Step: 1, Attempt: 1, Deltas: []wire.Delta{{Kind: wire.BlockText, Text: "second half"}}}),
				frame(wire.Frame{N: 10, Kind: wire.FrameDelta, TurnID: "t1", Step: 1, Attempt: 1, Deltas: []wire.Delta{{Text: " and the end"}}}),
				step(3, wire.Step{Index: 1, Blocks: []wire.Block{text("second half and the end")}}), completed(4),
			)
			require.NoError(t, <-h.ended)
			require.Equal(t, "first step\nsecond half and the end\n", h.out.String())
		})
	}
}

func TestATurnThatEndedDuringAResyncEndsTheCommand(t *testing.T) {
	h := newTheatre(t, true, "started")
	h.script.open = wire.OpenSession{Page: wire.EventPage{Events: []wire.Event{
		{Seq: 2, Kind: wire.EventStepCompleted, TurnID: "t1", Step: &wire.Step{Blocks: []wire.Block{text("all of it")}}}, *completed(3).Event,
	}}}
	h.begin()
	h.play(wire.Envelope{Kind: wire.EnvelopeResync})
	require.NoError(t, <-h.ended)
	require.Equal(t, "all of it\n", h.out.String())
}

func TestAQueuedMessageWaitsForItsOwnTurn(t *testing.T) {
	h := newTheatre(t, true, "queued")
	h.begin()
	h.play(
		frame(wire.Frame{N: 1, Kind: wire.FrameDelta, TurnID: "t0", Deltas: []wire.Delta{{Kind: wire.BlockText, Text: "not ours"}}}),
		journal(wire.Event{Seq: 5, Kind: wire.EventTurnCompleted, TurnID: "t0", Outcome: &wire.Outcome{Status: wire.OutcomeFailed, Error: wire.Reject("x", "not ours")}}),
		journal(wire.Event{Seq: 6, Kind: wire.EventTurnStarted, Message: &wire.Message{ID: ours}}),
		delta(2, 1, 0, wire.BlockText, "ours"), step(7, wire.Step{Blocks: []wire.Block{text("ours")}}), completed(8),
	)
	require.NoError(t, <-h.ended)
	require.Equal(t, "ours\n", h.out.String())
	require.Equal(t, "Waiting for the turn before this one…\n", h.err.String())
}

func TestCtrlCTakesAQueuedMessageBack(t *testing.T) {
	h := newTheatre(t, true, "queued")
	h.begin()
	h.signals <- os.Interrupt
	err := <-h.ended
	require.ErrorContains(t, err, "taken out of the queue")
	require.Equal(t, ours, h.script.subs[0].QueueRemove.MessageID)
}

func TestCtrlCAtTheMomentAQueuedMessageBeginsInterruptsItsTurn(t *testing.T) {
	h := newTheatre(t, true, "queued")
	h.script.submit = func(sub wire.Submission) error {
		if sub.QueueRemove != nil {
			return wire.Reject(wire.CodeStaleTurn, "taken")
		}
		return nil
	}
	h.begin()
	h.signals <- os.Interrupt
	h.play(journal(wire.Event{Seq: 6, Kind: wire.EventTurnStarted, Message: &wire.Message{ID: ours}}))
	h.play(journal(wire.Event{Seq: 7, Kind: wire.EventTurnCompleted, Outcome: &wire.Outcome{Status: wire.OutcomeAborted, Reason: "interrupted"}}))
	require.ErrorContains(t, <-h.ended, "interrupted")
	require.Equal(t, "t1", h.script.subs[1].Interrupt.TurnID)
}

func TestASecondCtrlCEndsTheCommandWhateverTheTurnDoes(t *testing.T) {
	h := newTheatre(t, true, "started")
	h.begin()
	h.play(delta(1, 1, 0, wire.BlockText, "half a "))
	h.signals <- os.Interrupt
	h.signals <- os.Interrupt
	require.ErrorContains(t, <-h.ended, "kept in conversation s")
	require.Len(t, h.script.subs, 1)
	require.Equal(t, "half a \n", h.out.String())
}

func TestAFailedTurnIsTheCommandsFailure(t *testing.T) {
	h := newTheatre(t, true, "started")
	h.begin()
	h.play(journal(wire.Event{Seq: 2, Kind: wire.EventTurnCompleted, Outcome: &wire.Outcome{Status: wire.OutcomeFailed, Error: wire.Reject(wire.CodeModelSilent, "No data.")}}))
	require.Equal(t, wire.CodeModelSilent, wire.CodeOf(<-h.ended))
}

func TestWhatAModelSaysDoesNotSteerTheTerminal(t *testing.T) {
	for given, want := range map[string]string{
		"plain text\n\twith tab":                 "plain text\n\twith tab",
		"\x1b]52;c;ZXZpbA==\x07clip":             "]52;c;ZXZpbA==clip",
		"\x1b[2Jclear":                           "[2Jclear",
		"over\rwrite\b\b":                        "overwrite",
		"\u009b31mC1 \u0085":                     "31mC1 ",
		"한글 😀 \u200f\u200e שלום":                 "한글 😀 \u200f\u200e שלום",
		"rm \u202egpj.exe":                       "rm gpj.exe",
		"\xff broken":                            "\ufffd broken",
		strings.Repeat("\x00", 3) + "\x7fdelete": "delete",
	} {
		var out bytes.Buffer
		n, err := (&plainWriter{&out}).Write([]byte(given))
		require.NoError(t, err)
		require.Equal(t, len(given), n)
		require.Equal(t, want, out.String())
	}
}

func FuzzPlainLetsNoControlCharacterThrough(f *testing.F) {
	f.Add([]byte("\x1b[31mred\u009b"))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, r := range string(plain(b)) {
			require.False(t, r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0, "%q", r)
		}
	})
}
