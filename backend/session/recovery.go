package session

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"mobius/backend/store/db"
	"mobius/backend/wire"
)

// recover brings a session that a crash may have cut into order, before its actor starts. It gives what the actor does
// first: run a turn again that had not produced anything, or go on with the queue.
func (s *Session) recover(ctx context.Context) (resume func(), err error) {
	if err := s.loadQueue(ctx); err != nil {
		return nil, err
	}
	if s.openTurn == 0 {
		return s.next, nil
	}
	events, err := readEvents(ctx, s.deps.Store, s.n, s.openTurn-1, s.row.LastSeq)
	if err != nil {
		return nil, err
	}
	for i := range events {
		if events[i], err = events[i].Decoded(); err != nil {
			return nil, err
		}
	}
	cut, err := s.cutStep(ctx)
	if err != nil {
		return nil, err
	}
	started, spoke, open := survey(events)
	if started == nil {
		return nil, fmt.Errorf("the journal does not have turn %s", TurnID(s.openTurn))
	}
	if !spoke && cut == nil && s.deps.Clock.Now().Sub(time.UnixMilli(started.At)) < resumeWithin {
		start, message := s.openTurn, *started.Message
		if err := s.deps.Store.Write(ctx, func(q *db.Queries) error { return clearPartials(ctx, q, s.n, true) }); err != nil {
			return nil, err
		}
		s.row.Activity = wire.ActivityRunning
		return func() { s.begin(start, message) }, nil
	}
	t := &turn{start: s.openTurn}
	var records []record
	if cut != nil {
		records = append(records, record{event: wire.Event{Kind: wire.EventStepCompleted, Step: cut}, turn: t.start})
	}
	for _, call := range open {
		records = append(records, record{event: wire.Event{Kind: wire.EventToolCompleted, Tool: interruptedResult(call)}, turn: t.start})
	}
	records = append(records, s.promoteSteering()...)
	outcome := &wire.Outcome{Status: wire.OutcomeAborted, Reason: "restart"}
	records = append(records, record{event: wire.Event{Kind: wire.EventTurnCompleted, Outcome: outcome}, turn: t.start})
	err = s.commit(records, ended(wire.OutcomeAborted, ""), func(ctx context.Context, q *db.Queries) error {
		if err := s.saveQueue(ctx, q, s.queue); err != nil {
			return err
		}
		return clearPartials(ctx, q, s.n, true)
	})
	if err != nil {
		return nil, fmt.Errorf("close the turn that was cut: %w", err)
	}
	slog.Info("closed a turn that was cut", "session", s.id, "turn", t.id(), "open_calls", len(open), "partial_text", cut != nil)
	s.changed()
	return s.next, nil
}

func (s *Session) loadQueue(ctx context.Context) error {
	rows, err := s.deps.Store.Read().ListQueue(ctx, s.n)
	if err != nil {
		return fmt.Errorf("read the queue: %w", err)
	}
	s.queue = []wire.QueuedMessage{}
	for _, r := range rows {
		q := wire.QueuedMessage{ID: r.ID, At: r.At}
		if err := json.Unmarshal([]byte(r.Message), &q.Message); err != nil {
			return fmt.Errorf("decode a queued message: %w", err)
		}
		s.queue = append(s.queue, q)
	}
	return nil
}

// cutStep gives what the step that was cut had said, of its newest attempt; nil when nothing durable was said. Calls
// are left out, since a call that was not journaled was not carried out.
func (s *Session) cutStep(ctx context.Context) (*wire.Step, error) {
	rows, err := s.deps.Store.Read().ListPartials(ctx, s.n)
	if err != nil {
		return nil, fmt.Errorf("read the partial text: %w", err)
	}
	step := &wire.Step{Finish: "interrupted"}
	var blocks []wire.Block
	for _, r := range rows {
		if int(r.Step) != step.Index || int(r.Attempt) != step.Attempt {
			step.Index, step.Attempt, blocks = int(r.Step), int(r.Attempt), nil
		}
		list, err := decodeDeltas(r.Deltas)
		if err != nil {
			return nil, fmt.Errorf("decode partial text: %w", err)
		}
		blocks = assemble(blocks, list)
	}
	for _, b := range blocks {
		if b.Kind != wire.BlockToolCall && b.Text != "" {
			step.Blocks = append(step.Blocks, b)
		}
	}
	if len(step.Blocks) == 0 {
		return nil, nil
	}
	return step, nil
}

// survey looks through the events of an open turn: its start, whether the model has answered, and the calls without result.
func survey(events []wire.Event) (started *wire.Event, spoke bool, open []wire.Block) {
	for i, e := range events {
		switch e.Kind {
		case wire.EventTurnStarted:
			if i == 0 {
				started = &events[i]
			}
		case wire.EventStepCompleted:
			spoke, open = true, nil
			for _, b := range e.Step.Blocks {
				if b.Kind == wire.BlockToolCall {
					open = append(open, b)
				}
			}
		case wire.EventToolCompleted:
			for j, b := range open {
				if b.CallID == e.Tool.CallID {
					open = append(open[:j:j], open[j+1:]...)
					break
				}
			}
		}
	}
	return started, spoke, open
}

func encodeDeltas(list []wire.Delta) string {
	b, err := json.Marshal(list)
	if err != nil {
		return "[]" // plain strings and numbers always encode
	}
	return string(b)
}
