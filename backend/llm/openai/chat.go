// Package openai speaks the two protocols of OpenAI: Chat Completions, which most other providers and local servers
// speak too, and Responses. Sources: https://platform.openai.com/docs/api-reference/chat and …/responses.
package openai

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

// Config is one model of one endpoint.
type Config struct {
	Client  *http.Client
	BaseURL string // up to and including /v1
	Key     string // may be empty for local servers
	Model   string
	Idle    time.Duration // 0 = transport.DefaultIdle
	Header  http.Header   // more headers, may be nil
}

func (c Config) header() http.Header {
	h := http.Header{}
	for k, v := range c.Header {
		h[k] = v
	}
	if c.Key != "" {
		h.Set("Authorization", "Bearer "+c.Key)
	}
	return h
}

// Chat is a model behind a Chat Completions endpoint.
type Chat struct{ config Config }

// NewChat makes a client.
func NewChat(c Config) *Chat { return &Chat{config: c} }

const chatProtocol = "openai-chat"

// Stream implements llm.Model.
func (m *Chat) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, err
	}
	d := &chatDecoder{b: llm.NewBuilder(emit), calls: map[int]int{}, answer: llm.Answer{Finish: llm.FinishUnknown}}
	err = transport.Stream(ctx, m.config.Client, transport.Request{URL: m.config.BaseURL + "/chat/completions", Header: m.config.header(), Body: body, Idle: m.config.Idle}, d.event)
	if err != nil && !(d.finished && isDropped(err)) { // some servers end after the finish reason without [DONE]
		return nil, err
	}
	d.answer.Blocks = d.b.Blocks()
	if d.answer.Finish != llm.FinishLength && d.b.HasCalls() {
		d.answer.Finish = llm.FinishToolCalls
	}
	return &d.answer, nil
}

func isDropped(err error) bool {
	e, ok := err.(*llm.Error) //nolint:errorlint // transport gives it unwrapped
	return ok && e.Kind == llm.ErrDropped
}

func (m *Chat) body(req *llm.Request) ([][]byte, error) {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	type tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	head := struct {
		Model         string `json:"model"`
		Stream        bool   `json:"stream"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Effort string `json:"reasoning_effort,omitempty"`
		Tools  []tool `json:"tools,omitempty"`
	}{Model: m.config.Model, Stream: true, Effort: req.Effort}
	head.StreamOptions.IncludeUsage = true
	for _, t := range req.Tools {
		head.Tools = append(head.Tools, tool{"function", function{t.Name, t.Description, json.RawMessage(t.Schema)}})
	}
	start, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	list := messages(req, chatProtocol, encodeChat)
	if req.System != "" {
		system := mustJSON(map[string]string{"role": "system", "content": req.System})
		list = append([][]byte{system}, list...)
	}
	return document(start, `,"messages":[`, list), nil
}

// messages gives the encoded messages, without those that have no form in the protocol.
func messages(req *llm.Request, protocol string, encode func(*llm.Message) []byte) [][]byte {
	list := make([][]byte, 0, len(req.Messages))
	for _, m := range req.Messages {
		if b := m.Encoded(protocol, encode); len(b) > 0 {
			list = append(list, b)
		}
	}
	return list
}

// document puts an encoded list at the end of an encoded object, without copying the list's parts.
func document(object []byte, member string, list [][]byte) [][]byte {
	out := make([][]byte, 0, 2*len(list)+2)
	out = append(out, append(bytes.TrimSuffix(object, []byte("}")), member...))
	for i, b := range list {
		if i > 0 {
			out = append(out, comma)
		}
		out = append(out, b)
	}
	return append(out, end)
}

var (
	comma = []byte(",")
	end   = []byte("]}")
)

// mustJSON encodes maps and lists of strings, which always succeeds.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// encodeChat gives a message in the protocol's form; a tool message becomes one message for each result.
func encodeChat(m *llm.Message) []byte {
	switch m.Role {
	case llm.RoleTool:
		var out [][]byte
		for _, b := range m.Blocks {
			out = append(out, mustJSON(map[string]string{"role": "tool", "tool_call_id": b.CallID, "content": b.Text}))
		}
		return bytes.Join(out, comma)
	case llm.RoleAssistant:
		return encodeChatAssistant(m)
	}
	var parts []map[string]any
	plain, text := true, ""
	for _, b := range m.Blocks {
		switch b.Kind {
		case llm.Text:
			text += b.Text
			parts = append(parts, map[string]any{"type": "text", "text": b.Text})
		case llm.Image:
			plain = false
			parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]string{"url": dataURL(b)}})
		}
	}
	if plain {
		return mustJSON(map[string]string{"role": "user", "content": text})
	}
	return mustJSON(map[string]any{"role": "user", "content": parts})
}

func dataURL(b llm.Block) string {
	return "data:" + b.MIME + ";base64," + base64.StdEncoding.EncodeToString(b.Data)
}

func encodeChatAssistant(m *llm.Message) []byte {
	type call struct {
		ID       string            `json:"id"`
		Type     string            `json:"type"`
		Function map[string]string `json:"function"`
	}
	out := struct {
		Role    string  `json:"role"`
		Content *string `json:"content"`
		Calls   []call  `json:"tool_calls,omitempty"`
	}{Role: "assistant"}
	text := ""
	for _, b := range m.Blocks {
		switch b.Kind {
		case llm.Text:
			text += b.Text
		case llm.ToolCall:
			out.Calls = append(out.Calls, call{b.CallID, "function", map[string]string{"name": b.Name, "arguments": llm.ObjectArgs(b.Args)}})
		}
	}
	if text != "" {
		out.Content = &text
	} else if len(out.Calls) == 0 {
		return nil
	}
	return mustJSON(out)
}

// chatChunk is one chunk of a streamed completion, with the names that other servers use for reasoning.
type chatChunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Delta struct {
			Content          string     `json:"content"`
			ReasoningContent string     `json:"reasoning_content"`
			Reasoning        string     `json:"reasoning"`
			ToolCalls        []chatCall `json:"tool_calls"`
		} `json:"delta"`
		Finish string `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
		HitTokens  int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
		Details    struct {
			Cached int64 `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
		Out struct {
			Reasoning int64 `json:"reasoning_tokens"`
		} `json:"completion_tokens_details"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

type chatCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"` // a string; some servers send the object itself
	} `json:"function"`
}

type chatDecoder struct {
	b        *llm.Builder
	calls    map[int]int // index in the protocol → block
	last     int         // block of the last call
	finished bool
	answer   llm.Answer
}

func (d *chatDecoder) event(_ string, data []byte) (bool, error) {
	if bytes.Equal(data, []byte("[DONE]")) {
		return true, nil
	}
	var c chatChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return false, &llm.Error{Kind: llm.ErrMalformed, Message: "the answer has a piece that is not valid JSON", Err: err}
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return false, streamError(c.Error)
	}
	if c.Model != "" {
		d.answer.Model = c.Model
	}
	if u := c.Usage; u != nil {
		cached := max(u.Details.Cached, u.HitTokens)
		d.answer.Usage = llm.Usage{Input: max(0, u.Prompt-cached), CacheRead: cached, Output: u.Completion, Reasoning: u.Out.Reasoning}
	}
	for _, choice := range c.Choices[:min(1, len(c.Choices))] {
		reasoning := choice.Delta.ReasoningContent
		if reasoning == "" {
			reasoning = choice.Delta.Reasoning
		}
		d.b.Append(llm.Reasoning, reasoning)
		d.b.Append(llm.Text, choice.Delta.Content)
		for _, call := range choice.Delta.ToolCalls {
			d.call(call)
		}
		if choice.Finish != "" {
			d.finished = true
			d.answer.Finish = chatFinish(choice.Finish)
		}
	}
	return false, nil
}

// call adds a piece of a call. Servers may leave the index out, leave the id out, or send a whole call at once.
func (d *chatDecoder) call(c chatCall) {
	args := string(c.Function.Arguments)
	var text string
	if json.Unmarshal(c.Function.Arguments, &text) == nil {
		args = text
	}
	block, known := d.last, d.b.HasCalls()
	if c.Index != nil {
		block, known = d.calls[*c.Index], false
		_, known = d.calls[*c.Index]
	} else if c.ID != "" || c.Function.Name != "" {
		known = false
	}
	if !known {
		id := c.ID
		if id == "" {
			id = fmt.Sprintf("call_%d", d.b.Len())
		}
		block = d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: id, Name: c.Function.Name})
		if c.Index != nil {
			d.calls[*c.Index] = block
		}
	}
	d.last = block
	d.b.Add(block, args)
}

func chatFinish(reason string) llm.Finish {
	switch reason {
	case "stop", "end_turn", "eos":
		return llm.FinishStop
	case "tool_calls", "function_call":
		return llm.FinishToolCalls
	case "length", "max_tokens":
		return llm.FinishLength
	case "content_filter":
		return llm.FinishFilter
	}
	return llm.FinishUnknown
}

// streamError is an error that comes inside the stream.
func streamError(raw json.RawMessage) error {
	var e struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return transport.Named("", text)
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return &llm.Error{Kind: llm.ErrMalformed, Message: "the answer has an error that is not readable", Err: err}
	}
	kind := e.Type
	if code := string(bytes.Trim(e.Code, `"`)); code != "" && code != "null" {
		kind = code
	}
	return transport.Named(kind, e.Message)
}
