package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"

	"mobius/backend/llm"
)

// ollamaProtocol is Ollama's own chat: one JSON document a line.
type ollamaProtocol struct{}

func (ollamaProtocol) name() Protocol           { return Ollama }
func (ollamaProtocol) contentType() string      { return "application/x-ndjson" }
func (ollamaProtocol) key(h http.Header) string { return bearer(h) }

func (ollamaProtocol) errorBody(_ int, _, text string) string {
	return `{"error":` + quoted(text) + "}"
}

type ollamaRequest struct {
	Model   string `json:"model"`
	Stream  *bool  `json:"stream"`
	Options struct {
		Context int64 `json:"num_ctx"`
		Predict int64 `json:"num_predict"`
	} `json:"options"`
	Messages []struct {
		Role     string   `json:"role"`
		Content  string   `json:"content"`
		Thinking string   `json:"thinking"`
		Images   []string `json:"images"`
		ToolName string   `json:"tool_name"`
		CallID   string   `json:"tool_call_id"`
		Calls    []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

func (ollamaProtocol) parse(r *Request, _ *http.Request) {
	var q ollamaRequest
	if err := json.Unmarshal(r.Body, &q); err != nil {
		r.violate("the body is not of the protocol: %v", err)
		return
	}
	r.Model, r.MaxOutput = q.Model, q.Options.Predict
	if q.Stream != nil && !*q.Stream {
		r.violate("stream is off")
	}
	for i, m := range q.Messages {
		switch m.Role {
		case "system":
			if i > 0 {
				r.violate("message %d is a system message but not the first", i)
			}
			r.System = m.Content
		case "tool":
			result := ToolResult{Name: m.ToolName, Text: m.Content, ID: m.CallID}
			n := len(r.Messages)
			if n == 0 || r.Messages[n-1].Role != "tool" {
				r.Messages = append(r.Messages, Message{Role: "tool"})
				n++
			}
			last := &r.Messages[n-1]
			if result.ID == "" { // results are told apart by their order
				result.ID = fmt.Sprintf("#%d", len(last.Results))
			}
			last.Results = append(last.Results, result)
		default:
			msg := Message{Role: m.Role, Text: m.Content, Thought: m.Thinking, Images: len(m.Images)}
			for j, c := range m.Calls {
				id := c.ID
				if id == "" {
					id = fmt.Sprintf("#%d", j)
				}
				msg.Calls = append(msg.Calls, ToolCall{id, c.Function.Name, string(c.Function.Arguments)})
			}
			r.Messages = append(r.Messages, msg)
		}
	}
	for _, t := range q.Tools {
		r.checkTool(t.Function.Name, t.Function.Parameters)
	}
}

func (ollamaProtocol) check(r *Request, _ *issued) { r.checkCommon() }

func (ollamaProtocol) speak(s *stream) speaker { return &ollamaSpeaker{stream: s} }

type ollamaSpeaker struct{ *stream }

func (c *ollamaSpeaker) head() string {
	return fmt.Sprintf(`{"model":%s,"created_at":"2026-11-30T12:00:00.123456789Z",`, quoted(c.reply.Model))
}

func (c *ollamaSpeaker) line(s string) { c.buf = append(append(c.buf, s...), '\n') }

func (c *ollamaSpeaker) start() {}

func (c *ollamaSpeaker) open(_ int, p *Part) (before, after []byte, ok bool) {
	head, tail := c.head()+`"message":{"role":"assistant",`, `},"done":false}`
	switch p.Kind {
	case ReasonPart:
		return []byte(head + `"content":"","thinking":`), []byte(tail + "\n"), true
	case RedactedPart:
		return nil, nil, false
	case CallPart:
		args := p.whole()
		if !json.Valid([]byte(args)) {
			args = quoted(args) // the protocol has no way to send what is no JSON
		}
		id := ""
		if p.ID != "" {
			id = `"id":` + quoted(p.ID) + ","
		}
		c.line(fmt.Sprintf(`%s"content":"","tool_calls":[{%s"function":{"name":%s,"arguments":%s}}]%s`, head, id, quoted(p.Name), args, tail))
		c.sent++
		return nil, nil, false
	}
	return []byte(head + `"content":`), []byte(tail + "\n"), true
}

func (c *ollamaSpeaker) end(*Part) {}

func (c *ollamaSpeaker) finish(f llm.Finish, u llm.Usage) {
	reason := "stop"
	if f == llm.FinishLength {
		reason = "length"
	}
	c.line(fmt.Sprintf(`%s"message":{"role":"assistant","content":""},"done":true,"done_reason":%q,"total_duration":1,"prompt_eval_count":%d,"eval_count":%d}`,
		c.head(), reason, u.Input+u.CacheRead+u.CacheWrite, u.Output))
}

func (c *ollamaSpeaker) fault(_, text string) { c.line(`{"error":` + quoted(text) + "}") }

func (c *ollamaSpeaker) broken() { c.line(`{"model":"x","message":{"role":"assist`) }
