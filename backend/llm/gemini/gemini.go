// Package gemini speaks Google's streamGenerateContent, https://ai.google.dev/api/generate-content. Thought signatures go
// back with the part they came with.
package gemini

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
)

const protocol = "gemini"

// budgets are the tokens that each effort gives to thinking.
var budgets = map[string]int64{"minimal": 512, "low": 2048, "medium": 8192, "high": 24576}

// Config is one model of one endpoint.
type Config struct {
	Client  *http.Client
	BaseURL string // up to and including the version, such as /v1beta
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
	header := http.Header{}
	if m.config.Key != "" {
		header.Set("X-Goog-Api-Key", m.config.Key)
	}
	address := m.config.BaseURL + "/models/" + url.PathEscape(strings.TrimPrefix(m.config.Model, "models/")) + ":streamGenerateContent?alt=sse"
	d := &decoder{b: llm.NewBuilder(emit), answer: llm.Answer{Finish: llm.FinishUnknown}}
	err = transport.Stream(ctx, m.config.Client, transport.Request{URL: address, Header: header, Body: body, Idle: m.config.Idle}, d.event)
	if e, ok := err.(*llm.Error); ok && e.Kind == llm.ErrDropped && d.finished { //nolint:errorlint // transport gives it unwrapped
		err = nil // the protocol has no end mark but the last chunk's finish reason
	}
	if err != nil {
		return nil, err
	}
	d.answer.Blocks = d.b.Blocks()
	if d.answer.Finish == llm.FinishStop && d.b.HasCalls() {
		d.answer.Finish = llm.FinishToolCalls
	}
	return &d.answer, nil
}

func (m *Model) body(req *llm.Request) ([][]byte, error) {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parametersJsonSchema"`
	}
	type tools struct {
		Functions []function `json:"functionDeclarations"`
	}
	type thinking struct {
		Include bool  `json:"includeThoughts"`
		Budget  int64 `json:"thinkingBudget,omitempty"`
	}
	type generation struct {
		MaxOutput int64     `json:"maxOutputTokens,omitempty"`
		Thinking  *thinking `json:"thinkingConfig,omitempty"`
	}
	head := struct {
		System     *turn      `json:"systemInstruction,omitempty"`
		Tools      []tools    `json:"tools,omitempty"`
		Generation generation `json:"generationConfig"`
	}{Generation: generation{MaxOutput: req.MaxOutput}}
	if budget := budgets[req.Effort]; budget > 0 {
		head.Generation.Thinking = &thinking{true, budget}
	}
	if req.System != "" {
		head.System = &turn{Parts: []json.RawMessage{marshal(part{Text: req.System})}}
	}
	if len(req.Tools) > 0 {
		var list []function
		for _, t := range req.Tools {
			list = append(list, function{t.Name, t.Description, json.RawMessage(t.Schema)})
		}
		head.Tools = []tools{{list}}
	}
	start, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	out := [][]byte{append(bytes.TrimSuffix(start, []byte("}")), `,"contents":[`...)}
	for _, msg := range req.Messages {
		b := msg.Encoded(protocol, encode)
		if len(b) == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, []byte(","))
		}
		out = append(out, b)
	}
	return append(out, []byte("]}")), nil
}

type turn struct {
	Role  string            `json:"role,omitempty"`
	Parts []json.RawMessage `json:"parts"`
}

type part struct {
	Text      string          `json:"text,omitempty"`
	Thought   bool            `json:"thought,omitempty"`
	Signature string          `json:"thoughtSignature,omitempty"`
	Call      *functionCall   `json:"functionCall,omitempty"`
	Response  *functionResult `json:"functionResponse,omitempty"`
	Inline    *inlineData     `json:"inlineData,omitempty"`
}

type functionCall struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args"`
}

type functionResult struct {
	ID       string            `json:"id,omitempty"`
	Name     string            `json:"name"`
	Response map[string]string `json:"response"`
}

type inlineData struct {
	MIME string `json:"mimeType"`
	Data string `json:"data"`
}

func marshal(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings, checked JSON and lists of them always encode
	}
	return b
}

func encode(m *llm.Message) []byte {
	t := turn{Role: "user"}
	if m.Role == llm.RoleAssistant {
		t.Role = "model"
	}
	for _, b := range m.Blocks {
		p := part{}
		if meta := llm.MetaOf(b.Meta, protocol); meta != "" {
			_ = json.Unmarshal([]byte(meta), &p.Signature)
		}
		switch b.Kind {
		case llm.Text:
			p.Text = b.Text
		case llm.Reasoning:
			continue // thoughts are not sent back; their signatures come with the parts after them
		case llm.ToolCall:
			p.Call = &functionCall{Name: b.Name, Args: json.RawMessage(llm.ObjectArgs(b.Args))}
		case llm.ToolResult:
			key := "result"
			if b.IsError {
				key = "error"
			}
			p.Response = &functionResult{Name: b.Name, Response: map[string]string{key: b.Text}}
		case llm.Image:
			p.Inline = &inlineData{b.MIME, base64.StdEncoding.EncodeToString(b.Data)}
		}
		if p != (part{}) {
			t.Parts = append(t.Parts, marshal(p))
		}
	}
	if len(t.Parts) == 0 {
		return nil
	}
	return marshal(t)
}

type chunk struct {
	Candidates []struct {
		Content struct {
			Parts []part `json:"parts"`
		} `json:"content"`
		Finish string `json:"finishReason"`
	} `json:"candidates"`
	Prompt *struct {
		Block string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *struct {
		Prompt     int64 `json:"promptTokenCount"`
		Cached     int64 `json:"cachedContentTokenCount"`
		Candidates int64 `json:"candidatesTokenCount"`
		Thoughts   int64 `json:"thoughtsTokenCount"`
	} `json:"usageMetadata"`
	Model string `json:"modelVersion"`
	Error *struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	} `json:"error"`
}

type decoder struct {
	b        *llm.Builder
	finished bool
	answer   llm.Answer
}

func (d *decoder) event(_ string, data []byte) (bool, error) {
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return false, &llm.Error{Kind: llm.ErrMalformed, Message: "the answer has a piece that is not valid JSON", Err: err}
	}
	if c.Error != nil {
		return false, transport.Named(c.Error.Status, c.Error.Message)
	}
	if c.Model != "" {
		d.answer.Model = c.Model
	}
	if u := c.Usage; u != nil {
		d.answer.Usage = llm.Usage{Input: max(0, u.Prompt-u.Cached), CacheRead: u.Cached, Output: u.Candidates + u.Thoughts, Reasoning: u.Thoughts}
	}
	if c.Prompt != nil && c.Prompt.Block != "" {
		return false, &llm.Error{Kind: llm.ErrRefused, Message: "the provider blocked the request: " + c.Prompt.Block}
	}
	for _, candidate := range c.Candidates[:min(1, len(c.Candidates))] {
		for _, p := range candidate.Content.Parts {
			d.part(p)
		}
		if candidate.Finish != "" {
			d.finished = true
			d.answer.Finish = finish(candidate.Finish)
		}
	}
	return false, nil
}

func (d *decoder) part(p part) {
	switch {
	case p.Call != nil:
		id := p.Call.ID
		if id == "" {
			id = fmt.Sprintf("call_%d", d.b.Len())
		}
		i := d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: id, Name: p.Call.Name})
		d.b.Add(i, string(p.Call.Args))
		d.sign(i, p.Signature)
	case p.Thought:
		d.b.Append(llm.Reasoning, p.Text)
	case p.Signature != "":
		i := d.b.Open(llm.Block{Kind: llm.Text})
		d.b.Add(i, p.Text)
		d.sign(i, p.Signature)
	default:
		d.b.Append(llm.Text, p.Text)
	}
}

func (d *decoder) sign(block int, signature string) {
	if signature != "" {
		d.b.SetMeta(block, llm.NewMeta(protocol, string(marshal(signature))))
	}
}

func finish(reason string) llm.Finish {
	switch reason {
	case "STOP":
		return llm.FinishStop
	case "MAX_TOKENS":
		return llm.FinishLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII":
		return llm.FinishFilter
	}
	return llm.FinishUnknown
}
