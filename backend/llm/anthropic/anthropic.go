// Package anthropic speaks the Messages protocol, https://docs.anthropic.com/en/api/messages-streaming. Thinking blocks
// go back with their signatures, and the system prompt, the tools and the newest message are marked for the prompt cache.
package anthropic

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
)

const (
	protocol = "anthropic"
	// Version is the protocol version that is asked for.
	Version          = "2023-06-01"
	defaultMaxTokens = 8192
)

// budgets are the tokens that each effort gives to thinking; the protocol's least is 1,024.
var budgets = map[string]int64{"minimal": 1024, "low": 2048, "medium": 8192, "high": 24576}

// Config is one model of one endpoint.
type Config struct {
	Client  *http.Client
	BaseURL string // without /v1
	Key     string
	Model   string
	Idle    time.Duration
}

// Model implements llm.Model.
type Model struct{ config Config }

// New makes a client.
func New(c Config) *Model { return &Model{config: c} }

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Anthropic-Version": {Version}}
	if m.config.Key != "" {
		header.Set("X-Api-Key", m.config.Key)
	}
	d := &decoder{b: llm.NewBuilder(emit), blocks: map[int]int{}, answer: llm.Answer{Finish: llm.FinishUnknown}}
	if err := transport.Stream(ctx, m.config.Client, transport.Request{URL: m.config.BaseURL + "/v1/messages", Header: header, Body: body, Idle: m.config.Idle}, d.event); err != nil {
		return nil, err
	}
	d.answer.Blocks = d.b.Blocks()
	return &d.answer, nil
}

type cacheControl struct {
	Type string `json:"type"`
}

var ephemeral = &cacheControl{Type: "ephemeral"}

type content struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   string          `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
	Source    *source         `json:"source,omitempty"`
	Cache     *cacheControl   `json:"cache_control,omitempty"`
}

type source struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

func (m *Model) body(req *llm.Request) ([][]byte, error) {
	type tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Schema      json.RawMessage `json:"input_schema"`
		Cache       *cacheControl   `json:"cache_control,omitempty"`
	}
	type thinking struct {
		Type   string `json:"type"`
		Budget int64  `json:"budget_tokens"`
	}
	head := struct {
		Model     string    `json:"model"`
		MaxTokens int64     `json:"max_tokens"`
		Stream    bool      `json:"stream"`
		Thinking  *thinking `json:"thinking,omitempty"`
		System    []content `json:"system,omitempty"`
		Tools     []tool    `json:"tools,omitempty"`
	}{Model: m.config.Model, MaxTokens: req.MaxOutput, Stream: true}
	if head.MaxTokens <= 0 {
		head.MaxTokens = defaultMaxTokens
	}
	if budget := budgets[req.Effort]; budget > 0 {
		head.Thinking = &thinking{"enabled", budget}
		head.MaxTokens = max(head.MaxTokens, budget+defaultMaxTokens/2)
	}
	if req.System != "" {
		head.System = []content{{Type: "text", Text: req.System, Cache: ephemeral}}
	}
	for i, t := range req.Tools {
		one := tool{Name: t.Name, Description: t.Description, Schema: json.RawMessage(t.Schema)}
		if i == len(req.Tools)-1 {
			one.Cache = ephemeral
		}
		head.Tools = append(head.Tools, one)
	}
	start, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	out := [][]byte{append(bytes.TrimSuffix(start, []byte("}")), `,"messages":[`...)}
	first := true
	for i, msg := range req.Messages {
		b := msg.Encoded(protocol, encode)
		if i == len(req.Messages)-1 {
			b = encodeWith(msg, ephemeral) // the mark moves on with every request, so it is not kept
		}
		if len(b) == 0 {
			continue
		}
		if !first {
			out = append(out, []byte(","))
		}
		out, first = append(out, b), false
	}
	return append(out, []byte("]}")), nil
}

func encode(m *llm.Message) []byte { return encodeWith(m, nil) }

func encodeWith(m *llm.Message, cache *cacheControl) []byte {
	role := "user"
	if m.Role == llm.RoleAssistant {
		role = "assistant"
	}
	var parts []json.RawMessage
	for i, b := range m.Blocks {
		mark := cache
		if i != len(m.Blocks)-1 {
			mark = nil
		}
		if p := part(b, mark); p != nil {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return marshal(map[string]any{"role": role, "content": parts})
}

func part(b llm.Block, cache *cacheControl) json.RawMessage {
	switch b.Kind {
	case llm.Text:
		if b.Text == "" {
			return nil
		}
		return marshal(content{Type: "text", Text: b.Text, Cache: cache})
	case llm.Reasoning:
		if v := llm.MetaOf(b.Meta, protocol); v != "" {
			return json.RawMessage(v) // as it came; without its signature it would be refused
		}
	case llm.ToolCall:
		return marshal(content{Type: "tool_use", ID: b.CallID, Name: b.Name, Input: json.RawMessage(llm.ObjectArgs(b.Args)), Cache: cache})
	case llm.ToolResult:
		text := b.Text
		if text == "" {
			text = "(no output)"
		}
		return marshal(content{Type: "tool_result", ToolUseID: b.CallID, Content: text, IsError: b.IsError, Cache: cache})
	case llm.Image:
		return marshal(content{Type: "image", Source: &source{"base64", b.MIME, base64.StdEncoding.EncodeToString(b.Data)}, Cache: cache})
	}
	return nil
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, checked JSON and lists of them always encode
	}
	return b
}

type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message *struct {
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	Block *struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking string `json:"thinking"`
		ID       string `json:"id"`
		Name     string `json:"name"`
	} `json:"content_block"`
	Delta *struct {
		Type       string `json:"type"`
		Text       string `json:"text"`
		Thinking   string `json:"thinking"`
		Signature  string `json:"signature"`
		JSON       string `json:"partial_json"`
		StopReason string `json:"stop_reason"`
	} `json:"delta"`
	Usage *usage `json:"usage"`
	Error *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

type usage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
}

type decoder struct {
	b      *llm.Builder
	blocks map[int]int // index in the protocol → block
	answer llm.Answer
}

func (d *decoder) event(_ string, data []byte) (bool, error) {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return false, &llm.Error{Kind: llm.ErrMalformed, Message: "the answer has a piece that is not valid JSON", Err: err}
	}
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			d.answer.Model = e.Message.Model
			d.count(e.Message.Usage)
		}
	case "content_block_start":
		d.start(e, data)
	case "content_block_delta":
		d.delta(e)
	case "message_delta":
		if e.Usage != nil {
			d.count(*e.Usage)
		}
		if e.Delta != nil && e.Delta.StopReason != "" {
			d.answer.Finish = finish(e.Delta.StopReason)
		}
	case "message_stop":
		return true, nil
	case "error":
		if e.Error != nil {
			return false, transport.Named(e.Error.Type, e.Error.Message)
		}
		return false, &llm.Error{Kind: llm.ErrOverloaded, Message: "the provider failed without saying why"}
	}
	return false, nil
}

// count takes over what is reported; later reports are cumulative.
func (d *decoder) count(u usage) {
	a := &d.answer.Usage
	a.Input, a.Output = max(a.Input, u.Input), max(a.Output, u.Output)
	a.CacheRead, a.CacheWrite = max(a.CacheRead, u.CacheRead), max(a.CacheWrite, u.CacheWrite)
}

func (d *decoder) start(e event, data []byte) {
	if e.Block == nil {
		return
	}
	switch e.Block.Type {
	case "text":
		d.blocks[e.Index] = d.b.Open(llm.Block{Kind: llm.Text})
		d.b.Add(d.blocks[e.Index], e.Block.Text)
	case "thinking":
		d.blocks[e.Index] = d.b.Open(llm.Block{Kind: llm.Reasoning})
		d.b.Add(d.blocks[e.Index], e.Block.Thinking)
	case "redacted_thinking":
		var raw struct {
			Block json.RawMessage `json:"content_block"`
		}
		if json.Unmarshal(data, &raw) == nil {
			d.b.Open(llm.Block{Kind: llm.Reasoning, Meta: llm.NewMeta(protocol, string(raw.Block))})
		}
	case "tool_use":
		d.blocks[e.Index] = d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: e.Block.ID, Name: e.Block.Name})
	}
}

func (d *decoder) delta(e event) {
	i, ok := d.blocks[e.Index]
	if !ok || e.Delta == nil {
		return
	}
	switch e.Delta.Type {
	case "text_delta":
		d.b.Add(i, e.Delta.Text)
	case "thinking_delta":
		d.b.Add(i, e.Delta.Thinking)
	case "input_json_delta":
		d.b.Add(i, e.Delta.JSON)
	case "signature_delta":
		whole := marshal(map[string]string{"type": "thinking", "thinking": d.b.Text(i), "signature": e.Delta.Signature})
		d.b.SetMeta(i, llm.NewMeta(protocol, string(whole)))
	}
}

func finish(reason string) llm.Finish {
	switch reason {
	case "end_turn", "stop_sequence":
		return llm.FinishStop
	case "tool_use":
		return llm.FinishToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return llm.FinishLength
	case "refusal":
		return llm.FinishFilter
	}
	return llm.FinishUnknown
}
