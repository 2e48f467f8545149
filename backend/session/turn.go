package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"mobius/backend/agent"
	"mobius/backend/llm"
	"mobius/backend/store"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

// startTurn journals the message and begins its turn. The turn is reserved before it is announced: both happen in this
// one step of the actor, so nobody sees the session idle in between.
func (s *Session) startTurn(m wire.Message, extra func(context.Context, *db.Queries) error) error {
	title := ""
	if s.titleSource == "" {
		title = fallbackTitle(m.Text)
	}
	start := s.row.LastSeq + 1
	err := s.commit([]record{{event: wire.Event{Kind: wire.EventTurnStarted, Message: &m}}}, func(row *wire.Session, open *int64) {
		*open = start
		row.Activity = wire.ActivityRunning
		if title != "" {
			row.Title = title
		}
	}, func(ctx context.Context, q *db.Queries) error {
		if title != "" {
			if _, err := q.TitleSession(ctx, title, titleFallback, s.id); err != nil {
				return fmt.Errorf("title the session: %w", err)
			}
		}
		return extra(ctx, q)
	})
	if err != nil {
		return err
	}
	if title != "" {
		s.titleSource = titleFallback
	}
	s.begin(start, m)
	return nil
}

// begin runs the reserved turn. One that a crash cut and that is run again may have been steered already.
func (s *Session) begin(start int64, m wire.Message) {
	ctx, cancel := context.WithCancelCause(s.lifetime)
	s.turn = &turn{start: start, cancel: cancel}
	s.stream.beginTurn(s.turn.id())
	s.changed()
	history := s.history
	if history != nil {
		history = append(history, userMessage(m))
	}
	go s.runTurn(ctx, s.turn, s.bot, s.row, history)
}

// runTurn is the turn's goroutine. It ends by telling the actor, whatever happens.
func (s *Session) runTurn(ctx context.Context, t *turn, bot wire.Bot, row wire.Session, history []*llm.Message) {
	var err error
	defer func() {
		if p := recover(); p != nil {
			slog.Error("turn failed", "session", s.id, "panic", p)
			history, err = nil, fmt.Errorf("the turn failed: %v", p)
		}
		if e := s.do(context.Background(), func() { s.endTurn(t, history, err) }); e != nil {
			slog.Warn("turn ended after its session", "session", s.id, "error", e)
		}
	}()
	if history == nil {
		if history, err = History(ctx, s.deps.Store, s.n, row.LastSeq); err != nil {
			return
		}
	}
	model, err := s.deps.Models.Resolve(bot.Config.Config.Provider)
	if err != nil {
		return
	}
	tools, prompt, err := s.deps.Toolbox.Open(bot, row)
	if err != nil {
		return
	}
	run := agent.Turn{
		Model: model, Attempts: model.Attempts, Tools: tools, System: strings.TrimSpace(bot.Config.Config.SystemPrompt + "\n\n" + prompt), Effort: bot.Config.Config.Provider.ReasoningEffort,
		MaxOutput: model.MaxOutput, CacheKey: s.id, MaxSteps: bot.Config.Config.MaxModelSteps, Now: s.deps.Clock.Now, ToolGrace: toolGrace,
	}
	history, err = run.Run(ctx, history, &recorder{s: s, t: t, model: model})
}

// endTurn closes the turn in the journal unless its last answer did, and goes on with what waits.
func (s *Session) endTurn(t *turn, history []*llm.Message, err error) {
	if s.turn != t {
		return // the session failed meanwhile
	}
	s.history = history
	if err != nil {
		s.history = nil // what was cut is in the journal only; the next turn reads it from there
	}
	t.cancel(nil)
	if !t.closed {
		if e := s.closeTurn(t, err); e != nil {
			// The turn stays open in the database: loading the session again recovers it.
			slog.Error("a turn could not be closed", "session", s.id, "error", e)
			s.fail()
			return
		}
	}
	s.turn = nil
	s.stream.endStep()
	s.changed()
	if !s.stopping {
		s.next()
	}
	waiting := s.waiting
	s.waiting = nil
	for _, run := range waiting {
		run()
	}
	if s.turn == nil {
		s.maybeTitle(t.model)
	}
}

// closeTurn journals how the turn ended.
func (s *Session) closeTurn(t *turn, err error) error {
	outcome := wire.Outcome{Usage: t.usage}
	switch {
	case errors.Is(err, errInterrupted), errors.Is(err, errShutdown):
		outcome.Status, outcome.Reason = wire.OutcomeAborted, errInterrupted.Error()
		if errors.Is(err, errShutdown) {
			outcome.Reason = errShutdown.Error()
		}
	case errors.Is(err, context.Canceled):
		outcome.Status, outcome.Reason = wire.OutcomeAborted, errShutdown.Error()
	case err == nil:
		outcome.Status = wire.OutcomeCompleted
	case errors.Is(err, agent.ErrStepLimit):
		outcome.Status = wire.OutcomeFailed
		outcome.Error = wire.Reject(wire.CodeStepLimit, "The Bot used all its steps for one turn. Say \"continue\" to let it go on, or raise the limit in its profile.")
	default:
		outcome.Status, outcome.Error = wire.OutcomeFailed, s.deps.Explain(store.Reject(err))
	}
	promoted := s.promoteSteering()
	records := append(append(t.unsaved, promoted...), record{event: wire.Event{Kind: wire.EventTurnCompleted, Outcome: &outcome}, turn: t.start})
	_, wrote := s.stream.endStep()
	if err := s.commit(records, ended(outcome.Status, ""), func(ctx context.Context, q *db.Queries) error {
		if len(promoted) > 0 {
			if err := s.saveQueue(ctx, q, s.queue); err != nil {
				return err
			}
		}
		return clearPartials(ctx, q, s.n, wrote)
	}); err != nil {
		return err
	}
	s.stream.removed()
	return nil
}

// unsaved gives what has to be journaled with the end of a turn of a step whose own commit failed: the step, since its
// text was shown, and a result for each of its calls, none of which was carried out.
func unsaved(step record) []record {
	records := []record{step}
	for _, b := range step.event.Step.Blocks {
		if b.Kind == wire.BlockToolCall {
			records = append(records, record{event: wire.Event{Kind: wire.EventToolCompleted, Tool: interruptedResult(b)}, turn: step.turn})
		}
	}
	return records
}

// promoteSteering makes messages that were to steer the turn, but had not reached the model, ordinary queued ones.
func (s *Session) promoteSteering() []record {
	promoted := false
	for i := range s.queue {
		if s.queue[i].Message.RequestedDelivery == deliverySteer {
			s.queue[i].Message.RequestedDelivery = deliveryQueue
			promoted = true
		}
	}
	if !promoted {
		return nil
	}
	return []record{s.queueChanged()}
}

// ended marks the checkpoint of a turn that is over.
func ended(status, lastMessage string) func(*wire.Session, *int64) {
	return func(row *wire.Session, open *int64) {
		*open = 0
		row.Activity, row.LastOutcome = wire.ActivityIdle, status
		if lastMessage != "" {
			row.LastMessage = lastMessage
		}
	}
}

func clearPartials(ctx context.Context, q *db.Queries, n int64, wrote bool) error {
	if !wrote {
		return nil
	}
	if err := q.ClearPartials(ctx, n); err != nil {
		return fmt.Errorf("remove the partial text: %w", err)
	}
	return nil
}

// next starts the turn of the first message that waits.
func (s *Session) next() {
	if len(s.queue) == 0 || s.turn != nil {
		return
	}
	first := s.queue[0]
	rest := append([]wire.QueuedMessage{}, s.queue[1:]...)
	m := first.Message
	m.RequestedDelivery = ""
	before := s.queue
	s.queue = rest
	if err := s.startTurn(m, func(ctx context.Context, q *db.Queries) error { return s.saveQueue(ctx, q, rest) }); err != nil {
		// It stays in the queue, in memory and in the database: the next message or start tries again.
		s.queue = before
		slog.Error("a queued message could not be started", "session", s.id, "error", err)
	}
}

// recorder makes durable and shows what the turn's loop does; see agent.Recorder.
type recorder struct {
	s     *Session
	t     *turn
	model *Model
}

// on runs fn on the actor, as long as this turn is the running one.
func (r *recorder) on(fn func() error) error {
	var err error
	if e := r.s.do(context.Background(), func() {
		if r.s.turn != r.t {
			err = stopped()
			return
		}
		r.t.model = r.model
		err = fn()
	}); e != nil {
		return e
	}
	return err
}

// Steering takes the messages that steer the turn, in their order.
func (r *recorder) Steering(context.Context) (list []*llm.Message, err error) {
	s := r.s
	err = r.on(func() error {
		var records []record
		rest := []wire.QueuedMessage{}
		for _, q := range s.queue {
			if q.Message.RequestedDelivery != deliverySteer {
				rest = append(rest, q)
				continue
			}
			m := q.Message
			records = append(records, record{event: wire.Event{Kind: wire.EventMessageSteered, Message: &m}, turn: r.t.start})
			list = append(list, userMessage(m))
		}
		if len(records) == 0 {
			return nil
		}
		if err := s.commit(records, keep, func(ctx context.Context, q *db.Queries) error { return s.saveQueue(ctx, q, rest) }); err != nil {
			list = nil
			return err
		}
		s.queue = rest
		s.changed()
		return nil
	})
	return list, err
}

// AttemptStarted begins an attempt.
func (r *recorder) AttemptStarted(step, attempt int) { r.s.stream.beginAttempt(step, attempt) }

// Delta shows a piece.
func (r *recorder) Delta(p llm.Piece) { r.s.stream.add(p) }

// Waiting shows why and until when the request waits.
func (r *recorder) Waiting(w llm.Wait) {
	rejection := r.s.deps.Explain(w.Err)
	r.s.stream.waiting(wire.RetryNotice{Code: rejection.Code, Message: rejection.Message, Until: w.Until.UnixMilli(), Attempt: w.Attempt})
}

// StepCompleted journals an answer; a final one together with the end of the turn, so that both cost one commit.
func (r *recorder) StepCompleted(rec agent.StepRecord) (goOn bool, err error) {
	s, t := r.s, r.t
	err = r.on(func() error {
		durations, wrote := s.stream.endStep()
		blocks, meta := toWire(rec.Blocks, durations)
		usage := wire.Usage{
			Input: rec.Usage.Input, Output: rec.Usage.Output, CacheRead: rec.Usage.CacheRead, CacheWrite: rec.Usage.CacheWrite,
			Reasoning: rec.Usage.Reasoning, CostMicros: r.model.Cost(rec.Usage), Context: rec.Usage.Total(),
		}
		model := rec.Model
		if model == "" {
			model = r.model.ID
		}
		attempt := rec.Attempt
		if attempt == 1 {
			attempt = 0 // the rule is not worth its bytes in every answer
		}
		step := &wire.Step{Index: rec.Index, Attempt: attempt, Model: model, Blocks: blocks, Finish: rec.Finish}
		if rec.Usage != (llm.Usage{}) {
			step.Usage = &usage
		}
		total := add(t.usage, usage)
		records := []record{{event: wire.Event{Kind: wire.EventStepCompleted, Step: step}, turn: t.start, meta: meta}}
		goOn = rec.Final && !rec.Last && s.steered()
		closes := rec.Final && !goOn
		mark := keep
		var promoted []record
		if closes {
			promoted = s.promoteSteering()
			outcome := &wire.Outcome{Status: wire.OutcomeCompleted, Usage: total}
			records = append(append(records, promoted...), record{event: wire.Event{Kind: wire.EventTurnCompleted, Outcome: outcome}, turn: t.start})
			mark = ended(wire.OutcomeCompleted, lastMessage(blocks))
		}
		change := func(row *wire.Session, open *int64) {
			row.Totals = add(row.Totals, usage)
			mark(row, open)
		}
		err := s.commit(records, change, func(ctx context.Context, q *db.Queries) error {
			if len(promoted) > 0 {
				if err := s.saveQueue(ctx, q, s.queue); err != nil {
					return err
				}
			}
			if err := clearPartials(ctx, q, s.n, wrote); err != nil {
				return err
			}
			return s.insertUsage(ctx, q, r.model, "turn", usage)
		})
		if err != nil {
			t.unsaved = unsaved(records[0])
			return err
		}
		s.stream.removed()
		t.usage, t.closed = total, closes
		return nil
	})
	return goOn, err
}

func (s *Session) steered() bool {
	for _, q := range s.queue {
		if q.Message.RequestedDelivery == deliverySteer {
			return true
		}
	}
	return false
}

// insertUsage books a request; one whose tokens are not known is not booked.
func (s *Session) insertUsage(ctx context.Context, q *db.Queries, model *Model, purpose string, u wire.Usage) error {
	if u.Context == 0 {
		return nil
	}
	if err := q.InsertUsage(ctx, db.InsertUsageParams{
		At: s.now(), Session: s.n, Bot: s.botN, Provider: model.Provider, Model: model.ID, Purpose: purpose,
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, CostMicros: u.CostMicros,
	}); err != nil {
		return fmt.Errorf("book the usage: %w", err)
	}
	return nil
}

// add sums usage. Context is the last request's; a request whose tokens are not known does not change it.
func add(a, b wire.Usage) wire.Usage {
	a.Input += b.Input
	a.Output += b.Output
	a.CacheRead += b.CacheRead
	a.CacheWrite += b.CacheWrite
	a.Reasoning += b.Reasoning
	a.CostMicros += b.CostMicros
	if b.Context > 0 {
		a.Context = b.Context
	}
	return a
}

// ToolStarted shows that a call is being carried out.
func (r *recorder) ToolStarted(call llm.Block) { r.s.stream.toolStarted(call) }

// ToolCompleted journals a result.
func (r *recorder) ToolCompleted(rec agent.ToolRecord) error {
	status := "ok"
	switch {
	case rec.Interrupted:
		status = "interrupted"
	case rec.Result.IsError:
		status = "error"
	}
	tool := &wire.ToolResult{CallID: rec.Call.CallID, Name: rec.Call.Name, Status: status, Output: rec.Result.Output, DurationMS: max(0, rec.Duration.Milliseconds())}
	return r.on(func() error {
		r.s.stream.toolEnded(rec.Call.CallID)
		return r.s.commit([]record{{event: wire.Event{Kind: wire.EventToolCompleted, Tool: tool}, turn: r.t.start}}, keep, nil)
	})
}

// lastMessage is the line that lists show: the beginning of the answer's last text.
func lastMessage(blocks []wire.Block) string {
	for i := len(blocks) - 1; i >= 0; i-- {
		if text := strings.TrimSpace(blocks[i].Text); blocks[i].Kind == wire.BlockText && text != "" {
			return cut(text, maxLastMessage)
		}
	}
	return ""
}

// cut shortens a text to at most limit bytes, at a character's boundary.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
