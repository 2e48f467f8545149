package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"mobius/backend/feed"
	"mobius/backend/session"
	"mobius/backend/store"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

const (
	// DefaultResidents is how many sessions may be loaded at once.
	DefaultResidents = 256
	trashKept        = 30 * 24 * time.Hour
	recoverAtOnce    = 4 // sessions that are brought into order together after a start
	maintainEvery    = time.Hour
	callLimit        = 30 * time.Second
)

// Resident is a loaded session.
type Resident interface {
	ID() string
	Alive() bool
	UsedAt() int64
	Idle(ctx context.Context) (bool, error)
	Reload(ctx context.Context, bot wire.Bot) error
	StopIfIdle(ctx context.Context) (bool, error)
	Stop(ctx context.Context) error
	Submit(sub wire.Submission) (*wire.Accepted, error)
	Snapshot(ctx context.Context) (*session.Snapshot, error)
	Amend(ctx context.Context, change func(row *wire.Session, titleSource *string)) error
}

// Keys keeps the keys of provider instances.
type Keys interface {
	Get(id string) (string, error) // "" when there is none
	Set(id, key string) error
	Delete(id string) error
}

// Folders judges the folder of a session.
type Folders interface {
	// Check gives the cleaned path and the folder's identity, or an invalid_workspace rejection.
	Check(path, stateDir string) (clean, identity string, err error)
}

// Deps is what a gateway works with.
type Deps struct {
	Store     *store.Store
	Feed      *feed.Feed
	Clock     session.Clock
	Keys      Keys
	Folders   Folders
	Toolbox   session.Toolbox
	Providers Providers
	Infos     []wire.CapabilityInfo // what a Bot can be given
	Residents int                   // 0 = DefaultResidents
	// Home is the folder in which the default workspace is made.
	Home string
}

// Gateway owns the program's state. It is safe for concurrent use.
type Gateway struct {
	deps     Deps
	gate     gate
	revision atomic.Uint64 // of the catalog, over the process's life
	order    sync.Mutex    // keeps changes in the order of their revisions

	mu        sync.Mutex // guards residents and loading; never held across a model call or a wait for an actor's turn
	residents map[string]Resident
	load      func(ctx context.Context, bot wire.Bot, row db.GetSessionRow) (Resident, error)

	models   modelCache
	settings settingsCache

	lifetime   context.Context
	end        context.CancelFunc
	background sync.WaitGroup
	closing    atomic.Bool
}

// Open brings the stored state into order and gives a gateway on it. What takes long (sessions that a crash cut, the
// daily backup, the trash) is done by [Gateway.Serve] after the shell is ready.
func Open(ctx context.Context, deps Deps) (*Gateway, error) {
	if deps.Residents == 0 {
		deps.Residents = DefaultResidents
	}
	lifetime, end := context.WithCancel(context.WithoutCancel(ctx))
	g := &Gateway{deps: deps, residents: map[string]Resident{}, lifetime: lifetime, end: end}
	g.load = g.loadSession
	if err := g.seed(ctx); err != nil {
		end()
		return nil, err
	}
	if err := g.finishDeletion(ctx); err != nil {
		end()
		return nil, fmt.Errorf("finish the deletion of a Bot: %w", err)
	}
	return g, nil
}

// Serve does the work that belongs after the start and then, now and then, in quiet moments. It returns when ctx ends.
func (g *Gateway) Serve(ctx context.Context) error {
	g.recoverSessions(ctx)
	for {
		g.maintain(ctx)
		due := make(chan struct{})
		stop := g.deps.Clock.AfterFunc(maintainEvery, func() { close(due) })
		select {
		case <-due:
		case <-ctx.Done():
			stop()
			return ctx.Err()
		}
	}
}

// recoverSessions loads every session whose turn a crash cut or whose queue waits, which brings it into order.
func (g *Gateway) recoverSessions(ctx context.Context) {
	open, err := g.deps.Store.Read().ListOpenTurns(ctx)
	waiting, e := g.deps.Store.Read().ListWaitingQueues(ctx)
	if err = errors.Join(err, e); err != nil {
		slog.Error("unfinished sessions were not listed", "error", err)
		return
	}
	seen := map[string]bool{}
	slots := make(chan struct{}, recoverAtOnce)
	var group sync.WaitGroup
	for _, id := range append(open, waiting...) {
		if seen[id] || ctx.Err() != nil {
			continue
		}
		seen[id] = true
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			if _, err := g.resident(ctx, id); err != nil {
				slog.Error("a session was not brought into order", "session", id, "error", err)
			}
		})
	}
	group.Wait()
}

func (g *Gateway) maintain(ctx context.Context) {
	now := g.deps.Clock.Now()
	if err := g.deps.Store.BackUpIfDue(ctx, now); err != nil && ctx.Err() == nil {
		slog.Error("the daily backup was not made", "error", err)
	}
	expired, err := g.deps.Store.Read().ListExpiredTrash(ctx, now.Add(-trashKept).UnixMilli())
	if err == nil && len(expired) > 0 {
		_, err = g.PurgeSessions(ctx, expired)
	}
	if err != nil && ctx.Err() == nil {
		slog.Error("the trash was not emptied", "error", err)
	}
}

// Close interrupts running turns, records them, ends every actor and waits for that. The store stays open.
func (g *Gateway) Close(ctx context.Context) error {
	if g.closing.Swap(true) {
		return nil
	}
	g.mu.Lock()
	residents := make([]Resident, 0, len(g.residents))
	for _, r := range g.residents {
		residents = append(residents, r)
	}
	g.mu.Unlock()
	errs := make([]error, len(residents))
	var group sync.WaitGroup
	for i, r := range residents {
		group.Go(func() { errs[i] = r.Stop(ctx) })
	}
	group.Wait()
	g.end()
	g.background.Wait()
	return errors.Join(errs...)
}

// Context gives a context for one call: it ends with the gateway or after limit.
func (g *Gateway) Context(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(g.lifetime, limit)
}

func (g *Gateway) now() int64 { return g.deps.Clock.Now().UnixMilli() }

// announce publishes one change of the catalog under the next revision.
func (g *Gateway) announce(change wire.Change) {
	g.order.Lock()
	defer g.order.Unlock()
	change.Revision = g.revision.Add(1)
	g.deps.Feed.Publish(wire.Envelope{Kind: wire.EnvelopeCatalog, Change: &change})
}

// sessionChanged publishes a session's record for lists.
func (g *Gateway) sessionChanged(row wire.Session) { g.announce(wire.Change{Session: &row}) }

// exclusive runs fn with the gate held alone.
func (g *Gateway) exclusive(ctx context.Context, fn func() error) error {
	if err := g.gate.lock(ctx); err != nil {
		return busy(err)
	}
	defer g.gate.unlock()
	return fn()
}

// shared runs fn with the gate held together with others.
func (g *Gateway) shared(ctx context.Context, fn func() error) error {
	if err := g.gate.rlock(ctx); err != nil {
		return busy(err)
	}
	defer g.gate.runlock()
	return fn()
}

func busy(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return wire.Reject(wire.CodeGatewayBusy, "Another change is still under way. Try again in a moment.")
	}
	return err
}

// pending gives bot_deletion_recovery while a deletion waits to be finished. It comes before any other check.
func (g *Gateway) pending(ctx context.Context) error {
	_, err := g.deps.Store.Read().GetBotDeletion(ctx)
	if missing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the pending deletion: %w", err)
	}
	return wire.Reject(wire.CodeBotDeletionRecovery, "The deletion of a Bot was interrupted and must be finished first. Restart Mobius to finish it.")
}
