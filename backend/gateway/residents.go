package gateway

import (
	"context"
	"database/sql"
	"errors"
	"sort"

	"mobius/backend/session"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

func missing(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// loadSession is how a real session becomes resident.
func (g *Gateway) loadSession(ctx context.Context, bot wire.Bot, row db.GetSessionRow) (Resident, error) {
	s, err := session.Load(ctx, session.Deps{
		Store: g.deps.Store, Clock: g.deps.Clock, Models: g, Toolbox: g.deps.Toolbox, Publish: g.deps.Feed.Publish,
		Changed: g.sessionChanged, Explain: g.deps.Providers.Explain, Titles: func() bool { return g.settings.titles() },
	}, bot, row)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// resident gives the live handle of a session, loading it if needed.
func (g *Gateway) resident(ctx context.Context, id string) (Resident, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closing.Load() { // asked under the lock: what is loaded before Close takes it, Close stops
		return nil, wire.RejectFatal(wire.CodeGatewayStopped, "Mobius is shutting down.")
	}
	if r := g.residents[id]; r != nil {
		if r.Alive() {
			return r, nil
		}
		delete(g.residents, id)
	}
	row, err := g.deps.Store.Read().GetSession(ctx, id)
	if missing(err) {
		return nil, wire.Reject(wire.CodeUnknownSession, "This conversation does not exist any more.")
	}
	if err != nil {
		return nil, err
	}
	if row.Session.DeletedAt > 0 {
		return nil, wire.Reject(wire.CodeUnknownSession, "This conversation is in the trash. Restore it to open it.")
	}
	bot, err := g.bot(ctx, row.BotID)
	if wire.CodeOf(err) == wire.CodeInvalidBot {
		return nil, wire.Reject(wire.CodeInvalidSessionBot, "The Bot of this conversation does not exist any more.")
	}
	if err != nil {
		return nil, err
	}
	if err := g.makeRoom(ctx); err != nil {
		return nil, err
	}
	r, err := g.load(ctx, *bot, row)
	if err != nil {
		return nil, err
	}
	g.residents[id] = r
	return r, nil
}

// makeRoom stops the least recently used idle session that no client has open, if the limit is reached. The registry
// lock is held.
func (g *Gateway) makeRoom(ctx context.Context) error {
	if len(g.residents) < g.deps.Residents {
		return nil
	}
	candidates := make([]Resident, 0, len(g.residents))
	for id, r := range g.residents {
		if !r.Alive() {
			delete(g.residents, id)
		} else if !g.deps.Feed.Watched(id) {
			candidates = append(candidates, r)
		}
	}
	sort.Slice(candidates, func(i, j int) bool { return candidates[i].UsedAt() < candidates[j].UsedAt() })
	for _, r := range candidates {
		if len(g.residents) < g.deps.Residents {
			return nil
		}
		stopped, err := r.StopIfIdle(ctx)
		if err != nil {
			return err
		}
		if stopped {
			delete(g.residents, r.ID())
		}
	}
	if len(g.residents) >= g.deps.Residents {
		return wire.Reject(wire.CodeSessionLimit, "%d conversations are open and busy. Stop one, or wait for one to finish.", len(g.residents))
	}
	return nil
}

// residentsOf gives the loaded sessions of a Bot in the order of their ids, without the dead ones. The registry lock is held.
func (g *Gateway) residentsOf(ctx context.Context, botN int64) ([]Resident, error) {
	ids, err := g.deps.Store.Read().ListBotSessions(ctx, botN)
	if err != nil {
		return nil, err
	}
	sort.Strings(ids)
	var list []Resident
	for _, id := range ids {
		r := g.residents[id]
		switch {
		case r == nil:
		case !r.Alive():
			delete(g.residents, id)
		default:
			list = append(list, r)
		}
	}
	return list, nil
}

// onResident runs fn with the live handle of a session. One that was stopped for room between being found and being
// asked is loaded again: whoever asks does not hold it, so it must not learn of that.
func (g *Gateway) onResident(ctx context.Context, id string, fn func(Resident) error) error {
	for range 3 {
		r, err := g.resident(ctx, id)
		if err != nil {
			return err
		}
		if err := fn(r); err == nil || r.Alive() || wire.CodeOf(err) != wire.CodeGatewayStopped {
			return err
		}
	}
	return wire.Reject(wire.CodeGatewayBusy, "This conversation is being closed and opened too often. Try again in a moment.")
}

// amend publishes fields that were changed in a session's row. A loaded session takes them over and publishes them
// itself, so that they are in order with its own changes; of another one nothing else is published meanwhile.
func (g *Gateway) amend(ctx context.Context, id string, change func(row *wire.Session, titleSource *string)) error {
	g.mu.Lock()
	r := g.residents[id]
	if r == nil || !r.Alive() {
		defer g.mu.Unlock()
		row, err := g.session(ctx, id)
		if err == nil {
			g.sessionChanged(*row)
		}
		return err
	}
	g.mu.Unlock()
	if err := r.Amend(ctx, change); err != nil {
		row, e := g.session(ctx, id) // it has just ended, and reads its row when it is opened again
		if e != nil {
			return e
		}
		g.sessionChanged(*row)
	}
	return nil
}
