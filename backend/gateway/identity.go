package gateway

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"mobius/backend/wire"
)

// tints are the colours of identity, in the order in which new Bots take them.
var tints = [...]string{"blue", "teal", "green", "yellow", "orange", "red", "purple"}

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
