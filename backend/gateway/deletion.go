package gateway

import (
	"context"
	"fmt"

	"mobius/backend/store/db"
	"mobius/backend/wire"
)

// DeleteBot removes a Bot with every conversation of it. First a durable intent is written; a crash at any point after
// it is finished at the next start, before anything is served.
func (g *Gateway) DeleteBot(ctx context.Context, id string, expected int64) (*wire.BotDeletion, error) {
	result := &wire.BotDeletion{SessionIDs: []string{}}
	err := g.exclusive(ctx, func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if err := g.pending(ctx); err != nil {
			return err
		}
		bot, n, err := g.botRow(ctx, id)
		if err != nil {
			return err
		}
		if bot.Config.Revision != expected {
			return wire.Reject(wire.CodeRevisionConflict, "%s was changed elsewhere (revision %d, you have %d).", bot.Name, bot.Config.Revision, expected)
		}
		if bot.Builtin {
			return wire.Reject(wire.CodeBotUndeletable, "%s is built in and cannot be deleted.", bot.Name)
		}
		if err := g.stopAll(ctx, n, bot.Name); err != nil {
			return err
		}
		if err := g.deps.Store.Write(ctx, func(q *db.Queries) error { return q.SetBotDeletion(ctx, id, g.now()) }); err != nil {
			return fmt.Errorf("record the deletion: %w", err)
		}
		result.SessionIDs, err = g.cascade(ctx, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, s := range result.SessionIDs {
		g.announce(wire.Change{Removed: s})
	}
	g.announce(wire.Change{Removed: id})
	result.Bots, err = g.bots(ctx)
	return result, err
}

// stopAll ends the loaded sessions of a Bot. All are asked before any is stopped.
func (g *Gateway) stopAll(ctx context.Context, n int64, name string) error {
	residents, err := g.residentsOf(ctx, n)
	if err != nil {
		return err
	}
	for _, r := range residents {
		if idle, err := r.Idle(ctx); err != nil || !idle {
			return wire.Reject(wire.CodeAgentBusy, "%s is working in a conversation. Stop it first.", name)
		}
	}
	for _, r := range residents {
		stopped, err := r.StopIfIdle(ctx)
		if err != nil || !stopped {
			return wire.Reject(wire.CodeAgentBusy, "%s has just begun to work in a conversation. Stop it first.", name)
		}
		delete(g.residents, r.ID())
	}
	return nil
}

// cascade removes everything that belongs to the Bot of the intent, and the intent, in one transaction. It may be run again.
func (g *Gateway) cascade(ctx context.Context, id string) ([]string, error) {
	sessions := []string{}
	err := g.deps.Store.Write(ctx, func(q *db.Queries) error {
		row, err := q.GetBot(ctx, id)
		if missing(err) {
			return q.ClearBotDeletion(ctx)
		}
		if err != nil {
			return err
		}
		if sessions, err = q.ListBotSessions(ctx, row.Bot.N); err != nil {
			return err
		}
		for _, s := range sessions {
			if err := eraseSession(ctx, q, s); err != nil {
				return err
			}
		}
		if err := q.DeleteBot(ctx, row.Bot.N); err != nil {
			return fmt.Errorf("delete the Bot: %w", err)
		}
		return q.ClearBotDeletion(ctx)
	})
	return sessions, err
}

// eraseSession removes a session's rows for good. Its forks stay, without their link to it.
func eraseSession(ctx context.Context, q *db.Queries, id string) error {
	row, err := q.GetSession(ctx, id)
	if missing(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the session: %w", err)
	}
	n := row.Session.N
	if err := q.DetachChildren(ctx, nullable(n)); err != nil {
		return fmt.Errorf("detach the forks: %w", err)
	}
	if _, err := q.DeleteSessionEvents(ctx, n<<32, (n+1)<<32-1); err != nil {
		return fmt.Errorf("delete the journal: %w", err)
	}
	if err := q.DeleteSession(ctx, n); err != nil {
		return fmt.Errorf("delete the session: %w", err)
	}
	return nil
}

// finishDeletion completes a deletion that was interrupted after its intent.
func (g *Gateway) finishDeletion(ctx context.Context) error {
	intent, err := g.deps.Store.Read().GetBotDeletion(ctx)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = g.cascade(ctx, intent.Bot)
	return err
}
