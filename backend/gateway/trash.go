package gateway

import (
	"context"
	"fmt"

	"mobius/backend/session"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

// listTrash lists the trash, of one Bot or of all.
func (g *Gateway) listTrash(ctx context.Context, bot string, page *wire.SessionPage) error {
	rows, err := g.deps.Store.Read().ListTrash(ctx, trashListed)
	if err != nil {
		return fmt.Errorf("list the trash: %w", err)
	}
	for _, r := range rows {
		if bot != "" && r.BotID != bot {
			continue
		}
		page.Sessions = append(page.Sessions, session.Record(r.Session, r.BotID, r.Queued))
	}
	page.Total = len(page.Sessions)
	return nil
}

// DeleteSessions moves conversations to the trash; a busy one refuses all. It gives the ids that are gone from lists.
func (g *Gateway) DeleteSessions(ctx context.Context, ids []string) ([]string, error) {
	if err := g.checkBatch(ctx, ids); err != nil {
		return nil, err
	}
	err := g.exclusive(ctx, func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		for _, id := range ids {
			row, err := g.session(ctx, id)
			if err != nil {
				return err
			}
			if row.DeletedAt > 0 {
				return wire.Reject(wire.CodeUnknownSession, "This conversation does not exist any more.")
			}
		}
		if err := g.release(ctx, ids); err != nil {
			return err
		}
		return g.deps.Store.Write(ctx, func(q *db.Queries) error {
			for _, id := range ids {
				if _, err := q.TrashSession(ctx, g.now(), id); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		g.announce(wire.Change{Removed: id})
	}
	return ids, nil
}

// release ends the loaded sessions among ids. All are asked before any is stopped. The registry lock is held.
func (g *Gateway) release(ctx context.Context, ids []string) error {
	var loaded []Resident
	for _, id := range ids {
		r := g.residents[id]
		if r == nil || !r.Alive() {
			delete(g.residents, id)
			continue
		}
		if idle, err := r.Idle(ctx); err != nil || !idle {
			return wire.Reject(wire.CodeAgentBusy, "A Bot is working in this conversation. Stop it first.")
		}
		loaded = append(loaded, r)
	}
	for _, r := range loaded {
		if stopped, err := r.StopIfIdle(ctx); err != nil || !stopped {
			return wire.Reject(wire.CodeAgentBusy, "A Bot has just begun to work in this conversation. Stop it first.")
		}
		delete(g.residents, r.ID())
	}
	return nil
}

func (g *Gateway) checkBatch(ctx context.Context, ids []string) error {
	if err := g.pending(ctx); err != nil {
		return err
	}
	if len(ids) == 0 || len(ids) > maxBatch {
		return wire.Reject(wire.CodeInvalidRequest, "One call takes 1 to %d conversations.", maxBatch)
	}
	return nil
}

// UndeleteSessions takes conversations out of the trash and gives those that came back.
func (g *Gateway) UndeleteSessions(ctx context.Context, ids []string) ([]string, error) {
	if err := g.checkBatch(ctx, ids); err != nil {
		return nil, err
	}
	back := []string{}
	err := g.shared(ctx, func() error {
		return g.deps.Store.Write(ctx, func(q *db.Queries) error {
			for _, id := range ids {
				n, err := q.UntrashSession(ctx, id)
				if err != nil {
					return err
				}
				if n == 1 {
					back = append(back, id)
				}
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	for _, id := range back {
		if row, err := g.session(ctx, id); err == nil {
			g.sessionChanged(*row)
		}
	}
	return back, nil
}

// PurgeSessions removes conversations of the trash for good; no ids means all of it.
func (g *Gateway) PurgeSessions(ctx context.Context, ids []string) ([]string, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	gone := []string{}
	err := g.exclusive(ctx, func() error {
		trash, err := g.deps.Store.Read().ListTrash(ctx, -1)
		if err != nil {
			return err
		}
		wanted := map[string]bool{}
		for _, id := range ids {
			wanted[id] = true
		}
		for _, t := range trash {
			if len(ids) > 0 && !wanted[t.Session.ID] {
				continue
			}
			if err := g.deps.Store.Write(ctx, func(q *db.Queries) error { return eraseSession(ctx, q, t.Session.ID) }); err != nil {
				return err
			}
			gone = append(gone, t.Session.ID)
		}
		return nil
	})
	return gone, err
}
