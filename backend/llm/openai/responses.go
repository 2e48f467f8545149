package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
)

// Responses is a model behind the Responses endpoint. Nothing is stored at the provider: reasoning comes back to it
// encrypted, as the item it sent.
type Responses struct{ config Config }

// NewResponses makes a client.
func NewResponses(c Config) *Responses { return &Responses{config: c} }

const responsesProtocol = "openai-responses"

// Stream implements llm.Model.
func (m *Responses) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, err
	}
	d := &responsesDecoder{b: llm.NewBuilder(emit), items: map[int]int{}, answer: llm.Answer{Finish: llm.FinishUnknown}}
	if err := transport.Stream(ctx, m.config.Client, transport.Request{URL: m.config.BaseURL + "/responses", Header: m.config.header(), Body: body, Idle: m.config.Idle}, d.event); err != nil {
		return nil, err
	}
	d.answer.Blocks = d.b.Blocks()
	if d.answer.Finish == llm.FinishStop && d.b.HasCalls() {
		d.answer.Finish = llm.FinishToolCalls
	}
	return &d.answer, nil
}

func (m *Responses) body(req *llm.Request) ([][]byte, error) {
	type tool struct {
		Type        string          `json:"type"`
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
		Strict      bool            `json:"strict"`
	}
	type reasoning struct {
		Effort  string `json:"effort,omitempty"`
		Summary string `json:"summary"`
	}
	head := struct {
		Model        string     `json:"model"`
		Stream       bool       `json:"stream"`
		Store        bool       `json:"store"`
		Instructions string     `json:"instructions,omitempty"`
		Include      []string   `json:"include,omitempty"`
		Reasoning    *reasoning `json:"reasoning,omitempty"`
		CacheKey     string     `json:"prompt_cache_key,omitempty"`
		Tools        []tool     `json:"tools,omitempty"`
	}{Model: m.config.Model, Stream: true, Instructions: req.System, CacheKey: req.CacheKey}
	if req.Effort != "" {
		head.Reasoning = &reasoning{Effort: req.Effort, Summary: "auto"}
		head.Include = []string{"reasoning.encrypted_content"}
	}
	for _, t := range req.Tools {
		head.Tools = append(head.Tools, tool{"function", t.Name, t.Description, json.RawMessage(t.Schema), false})
	}
	start, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	return document(start, `,"input":[`, messages(req, responsesProtocol, encodeResponses)), nil
}

// encodeResponses gives a message as input items.
func encodeResponses(m *llm.Message) []byte {
	var out [][]byte
	var user []map[string]string
	for _, b := range m.Blocks {
		switch {
		case m.Role == llm.RoleUser && b.Kind == llm.Text:
			user = append(user, map[string]string{"type": "input_text", "text": b.Text})
		case m.Role == llm.RoleUser && b.Kind == llm.Image:
			user = append(user, map[string]string{"type": "input_image", "image_url": dataURL(b)})
		case b.Kind == llm.Text && b.Text != "":
			content := []map[string]any{{"type": "output_text", "text": b.Text}}
			out = append(out, mustJSON(map[string]any{"type": "message", "role": "assistant", "content": content}))
		case b.Kind == llm.Reasoning:
			if item := llm.MetaOf(b.Meta, responsesProtocol); item != "" {
				out = append(out, []byte(item))
			}
		case b.Kind == llm.ToolCall:
			out = append(out, mustJSON(map[string]string{"type": "function_call", "call_id": b.CallID, "name": b.Name, "arguments": llm.ObjectArgs(b.Args)}))
		case b.Kind == llm.ToolResult:
			out = append(out, mustJSON(map[string]string{"type": "function_call_output", "call_id": b.CallID, "output": b.Text}))
		}
	}
	if user != nil {
		out = append(out, mustJSON(map[string]any{"type": "message", "role": "user", "content": user}))
	}
	return bytes.Join(out, comma)
}

type responsesEvent struct {
	Type   string `json:"type"`
	Output int    `json:"output_index"`
	Delta  string `json:"delta"`
	Item   *struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
		Encrypted string `json:"encrypted_content"`
	} `json:"item"`
	Response *struct {
		Model      string `json:"model"`
		Incomplete *struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Error json.RawMessage `json:"error"`
		Usage *struct {
			Input   int64 `json:"input_tokens"`
			Output  int64 `json:"output_tokens"`
			Details struct {
				Cached int64 `json:"cached_tokens"`
			} `json:"input_tokens_details"`
			Out struct {
				Reasoning int64 `json:"reasoning_tokens"`
			} `json:"output_tokens_details"`
		} `json:"usage"`
	} `json:"response"`
	Message string `json:"message"`
	Code    string `json:"code"`
}

type responsesDecoder struct {
	b      *llm.Builder
	items  map[int]int // output index → block
	answer llm.Answer
}

func (d *responsesDecoder) event(_ string, data []byte) (bool, error) {
	var e responsesEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return false, &llm.Error{Kind: llm.ErrMalformed, Message: "the answer has a piece that is not valid JSON", Err: err}
	}
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		d.b.Add(d.block(e.Output, llm.Text), e.Delta)
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.b.Add(d.block(e.Output, llm.Reasoning), e.Delta)
	case "response.reasoning_summary_part.added":
		if i := d.block(e.Output, llm.Reasoning); d.b.Text(i) != "" {
			d.b.Add(i, "\n\n")
		}
	case "response.output_item.added":
		if e.Item != nil && e.Item.Type == "function_call" {
			d.items[e.Output] = d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: e.Item.CallID, Name: e.Item.Name})
		}
	case "response.function_call_arguments.delta":
		if i, ok := d.items[e.Output]; ok {
			d.b.Add(i, e.Delta)
		}
	case "response.output_item.done":
		d.done(e, data)
	case "response.completed", "response.incomplete":
		d.complete(e)
		return true, nil
	case "response.failed":
		if e.Response != nil && len(e.Response.Error) > 0 {
			return false, streamError(e.Response.Error)
		}
		return false, &llm.Error{Kind: llm.ErrOverloaded, Message: "the provider failed without saying why"}
	case "error":
		return false, transport.Named(e.Code, e.Message)
	}
	return false, nil
}

func (d *responsesDecoder) block(output int, kind llm.BlockKind) int {
	if i, ok := d.items[output]; ok {
		return i
	}
	i := d.b.Open(llm.Block{Kind: kind})
	d.items[output] = i
	return i
}

// done keeps an encrypted reasoning item as it came, and completes a call whose arguments were not streamed.
func (d *responsesDecoder) done(e responsesEvent, data []byte) {
	if e.Item == nil {
		return
	}
	switch e.Item.Type {
	case "reasoning":
		var raw struct {
			Item json.RawMessage `json:"item"`
		}
		if e.Item.Encrypted != "" && json.Unmarshal(data, &raw) == nil {
			d.b.SetMeta(d.block(e.Output, llm.Reasoning), llm.NewMeta(responsesProtocol, string(raw.Item)))
		}
	case "function_call":
		i, ok := d.items[e.Output]
		if !ok {
			i = d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: e.Item.CallID, Name: e.Item.Name})
			d.items[e.Output] = i
		}
		if d.b.Text(i) == "" {
			d.b.Add(i, e.Item.Arguments)
		}
	}
}

func (d *responsesDecoder) complete(e responsesEvent) {
	d.answer.Finish = llm.FinishStop
	if e.Response == nil {
		return
	}
	d.answer.Model = e.Response.Model
	if u := e.Response.Usage; u != nil {
		d.answer.Usage = llm.Usage{Input: max(0, u.Input-u.Details.Cached), CacheRead: u.Details.Cached, Output: u.Output, Reasoning: u.Out.Reasoning}
	}
	if inc := e.Response.Incomplete; inc != nil {
		switch inc.Reason {
		case "max_output_tokens":
			d.answer.Finish = llm.FinishLength
		case "content_filter":
			d.answer.Finish = llm.FinishFilter
		default:
			d.answer.Finish = llm.FinishUnknown
		}
	}
}
