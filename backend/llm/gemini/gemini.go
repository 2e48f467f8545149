// Package gemini speaks Google's streamGenerateContent, https://ai.google.dev/api/generate-content. Thought signatures go
// back with the part they came with (https://ai.google.dev/gemini-api/docs/thought-signatures), and the schemas of tools
// are rewritten into the dialect that the protocol takes.
package gemini

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
)

const (
	protocol = "gemini"
	// strict is for the models that refuse calls without a signature; plain is without any signature that was kept.
	strict = "gemini+strict"
	plain  = "gemini+plain"
	// skipSignature stands for a signature that never was: calls of another model, or of one that gave none.
	skipSignature = "skip_thought_signature_validator"
)

// budgets are the tokens that each effort gives to thinking in models that do not know levels.
var budgets = map[string]int64{"none": 0, "minimal": 512, "low": 2048, "medium": 8192, "high": 24576}

// Config is one model of one endpoint.
type Config struct {
	Client  *http.Client
	BaseURL string // up to and including the version, such as /v1beta
	Key     string
	Model   string
	Idle    time.Duration // see transport.Request
	First   time.Duration
}

// Model implements llm.Model.
type Model struct {
	config Config
	levels bool // the model takes a thinking level and checks signatures: from Gemini 3 on
	tools  llm.EncodedTools
	noEcho transport.Conversations // those whose signatures the provider refused: they belong to another account
}

// New makes a client.
func New(c Config) *Model {
	c.Model = strings.TrimPrefix(c.Model, "models/")
	return &Model{config: c, levels: !strings.HasPrefix(c.Model, "gemini-1") && !strings.HasPrefix(c.Model, "gemini-2")}
}

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	answer, err := m.stream(ctx, req, emit)
	var e *llm.Error
	if errors.As(err, &e) && e.Kind == llm.ErrRefused && e.Status != 0 && strings.Contains(strings.ToLower(e.Message), "signature") && m.noEcho.Add(req.CacheKey) {
		return m.stream(ctx, req, emit) // refused before anything was sent
	}
	return answer, err
}

func (m *Model) stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	if m.config.Key != "" {
		header.Set("X-Goog-Api-Key", m.config.Key) // never in the address, which ends in logs
	}
	d := newDecoder(llm.NewBuilder(emit))
	err = transport.Stream(ctx, m.config.Client, transport.Request{
		URL:    m.config.BaseURL + "/models/" + url.PathEscape(m.config.Model) + ":streamGenerateContent?alt=sse",
		Header: header, Body: body, Key: m.config.Key, Idle: m.config.Idle, First: m.config.First, Size: d.b.Size,
	}, d.event)
	// The protocol has no end mark but the last chunk's finish reason.
	if e := (*llm.Error)(nil); err != nil && (!d.finished || !errors.As(err, &e) || e.Kind != llm.ErrDropped) {
		return nil, err
	}
	d.answer.Usage = d.counted()
	return transport.Complete(d.b, &d.answer)
}

type thinking struct {
	Include bool   `json:"includeThoughts"`
	Budget  *int64 `json:"thinkingBudget,omitempty"`
	Level   string `json:"thinkingLevel,omitempty"`
}

type generation struct {
	MaxOutput int64     `json:"maxOutputTokens,omitempty"`
	Thinking  *thinking `json:"thinkingConfig,omitempty"`
}

func (m *Model) body(req *llm.Request) ([][]byte, error) {
	head := struct {
		System     *turn           `json:"systemInstruction,omitempty"`
		Tools      json.RawMessage `json:"tools,omitempty"`
		Generation generation      `json:"generationConfig"`
	}{Generation: generation{req.MaxOutput, m.think(req.Effort)}}
	if req.System != "" {
		head.System = &turn{Parts: []json.RawMessage{marshal(textPart{Text: req.System})}}
	}
	if len(req.Tools) > 0 {
		head.Tools = m.tools.Encoded(req.Tools, encodeTools)
	}
	start, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return m.contents(append(bytes.TrimSuffix(start, []byte("}")), `,"contents":[`...), req), nil
}

// think gives how the model reasons, nil for its default.
func (m *Model) think(effort string) *thinking {
	budget, known := budgets[effort]
	switch {
	case effort == "":
		return nil
	case m.levels && effort == "none":
		return &thinking{Level: "low"} // these models cannot be kept from it
	case m.levels:
		return &thinking{Include: true, Level: effort}
	case known:
		return &thinking{Include: budget > 0, Budget: &budget}
	}
	return nil
}

var (
	comma   = []byte(",")
	end     = []byte("]}")
	opening = []byte(`{"role":"user","parts":[{"text":"(The conversation began earlier.)"}]}`)
)

// contents appends the encoded messages.
func (m *Model) contents(start []byte, req *llm.Request) [][]byte {
	name, encode := protocol, encodeSigned
	switch {
	case m.noEcho.Has(req.CacheKey):
		name, encode = plain, encodePlain
	case m.levels:
		name, encode = strict, encodeStrict
	}
	out := make([][]byte, 0, 2*len(req.Messages)+3)
	out = append(out, start)
	first := true
	for _, msg := range req.Messages {
		b := msg.Encoded(name, encode)
		if len(b) == 0 {
			continue
		}
		if first && msg.Role == llm.RoleAssistant {
			out, first = append(out, opening), false // the protocol wants the user to begin
		}
		if !first {
			out = append(out, comma)
		}
		out, first = append(out, b), false
	}
	return append(out, end)
}
