// Package ollama speaks Ollama's own chat, https://docs.ollama.com/api/chat. Its OpenAI-compatible endpoint would do, but
// for one thing: there, nobody can say how much context the model is to be loaded with, the default is a few thousand
// tokens, and what does not fit is cut off the conversation without a word, the instructions first.
//
// So the request says how much it needs (num_ctx), in steps so that a growing conversation seldom makes Ollama load the
// model again, never more than the model's card allows, and at least what Ollama has loaded or the model's own settings
// say. A conversation beyond that is an llm.ErrContextLimit, not a cut.
package ollama

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
)

const protocol = "ollama"

// Config is one model of one server.
type Config struct {
	Client  *http.Client
	BaseURL string // without a path
	Key     string // only behind a proxy that wants one, or at ollama.com
	Model   string
	Idle    time.Duration // see transport.Request
	First   time.Duration
}

// Model implements llm.Model.
type Model struct {
	config Config
	tools  llm.EncodedTools
	window window
}

// New makes a client.
func New(c Config) *Model { return &Model{config: c} }

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	size, err := m.size(ctx, req)
	if err != nil {
		return nil, err
	}
	body, err := m.body(req, size)
	if err != nil {
		return nil, err
	}
	d := newDecoder(llm.NewBuilder(emit))
	err = transport.Stream(ctx, m.config.Client, transport.Request{
		URL: m.config.BaseURL + "/api/chat", Header: m.header(), Body: body, Key: m.config.Key, Idle: m.config.Idle, First: m.config.First, Size: d.b.Size, Lines: true,
	}, d.event)
	if err != nil {
		return nil, err
	}
	return transport.Complete(d.b, &d.answer)
}

func (m *Model) header() http.Header {
	h := http.Header{}
	if m.config.Key != "" {
		h.Set("Authorization", "Bearer "+m.config.Key)
	}
	return h
}

type options struct {
	Context int64 `json:"num_ctx"`
	Predict int64 `json:"num_predict,omitempty"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

func encodeTools(tools []llm.Tool) []byte {
	list := make([]tool, 0, len(tools))
	for _, t := range tools {
		list = append(list, tool{"function", function{t.Name, t.Description, t.Object()}})
	}
	return marshal(list)
}

func (m *Model) body(req *llm.Request, size int64) ([][]byte, error) {
	head := struct {
		Model    string          `json:"model"`
		Stream   bool            `json:"stream"`
		Think    any             `json:"think,omitempty"`
		Options  options         `json:"options"`
		Truncate bool            `json:"truncate"` // false: say when the conversation is too long instead of cutting it
		Shift    bool            `json:"shift"`
		Tools    json.RawMessage `json:"tools,omitempty"`
	}{Model: m.config.Model, Stream: true, Think: m.think(req.Effort), Options: options{size, req.MaxOutput}}
	if len(req.Tools) > 0 {
		head.Tools = m.tools.Encoded(req.Tools, encodeTools)
	}
	start, err := json.Marshal(head)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	out := make([][]byte, 0, 2*len(req.Messages)+3)
	out = append(out, append(bytes.TrimSuffix(start, []byte("}")), `,"messages":[`...))
	if req.System != "" {
		out = append(out, marshal(message{Role: "system", Content: req.System}))
	}
	for _, msg := range req.Messages {
		b := msg.Encoded(protocol, encode)
		if len(b) == 0 {
			continue
		}
		if len(out) > 1 {
			out = append(out, comma)
		}
		out = append(out, b)
	}
	return append(out, end), nil
}

// think gives how the model reasons: nil for its default, which is also the only thing that a model without reasoning
// takes.
func (m *Model) think(effort string) any {
	switch {
	case effort == "" || !m.window.thinks():
		return nil
	case effort == "none":
		return false
	case strings.Contains(m.config.Model, "gpt-oss"):
		if effort == "minimal" {
			effort = "low"
		}
		return effort
	}
	return true
}

var (
	comma = []byte(",")
	end   = []byte("]}")
)

type message struct {
	Role     string   `json:"role"`
	Content  string   `json:"content"`
	Thinking string   `json:"thinking,omitempty"`
	Images   []string `json:"images,omitempty"`
	ToolName string   `json:"tool_name,omitempty"`
	CallID   string   `json:"tool_call_id,omitempty"`
	Calls    []call   `json:"tool_calls,omitempty"`
}

type call struct {
	ID       string `json:"id,omitempty"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// marshal encodes values that always encode: strings, checked JSON, and lists of them.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// encode gives a message in the protocol's form; a tool message becomes one message for each result.
func encode(m *llm.Message) []byte {
	if m.Role == llm.RoleTool {
		var out [][]byte
		for _, b := range m.Blocks {
			if b.Kind == llm.ToolResult {
				out = append(out, marshal(message{Role: "tool", Content: b.Text, ToolName: b.Name, CallID: b.CallID}))
			}
		}
		return bytes.Join(out, comma)
	}
	out := message{Role: string(m.Role)}
	thought := ""
	for _, b := range m.Blocks {
		switch b.Kind {
		case llm.Text:
			out.Content += b.Text
		case llm.Reasoning:
			thought += b.Text
		case llm.Image:
			out.Images = append(out.Images, base64.StdEncoding.EncodeToString(b.Data))
		case llm.ToolCall:
			c := call{ID: b.CallID}
			c.Function.Name, c.Function.Arguments = b.Name, json.RawMessage(llm.ObjectArgs(b.Args))
			out.Calls = append(out.Calls, c)
		}
	}
	if len(out.Calls) > 0 {
		out.Thinking = thought // what led to a call belongs to it; older thoughts only cost room
	}
	if out.Content == "" && len(out.Images) == 0 && len(out.Calls) == 0 {
		return nil
	}
	return marshal(out)
}
