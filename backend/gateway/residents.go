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
	if g.closing.Load() {
		return nil, wire.RejectFatal(wire.CodeGatewayStopped, "Mobius is shutting down.")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
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
	if err != nil {
		return nil, wire.Reject(wire.CodeInvalidSessionBot, "The Bot of this conversation does not exist any more.")
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

// amend lets a loaded session know of fields that were changed in its row.
func (g *Gateway) amend(ctx context.Context, id string, change func(row *wire.Session, titleSource *string)) {
	g.mu.Lock()
	r := g.residents[id]
	g.mu.Unlock()
	if r != nil && r.Alive() {
		_ = r.Amend(ctx, change) // a session that has just ended reads its row when it is opened again
	}
}
