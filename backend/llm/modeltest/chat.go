package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"mobius/backend/llm"
)

type chatProtocol struct{}

func (chatProtocol) name() Protocol           { return Chat }
func (chatProtocol) contentType() string      { return "text/event-stream" }
func (chatProtocol) key(h http.Header) string { return bearer(h) }

func bearer(h http.Header) string {
	key, _ := strings.CutPrefix(h.Get("Authorization"), "Bearer ")
	return key
}

func (chatProtocol) errorBody(status int, kind, text string) string {
	return openAIError(status, kind, text)
}

// openAIError is the error body that both protocols of OpenAI use.
func openAIError(status int, kind, text string) string {
	code := kind
	if code == "" {
		switch status {
		case http.StatusUnauthorized:
			code = "invalid_api_key"
		case http.StatusNotFound:
			code = "model_not_found"
		case http.StatusTooManyRequests:
			code = "rate_limit_exceeded"
		}
	}
	typ := "invalid_request_error"
	if status >= 500 {
		typ = "server_error"
	}
	return fmt.Sprintf(`{"error":{"message":%s,"type":%q,"param":null,"code":%s}}`, quoted(text), typ, orNull(code))
}

func orNull(s string) string {
	if s == "" {
		return "null"
	}
	return quoted(s)
}

type chatRequest struct {
	Model     string `json:"model"`
	Stream    bool   `json:"stream"`
	MaxTokens int64  `json:"max_tokens"`
	MaxNew    int64  `json:"max_completion_tokens"`
	Messages  []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Thought string          `json:"reasoning_content"`
		CallID  string          `json:"tool_call_id"`
		Calls   []struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

func (chatProtocol) parse(r *Request, _ *http.Request) {
	var q chatRequest
	if err := json.Unmarshal(r.Body, &q); err != nil {
		r.violate("the body is not of the protocol: %v", err)
		return
	}
	r.Model, r.MaxOutput = q.Model, max(q.MaxTokens, q.MaxNew)
	if !q.Stream {
		r.violate("stream is not set")
	}
	for i, m := range q.Messages {
		text, kinds, ok := contentText(m.Content)
		if !ok {
			r.violate("message %d has a content that is neither text nor parts", i)
		}
		for kind := range kinds {
			if kind != "text" && kind != "image_url" {
				r.violate("message %d has a part of type %q", i, kind)
			}
		}
		switch m.Role {
		case "system", "developer":
			if i > 0 {
				r.violate("message %d is a system message but not the first", i)
			}
			r.System = text
		case "tool":
			result := ToolResult{ID: m.CallID, Text: text}
			if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == "tool" {
				r.Messages[n-1].Results = append(r.Messages[n-1].Results, result)
				continue
			}
			r.Messages = append(r.Messages, Message{Role: "tool", Results: []ToolResult{result}})
		default:
			msg := Message{Role: m.Role, Text: text, Thought: m.Thought, Images: kinds["image_url"]}
			for _, c := range m.Calls {
				if c.Type != "function" {
					r.violate("call %q has the type %q", c.ID, c.Type)
				}
				msg.Calls = append(msg.Calls, ToolCall{c.ID, c.Function.Name, c.Function.Arguments})
			}
			r.Messages = append(r.Messages, msg)
		}
	}
	for _, t := range q.Tools {
		r.checkTool(t.Function.Name, t.Function.Parameters)
	}
}

func (chatProtocol) check(r *Request, _ *issued) { r.checkCommon() }

func (chatProtocol) speak(s *stream) speaker { return &chatSpeaker{stream: s} }

type chatSpeaker struct {
	*stream
	calls int
}

// head is the beginning of a chunk.
func (c *chatSpeaker) head() string {
	return fmt.Sprintf(`{"id":"chatcmpl-%d","object":"chat.completion.chunk","created":1790000000,"model":%s,"system_fingerprint":"fp_test",`, c.req.N, quoted(c.reply.Model))
}

// tail ends a chunk after its delta.
func (c *chatSpeaker) tail(finish string) string {
	end := `,"logprobs":null,"finish_reason":` + orNull(finish) + `}]`
	if c.reply.Quirks.UsageEverytime || finish != "" && c.reply.Quirks.UsageAtFinish {
		end += `,"usage":` + c.usage()
	}
	return end + "}"
}

func (c *chatSpeaker) usage() string {
	u := c.reply.usage(c.req)
	return fmt.Sprintf(`{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`,
		u.Input+u.CacheRead+u.CacheWrite, u.Output, u.Total(), u.CacheRead, u.Reasoning)
}

func (c *chatSpeaker) chunk(delta, finish string) {
	c.event("", []byte(c.head()+`"choices":[{"index":0,"delta":`+delta+c.tail(finish)))
}

func (c *chatSpeaker) start() { c.chunk(`{"role":"assistant","content":""}`, "") }

func (c *chatSpeaker) open(_ int, p *Part) (before, after []byte, ok bool) {
	q := c.reply.Quirks
	switch p.Kind {
	case RedactedPart:
		return nil, nil, false // the protocol has none
	case ReasonPart:
		field := q.ReasoningField
		if field == "" {
			field = "reasoning_content"
		}
		if q.ThinkTags {
			field = "content"
			c.chunk(`{"content":"<think>"}`, "")
		}
		before, after = c.around("", c.head()+`"choices":[{"index":0,"delta":{"`+field+`":`, "}"+c.tail(""))
	case CallPart:
		return c.openCall(p)
	default:
		before, after = c.around("", c.head()+`"choices":[{"index":0,"delta":{"content":`, "}"+c.tail(""))
	}
	return before, after, true
}

func (c *chatSpeaker) openCall(p *Part) (before, after []byte, ok bool) {
	q := c.reply.Quirks
	index := ""
	if !q.NoIndex {
		index = fmt.Sprintf(`"index":%d,`, c.calls)
	}
	id := ""
	if !q.NoIDs {
		id = `"id":` + quoted(callID(p, c.req, c.calls)) + ","
	}
	c.calls++
	whole := strings.Join(p.Deltas, "")
	args := `""`
	switch {
	case q.ObjectArgs:
		args = whole
	case q.WholeCalls:
		args = quoted(whole)
	}
	c.chunk(fmt.Sprintf(`{"tool_calls":[{%s%s"type":"function","function":{"name":%s,"arguments":%s}}]}`, index, id, quoted(p.Name), args), "")
	if q.ObjectArgs || q.WholeCalls {
		return nil, nil, false
	}
	before, after = c.around("", c.head()+`"choices":[{"index":0,"delta":{"tool_calls":[{`+index+`"function":{"arguments":`, `}}]}`+c.tail(""))
	return before, after, true
}

// callID is the id of a call, unique in the server's life.
func callID(p *Part, r *Request, i int) string {
	if p.ID != "" {
		return p.ID
	}
	return fmt.Sprintf("call_%d_%d", r.N, i)
}

func (c *chatSpeaker) end(p *Part) {
	if p.Kind == ReasonPart && c.reply.Quirks.ThinkTags {
		c.chunk(`{"content":"</think>"}`, "")
	}
}

func (c *chatSpeaker) finish(f llm.Finish, _ llm.Usage) {
	q := c.reply.Quirks
	if !q.NoFinish {
		c.chunk("{}", string(f))
	}
	if !q.NoUsage && !q.UsageEverytime && !q.UsageAtFinish {
		c.event("", []byte(c.head()+`"choices":[],"usage":`+c.usage()+"}"))
	}
	if !q.NoDone {
		c.event("", []byte("[DONE]"))
	}
}

func (c *chatSpeaker) fault(kind, text string) {
	c.event("", []byte(fmt.Sprintf(`{"error":{"message":%s,"type":%s,"code":%s}}`, quoted(text), orNull(kind), orNull(kind))))
}
