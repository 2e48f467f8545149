package openai

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
)

// Chat is a model behind a Chat Completions endpoint.
type Chat struct {
	config   Config
	tools    llm.EncodedTools
	protocol string // the name under which encoded messages are kept: dialects encode differently
}

// NewChat makes a client.
func NewChat(c Config) *Chat {
	m := &Chat{config: c, protocol: "openai-chat"}
	if c.Dialect.EchoReasoning {
		m.protocol += "+reasoning"
	}
	if c.Dialect.ReasoningDetails {
		m.protocol += "+details"
	}
	if c.Dialect.ShortCallIDs {
		m.protocol += "+short"
	}
	return m
}

// detailsProtocol marks the Meta that holds reasoning details.
const detailsProtocol = "openrouter"

// Stream implements llm.Model.
func (m *Chat) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	answer, err := m.stream(ctx, req, emit)
	if e := (*llm.Error)(nil); errors.As(err, &e) && e.Kind == llm.ErrContextLimit && e.Status != 0 && req.MaxOutput > 0 {
		// Some servers refuse when the conversation and the longest answer together do not fit. Without a limit, they
		// give the answer what room there is; nothing was sent yet.
		unlimited := *req
		unlimited.MaxOutput = 0
		return m.stream(ctx, &unlimited, emit)
	}
	return answer, err
}

func (m *Chat) stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, err
	}
	d := newChatDecoder(llm.NewBuilder(emit))
	err = transport.Stream(ctx, m.config.Client, transport.Request{
		URL: m.config.BaseURL + "/chat/completions", Header: m.config.header(), Body: body, Key: m.config.Key, Idle: m.config.Idle, First: m.config.First, Size: d.b.Size,
	}, d.event)
	if err != nil && (!d.finished || !isDropped(err)) { // some servers end after the finish reason, without [DONE]
		return nil, err
	}
	d.close()
	return transport.Complete(d.b, &d.answer)
}

func isDropped(err error) bool {
	e, ok := err.(*llm.Error) //nolint:errorlint // transport gives it unwrapped
	return ok && e.Kind == llm.ErrDropped
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type effort struct {
	Effort string `json:"effort"`
}

func (m *Chat) body(req *llm.Request) ([][]byte, error) {
	dialect := m.config.Dialect
	head := struct {
		Model     string          `json:"model"`
		Stream    bool            `json:"stream"`
		Options   *streamOptions  `json:"stream_options,omitempty"`
		MaxTokens int64           `json:"max_tokens,omitempty"`
		MaxNew    int64           `json:"max_completion_tokens,omitempty"`
		Effort    string          `json:"reasoning_effort,omitempty"`
		Reasoning *effort         `json:"reasoning,omitempty"`
		CacheKey  string          `json:"prompt_cache_key,omitempty"`
		Tools     json.RawMessage `json:"tools,omitempty"`
	}{Model: m.config.Model, Stream: true}
	if !dialect.NoStreamOptions {
		head.Options = &streamOptions{true}
	}
	switch {
	case req.MaxOutput <= 0:
	case dialect.NewMaxTokens:
		head.MaxNew = req.MaxOutput
	default:
		head.MaxTokens = req.MaxOutput
	}
	switch {
	case req.Effort == "":
	case dialect.ReasoningObject:
		head.Reasoning = &effort{req.Effort}
	default:
		head.Effort = req.Effort
	}
	if dialect.CacheKey {
		head.CacheKey = req.CacheKey
	}
	if len(req.Tools) > 0 {
		head.Tools = m.tools.Encoded(req.Tools, encodeChatTools)
	}
	start, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return document(start, `,"messages":[`, m.messages(req)), nil
}

func encodeChatTools(tools []llm.Tool) []byte {
	list := make([]chatTool, 0, len(tools))
	for _, t := range tools {
		list = append(list, chatTool{"function", chatFunction{t.Name, t.Description, t.Object()}})
	}
	return marshal(list)
}

// messages gives the encoded messages, without those that have no form in the protocol. Messages of the user that follow
// each other become one: the templates of many local models refuse two in a row.
func (m *Chat) messages(req *llm.Request) [][]byte {
	list := make([][]byte, 0, len(req.Messages)+1)
	if req.System != "" {
		list = append(list, marshal(map[string]string{"role": "system", "content": req.System}))
	}
	for i := 0; i < len(req.Messages); i++ {
		msg := req.Messages[i]
		next := i + 1
		for msg.Role == llm.RoleUser && next < len(req.Messages) && req.Messages[next].Role == llm.RoleUser {
			next++
		}
		var b []byte
		if next == i+1 {
			b = msg.Encoded(m.protocol, m.encode)
		} else {
			b = m.encode(joined(req.Messages[i:next]))
			i = next - 1
		}
		if len(b) > 0 {
			list = append(list, b)
		}
	}
	return list
}

func joined(list []*llm.Message) *llm.Message {
	all := &llm.Message{Role: list[0].Role}
	for i, msg := range list {
		if i > 0 {
			all.Blocks = append(all.Blocks, llm.Block{Kind: llm.Text, Text: "\n\n"})
		}
		all.Blocks = append(all.Blocks, msg.Blocks...)
	}
	return all
}

// encode gives a message in the protocol's form; a tool message becomes one message for each result.
func (m *Chat) encode(msg *llm.Message) []byte {
	switch msg.Role {
	case llm.RoleTool:
		var out [][]byte
		for _, b := range msg.Blocks {
			if b.Kind == llm.ToolResult {
				out = append(out, marshal(map[string]string{"role": "tool", "tool_call_id": m.callID(b.CallID), "content": b.Text}))
			}
		}
		return bytes.Join(out, comma)
	case llm.RoleAssistant:
		return m.encodeAssistant(msg)
	}
	var parts []map[string]any
	plain, text := true, ""
	for _, b := range msg.Blocks {
		switch b.Kind {
		case llm.Text:
			text += b.Text
			if b.Text != "" {
				parts = append(parts, map[string]any{"type": "text", "text": b.Text})
			}
		case llm.Image:
			plain = false
			parts = append(parts, map[string]any{"type": "image_url", "image_url": map[string]string{"url": dataURL(b)}})
		}
	}
	switch {
	case !plain:
		return marshal(map[string]any{"role": "user", "content": parts})
	case text == "":
		return nil
	}
	return marshal(map[string]string{"role": "user", "content": text})
}

type chatCallOut struct {
	ID       string            `json:"id"`
	Type     string            `json:"type"`
	Function map[string]string `json:"function"`
}

func (m *Chat) encodeAssistant(msg *llm.Message) []byte {
	out := struct {
		Role      string          `json:"role"`
		Content   *string         `json:"content"`
		Reasoning *string         `json:"reasoning_content,omitempty"`
		Details   json.RawMessage `json:"reasoning_details,omitempty"`
		Calls     []chatCallOut   `json:"tool_calls,omitempty"`
	}{Role: "assistant"}
	text, thought := "", ""
	for _, b := range msg.Blocks {
		switch b.Kind {
		case llm.Text:
			text += b.Text
		case llm.Reasoning:
			thought += b.Text
			if details := llm.MetaOf(b.Meta, detailsProtocol); details != "" && m.config.Dialect.ReasoningDetails {
				out.Details = json.RawMessage(details)
			}
		case llm.ToolCall:
			out.Calls = append(out.Calls, chatCallOut{m.callID(b.CallID), "function", map[string]string{"name": b.Name, "arguments": llm.ObjectArgs(b.Args)}})
		}
	}
	if text != "" {
		out.Content = &text
	} else if len(out.Calls) == 0 {
		return nil
	}
	if m.config.Dialect.EchoReasoning && len(out.Calls) > 0 {
		out.Reasoning = &thought
	}
	return marshal(out)
}

const shortID = 9

// callID gives the id of a call as the server takes it. The same id always becomes the same one.
func (m *Chat) callID(id string) string {
	if !m.config.Dialect.ShortCallIDs || len(id) == shortID && alphanumeric(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return base32.StdEncoding.EncodeToString(sum[:])[:shortID]
}

func alphanumeric(s string) bool {
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}
