package gateway

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"mobius/backend/store/db"
	"mobius/backend/wire"
)

//go:embed builtin.md
var builtinPrompt string

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

// tints are the colours of identity, in the order in which new Bots take them.
var tints = [...]string{"blue", "teal", "green", "yellow", "orange", "red", "purple"}

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

// freeTint is the first tint that no Bot uses, else the one of the count.
func freeTint(bots []wire.Bot) string {
	used := map[string]bool{}
	for _, b := range bots {
		used[b.Tint] = true
	}
	for _, t := range tints {
		if !used[t] {
			return t
		}
	}
	return tints[len(bots)%len(tints)]
}

// slug makes a handle of a name: lower-case ASCII letters and digits stay, every other run becomes one hyphen.
func slug(name string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if b.Len() > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte('-')
		}
	}
	s := b.String()
	if len(s) > maxHandle {
		s = s[:maxHandle]
	}
	if s = strings.Trim(s, "-"); s == "" {
		return "bot"
	}
	return s
}

// freeHandle makes a handle that no other Bot has; "user" is reserved.
func freeHandle(name string, bots []wire.Bot, self string) string {
	taken := map[string]bool{"user": true}
	for _, b := range bots {
		if b.ID != self {
			taken[b.Handle] = true
		}
	}
	base := slug(name)
	handle := base
	for i := 2; taken[handle]; i++ {
		suffix := fmt.Sprintf("-%d", i)
		handle = strings.TrimRight(base[:min(len(base), maxHandle-len(suffix))], "-") + suffix
	}
	return handle
}

// checkBot trims and validates a Bot: invalid_bot for its identity, invalid_config for its configuration.
func (g *Gateway) checkBot(ctx context.Context, b *wire.Bot) error {
	b.Name, b.Description = strings.TrimSpace(b.Name), strings.TrimSpace(b.Description)
	tint := false
	for _, t := range tints {
		tint = tint || t == b.Tint
	}
	switch {
	case b.Name == "" || len(b.Name) > maxName:
		return wire.Reject(wire.CodeInvalidBot, "A Bot's name has 1 to %d bytes.", maxName)
	case b.Description == "" || len(b.Description) > maxDescription:
		return wire.Reject(wire.CodeInvalidBot, "A Bot's description has 1 to %d bytes.", maxDescription)
	case !utf8.ValidString(b.Name) || !utf8.ValidString(b.Description) || strings.ContainsFunc(b.Name, func(r rune) bool { return r < ' ' }):
		return wire.Reject(wire.CodeInvalidBot, "A Bot's name and description are plain text.")
	case !tint:
		return wire.Reject(wire.CodeInvalidBot, "The tint %q does not exist.", b.Tint)
	}
	return g.checkConfig(ctx, &b.Config.Config)
}

func (g *Gateway) checkConfig(ctx context.Context, c *wire.BotConfig) error {
	if c.Approval == "" {
		c.Approval = approvalDefault
	}
	if c.Delivery == "" {
		c.Delivery = deliveryDefault
	}
	if c.MaxModelSteps == 0 {
		c.MaxModelSteps = defaultModelSteps
	}
	if c.Capabilities.Enabled == nil {
		c.Capabilities.Enabled = []string{}
	}
	switch {
	case strings.TrimSpace(c.SystemPrompt) == "" || len(c.SystemPrompt) > maxPrompt:
		return wire.Reject(wire.CodeInvalidConfig, "A system prompt is not empty and has at most %d bytes.", maxPrompt)
	case c.MaxModelSteps < 1:
		return wire.Reject(wire.CodeInvalidConfig, "A turn has at least one model step.")
	case c.Delivery != "steer" && c.Delivery != "queue":
		return wire.Reject(wire.CodeInvalidConfig, "Messages sent during a turn either steer or queue.")
	case c.Approval != "ask" && c.Approval != "read_only" && c.Approval != "accept_edits" && c.Approval != "sandbox" && c.Approval != "full":
		return wire.Reject(wire.CodeInvalidConfig, "The approval mode %q does not exist.", c.Approval)
	case len(c.Capabilities.Enabled) > maxCapabilities:
		return wire.Reject(wire.CodeInvalidConfig, "A Bot has at most %d capabilities.", maxCapabilities)
	case len(c.Provider.Model) > 256 || len(c.Provider.ReasoningEffort) > 32:
		return wire.Reject(wire.CodeInvalidConfig, "The model's name is too long.")
	}
	size := 0
	for id, text := range c.Capabilities.Settings {
		size += len(id) + len(text)
	}
	if size > maxCapabilityBytes {
		return wire.Reject(wire.CodeInvalidConfig, "The settings of the capabilities have at most %d bytes.", maxCapabilityBytes)
	}
	if c.Provider.Instance == "" {
		return nil // not chosen yet; the first message says so
	}
	if _, err := g.deps.Store.Read().GetProvider(ctx, c.Provider.Instance); missing(err) {
		return wire.Reject(wire.CodeInvalidConfig, "The provider %q is not set up.", c.Provider.Instance)
	} else if err != nil {
		return err
	}
	return nil
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
		return g.deps.Store.Write(ctx, func(q *db.Queries) error { return q.SetBotDefaults(ctx, defaults.Revision, string(text)) })
	})
	if err != nil {
		return nil, err
	}
	g.announce(wire.Change{Defaults: defaults})
	return defaults, nil
}

// Capabilities lists what a Bot can be given.
func (g *Gateway) Capabilities() []wire.CapabilityInfo {
	return append([]wire.CapabilityInfo{}, g.deps.Infos...)
}
