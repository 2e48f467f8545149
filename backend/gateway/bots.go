package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/google/uuid"

	"mobius/backend/store/db"
	"mobius/backend/wire"
)

const (
	// BuiltinHandle is the handle that the built-in Bot is seeded with.
	BuiltinHandle      = "mobius"
	maxName            = 128      // bytes
	maxDescription     = 2048     // bytes
	maxPrompt          = 64 << 10 // bytes
	defaultModelSteps  = 256
	maxHandle          = 64
	seededKey          = "seeded"
	demoInstance       = "demo"
	demoModel          = "demo"
	approvalDefault    = "ask"
	deliveryDefault    = "steer"
	maxCapabilities    = 64
	maxCapabilityBytes = 64 << 10
)

func insertBot(ctx context.Context, q *db.Queries, b wire.Bot) error {
	builtin := int64(0)
	if b.Builtin {
		builtin = 1
	}
	n, err := q.InsertBot(ctx, db.InsertBotParams{
		ID: b.ID, Handle: b.Handle, Name: b.Name, Description: b.Description, Tint: b.Tint, Builtin: builtin, Revision: b.Config.Revision, CreatedAt: b.CreatedAt, UpdatedAt: b.UpdatedAt,
	})
	if err != nil {
		return fmt.Errorf("save the Bot: %w", err)
	}
	return insertRevision(ctx, q, n, b.Config, b.UpdatedAt)
}

func insertRevision(ctx context.Context, q *db.Queries, bot int64, r wire.BotRevision, at int64) error {
	text, err := json.Marshal(r.Config)
	if err != nil {
		return fmt.Errorf("encode the configuration: %w", err)
	}
	if err := q.InsertBotRevision(ctx, db.InsertBotRevisionParams{Bot: bot, Revision: r.Revision, At: at, Config: string(text)}); err != nil {
		return fmt.Errorf("save the configuration: %w", err)
	}
	return nil
}

func botRecord(b db.Bot, config string) (wire.Bot, error) {
	out := wire.Bot{
		ID: b.ID, Handle: b.Handle, Name: b.Name, Description: b.Description, Tint: b.Tint, Builtin: b.Builtin != 0, CreatedAt: b.CreatedAt, UpdatedAt: b.UpdatedAt,
		Config: wire.BotRevision{Revision: b.Revision},
	}
	if err := json.Unmarshal([]byte(config), &out.Config.Config); err != nil {
		return out, fmt.Errorf("decode the configuration of %s: %w", b.Handle, err)
	}
	return out, nil
}

func (g *Gateway) bots(ctx context.Context) ([]wire.Bot, error) {
	rows, err := g.deps.Store.Read().ListBots(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the Bots: %w", err)
	}
	list := make([]wire.Bot, 0, len(rows))
	for _, r := range rows {
		b, err := botRecord(r.Bot, r.Config)
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	return list, nil
}

func (g *Gateway) bot(ctx context.Context, id string) (*wire.Bot, error) {
	b, _, err := g.botRow(ctx, id)
	return b, err
}

func (g *Gateway) botRow(ctx context.Context, id string) (*wire.Bot, int64, error) {
	row, err := g.deps.Store.Read().GetBot(ctx, id)
	if missing(err) {
		return nil, 0, wire.Reject(wire.CodeInvalidBot, "This Bot does not exist any more.")
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read the Bot: %w", err)
	}
	b, err := botRecord(row.Bot, row.Config)
	if err != nil {
		return nil, 0, err
	}
	return &b, row.Bot.N, nil
}

// Bots lists all Bots.
func (g *Gateway) Bots(ctx context.Context) (*wire.BotList, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	revision := g.revision.Load()
	list, err := g.bots(ctx)
	return &wire.BotList{Revision: revision, Bots: list}, err
}

// Bot gives one Bot.
func (g *Gateway) Bot(ctx context.Context, id string) (*wire.Bot, error) { return g.bot(ctx, id) }

// CreateBot makes a Bot from the defaults or from the draft's own configuration.
func (g *Gateway) CreateBot(ctx context.Context, draft wire.BotDraft) (*wire.Bot, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	var bot wire.Bot
	err := g.shared(ctx, func() error {
		g.mu.Lock() // two Bots made at once must not take the same handle or tint
		defer g.mu.Unlock()
		existing, err := g.bots(ctx)
		if err != nil {
			return err
		}
		config := draft.Config
		if config == nil {
			defaults, err := g.BotDefaults(ctx)
			if err != nil {
				return err
			}
			if defaults.Revision == 0 {
				return wire.Reject(wire.CodeGatewaySetupRequired, "Choose a model first; new Bots start with it.")
			}
			config = &defaults.Config
		}
		bot = wire.Bot{ID: uuid.NewString(), Name: draft.Name, Description: draft.Description, Tint: draft.Tint, CreatedAt: g.now(), UpdatedAt: g.now()}
		bot.Config = wire.BotRevision{Revision: 1, Config: *config}
		if bot.Tint == "" {
			bot.Tint = freeTint(existing)
		}
		if err := g.checkBot(ctx, &bot); err != nil {
			return err
		}
		wanted := draft.Handle
		if wanted == "" {
			wanted = bot.Name
		}
		bot.Handle = freeHandle(wanted, existing, "")
		return g.deps.Store.Write(ctx, func(q *db.Queries) error { return insertBot(ctx, q, bot) })
	})
	if err != nil {
		return nil, err
	}
	g.announce(wire.Change{Bot: &bot})
	return &bot, nil
}

// UpdateBot changes a Bot so that all its loaded sessions run the new record or none does.
func (g *Gateway) UpdateBot(ctx context.Context, u wire.BotUpdate) (*wire.Bot, error) {
	var saved *wire.Bot
	err := g.exclusive(ctx, func() error {
		g.mu.Lock()
		defer g.mu.Unlock()
		if err := g.pending(ctx); err != nil {
			return err
		}
		former, n, err := g.botRow(ctx, u.ID)
		if err != nil {
			return err
		}
		next, err := g.revised(ctx, *former, u)
		if err != nil {
			return err
		}
		residents, err := g.residentsOf(ctx, n)
		if err != nil {
			return err
		}
		for _, r := range residents {
			if idle, err := r.Idle(ctx); err != nil || !idle {
				return wire.Reject(wire.CodeAgentBusy, "%s is working in a conversation. Wait until it has finished, or stop it.", former.Name)
			}
		}
		if err := g.saveBot(ctx, n, *next, false); err != nil {
			return err
		}
		if err := g.reload(ctx, n, residents, *former, *next); err != nil {
			g.announce(wire.Change{Bot: former})
			return err
		}
		saved = next
		g.announce(wire.Change{Bot: next})
		return nil
	})
	return saved, err
}

// revised applies an update to a Bot and validates the result.
func (g *Gateway) revised(ctx context.Context, b wire.Bot, u wire.BotUpdate) (*wire.Bot, error) {
	if u.Name != nil {
		b.Name = *u.Name
	}
	if u.Description != nil {
		b.Description = *u.Description
	}
	if u.Tint != nil {
		b.Tint = *u.Tint
	}
	if u.Config != nil {
		b.Config.Config = *u.Config
	}
	if err := g.checkBot(ctx, &b); err != nil {
		return nil, err
	}
	if u.ExpectedRevision != b.Config.Revision {
		return nil, wire.Reject(wire.CodeRevisionConflict, "%s was changed elsewhere (revision %d, you have %d).", b.Name, b.Config.Revision, u.ExpectedRevision)
	}
	if u.Handle != nil && *u.Handle != b.Handle {
		existing, err := g.bots(ctx)
		if err != nil {
			return nil, err
		}
		b.Handle = freeHandle(*u.Handle, existing, b.ID)
	}
	b.Config.Revision++
	b.UpdatedAt = g.now()
	return &b, nil
}

// saveBot stores a record under its revision number. restore takes back the revision after it, so no number is burnt.
func (g *Gateway) saveBot(ctx context.Context, n int64, b wire.Bot, restore bool) error {
	return g.deps.Store.Write(ctx, func(q *db.Queries) error {
		if _, err := q.UpdateBot(ctx, db.UpdateBotParams{
			Handle: b.Handle, Name: b.Name, Description: b.Description, Tint: b.Tint, Revision: b.Config.Revision, UpdatedAt: b.UpdatedAt, N: n,
		}); err != nil {
			return fmt.Errorf("save the Bot: %w", err)
		}
		if restore {
			return q.DeleteBotRevision(ctx, n, b.Config.Revision+1)
		}
		return insertRevision(ctx, q, n, b.Config, b.UpdatedAt)
	})
}

// reload asks each resident to run with the new record. At the first failure the former record comes back exactly, for
// the residents that had seen the new one too; one that cannot be restored is stopped and leaves the registry.
func (g *Gateway) reload(ctx context.Context, n int64, residents []Resident, former, next wire.Bot) error {
	for i, r := range residents {
		failure := r.Reload(ctx, next)
		if failure == nil {
			continue
		}
		if wire.CodeOf(failure) == wire.CodeGatewayError {
			failure = wire.Reject(wire.CodeReloadFailed, "A conversation could not take over the change: %v", failure)
		}
		if err := g.saveBot(ctx, n, former, true); err != nil {
			return wire.Reject(wire.CodeGatewayError, "The change failed (%v) and the former record could not be restored: %v", failure, err)
		}
		var lost error
		for _, seen := range residents[:i+1] {
			if err := seen.Reload(ctx, former); err != nil {
				lost = errors.Join(lost, err)
				if _, e := seen.StopIfIdle(ctx); e != nil {
					slog.Error("a session that could not be restored did not stop", "session", seen.ID(), "error", e)
				}
				delete(g.residents, seen.ID())
			}
		}
		if lost != nil {
			return wire.Reject(wire.CodeGatewayError, "The change failed (%v), and a conversation had to be closed since it could not be restored: %v", failure, lost)
		}
		return failure
	}
	return nil
}

// Capabilities lists what a Bot can be given.
func (g *Gateway) Capabilities() []wire.CapabilityInfo {
	return append([]wire.CapabilityInfo{}, g.deps.Infos...)
}
