package session

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mobius/backend/llm"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

// Why a turn was ended from outside.
var (
	errInterrupted = errors.New("interrupted")
	errShutdown    = errors.New("shutdown")
	errStale       = errors.New("the checkpoint was saved by another writer")
)

// Session is the handle of a resident session. Its methods may be called from any goroutine.
type Session struct {
	id      string
	deps    Deps
	mailbox chan func()
	done    chan struct{}
	dead    atomic.Bool
	used    atomic.Int64 // when it was last asked something, UTC milliseconds
	stream  *stream

	background sync.WaitGroup // the title request
	lifetime   context.Context
	end        context.CancelFunc

	// What follows belongs to the actor's goroutine.
	n           int64
	botN        int64
	bot         wire.Bot
	row         wire.Session
	titleSource string
	openTurn    int64
	history     []*llm.Message // nil until the first turn needs it
	queue       []wire.QueuedMessage
	turn        *turn
	waiting     []func() // submissions that came between a turn's last event and its end
	answers     map[string]wire.Accepted
	stopping    bool
}

// turn is the running turn.
type turn struct {
	start  int64 // seq of its turn.started
	cancel context.CancelCauseFunc
	usage  wire.Usage
	closed bool // its turn.completed is journaled
	// unsaved is a step that could not be journaled when it was complete.
	unsaved []record
	model   *Model
}

func (t *turn) id() string { return TurnID(t.start) }

// Load makes a session resident: it reads its checkpoint, finishes what a crash left and starts the actor.
func Load(ctx context.Context, deps Deps, bot wire.Bot, stored db.GetSessionRow) (*Session, error) {
	lifetime, end := context.WithCancel(context.WithoutCancel(ctx))
	s := &Session{
		id: stored.Session.ID, deps: deps, mailbox: make(chan func(), mailboxSize), done: make(chan struct{}),
		lifetime: lifetime, end: end, n: stored.Session.N, botN: stored.Session.Bot, bot: bot, row: Record(stored.Session, stored.BotID, stored.Queued),
		titleSource: stored.Session.TitleSource, openTurn: stored.Session.OpenTurn, answers: map[string]wire.Accepted{},
	}
	if s.deps.QueueLimit == 0 {
		s.deps.QueueLimit = DefaultQueueLimit
	}
	s.stream = &stream{clock: deps.Clock, publish: s.publishFrame, keep: s.keepPartial}
	s.used.Store(deps.Clock.Now().UnixMilli())
	resume, err := s.recover(ctx)
	if err != nil {
		end()
		return nil, err
	}
	go s.run(resume)
	return s, nil
}

// Record gives a session's row as lists show it.
func Record(r db.Session, botID string, queued int64) wire.Session {
	return wire.Session{
		ID: r.ID, BotID: botID, Title: r.Title, Workspace: r.Workspace, Pinned: r.Pinned != 0, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt,
		DeletedAt: r.DeletedAt, LastSeq: r.LastSeq, Activity: r.Activity, LastOutcome: r.LastOutcome, LastMessage: r.LastMessage, Queued: int(queued),
		Totals: wire.Usage{Input: r.Input, Output: r.Output, CacheRead: r.CacheRead, CacheWrite: r.CacheWrite, CostMicros: r.CostMicros, Context: r.Context},
	}
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Alive tells whether the actor still runs.
func (s *Session) Alive() bool { return !s.dead.Load() }

// Done closes when the actor has really ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// UsedAt is when the session was last asked something, UTC milliseconds.
func (s *Session) UsedAt() int64 { return s.used.Load() }

// run is the actor's goroutine.
func (s *Session) run(resume func()) {
	defer close(s.done)
	defer s.end()
	defer s.background.Wait()
	defer s.stream.stop()
	defer s.dead.Store(true)
	defer func() {
		if p := recover(); p != nil {
			slog.Error("session failed", "session", s.id, "panic", p)
			s.fail()
		}
	}()
	resume()
	for !s.stopping || s.turn != nil {
		(<-s.mailbox)()
	}
	s.end()
}

// fail lets go of a session whose state can no longer be trusted. It can be opened again, from what is durable.
func (s *Session) fail() {
	s.dead.Store(true)
	s.stopping = true
	if s.turn != nil {
		s.turn.cancel(errShutdown)
		s.turn = nil
	}
	row := s.row
	row.Activity, row.LastOutcome = wire.ActivityIdle, wire.OutcomeFailed
	s.deps.Changed(row)
	s.end()
}

// stopped is what a caller gets whose session has ended.
func stopped() error {
	return wire.RejectFatal(wire.CodeGatewayStopped, "This conversation was closed in the background. Open it again.")
}

// do runs fn on the actor and waits for it.
func (s *Session) do(ctx context.Context, fn func()) error {
	ran := make(chan struct{})
	select {
	case s.mailbox <- func() { defer close(ran); fn() }:
	case <-s.done:
		return stopped()
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.await(ran)
}

// try is do for callers that must not wait for a full mailbox.
func (s *Session) try(fn func()) error {
	ran := make(chan struct{})
	select {
	case s.mailbox <- func() { defer close(ran); fn() }:
	case <-s.done:
		return stopped()
	default:
		return wire.Reject(wire.CodeGatewayBusy, "This conversation has too many requests waiting. Try again in a moment.")
	}
	return s.await(ran)
}

// post hands fn to the actor without waiting for it to run; it may never run if the session ends.
func (s *Session) post(ctx context.Context, fn func()) {
	select {
	case s.mailbox <- fn:
	case <-ctx.Done():
	}
}

func (s *Session) await(ran chan struct{}) error {
	select {
	case <-ran:
		return nil
	case <-s.done:
		select {
		case <-ran:
			return nil
		default:
			return stopped()
		}
	}
}

// Snapshot is the state of a session at one moment.
type Snapshot struct {
	N       int64
	Session wire.Session
	Queue   []wire.QueuedMessage
	Live    *wire.Live
}

// Snapshot gives the state as of the last journaled event, with what the running turn has streamed since.
func (s *Session) Snapshot(ctx context.Context) (*Snapshot, error) {
	s.used.Store(s.deps.Clock.Now().UnixMilli())
	var snap *Snapshot
	err := s.do(ctx, func() {
		snap = &Snapshot{N: s.n, Session: s.row, Queue: append([]wire.QueuedMessage{}, s.queue...)}
		if s.turn != nil && !s.turn.closed {
			snap.Live = s.stream.live()
		}
	})
	return snap, err
}

// Idle tells whether nothing runs, waits for approval or is about to start.
func (s *Session) Idle(ctx context.Context) (bool, error) {
	var idle bool
	err := s.do(ctx, func() { idle = s.turn == nil && len(s.queue) == 0 })
	return idle, err
}

// Reload makes the session run with another record of its Bot, from its next turn on.
func (s *Session) Reload(ctx context.Context, bot wire.Bot) error {
	var err error
	if e := s.do(ctx, func() {
		if s.turn != nil {
			err = wire.Reject(wire.CodeAgentBusy, "The Bot works in this conversation.")
			return
		}
		s.bot = bot
	}); e != nil {
		return e
	}
	return err
}

// Amend takes over fields that were changed in the session's row by others (title, pin and folder) and publishes them.
func (s *Session) Amend(ctx context.Context, change func(row *wire.Session, titleSource *string)) error {
	return s.do(ctx, func() {
		change(&s.row, &s.titleSource)
		s.changed()
	})
}

// StopIfIdle ends the actor if nothing runs in it, and answers after it has really ended.
func (s *Session) StopIfIdle(ctx context.Context) (bool, error) {
	var idle bool
	if err := s.do(ctx, func() {
		if idle = s.turn == nil && len(s.queue) == 0; idle {
			s.stopping = true
			s.end()
		}
	}); err != nil {
		return !s.Alive(), ignoreStopped(err)
	}
	if idle {
		<-s.done
	}
	return idle, nil
}

func ignoreStopped(err error) error {
	if wire.CodeOf(err) == wire.CodeGatewayStopped {
		return nil
	}
	return err
}

// Stop ends the actor; a running turn is interrupted and recorded first. It returns when the actor has really ended.
func (s *Session) Stop(ctx context.Context) error {
	err := s.do(ctx, func() {
		s.stopping = true
		if s.turn != nil {
			s.turn.cancel(errShutdown)
		}
	})
	if err != nil {
		return ignoreStopped(err)
	}
	select {
	case <-s.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) now() int64 { return s.deps.Clock.Now().UnixMilli() }

func (s *Session) publishFrame(f wire.Frame) {
	s.deps.Publish(wire.Envelope{Kind: wire.EnvelopeFrame, SessionID: s.id, Frame: &f})
}

// commit journals records and saves the checkpoint in one transaction, and publishes them after it.
func (s *Session) commit(records []record, change func(row *wire.Session, openTurn *int64), extra func(context.Context, *db.Queries) error) error {
	row, open, now := s.row, s.openTurn, s.now()
	events := make([]wire.Event, len(records))
	params := make([]db.AppendEventParams, len(records))
	for i, r := range records {
		row.LastSeq++
		if r.event.Kind == wire.EventTurnStarted {
			r.turn = row.LastSeq
		}
		e := r.event
		e.Seq, e.At, e.TurnID = row.LastSeq, now, TurnID(r.turn)
		data, err := payload(e)
		if err != nil {
			return err
		}
		meta, err := encodeMeta(r.meta)
		if err != nil {
			return err
		}
		events[i] = e
		params[i] = db.AppendEventParams{ID: eventID(s.n, e.Seq), At: now, Kind: string(e.Kind), Turn: r.turn, Data: string(data), Meta: meta}
	}
	change(&row, &open)
	if now-row.UpdatedAt >= updatedEvery {
		row.UpdatedAt = now
	}
	err := s.deps.Store.Write(context.WithoutCancel(s.lifetime), func(q *db.Queries) error {
		ctx := context.Background()
		// The checkpoint goes first: it is what tells that another state than ours is durable.
		if err := s.checkpoint(ctx, q, row, open); err != nil {
			return err
		}
		for _, p := range params {
			if err := q.AppendEvent(ctx, p); err != nil {
				return fmt.Errorf("append to the journal: %w", err)
			}
		}
		if extra != nil {
			return extra(ctx, q)
		}
		return nil
	})
	if err != nil {
		if errors.Is(err, errStale) {
			s.fail()
		}
		return err
	}
	s.row, s.openTurn = row, open
	for i := range events {
		s.deps.Publish(wire.Envelope{Kind: wire.EnvelopeEvent, SessionID: s.id, Event: &events[i]})
	}
	return nil
}

// checkpoint saves the row over the sequence it was made from.
func (s *Session) checkpoint(ctx context.Context, q *db.Queries, row wire.Session, open int64) error {
	changed, err := q.SaveCheckpoint(ctx, db.SaveCheckpointParams{
		UpdatedAt: row.UpdatedAt, LastSeq: row.LastSeq, OpenTurn: open, Activity: row.Activity, LastOutcome: row.LastOutcome, LastMessage: row.LastMessage,
		Input: row.Totals.Input, Output: row.Totals.Output, CacheRead: row.Totals.CacheRead, CacheWrite: row.Totals.CacheWrite,
		CostMicros: row.Totals.CostMicros, Context: row.Totals.Context, N: s.n, ExpectedSeq: s.row.LastSeq,
	})
	if err != nil {
		return fmt.Errorf("save the checkpoint: %w", err)
	}
	if changed != 1 {
		return errStale
	}
	return nil
}

// keepPartial makes streamed text durable without waiting for it.
func (s *Session) keepPartial(n int64, step, attempt int, list []wire.Delta) {
	data := encodeDeltas(list)
	s.deps.Store.WriteLater(func(q *db.Queries) error {
		return q.AppendPartial(context.Background(), db.AppendPartialParams{Session: s.n, N: n, Step: int64(step), Attempt: int64(attempt), Deltas: data})
	}, func(err error) {
		if err != nil {
			slog.Warn("partial text was not saved", "session", s.id, "error", err)
		}
	})
}

// changed publishes the record for lists.
func (s *Session) changed() {
	s.row.Queued = len(s.queue)
	s.deps.Changed(s.row)
}

func isMissing(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// bounded is a context for reads of the actor, bounded so that a hung disk surfaces as an error.
func (s *Session) bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(s.lifetime), 30*time.Second)
}
