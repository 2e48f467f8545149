// Package anthropic speaks the Messages protocol, https://docs.anthropic.com/en/api/messages-streaming. Thinking blocks
// go back with their signatures. The tools, the system prompt, the newest message and the one that was the newest in the
// request before are marked for the prompt cache: a mark finds what was cached only within twenty blocks, so that a step
// with many tool results still finds the step before it.
package anthropic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/transport"
)

const (
	protocol = "anthropic"
	plain    = "anthropic+plain" // without thinking
	// Version is the protocol version that is asked for.
	Version          = "2023-06-01"
	defaultMaxTokens = 8192
	leastBudget      = 1024
)

// budgets are the tokens that each effort gives to thinking in models that do not know efforts.
var budgets = map[string]int64{"minimal": leastBudget, "low": 2048, "medium": 8192, "high": 24576, "xhigh": 32768, "max": 49152}

// Config is one model of one endpoint.
type Config struct {
	Client  *http.Client
	BaseURL string // without /v1
	Key     string
	Model   string
	Idle    time.Duration // see transport.Request
	First   time.Duration
}

// Model implements llm.Model.
type Model struct {
	config   Config
	adaptive bool
	tools    llm.EncodedTools
	noEcho   transport.Conversations // those whose signatures the provider refused: they belong to another account
}

// New makes a client.
func New(c Config) *Model { return &Model{config: c, adaptive: adaptive(c.Model)} }

var version = regexp.MustCompile(`claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)`)

// adaptive tells whether a model takes an effort and decides itself how much to think: from 4.6 on. Newer ones refuse a
// budget, older ones refuse an effort.
func adaptive(model string) bool {
	m := version.FindStringSubmatch(model)
	if m == nil {
		return false
	}
	major, _ := strconv.Atoi(m[1])
	minor, _ := strconv.Atoi(m[2])
	return major > 4 || major == 4 && minor >= 6
}

// Stream implements llm.Model.
func (m *Model) Stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	answer, err := m.stream(ctx, req, emit)
	var e *llm.Error
	if !errors.As(err, &e) || e.Status == 0 { // what has a status was refused before anything was sent
		return answer, err
	}
	if e.Kind == llm.ErrRefused && strings.Contains(strings.ToLower(e.Message), "signature") && m.noEcho.Add(req.CacheKey) {
		return m.stream(ctx, req, emit)
	}
	if room := roomLeft(e); room > 0 {
		smaller := *req
		smaller.MaxOutput, smaller.Effort = room, "none"
		return m.stream(ctx, &smaller, emit)
	}
	return answer, err
}

var overflow = regexp.MustCompile(`exceed context limit: (\d+) \+ (\d+) > (\d+)`)

const (
	leastRoom = 1024 // tokens; an answer in less is of no use
	spare     = 64
)

// roomLeft gives how long an answer may be when it was not the conversation that is too long for the window, but the
// conversation and the longest answer together. 0 when there is no room.
func roomLeft(e *llm.Error) int64 {
	m := overflow.FindStringSubmatch(e.Message)
	if e.Kind != llm.ErrContextLimit || m == nil {
		return 0
	}
	prompt, _ := strconv.ParseInt(m[1], 10, 64)
	window, _ := strconv.ParseInt(m[3], 10, 64)
	if room := window - prompt - spare; room >= leastRoom {
		return room
	}
	return 0
}

func (m *Model) stream(ctx context.Context, req *llm.Request, emit func(llm.Piece)) (*llm.Answer, error) {
	body, err := m.body(req)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Anthropic-Version": {Version}}
	if m.config.Key != "" {
		header.Set("X-Api-Key", m.config.Key)
	}
	d := newDecoder(llm.NewBuilder(emit))
	err = transport.Stream(ctx, m.config.Client, transport.Request{
		URL: m.config.BaseURL + "/v1/messages", Header: header, Body: body, Key: m.config.Key, Idle: m.config.Idle, First: m.config.First, Size: d.b.Size,
	}, d.event)
	if err != nil {
		return nil, err
	}
	return transport.Complete(d.b, &d.answer)
}

type cacheControl struct {
	Type string `json:"type"`
}

var ephemeral = &cacheControl{Type: "ephemeral"}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *cacheControl   `json:"cache_control,omitempty"`
}

type thinking struct {
	Type    string `json:"type"`
	Budget  int64  `json:"budget_tokens,omitempty"`
	Display string `json:"display,omitempty"`
}

type outputConfig struct {
	Effort string `json:"effort"`
}

type head struct {
	Model     string          `json:"model"`
	MaxTokens int64           `json:"max_tokens"`
	Stream    bool            `json:"stream"`
	Thinking  *thinking       `json:"thinking,omitempty"`
	Output    *outputConfig   `json:"output_config,omitempty"`
	System    []content       `json:"system,omitempty"`
	Tools     json.RawMessage `json:"tools,omitempty"`
}

func (m *Model) body(req *llm.Request) ([][]byte, error) {
	h := head{Model: m.config.Model, MaxTokens: req.MaxOutput, Stream: true}
	if h.MaxTokens <= 0 {
		h.MaxTokens = defaultMaxTokens
	}
	m.think(&h, req)
	if req.System != "" {
		h.System = []content{{Type: "text", Text: req.System, Cache: ephemeral}}
	}
	if len(req.Tools) > 0 {
		h.Tools = m.tools.Encoded(req.Tools, encodeTools)
	}
	start, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	start = append(bytes.TrimSuffix(start, []byte("}")), `,"messages":[`...)
	return m.messages(start, req), nil
}

func encodeTools(tools []llm.Tool) []byte {
	list := make([]tool, 0, len(tools))
	for i, t := range tools {
		one := tool{Name: t.Name, Description: t.Description, Schema: t.Object()}
		if i == len(tools)-1 {
			one.Cache = ephemeral
		}
		list = append(list, one)
	}
	return marshal(list)
}

// think sets how the model reasons.
func (m *Model) think(h *head, req *llm.Request) {
	switch {
	case req.Effort == "" || req.Effort == "none":
	case m.adaptive:
		effort := req.Effort
		if effort == "minimal" {
			effort = "low"
		}
		h.Thinking, h.Output = &thinking{Type: "adaptive", Display: "summarized"}, &outputConfig{effort}
	case m.noEcho.Has(req.CacheKey) || unthought(req.Messages):
		// With a budget, calls that are being answered must come with the thinking before them.
	case budgets[req.Effort] > 0:
		budget := budgets[req.Effort]
		h.Thinking = &thinking{Type: "enabled", Budget: budget}
		h.MaxTokens = max(h.MaxTokens, budget+defaultMaxTokens/2)
	}
}

// unthought tells whether the request answers calls that came without thinking of this protocol, such as another
// provider's.
func unthought(list []*llm.Message) bool {
	n := len(list)
	if n < 2 || list[n-1].Role != llm.RoleTool {
		return false
	}
	for _, b := range list[n-2].Blocks {
		if b.Kind == llm.Reasoning && llm.MetaOf(b.Meta, protocol) != "" {
			return false
		}
	}
	return true
}

var (
	comma     = []byte(",")
	end       = []byte("]}")
	mark      = []byte(`,"cache_control":{"type":"ephemeral"}}]}`)
	markedEnd = []byte("}]}") // of an encoded message: block, content, message
	opening   = []byte(`{"role":"user","content":[{"type":"text","text":"(The conversation began earlier.)"}]}`)
)

// messages appends the encoded messages. Those that carry a mark get it spliced into their end, so that what is kept
// encoded stays as it is.
func (m *Model) messages(start []byte, req *llm.Request) [][]byte {
	name, encode := protocol, encodeThinking
	if m.noEcho.Has(req.CacheKey) {
		name, encode = plain, encodePlain
	}
	out := make([][]byte, 0, 2*len(req.Messages)+4)
	out = append(out, start)
	first := true
	for i, msg := range req.Messages {
		b := msg.Encoded(name, encode)
		if len(b) == 0 {
			continue
		}
		if first && msg.Role == llm.RoleAssistant {
			out = append(out, opening) // the protocol wants the user to begin
			first = false
		}
		if !first {
			out = append(out, comma)
		}
		first = false
		if (i == len(req.Messages)-1 || i == len(req.Messages)-3) && bytes.HasSuffix(b, markedEnd) {
			out = append(out, b[:len(b)-len(markedEnd)], mark)
			continue
		}
		out = append(out, b)
	}
	return append(out, end)
}
