package gateway

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"mobius/backend/store/db"
	"mobius/backend/wire"
)

//go:embed builtin.md
var builtinPrompt string

// seed makes the built-in Bot and the demonstration provider, once, when the state is first created.
func (g *Gateway) seed(ctx context.Context) error {
	read := g.deps.Store.Read()
	_, err := read.GetSetting(ctx, seededKey)
	if err == nil {
		bots, err := g.bots(ctx)
		if err != nil {
			return err
		}
		for _, b := range bots {
			if b.Builtin {
				return nil
			}
		}
		return errors.New("the built-in Bot is missing from the stored state; restore a backup")
	}
	if !missing(err) {
		return fmt.Errorf("read the state: %w", err)
	}
	now := g.now()
	config := wire.BotConfig{
		Provider: wire.ProviderChoice{Instance: demoInstance, Model: demoModel}, SystemPrompt: strings.TrimSpace(builtinPrompt), Approval: approvalDefault,
		Delivery: deliveryDefault, MaxModelSteps: defaultModelSteps, Capabilities: wire.Capabilities{Enabled: []string{}},
	}
	for _, info := range g.deps.Infos {
		config.Capabilities.Enabled = append(config.Capabilities.Enabled, info.ID)
	}
	defaults := config
	defaults.SystemPrompt = "You are a helpful assistant who works in the user's folder."
	bot := wire.Bot{
		ID: uuid.NewString(), Handle: BuiltinHandle, Name: "Mobius", Description: "Your first Bot. It answers questions, works in a folder and shows you around.",
		Tint: tints[0], Builtin: true, CreatedAt: now, UpdatedAt: now, Config: wire.BotRevision{Revision: 1, Config: config},
	}
	return g.deps.Store.Write(ctx, func(q *db.Queries) error {
		if err := q.UpsertProvider(ctx, db.UpsertProviderParams{ID: demoInstance, Kind: demoInstance, Name: "Offline demonstration", CreatedAt: now, UpdatedAt: now}); err != nil {
			return err
		}
		if err := insertBot(ctx, q, bot); err != nil {
			return err
		}
		text, err := json.Marshal(defaults)
		if err != nil {
			return err
		}
		if err := q.SetBotDefaults(ctx, 1, string(text)); err != nil {
			return err
		}
		return q.SetSetting(ctx, seededKey, 1, "true")
	})
}

// BotDefaults gives what new Bots start with.
func (g *Gateway) BotDefaults(ctx context.Context) (*wire.BotDefaults, error) {
	row, err := g.deps.Store.Read().GetBotDefaults(ctx)
	if missing(err) {
		return &wire.BotDefaults{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the defaults: %w", err)
	}
	d := &wire.BotDefaults{Revision: row.Revision}
	if err := json.Unmarshal([]byte(row.Config), &d.Config); err != nil {
		return nil, fmt.Errorf("decode the defaults: %w", err)
	}
	return d, nil
}

// SetBotDefaults changes what new Bots start with; Bots that exist stay as they are.
func (g *Gateway) SetBotDefaults(ctx context.Context, expected int64, config wire.BotConfig) (*wire.BotDefaults, error) {
	if err := g.pending(ctx); err != nil {
		return nil, err
	}
	var defaults *wire.BotDefaults
	err := g.exclusive(ctx, func() error {
		former, err := g.BotDefaults(ctx)
		if err != nil {
			return err
		}
		if err := g.checkConfig(ctx, &config); err != nil {
			return err
		}
		if former.Revision != expected {
			return wire.Reject(wire.CodeRevisionConflict, "The defaults were changed elsewhere (revision %d, you have %d).", former.Revision, expected)
		}
		text, err := json.Marshal(config)
		if err != nil {
			return err
		}
		defaults = &wire.BotDefaults{Revision: expected + 1, Config: config}
		if err := g.deps.Store.Write(ctx, func(q *db.Queries) error { return q.SetBotDefaults(ctx, defaults.Revision, string(text)) }); err != nil {
			return err
		}
		g.announce(wire.Change{Defaults: defaults})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return defaults, nil
}
