package diag

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
)

const hidden = "[redacted]"

// secretNames are parts of attribute names whose values are never logged.
var secretNames = [...]string{"key", "token", "secret", "password", "passwd", "authorization", "cookie", "credential", "signature"}

// secretValues are shapes of keys and of places where keys stand in texts.
var secretValues = regexp.MustCompile(`(?i)` +
	`\b(?:sk|pk|rk|gsk|xai|key|ghp|gho|ghs|ghu|github_pat|glpat|xox[abprs]|hf|r8)[-_][a-z0-9_\-]{8,}` +
	`|\bAIza[0-9a-z_\-]{20,}` +
	`|\bAKIA[0-9A-Z]{12,}` +
	`|\bAGE-SECRET-KEY-[0-9A-Z]+` +
	`|\beyJ[a-z0-9_\-]{10,}\.[a-z0-9_\-]{5,}(?:\.[a-z0-9_\-]*)?` +
	`|(?:bearer|basic)\s+[a-z0-9._~+/=\-]{8,}` +
	`|(?:[?&#](?:key|token|api_key|apikey|access_token|auth)=)[^&\s"']+` +
	`|(?:://[^/\s:@]+:)[^/\s@]+@` +
	`|(?:x-api-key|x-goog-api-key|authorization)["']?\s*[:=]\s*["']?[^\s"',}]+`)

// Redact takes what looks like a secret out of a text.
func Redact(text string) string { return secretValues.ReplaceAllString(text, hidden) }

// redactor is a handler that redacts by attribute name and by value.
type redactor struct{ next slog.Handler }

// NewRedactor makes a handler that takes secrets out of messages and attributes before next sees them.
func NewRedactor(next slog.Handler) slog.Handler { return redactor{next} }

// Enabled implements slog.Handler.
func (r redactor) Enabled(ctx context.Context, l slog.Level) bool { return r.next.Enabled(ctx, l) }

// Handle implements slog.Handler.
func (r redactor) Handle(ctx context.Context, record slog.Record) error {
	clean := slog.NewRecord(record.Time, record.Level, Redact(record.Message), record.PC)
	record.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(redactAttr(a))
		return true
	})
	return r.next.Handle(ctx, clean)
}

// WithAttrs implements slog.Handler.
func (r redactor) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = redactAttr(a)
	}
	return redactor{r.next.WithAttrs(clean)}
}

// WithGroup implements slog.Handler.
func (r redactor) WithGroup(name string) slog.Handler { return redactor{r.next.WithGroup(name)} }

func redactAttr(a slog.Attr) slog.Attr {
	name := strings.ToLower(a.Key)
	for _, secret := range secretNames {
		if strings.Contains(name, secret) {
			return slog.String(a.Key, hidden)
		}
	}
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindString:
		return slog.String(a.Key, Redact(v.String()))
	case slog.KindGroup:
		group := v.Group()
		clean := make([]slog.Attr, len(group))
		for i, member := range group {
			clean[i] = redactAttr(member)
		}
		return slog.Attr{Key: a.Key, Value: slog.GroupValue(clean...)}
	case slog.KindAny:
		return slog.String(a.Key, Redact(fmt.Sprintf("%+v", v.Any())))
	}
	return slog.Attr{Key: a.Key, Value: v}
}
