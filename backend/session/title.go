package session

import (
	"context"
	_ "embed"
	"log/slog"
	"strings"
	"unicode"

	"mobius/backend/llm"
	"mobius/backend/store/db"
	"mobius/backend/wire"
)

//go:embed title.md
var titlePrompt string

// Where a title comes from. A person's is never replaced.
const (
	titleFallback = "fallback"
	titleModel    = "model"
)

// TitleUser marks a title that a person gave.
const TitleUser = "user"

const (
	fallbackRunes = 60
	titleInput    = 4 << 10 // bytes of each side of the conversation that the model sees for a title
)

// fallbackTitle is the first line of the first message, cut at a word.
func fallbackTitle(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	runes := []rune(strings.Join(strings.Fields(line), " "))
	if len(runes) <= fallbackRunes {
		return cut(string(runes), MaxTitle)
	}
	short := string(runes[:fallbackRunes])
	if i := strings.LastIndexByte(short, ' '); i > fallbackRunes/2 {
		short = short[:i]
	}
	return cut(short, MaxTitle-3) + "…"
}

// cleanTitle takes the decoration off that models put around a title; "" when nothing usable is left.
func cleanTitle(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(strings.TrimPrefix(strings.TrimLeft(line, "#*_ "), "Title:"))
	line = strings.Trim(line, "\"'`*_“”„«» ")
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, line)
	return cut(strings.TrimSuffix(line, "."), MaxTitle)
}

// maybeTitle asks the model for a title in the background, once, after the first turn that was answered.
func (s *Session) maybeTitle(model *Model) {
	if s.titleSource != titleFallback || s.row.LastOutcome != wire.OutcomeCompleted || model == nil || s.stopping || !s.deps.Titles() {
		return
	}
	s.titleSource = titleModel // whatever comes of it, it is not asked again in this resident life
	excerpt := titleExcerpt(s.history)
	if excerpt == "" {
		return
	}
	s.background.Go(func() {
		ctx, cancel := context.WithTimeout(s.lifetime, titleTimeout)
		defer cancel()
		answer, err := model.Stream(ctx, &llm.Request{
			System:    titlePrompt,
			Messages:  []*llm.Message{llm.NewMessage(llm.RoleUser, llm.Block{Kind: llm.Text, Text: excerpt})},
			MaxOutput: min(max(model.MaxOutput, 0), 1024),
		}, func(llm.Piece) {})
		if err != nil {
			slog.Info("no title from the model", "session", s.id, "error", err)
			return
		}
		title := ""
		for _, b := range answer.Blocks {
			if b.Kind == llm.Text {
				title += b.Text
			}
		}
		s.post(ctx, func() { s.saveTitle(model, cleanTitle(title), answer.Usage) })
	})
}

func titleExcerpt(history []*llm.Message) string {
	var b strings.Builder
	for _, m := range history {
		for _, block := range m.Blocks {
			if block.Kind != llm.Text || m.Role == llm.RoleTool || block.Text == "" {
				continue
			}
			name := "User: "
			if m.Role == llm.RoleAssistant {
				name = "Assistant: "
			}
			b.WriteString(name + cut(block.Text, titleInput) + "\n\n")
		}
		if b.Len() > 2*titleInput {
			break
		}
	}
	return b.String()
}

// saveTitle books the request and sets the title unless the person gave one meanwhile.
func (s *Session) saveTitle(model *Model, title string, used llm.Usage) {
	u := wire.Usage{Input: used.Input, Output: used.Output, CacheRead: used.CacheRead, CacheWrite: used.CacheWrite, CostMicros: model.Cost(used), Context: used.Total()}
	titled := false
	err := s.deps.Store.Write(context.WithoutCancel(s.lifetime), func(q *db.Queries) error {
		ctx := context.Background()
		if err := q.AddSessionUsage(ctx, db.AddSessionUsageParams{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, CostMicros: u.CostMicros, N: s.n}); err != nil {
			return err
		}
		if err := s.insertUsage(ctx, q, model, "title", u); err != nil || title == "" {
			return err
		}
		changed, err := q.TitleSession(ctx, title, titleModel, s.id)
		titled = changed == 1
		return err
	})
	if err != nil {
		slog.Warn("the title was not saved", "session", s.id, "error", err)
		return
	}
	u.Context = 0
	s.row.Totals = add(s.row.Totals, u)
	if titled {
		s.row.Title = title
	}
	s.changed()
}
