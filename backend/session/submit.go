package session

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"mobius/backend/store"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

// What became of a submitted message.
const (
	deliveryStarted = "started"
	deliverySteer   = "steer"
	deliveryQueue   = "queue"
	deliveryDone    = "done" // operations other than messages
)

// Submit hands one command to the session. It never waits for a full mailbox (gateway_busy).
func (s *Session) Submit(sub wire.Submission) (*wire.Accepted, error) {
	if err := check(&sub); err != nil {
		return nil, err
	}
	s.used.Store(s.now())
	type result struct {
		accepted *wire.Accepted
		err      error
	}
	answer := make(chan result, 1)
	var run func()
	run = func() {
		if s.turn != nil && s.turn.closed {
			s.waiting = append(s.waiting, run)
			return
		}
		accepted, err := s.accept(sub)
		answer <- result{accepted, store.Reject(err)}
	}
	if err := s.try(run); err != nil {
		return nil, err
	}
	select {
	case r := <-answer:
		return r.accepted, r.err
	case <-s.done:
		select {
		case r := <-answer:
			return r.accepted, r.err
		default:
			return nil, stopped()
		}
	}
}

// check validates the shape of a submission.
func check(sub *wire.Submission) error {
	if _, err := uuid.Parse(sub.ID); err != nil {
		return wire.Reject(wire.CodeInvalidRequest, "A submission needs a UUID as its id.")
	}
	ops := 0
	for _, set := range []bool{sub.Message != nil, sub.Interrupt != nil, sub.QueueEdit != nil, sub.QueueRemove != nil, sub.QueueMove != nil} {
		if set {
			ops++
		}
	}
	if ops != 1 {
		return wire.Reject(wire.CodeInvalidRequest, "A submission has exactly one operation, this one has %d.", ops)
	}
	if e := sub.QueueEdit; e != nil {
		return checkText(e.Text)
	}
	m := sub.Message
	if m == nil {
		return nil
	}
	m.ID = sub.ID
	if m.Author == "" {
		m.Author = "user"
	}
	switch {
	case m.Author != "user" && m.Author != "peer":
		return wire.Reject(wire.CodeInvalidRequest, "The author of a message is user or peer.")
	case m.RequestedDelivery != "" && m.RequestedDelivery != deliverySteer && m.RequestedDelivery != deliveryQueue:
		return wire.Reject(wire.CodeInvalidRequest, "A message is delivered as steer or queue.")
	case len(m.Attachments) > maxAttachments:
		return wire.Reject(wire.CodeInvalidRequest, "A message has at most %d attachments.", maxAttachments)
	case len(m.Attachments) > 0:
		return wire.Reject(wire.CodeInvalidRequest, "An attachment names a file that this conversation does not have.")
	}
	return checkText(m.Text)
}

func checkText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return wire.Reject(wire.CodeInvalidRequest, "The message is empty.")
	case len(text) > maxText:
		return wire.Reject(wire.CodeInvalidRequest, "The message has %d bytes; the limit is %d.", len(text), maxText)
	case !utf8.ValidString(text):
		return wire.Reject(wire.CodeInvalidRequest, "The message is not valid UTF-8 text.")
	}
	return nil
}

// accept carries a submission out, once for each id.
func (s *Session) accept(sub wire.Submission) (*wire.Accepted, error) {
	if s.stopping {
		return nil, stopped()
	}
	if sub.Interrupt != nil {
		return s.interrupt(sub), nil
	}
	if a, err := s.answered(sub.ID); a != nil || err != nil {
		return a, err
	}
	a := wire.Accepted{SubmissionID: sub.ID, Delivery: deliveryDone}
	var err error
	switch {
	case sub.Message != nil:
		err = s.acceptMessage(*sub.Message, &a)
	case sub.QueueEdit != nil:
		err = s.editQueue(&a, func() bool {
			i := s.queued(sub.QueueEdit.MessageID)
			if i >= 0 {
				s.queue[i].Message.Text = sub.QueueEdit.Text
			}
			return i >= 0
		})
	case sub.QueueRemove != nil:
		err = s.editQueue(&a, func() bool { return s.unqueue(sub.QueueRemove.MessageID) != nil })
	default:
		err = s.editQueue(&a, func() bool { return s.moveQueued(sub.QueueMove.MessageID, sub.QueueMove.Before) })
	}
	if err != nil {
		return nil, err
	}
	if len(s.answers) > 4*mailboxSize {
		clear(s.answers)
	}
	s.answers[sub.ID] = a
	return &a, nil
}

// answered gives the answer that a submission id got before.
func (s *Session) answered(id string) (*wire.Accepted, error) {
	if a, ok := s.answers[id]; ok {
		return &a, nil
	}
	ctx, cancel := s.bounded()
	defer cancel()
	text, err := s.deps.Store.Read().GetSubmission(ctx, s.n, id)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look the submission up: %w", err)
	}
	delivery, seq, _ := strings.Cut(text, " ")
	a := &wire.Accepted{SubmissionID: id, Delivery: delivery}
	a.Seq, _ = strconv.ParseInt(seq, 10, 64)
	if delivery == deliveryStarted {
		a.TurnID = TurnID(a.Seq)
	}
	return a, nil
}

func (s *Session) remember(ctx context.Context, q *db.Queries, a *wire.Accepted) error {
	if err := q.InsertSubmission(ctx, s.n, a.SubmissionID, fmt.Sprintf("%s %d", a.Delivery, a.Seq)); err != nil {
		return fmt.Errorf("record the submission: %w", err)
	}
	return nil
}

// interrupt stops the named turn. A stale name is harmless, and so is a repeated one.
func (s *Session) interrupt(sub wire.Submission) *wire.Accepted {
	a := &wire.Accepted{SubmissionID: sub.ID, Delivery: "stale", TurnID: sub.Interrupt.TurnID}
	if s.turn != nil && s.turn.id() == sub.Interrupt.TurnID {
		s.turn.cancel(errInterrupted)
		a.Delivery = deliveryDone
	}
	return a
}

// acceptMessage follows the table of what a message does: it starts a turn, steers the running one or waits for its end.
func (s *Session) acceptMessage(m wire.Message, a *wire.Accepted) error {
	target := m.TargetTurnID
	m.TargetTurnID = ""
	if s.turn == nil {
		if target != "" {
			return wire.Reject(wire.CodeStaleTurn, "That turn has ended. Send the message again to start a new one.")
		}
		m.RequestedDelivery = ""
		a.Delivery, a.Seq = deliveryStarted, s.row.LastSeq+1
		a.TurnID = TurnID(a.Seq)
		return s.startTurn(m, func(ctx context.Context, q *db.Queries) error { return s.remember(ctx, q, a) })
	}
	delivery := m.RequestedDelivery
	switch {
	case m.Author == "peer":
		delivery = deliverySteer
	case target != "" && target != s.turn.id():
		return wire.Reject(wire.CodeStaleTurn, "That turn has ended and another one runs. Send the message again.")
	case delivery == "":
		delivery = s.bot.Config.Config.Delivery
	}
	if delivery != deliveryQueue {
		delivery = deliverySteer
	}
	if len(s.queue) >= s.deps.QueueLimit {
		return wire.Reject(wire.CodeQueueFull, "%d messages are waiting already. Remove one, or wait for the turn to end.", len(s.queue))
	}
	m.RequestedDelivery = delivery
	a.Delivery, a.Seq, a.TurnID = delivery, s.row.LastSeq+1, s.turn.id()
	queued := wire.QueuedMessage{ID: m.ID, Message: m, At: s.now()}
	err := s.commit([]record{{event: wire.Event{Kind: wire.EventMessageQueued, Message: &m}, turn: s.turn.start}}, keep, func(ctx context.Context, q *db.Queries) error {
		if err := s.remember(ctx, q, a); err != nil {
			return err
		}
		return s.saveQueue(ctx, q, append(append([]wire.QueuedMessage{}, s.queue...), queued))
	})
	if err != nil {
		return err
	}
	s.queue = append(s.queue, queued)
	s.changed()
	return nil
}

// keep changes nothing in the checkpoint but its sequence.
func keep(*wire.Session, *int64) {}

// editQueue changes the queue and journals it whole; when that fails, the queue is as it was.
func (s *Session) editQueue(a *wire.Accepted, edit func() bool) error {
	before := append([]wire.QueuedMessage{}, s.queue...)
	if !edit() {
		s.queue = before
		return wire.Reject(wire.CodeStaleTurn, "That message is no longer waiting: the Bot has taken it, or it was removed.")
	}
	a.Seq = s.row.LastSeq + 1
	err := s.commit([]record{s.queueChanged()}, keep, func(ctx context.Context, q *db.Queries) error {
		if err := s.remember(ctx, q, a); err != nil {
			return err
		}
		return s.saveQueue(ctx, q, s.queue)
	})
	if err != nil {
		s.queue = before
		return err
	}
	s.changed()
	return nil
}

// queueChanged is the event that shows the queue as it is now.
func (s *Session) queueChanged() record {
	turn := int64(0)
	if s.turn != nil {
		turn = s.turn.start
	}
	return record{event: wire.Event{Kind: wire.EventQueueChanged, Queue: append([]wire.QueuedMessage{}, s.queue...)}, turn: turn}
}

func (s *Session) saveQueue(ctx context.Context, q *db.Queries, queue []wire.QueuedMessage) error {
	if err := q.ClearQueue(ctx, s.n); err != nil {
		return fmt.Errorf("save the queue: %w", err)
	}
	for i, m := range queue {
		data, err := json.Marshal(m.Message)
		if err != nil {
			return fmt.Errorf("encode a queued message: %w", err)
		}
		if err := q.InsertQueued(ctx, db.InsertQueuedParams{Session: s.n, Position: int64(i), ID: m.ID, At: m.At, Message: string(data)}); err != nil {
			return fmt.Errorf("save the queue: %w", err)
		}
	}
	return nil
}

func (s *Session) queued(id string) int {
	for i, m := range s.queue {
		if m.ID == id {
			return i
		}
	}
	return -1
}

func (s *Session) unqueue(id string) *wire.QueuedMessage {
	i := s.queued(id)
	if i < 0 {
		return nil
	}
	m := s.queue[i]
	s.queue = append(append([]wire.QueuedMessage{}, s.queue[:i]...), s.queue[i+1:]...)
	return &m
}

func (s *Session) moveQueued(id, before string) bool {
	if id == before || before != "" && s.queued(before) < 0 {
		return false
	}
	m := s.unqueue(id)
	if m == nil {
		return false
	}
	at := len(s.queue)
	if before != "" {
		at = s.queued(before)
	}
	s.queue = append(append(append([]wire.QueuedMessage{}, s.queue[:at]...), *m), s.queue[at:]...)
	return true
}
