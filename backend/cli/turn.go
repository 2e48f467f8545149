package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/google/uuid"

	"mobius/backend/wire"
)

// turn shows the turn that answers our message. It belongs to one goroutine.
type turn struct {
	app      *app
	client   client
	session  string
	accepted wire.Accepted
	out      *answer

	id      string         // of the turn, "" while our message waits for another turn
	seq     int64          // of the last event that was seen
	frame   int64          // number of the last frame that was seen
	step    int            // that is being shown
	attempt int            // of that step
	shown   map[int]int    // bytes of each of its blocks that were shown
	kinds   map[int]string // of its blocks
	calls   map[int]string // ids of its tool calls, by block
	args    map[string]string
	asked   bool // Ctrl-C was pressed
	wanted  bool // the turn is to be interrupted once it begins
}

func newTurn(a *app, c client, session string) *turn {
	return &turn{app: a, client: c, session: session, step: -1, out: newAnswer(a)}
}

type batch struct {
	list []wire.Envelope
	err  error
}

// follow shows the turn until it has ended. The first signal interrupts it, the second ends the command.
func (t *turn) follow(ctx context.Context, events subscription, signals <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(ctx)
	var reader sync.WaitGroup
	defer reader.Wait()
	defer cancel()
	batches := make(chan batch)
	reader.Go(func() { pass(ctx, events, batches) })
	if t.accepted.Delivery == "started" {
		t.id = t.accepted.TurnID
	} else {
		t.out.status("Waiting for the turn before this one…")
	}
	for {
		select {
		case b := <-batches:
			if b.err != nil {
				t.out.end()
				return b.err
			}
			done, err := t.take(ctx, b.list)
			if !done && err == nil && t.wanted && t.id != "" {
				t.wanted = false
				done, err = t.interrupt(ctx)
			}
			if done || err != nil {
				t.out.end()
				return err
			}
		case <-signals:
			if t.asked {
				t.out.end()
				return wire.Reject(wire.CodeGatewayStopped, "The command was ended before the turn was. What was said is kept in conversation %s.", t.session)
			}
			t.asked = true
			if done, err := t.interrupt(ctx); done || err != nil {
				t.out.end()
				return err
			}
		}
	}
}

func pass(ctx context.Context, events subscription, to chan<- batch) {
	for {
		list, err := events.next(ctx)
		select {
		case to <- batch{list, err}:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// interrupt stops the turn, or takes our message out of the queue, after which there is nothing to wait for.
func (t *turn) interrupt(ctx context.Context) (done bool, err error) {
	sub := wire.Submission{SessionID: t.session, ID: uuid.NewString(), Interrupt: &wire.Interrupt{TurnID: t.id}}
	if t.id == "" {
		sub.Interrupt, sub.QueueRemove = nil, &wire.QueueRemove{MessageID: t.accepted.SubmissionID}
	}
	err = t.client.call(ctx, "Sessions.Submit", nil, sub)
	switch {
	case err == nil && sub.QueueRemove != nil:
		return true, wire.Reject(wire.CodeStaleTurn, "The message was taken out of the queue.")
	case wire.CodeOf(err) == wire.CodeStaleTurn && t.id == "": // it was taken from the queue at this moment
		t.wanted = true
		return false, nil
	case err == nil:
		t.out.status("Interrupting…")
	}
	return false, err
}

func (t *turn) take(ctx context.Context, list []wire.Envelope) (done bool, err error) {
	for _, e := range list {
		switch {
		case e.Kind == wire.EnvelopeResync:
			done, err = t.resync(ctx)
		case e.SessionID != t.session:
		default:
			done, err = t.envelope(e)
		}
		if done || err != nil {
			return done, err
		}
	}
	return false, nil
}

func (t *turn) envelope(e wire.Envelope) (done bool, err error) {
	switch {
	case e.Frame != nil && e.Frame.N <= t.frame, e.Event != nil && e.Event.Seq <= t.seq:
		return false, nil // it was part of what a resync gave
	case t.app.asJSON:
		if err := json.NewEncoder(t.app.Out).Encode(e); err != nil {
			return false, fmt.Errorf("write the output: %w", err)
		}
	}
	if e.Frame != nil {
		t.frame = e.Frame.N
		t.piece(*e.Frame)
	}
	if e.Event != nil {
		t.seq = e.Event.Seq
		return t.event(*e.Event)
	}
	return false, nil
}

// resync happens when this command read too slowly: what it missed is taken from the journal, and what has been streamed
// since from the session.
func (t *turn) resync(ctx context.Context) (done bool, err error) {
	var open wire.OpenSession
	if err := t.client.call(ctx, "Sessions.Open", &open, wire.OpenRequest{ID: t.session}); err != nil {
		return false, err
	}
	for _, e := range open.Page.Events {
		if done, err := t.envelope(wire.Envelope{Kind: wire.EnvelopeEvent, SessionID: t.session, Event: &e}); done || err != nil {
			return done, err
		}
	}
	live := open.Live
	if live == nil || live.TurnID != t.id || t.id == "" {
		return false, nil
	}
	t.frame = max(t.frame, live.N)
	t.begin(live.Step, live.Attempt)
	for i, b := range live.Blocks {
		t.kinds[i], t.calls[i] = b.Kind, b.CallID
		if b.Kind == wire.BlockToolCall {
			t.args[b.CallID] = b.Args
		} else if len(b.Text) > t.shown[i] {
			t.text(i, b.Text[t.shown[i]:])
		}
	}
	return false, nil
}

// begin prepares for a step or for another attempt at it, whose text replaces what was said before.
func (t *turn) begin(step, attempt int) {
	if step == t.step && attempt == t.attempt {
		return
	}
	if step == t.step && len(t.shown) > 0 {
		t.out.status("The connection to the model was lost; the answer begins anew.")
	}
	t.step, t.attempt, t.shown, t.kinds, t.calls, t.args = step, attempt, map[int]int{}, map[int]string{}, map[int]string{}, map[string]string{}
	t.out.block()
}

// piece shows a live piece.
func (t *turn) piece(f wire.Frame) {
	if f.TurnID != t.id || t.id == "" {
		return
	}
	switch f.Kind {
	case wire.FrameRetry:
		t.out.status(f.Retry.Message)
	case wire.FrameTool:
		t.out.status("· " + strings.TrimSpace(f.Tool.Name+" "+line(cmp.Or(f.Tool.Args, t.args[f.Tool.CallID]))))
	case wire.FrameDelta:
		t.begin(f.Step, f.Attempt)
		for _, d := range f.Deltas {
			if d.Kind != "" {
				t.kinds[d.Index], t.calls[d.Index] = d.Kind, d.CallID
			}
			t.text(d.Index, d.Text)
		}
	}
}

// text shows more of a block of the step.
func (t *turn) text(index int, text string) {
	if text == "" {
		return
	}
	if t.shown[index] == 0 {
		t.out.block()
	}
	switch t.kinds[index] {
	case wire.BlockText:
		if !t.out.live {
			return // it comes with the whole step
		}
		t.out.say(text)
	case wire.BlockReasoning:
		t.out.think(text)
	case wire.BlockToolCall:
		t.args[t.calls[index]] += text // shown when the call is carried out
	}
	t.shown[index] += len(text)
}

// event shows what frames did not, and tells whether the turn is over.
func (t *turn) event(e wire.Event) (done bool, err error) {
	if e.Kind == wire.EventTurnStarted && e.Message != nil && e.Message.ID == t.accepted.SubmissionID {
		t.id = e.TurnID
	}
	if e.TurnID != t.id || t.id == "" {
		return false, nil
	}
	switch e.Kind {
	case wire.EventStepCompleted:
		t.stepCompleted(*e.Step)
	case wire.EventToolCompleted:
		if e.Tool.Status != "ok" {
			t.out.status(fmt.Sprintf("· %s: %s: %s", e.Tool.Name, e.Tool.Status, line(e.Tool.Output)))
		}
	case wire.EventNotice:
		t.out.status(e.Notice.Text)
	case wire.EventTurnCompleted:
		return true, t.outcome(*e.Outcome)
	}
	return false, nil
}

func (t *turn) stepCompleted(s wire.Step) {
	t.begin(s.Index, max(1, s.Attempt)) // the journal leaves a first attempt out
	for i, b := range s.Blocks {
		if b.Kind == wire.BlockToolCall {
			t.args[b.CallID] = b.Args
		}
		shown := t.shown[i]
		if len(b.Text) <= shown {
			continue
		}
		if shown == 0 {
			t.out.block()
		}
		switch b.Kind {
		case wire.BlockText:
			t.out.say(b.Text[shown:])
		case wire.BlockReasoning:
			t.out.think(b.Text[shown:])
		}
		t.shown[i] = len(b.Text)
	}
}

func (t *turn) outcome(o wire.Outcome) error {
	switch {
	case o.Status == wire.OutcomeFailed && o.Error != nil:
		return o.Error
	case o.Status == wire.OutcomeFailed:
		return wire.Reject(wire.CodeGatewayError, "The turn failed.")
	case o.Status == wire.OutcomeAborted:
		return wire.Reject(wire.CodeStaleTurn, "The turn was ended (%s). What was said is kept in conversation %s.", o.Reason, t.session)
	}
	return nil
}

// line makes one short line of a text.
func line(text string) string {
	const limit = 200
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "…"
	}
	return text
}
