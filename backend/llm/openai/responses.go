package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
)

// Responses is a model behind the Responses endpoint. Nothing is stored at the provider: reasoning comes back to it
// encrypted, as the item it sent.
type Responses struct {
	config Config
	tools  llm.EncodedTools
	// What the provider refused: summaries need a verified organisation, and encrypted reasoning is only good for the
	// account and the model family that made it.
	noSummary atomic.Bool
	noEcho    transport.Conversations
}

// NewResponses makes a client.
func NewResponses(c Config) *Responses { return &Responses{config: c} }

const (
	responsesProtocol = "openai-responses"
	responsesPlain    = "openai-responses+plain" // without the encrypted reasoning
)

// Stream implements llm.Model.
func (m *Responses) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	answer, err := m.stream(ctx, req, emit)
	if m.adapt(req, err) { // refused before anything was sent
		return m.stream(ctx, req, emit)
	}
	return answer, err
}

// adapt changes what is sent after a refusal that names it, and tells whether it changed anything.
func (m *Responses) adapt(req *llm.Request, err error) bool {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.ErrRefused || e.Status == 0 {
		return false
	}
	lower := strings.ToLower(e.Message)
	switch {
	case strings.Contains(lower, "summar"): // "verified to generate reasoning summaries", "unsupported parameter: reasoning.summary"
		return m.noSummary.CompareAndSwap(false, true)
	case e.Code == "invalid_encrypted_content", strings.Contains(lower, "encrypted content"), strings.Contains(lower, "encrypted_content"):
		return m.noEcho.Add(req.CacheKey)
	}
	return false
}

func (m *Responses) stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, err
	}
	d := newResponsesDecoder(llm.NewBuilder(emit))
	err = transport.Stream(ctx, m.config.Client, transport.Request{
		URL: m.config.BaseURL + "/responses", Header: m.config.header(), Body: body, Key: m.config.Key, Idle: m.config.Idle, First: m.config.First, Size: d.b.Size,
	}, d.event)
	if err != nil {
		return nil, err
	}
	return transport.Complete(d.b, &d.answer)
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type responsesReasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

func (m *Responses) body(req *llm.Request) ([][]byte, error) {
	head := struct {
		Model        string              `json:"model"`
		Stream       bool                `json:"stream"`
		Store        bool                `json:"store"`
		Instructions string              `json:"instructions,omitempty"`
		Include      []string            `json:"include,omitempty"`
		Reasoning    *responsesReasoning `json:"reasoning,omitempty"`
		MaxOutput    int64               `json:"max_output_tokens,omitempty"`
		CacheKey     string              `json:"prompt_cache_key,omitempty"`
		Tools        json.RawMessage     `json:"tools,omitempty"`
	}{Model: m.config.Model, Stream: true, Instructions: req.System, MaxOutput: req.MaxOutput, CacheKey: req.CacheKey}
	if req.Effort != "" || m.config.Reasoning {
		head.Reasoning = &responsesReasoning{Effort: req.Effort, Summary: "auto"}
		if m.noSummary.Load() {
			head.Reasoning.Summary = ""
		}
		head.Include = []string{"reasoning.encrypted_content"}
	}
	if len(req.Tools) > 0 {
		head.Tools = m.tools.Encoded(req.Tools, encodeResponsesTools)
	}
	start, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	protocol, encode := responsesProtocol, encodeWithReasoning
	if m.noEcho.Has(req.CacheKey) {
		protocol, encode = responsesPlain, encodePlain
	}
	list := make([][]byte, 0, len(req.Messages))
	for _, msg := range req.Messages {
		if b := msg.Encoded(protocol, encode); len(b) > 0 {
			list = append(list, b)
		}
	}
	return document(start, `,"input":[`, list), nil
}

func encodeResponsesTools(tools []llm.Tool) []byte {
	list := make([]responsesTool, 0, len(tools))
	for _, t := range tools {
		list = append(list, responsesTool{"function", t.Name, t.Description, t.Object(), false})
	}
	return marshal(list)
}

func encodeWithReasoning(m *llm.Message) []byte { return encodeItems(m, true) }

func encodePlain(m *llm.Message) []byte { return encodeItems(m, false) }

// encodeItems gives a message as input items.
func encodeItems(m *llm.Message, echo bool) []byte {
	var out [][]byte
	var user []map[string]string
	var reasoning [][]byte // goes back only with the item that follows it
	item := func(b []byte) {
		out = append(append(out, reasoning...), b)
		reasoning = nil
	}
	for _, b := range m.Blocks {
		switch {
		case m.Role == llm.RoleUser && b.Kind == llm.Text && b.Text != "":
			user = append(user, map[string]string{"type": "input_text", "text": b.Text})
		case m.Role == llm.RoleUser && b.Kind == llm.Image:
			user = append(user, map[string]string{"type": "input_image", "image_url": dataURL(b)})
		case m.Role == llm.RoleAssistant && b.Kind == llm.Text && b.Text != "":
			content := []map[string]any{{"type": "output_text", "text": b.Text}}
			item(marshal(map[string]any{"type": "message", "role": "assistant", "content": content}))
		case b.Kind == llm.Reasoning && echo:
			if kept := llm.MetaOf(b.Meta, responsesProtocol); kept != "" {
				reasoning = append(reasoning, []byte(kept))
			}
		case b.Kind == llm.ToolCall:
			item(marshal(map[string]string{"type": "function_call", "call_id": b.CallID, "name": b.Name, "arguments": llm.ObjectArgs(b.Args)}))
		case b.Kind == llm.ToolResult:
			item(marshal(map[string]string{"type": "function_call_output", "call_id": b.CallID, "output": b.Text}))
		}
	}
	if user != nil {
		item(marshal(map[string]any{"type": "message", "role": "user", "content": user}))
	}
	return bytes.Join(out, comma)
}
