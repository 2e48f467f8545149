package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"mobius/backend/llm"
)

type anthropicProtocol struct{}

func (anthropicProtocol) name() Protocol           { return Anthropic }
func (anthropicProtocol) contentType() string      { return "text/event-stream; charset=utf-8" }
func (anthropicProtocol) key(h http.Header) string { return h.Get("X-Api-Key") }

func (anthropicProtocol) errorBody(status int, kind, text string) string {
	if kind == "" {
		kind = map[int]string{
			400: "invalid_request_error", 401: "authentication_error", 403: "permission_error", 404: "not_found_error",
			413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 529: "overloaded_error",
		}[status]
	}
	return fmt.Sprintf(`{"type":"error","error":{"type":%s,"message":%s},"request_id":"req_test"}`, quoted(kind), quoted(text))
}

type anthropicRequest struct {
	Model     string          `json:"model"`
	MaxTokens int64           `json:"max_tokens"`
	Stream    bool            `json:"stream"`
	System    json.RawMessage `json:"system"`
	Thinking  *struct {
		Type   string `json:"type"`
		Budget int64  `json:"budget_tokens"`
	} `json:"thinking"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	Tools []struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"input_schema"`
	} `json:"tools"`
}

type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	Thinking  string          `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error"`
}

var (
	toolUseID  = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	breakpoint = regexp.MustCompile(`"cache_control":\{"type":"ephemeral"`)
)

const maxBreakpoints = 4

func (p anthropicProtocol) parse(r *Request, hr *http.Request) {
	var q anthropicRequest
	if err := json.Unmarshal(r.Body, &q); err != nil {
		r.violate("the body is not of the protocol: %v", err)
		return
	}
	r.Model, r.MaxOutput = q.Model, q.MaxTokens
	r.System, _, _ = contentText(q.System)
	if !q.Stream {
		r.violate("stream is not set")
	}
	if hr.Header.Get("Anthropic-Version") == "" {
		r.violate("the header anthropic-version is missing")
	}
	if q.MaxTokens <= 0 {
		r.violate("max_tokens is missing")
	}
	if t := q.Thinking; t != nil && t.Type == "enabled" && (t.Budget < 1024 || t.Budget >= q.MaxTokens) {
		r.violate("the thinking budget %d does not fit max_tokens %d", t.Budget, q.MaxTokens)
	}
	if n := len(breakpoint.FindAllIndex(r.Body, -1)); n > maxBreakpoints {
		r.violate("there are %d cache breakpoints", n)
	}
	for i, m := range q.Messages {
		var blocks []anthropicBlock
		if text := ""; json.Unmarshal(m.Content, &text) == nil {
			blocks = []anthropicBlock{{Type: "text", Text: text}}
		} else if err := json.Unmarshal(m.Content, &blocks); err != nil {
			r.violate("message %d has a content that is neither text nor blocks", i)
		}
		p.message(r, i, m.Role, blocks)
	}
	if q.Thinking != nil && q.Thinking.Type == "enabled" {
		p.thinkingFirst(r)
	}
	for _, t := range q.Tools {
		r.checkTool(t.Name, t.Schema)
	}
}

func (anthropicProtocol) message(r *Request, i int, role string, blocks []anthropicBlock) {
	if role != "user" && role != "assistant" {
		r.violate("message %d has the role %q", i, role)
	}
	if i == 0 && role != "user" {
		r.violate("the first message is not the user's")
	}
	msg, results := Message{Role: role}, Message{Role: "tool"}
	for _, b := range blocks {
		if wrong := (b.Type == "tool_use" || b.Type == "thinking" || b.Type == "redacted_thinking") != (role == "assistant") && b.Type != "text"; wrong {
			r.violate("message %d of the %s has a block of type %q", i, role, b.Type)
		}
		switch b.Type {
		case "text":
			if strings.TrimSpace(b.Text) == "" {
				r.violate("message %d has a text block without text", i)
			}
			msg.Text += b.Text
		case "image":
			msg.Images++
		case "thinking":
			msg.Thought += b.Thinking
			msg.echoes = append(msg.echoes, echo{b.Signature, b.Thinking})
		case "redacted_thinking":
			msg.Thought += b.Data
			msg.echoes = append(msg.echoes, echo{b.Data, ""})
		case "tool_use":
			if !toolUseID.MatchString(b.ID) {
				r.violate("message %d has a call with the id %q", i, b.ID)
			}
			msg.Calls = append(msg.Calls, ToolCall{b.ID, b.Name, string(b.Input)})
		case "tool_result":
			if msg.Text != "" || msg.Images > 0 {
				r.violate("message %d has a result behind other content", i)
			}
			text, _, _ := contentText(b.Content)
			results.Results = append(results.Results, ToolResult{ID: b.ToolUseID, Text: text, IsError: b.IsError})
		default:
			r.violate("message %d has a block of type %q", i, b.Type)
		}
	}
	if len(results.Results) > 0 {
		r.Messages = append(r.Messages, results)
		if msg.Text == "" && msg.Images == 0 {
			return
		}
	}
	r.Messages = append(r.Messages, msg)
}

// thinkingFirst checks that calls that are being answered come with the thinking before them.
func (anthropicProtocol) thinkingFirst(r *Request) {
	n := len(r.Messages)
	if n >= 2 && r.Messages[n-1].Role == "tool" && len(r.Messages[n-2].Calls) > 0 && len(r.Messages[n-2].echoes) == 0 {
		r.violate("thinking is on, but the calls that are answered come without their thinking")
	}
}

func (anthropicProtocol) check(r *Request, sent *issued) {
	r.checkCommon()
	for i, m := range r.Messages {
		for _, e := range m.echoes {
			if text, ok := sent.get(e.secret); !ok || text != e.text {
				r.violate("message %d has thinking that does not fit its signature", i)
			}
		}
	}
}

func (anthropicProtocol) speak(s *stream) speaker { return &anthropicSpeaker{stream: s} }

type anthropicSpeaker struct {
	*stream
	item int
}

func (c *anthropicSpeaker) send(name, rest string) {
	c.event(name, []byte(`{"type":"`+name+`"`+rest+"}"))
}

func (c *anthropicSpeaker) start() {
	u := c.reply.usage(c.req)
	c.send("message_start", fmt.Sprintf(`,"message":{"id":"msg_%d","type":"message","role":"assistant","model":%s,"content":[],"stop_reason":null,"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":1}}`,
		c.req.N, quoted(c.reply.Model), u.Input, u.CacheRead, u.CacheWrite))
	c.send("ping", "")
}

func (c *anthropicSpeaker) open(i int, p *Part) (before, after []byte, ok bool) {
	c.item = i
	begin := func(block string) {
		c.send("content_block_start", fmt.Sprintf(`,"index":%d,"content_block":%s`, i, block))
	}
	delta := func(typ, field string) ([]byte, []byte) {
		return c.around("content_block_delta", fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":%q,%q:`, i, typ, field), "}}")
	}
	switch p.Kind {
	case ReasonPart:
		begin(`{"type":"thinking","thinking":"","signature":""}`)
		before, after = delta("thinking_delta", "thinking")
	case RedactedPart:
		secret := encrypted(c.req.N, i, p.whole())
		c.server.issued.put(secret, "")
		begin(`{"type":"redacted_thinking","data":` + quoted(secret) + "}")
		return nil, nil, false
	case CallPart:
		begin(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, quoted(callID(p, c.req, i)), quoted(p.Name)))
		before, after = delta("input_json_delta", "partial_json")
	default:
		begin(`{"type":"text","text":""}`)
		before, after = delta("text_delta", "text")
	}
	return before, after, true
}

func (c *anthropicSpeaker) end(p *Part) {
	if p.Kind == ReasonPart {
		whole := p.whole()
		secret := encrypted(c.req.N, c.item, whole)
		c.server.issued.put(secret, whole)
		c.send("content_block_delta", fmt.Sprintf(`,"index":%d,"delta":{"type":"signature_delta","signature":%q}`, c.item, secret))
	}
	c.send("content_block_stop", fmt.Sprintf(`,"index":%d`, c.item))
}

func (c *anthropicSpeaker) finish(f llm.Finish, u llm.Usage) {
	reason := map[llm.Finish]string{llm.FinishStop: "end_turn", llm.FinishToolCalls: "tool_use", llm.FinishLength: "max_tokens", llm.FinishFilter: "refusal"}[f]
	c.send("message_delta", fmt.Sprintf(`,"delta":{"stop_reason":%s,"stop_sequence":null},"usage":{"output_tokens":%d}`, orNull(reason), u.Output))
	c.send("message_stop", "")
}

func (c *anthropicSpeaker) fault(kind, text string) {
	c.send("error", fmt.Sprintf(`,"error":{"type":%s,"message":%s}`, quoted(kind), quoted(text)))
}
