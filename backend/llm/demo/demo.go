// Package demo is the built-in offline model. It needs no key and no network, streams, reasons and calls the real tools,
// and can be driven by plain requests, so that a newcomer can try every feature and every test can run without a
// provider. It is a demonstration, not an AI, and says so.
package demo

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mobius/backend/llm"
)

// Pace is how long the model pauses between two pieces.
const Pace = 12 * time.Millisecond

const (
	maxWords  = 200_000 // of "say N"
	pieceSize = 12      // bytes of a piece of prose, about three tokens
)

// Model is the offline model. It implements llm.Model.
type Model struct {
	pace time.Duration
	wait func(ctx context.Context, d time.Duration) error
}

// New makes a model by its id: "demo" speaks at a reading pace, "demo-fast" without pauses.
func New(id string) llm.Model {
	m := &Model{pace: Pace, wait: wait}
	if strings.HasSuffix(id, "-fast") {
		m.pace = 0
	}
	return m
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	a := &speaker{m: m, ctx: ctx, b: llm.NewBuilder(emit)}
	if err := a.answer(req); err != nil {
		return nil, err
	}
	finish := llm.FinishStop
	if a.b.HasCalls() {
		finish = llm.FinishToolCalls
	}
	if a.cut {
		finish = llm.FinishLength
	}
	return &llm.Answer{Blocks: a.b.Blocks(), Finish: finish, Model: "demo", Usage: estimate(req, a.b.Size())}, nil
}

// estimate counts four bytes as a token.
func estimate(req *llm.Request, said int) llm.Usage {
	heard := len(req.System)
	for _, msg := range req.Messages {
		for _, b := range msg.Blocks {
			heard += len(b.Text) + len(b.Args)
		}
	}
	return llm.Usage{Input: int64(heard/4 + 1), Output: int64(said/4 + 1)}
}

// speaker says one answer.
type speaker struct {
	m   *Model
	ctx context.Context
	b   *llm.Builder
	cut bool
}

func (a *speaker) answer(req *llm.Request) error {
	if len(req.Messages) == 0 {
		return a.say(llm.Text, greeting)
	}
	last := req.Messages[len(req.Messages)-1]
	asked := lastRequest(req.Messages)
	switch {
	case strings.Contains(req.System, "title for this conversation"):
		return a.say(llm.Text, titleOf(asked))
	case last.Role == llm.RoleTool:
		return a.report(last, req.Messages)
	}
	return a.reply(asked, req)
}

// lastRequest is the text of the newest message of the user.
func lastRequest(messages []*llm.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role != llm.RoleUser {
			continue
		}
		var text []string
		for _, b := range messages[i].Blocks {
			if b.Kind == llm.Text {
				text = append(text, b.Text)
			}
		}
		return strings.TrimSpace(strings.Join(text, "\n"))
	}
	return ""
}

// titleOf names a conversation by the user's first words.
func titleOf(excerpt string) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(excerpt, "User: "), "\n")
	words := strings.Fields(line)
	title := strings.Trim(strings.Join(words[:min(len(words), 6)], " "), ".?!,;: ")
	if title == "" {
		return "Conversation"
	}
	r, size := utf8.DecodeRuneInString(title)
	return strings.ToUpper(string(r)) + title[size:]
}

// say streams prose piece by piece, cut at characters and words.
func (a *speaker) say(kind llm.BlockKind, text string) error {
	for text != "" {
		if err := a.pause(); err != nil {
			return err
		}
		end := len(text)
		if end > pieceSize {
			if i := strings.IndexAny(text[pieceSize:], " \n"); i >= 0 {
				end = pieceSize + i
			}
		}
		a.b.Append(kind, text[:end])
		text = text[end:]
	}
	return a.ctx.Err()
}

func (a *speaker) pause() error {
	if a.m.pace == 0 {
		return a.ctx.Err()
	}
	return a.m.wait(a.ctx, a.m.pace)
}

var (
	sayN      = regexp.MustCompile(`(?i)^(?:say|sag|count to|zähle bis)\s+(\d+)\b`)
	failWith  = regexp.MustCompile(`(?i)^fail with\s+(\w+)`)
	listAsk   = regexp.MustCompile(`(?i)\b(?:list|show|which|what)\b.*\b(?:files?|folder|directory)\b|\bwhat(?:'s| is) (?:in )?here\b|\bls\b|dateien|welche datei|ordner`)
	readAsk   = regexp.MustCompile("(?i)(?:read|open|show(?: me)?|print|cat|summari[sz]e|explain|lies|zeig(?:e)?(?: mir)?|öffne)\\s+(?:the\\s+file\\s+|the\\s+|file\\s+|die\\s+datei\\s+)?[`\"']?([\\w./\\-]+\\.\\w+|[A-Z][A-Z]+(?:\\.\\w+)?|Makefile|Dockerfile|LICENSE)[`\"']?")
	findAsk   = regexp.MustCompile("(?i)(?:find|glob|finde)\\s+(?:all\\s+|alle\\s+)?[`\"']?([\\w./\\-]*\\*[\\w./*\\-]*)")
	searchAsk = regexp.MustCompile("(?i)(?:search|grep|look|suche?)\\s+(?:the\\s+\\w+\\s+)?(?:for|nach)?\\s*[`\"']?([^`\"'\\n]+?)[`\"']?(?:\\s+in\\s+.*)?[.?!]*$")
	writeAsk  = regexp.MustCompile("(?is)(?:make|create|write|erstelle|schreibe)\\s+(?:a\\s+file\\s+|the\\s+file\\s+|eine\\s+datei\\s+)?[`\"']?([\\w./\\-]+\\.\\w+)[`\"']?\\s+(?:with|containing|that says|saying|mit)\\s*:?\\s*(.+)")
	greetAsk  = regexp.MustCompile(`(?i)^(?:hi|hello|hey|good (?:morning|evening)|hallo|guten|servus|what can you do|who are you|help|was kannst|wer bist)`)
	thinkAsk  = regexp.MustCompile(`(?i)^(?:think|reason|denk)`)
	styleAsk  = regexp.MustCompile(`(?i)markdown|formatting|formatierung`)
	longAsk   = regexp.MustCompile(`(?i)\blong\b.*\b(?:answer|text|story)|lange`)
)

// reply chooses what to do with a request.
func (a *speaker) reply(asked string, req *llm.Request) error {
	if m := sayN.FindStringSubmatch(asked); m != nil {
		n, _ := strconv.Atoi(m[1])
		return a.count(min(n, maxWords))
	}
	if m := failWith.FindStringSubmatch(asked); m != nil {
		return failure(strings.ToLower(m[1]))
	}
	if m := writeAsk.FindStringSubmatch(asked); m != nil {
		return a.use(req, "write_file", "The user wants a file. I can write it with a tool.", map[string]any{"path": m[1], "content": strings.TrimSpace(m[2]) + "\n"})
	}
	if m := findAsk.FindStringSubmatch(asked); m != nil {
		pattern := m[1]
		if !strings.Contains(pattern, "/") {
			pattern = "**/" + pattern
		}
		return a.use(req, "glob", "A pattern: the glob tool finds the files that match it.", map[string]any{"pattern": pattern})
	}
	if m := readAsk.FindStringSubmatch(asked); m != nil {
		return a.use(req, "read_file", "The user names a file. I read it before I say anything about it.", map[string]any{"path": m[1]})
	}
	if listAsk.MatchString(asked) {
		return a.use(req, "list_files", "To answer that I have to look into the folder.", map[string]any{})
	}
	if m := searchAsk.FindStringSubmatch(asked); m != nil && strings.TrimSpace(m[1]) != "" {
		return a.use(req, "search", "I look for these words in the files of the folder.", map[string]any{"query": strings.TrimSpace(m[1])})
	}
	switch {
	case styleAsk.MatchString(asked):
		return a.say(llm.Text, sample)
	case longAsk.MatchString(asked):
		return a.say(llm.Text, strings.Repeat(paragraph, 40))
	case thinkAsk.MatchString(asked):
		if err := a.say(llm.Reasoning, musing); err != nil {
			return err
		}
		return a.say(llm.Text, "I have thought about it. A real model would now give you its conclusion; mine is that a demonstration can show *how* thinking looks, but not think.")
	case greetAsk.MatchString(asked):
		return a.say(llm.Text, greeting)
	}
	return a.say(llm.Text, fmt.Sprintf(unknown, quote(asked)))
}

func quote(s string) string {
	line, _, more := strings.Cut(s, "\n")
	if r := []rune(line); len(r) > 80 {
		line, more = string(r[:80]), true
	}
	if more {
		line += " …"
	}
	return "> " + line
}

// count says "word 1 word 2 …", one piece a word.
func (a *speaker) count(n int) error {
	for i := 1; i <= n; i++ {
		if err := a.pause(); err != nil {
			return err
		}
		a.b.Append(llm.Text, "word "+strconv.Itoa(i)+" ")
	}
	return a.ctx.Err()
}

// failure shows how an error of a real provider looks.
func failure(what string) error {
	kinds := map[string]llm.ErrorKind{
		"401": llm.ErrKeyInvalid, "403": llm.ErrForbidden, "404": llm.ErrNotFound, "429": llm.ErrRateLimited, "500": llm.ErrOverloaded, "529": llm.ErrOverloaded,
		"context": llm.ErrContextLimit, "html": llm.ErrMalformed, "drop": llm.ErrDropped, "silence": llm.ErrSilent,
	}
	e := &llm.Error{Kind: llm.ErrRefused, Message: "this is a demonstration of an error"}
	if k, ok := kinds[what]; ok {
		e.Kind = k
	}
	e.Status, _ = strconv.Atoi(what)
	return e
}
