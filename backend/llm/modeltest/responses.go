package modeltest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"strings"

	"mobius/backend/llm"
)

type responsesProtocol struct{}

func (responsesProtocol) name() Protocol           { return Responses }
func (responsesProtocol) contentType() string      { return "text/event-stream; charset=utf-8" }
func (responsesProtocol) key(h http.Header) string { return bearer(h) }
func (responsesProtocol) errorBody(status int, kind, text string) string {
	return openAIError(status, kind, text)
}

type responsesRequest struct {
	Model        string                   `json:"model"`
	Stream       bool                     `json:"stream"`
	Store        *bool                    `json:"store"`
	Instructions string                   `json:"instructions"`
	MaxOutput    int64                    `json:"max_output_tokens"`
	Include      []string                 `json:"include"`
	Reasoning    *struct{ Effort string } `json:"reasoning"`
	Input        []json.RawMessage        `json:"input"`
	Tools        []struct {
		Type       string          `json:"type"`
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
	} `json:"tools"`
}

type responsesItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Output    string          `json:"output"`
	Encrypted string          `json:"encrypted_content"`
}

func (p responsesProtocol) parse(r *Request, _ *http.Request) {
	var q responsesRequest
	if err := json.Unmarshal(r.Body, &q); err != nil {
		r.violate("the body is not of the protocol: %v", err)
		return
	}
	r.Model, r.System, r.MaxOutput = q.Model, q.Instructions, q.MaxOutput
	if !q.Stream {
		r.violate("stream is not set")
	}
	if q.Store == nil || *q.Store {
		r.violate("store is not false: the provider would keep the conversation")
	}
	for i, raw := range q.Input {
		var item responsesItem
		if err := json.Unmarshal(raw, &item); err != nil {
			r.violate("item %d is not of the protocol: %v", i, err)
			continue
		}
		p.item(r, i, item)
	}
	for _, t := range q.Tools {
		r.checkTool(t.Name, t.Parameters)
	}
}

func (responsesProtocol) item(r *Request, i int, item responsesItem) {
	// assistant gives the assistant message that an item belongs to.
	assistant := func() *Message {
		if n := len(r.Messages); n == 0 || r.Messages[n-1].Role != "assistant" {
			r.Messages = append(r.Messages, Message{Role: "assistant"})
		}
		return &r.Messages[len(r.Messages)-1]
	}
	switch item.Type {
	case "message", "":
		text, kinds, ok := contentText(item.Content)
		if !ok {
			r.violate("item %d has a content that is neither text nor parts", i)
		}
		if item.Role == "assistant" {
			assistant().Text += text
			if len(kinds) != kinds["output_text"] && len(kinds) > 1 {
				r.violate("item %d: an assistant's parts are output_text", i)
			}
			return
		}
		for kind := range kinds {
			if kind != "input_text" && kind != "input_image" {
				r.violate("item %d has a part of type %q", i, kind)
			}
		}
		r.Messages = append(r.Messages, Message{Role: item.Role, Text: text, Images: kinds["input_image"]})
	case "reasoning":
		m := assistant()
		m.Thought += item.Encrypted
		m.echoes = append(m.echoes, echo{item.Encrypted, ""})
		if item.Encrypted == "" {
			r.violate("item %d is reasoning without its encrypted content, which is not stored here", i)
		}
	case "function_call":
		m := assistant()
		m.Calls = append(m.Calls, ToolCall{item.CallID, item.Name, item.Arguments})
	case "function_call_output":
		result := ToolResult{ID: item.CallID, Text: item.Output}
		if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == "tool" {
			r.Messages[n-1].Results = append(r.Messages[n-1].Results, result)
			return
		}
		r.Messages = append(r.Messages, Message{Role: "tool", Results: []ToolResult{result}})
	default:
		r.violate("item %d has the type %q", i, item.Type)
	}
}

func (responsesProtocol) check(r *Request, sent *issued) {
	r.checkCommon()
	for i, m := range r.Messages {
		for _, e := range m.echoes {
			if _, ok := sent.get(e.secret); !ok {
				r.violate("message %d has encrypted reasoning that was not sent like this", i)
			}
		}
		if len(m.echoes) > 0 && m.Text == "" && len(m.Calls) == 0 {
			r.violate("message %d is reasoning without the item that follows it", i)
		}
	}
}

func (responsesProtocol) speak(s *stream) speaker { return &responsesSpeaker{stream: s} }

type responsesSpeaker struct {
	*stream
	seq  int
	item int // output index
}

func (c *responsesSpeaker) send(name, rest string) {
	c.seq++
	c.event(name, []byte(fmt.Sprintf(`{"type":%q,"sequence_number":%d,%s}`, name, c.seq, rest)))
}

func (c *responsesSpeaker) response(status, more string) string {
	return fmt.Sprintf(`"response":{"id":"resp_%d","object":"response","status":%q,"model":%s,"output":[]%s}`, c.req.N, status, quoted(c.reply.Model), more)
}

func (c *responsesSpeaker) start() {
	c.send("response.created", c.response("in_progress", ""))
	c.send("response.in_progress", c.response("in_progress", ""))
}

func (c *responsesSpeaker) id() string { return fmt.Sprintf("item_%d_%d", c.req.N, c.item) }

func (c *responsesSpeaker) open(i int, p *Part) (before, after []byte, ok bool) {
	c.item = i
	at := fmt.Sprintf(`"item_id":%q,"output_index":%d`, c.id(), i)
	delta := func(name, more string) ([]byte, []byte) {
		return c.around(name, fmt.Sprintf(`{"type":%q,"sequence_number":%d,%s,%s"delta":`, name, c.seq, at, more), `,"obfuscation":"aXbY"}`)
	}
	switch p.Kind {
	case ReasonPart, RedactedPart:
		c.send("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":{"id":%q,"type":"reasoning","summary":[]}`, i, c.id()))
		if p.Kind == RedactedPart {
			return nil, nil, false
		}
		c.send("response.reasoning_summary_part.added", at+`,"summary_index":0,"part":{"type":"summary_text","text":""}`)
		before, after = delta("response.reasoning_summary_text.delta", `"summary_index":0,`)
	case CallPart:
		c.send("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":{"id":%q,"type":"function_call","status":"in_progress","arguments":"","call_id":%s,"name":%s}`, i, c.id(), quoted(callID(p, c.req, i)), quoted(p.Name)))
		before, after = delta("response.function_call_arguments.delta", "")
	default:
		c.send("response.output_item.added", fmt.Sprintf(`"output_index":%d,"item":{"id":%q,"type":"message","status":"in_progress","role":"assistant","content":[]}`, i, c.id()))
		c.send("response.content_part.added", at+`,"content_index":0,"part":{"type":"output_text","annotations":[],"text":""}`)
		before, after = delta("response.output_text.delta", `"content_index":0,`)
	}
	return before, after, true
}

// encrypted is what the server gives for reasoning.
func encrypted(n, i int, text string) string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d/%d/%s", n, i, text)
	return fmt.Sprintf("gAAAA%x", h.Sum64())
}

func (p *Part) whole() string {
	if p.Count > 0 {
		return WordsText(p.Count)
	}
	return strings.Join(p.Deltas, "")
}

func (c *responsesSpeaker) end(p *Part) {
	at := fmt.Sprintf(`"item_id":%q,"output_index":%d`, c.id(), c.item)
	whole := p.whole()
	switch p.Kind {
	case ReasonPart, RedactedPart:
		secret := encrypted(c.req.N, c.item, whole)
		c.server.issued.put(secret, whole)
		summary := "[]"
		if p.Kind == ReasonPart {
			c.send("response.reasoning_summary_text.done", at+`,"summary_index":0,"text":`+quoted(whole))
			summary = `[{"type":"summary_text","text":` + quoted(whole) + `}]`
		}
		c.send("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":{"id":%q,"type":"reasoning","summary":%s,"encrypted_content":%q}`, c.item, c.id(), summary, secret))
	case CallPart:
		c.send("response.function_call_arguments.done", at+`,"arguments":`+quoted(whole))
		c.send("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":{"id":%q,"type":"function_call","status":"completed","arguments":%s,"call_id":%s,"name":%s}`, c.item, c.id(), quoted(whole), quoted(callID(p, c.req, c.item)), quoted(p.Name)))
	default:
		c.send("response.output_text.done", at+`,"content_index":0,"text":`+quoted(whole))
		c.send("response.output_item.done", fmt.Sprintf(`"output_index":%d,"item":{"id":%q,"type":"message","status":"completed","role":"assistant","content":[{"type":"output_text","text":%s}]}`, c.item, c.id(), quoted(whole)))
	}
}

func (c *responsesSpeaker) finish(f llm.Finish, u llm.Usage) {
	usage := fmt.Sprintf(`,"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},"total_tokens":%d}`,
		u.Input+u.CacheRead+u.CacheWrite, u.CacheRead, u.Output, u.Reasoning, u.Total())
	switch f {
	case llm.FinishLength:
		c.send("response.incomplete", c.response("incomplete", `,"incomplete_details":{"reason":"max_output_tokens"}`+usage))
	case llm.FinishFilter:
		c.send("response.incomplete", c.response("incomplete", `,"incomplete_details":{"reason":"content_filter"}`+usage))
	default:
		c.send("response.completed", c.response("completed", `,"incomplete_details":null`+usage))
	}
}

func (c *responsesSpeaker) fault(kind, text string) {
	c.send("response.failed", c.response("failed", fmt.Sprintf(`,"error":{"code":%s,"message":%s}`, orNull(kind), quoted(text))))
}
