package openai

import (
	"bytes"
	"encoding/json"
	"strings"

	"mobius/backend/llm"
	"mobius/backend/llm/peek"
	"mobius/backend/llm/transport"
)

// chatChunk is one chunk of a streamed completion, with the names that other servers use.
type chatChunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Delta struct {
			Content          json.RawMessage   `json:"content"` // a text; Mistral sends parts when it reasons
			ReasoningContent string            `json:"reasoning_content"`
			Reasoning        json.RawMessage   `json:"reasoning"` // a text
			Thinking         json.RawMessage   `json:"thinking"`  // a text
			Details          []json.RawMessage `json:"reasoning_details"`
			Refusal          string            `json:"refusal"`
			ToolCalls        []chatCall        `json:"tool_calls"`
		} `json:"delta"`
		Finish string     `json:"finish_reason"`
		Usage  *chatUsage `json:"usage"` // Moonshot
	} `json:"choices"`
	Usage *chatUsage `json:"usage"`
	Groq  *struct {
		Usage *chatUsage `json:"usage"`
	} `json:"x_groq"`
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
	Message string          `json:"message"` // vLLM, when object is error
}

type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
	Hit        int64 `json:"prompt_cache_hit_tokens"` // DeepSeek
	Cached     int64 `json:"cached_tokens"`           // Moonshot
	Details    struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"` // OpenRouter
	} `json:"prompt_tokens_details"`
	Out struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// usage counts each token once.
func (u *chatUsage) usage() llm.Usage {
	read, written := max(u.Details.Cached, u.Hit, u.Cached), u.Details.Written
	out := u.Completion
	if u.Out.Reasoning > 0 && u.Total == u.Prompt+u.Completion+u.Out.Reasoning {
		out += u.Out.Reasoning // xAI counts reasoning beside the completion, the others inside
	}
	return llm.Usage{Input: max(0, u.Prompt-read-written), CacheRead: read, CacheWrite: written, Output: out, Reasoning: u.Out.Reasoning}
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
	calls    map[int]int    // index in the protocol → block
	ids      map[string]int // id in the protocol → block
	last     int            // block of the last call, -1 when there is none
	finished bool
	answer   llm.Answer
	details  details
	think    thinkTags
	model    []byte // as it stands in the chunks, so that it is decoded once
	slow     bool   // decode everything with encoding/json; for tests
}

func newChatDecoder(b *llm.Builder) *chatDecoder {
	return &chatDecoder{b: b, calls: map[int]int{}, ids: map[string]int{}, last: -1, answer: llm.Answer{Finish: llm.FinishUnknown}}
}

func (d *chatDecoder) event(data []byte) (bool, error) {
	if bytes.Equal(data, []byte("[DONE]")) {
		d.finished = true
		return true, nil
	}
	if !d.slow && d.fast(data) {
		return false, nil
	}
	var c chatChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return false, transport.Malformed(err)
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return false, streamError(c.Error)
	}
	if c.Object == "error" {
		return false, transport.Named("", c.Message)
	}
	if c.Model != "" {
		d.answer.Model = c.Model
	}
	if c.Usage != nil {
		d.answer.Usage = c.Usage.usage()
	} else if c.Groq != nil && c.Groq.Usage != nil {
		d.answer.Usage = c.Groq.Usage.usage()
	}
	for i := range c.Choices[:min(1, len(c.Choices))] {
		choice := &c.Choices[i]
		delta := &choice.Delta
		thought := delta.ReasoningContent
		if thought == "" {
			thought = text(delta.Reasoning)
		}
		if thought == "" {
			thought = text(delta.Thinking)
		}
		d.b.Append(llm.Reasoning, thought)
		d.details.add(delta.Details)
		d.content(delta.Content)
		d.b.Append(llm.Text, delta.Refusal)
		for _, call := range delta.ToolCalls {
			d.call(call)
		}
		if choice.Usage != nil {
			d.answer.Usage = choice.Usage.usage()
		}
		if choice.Finish != "" {
			d.finished = true
			d.answer.Finish = chatFinish(choice.Finish)
		}
	}
	return false, nil
}

// fast takes a chunk that does nothing but add text or reasoning, which nearly all do. It changes nothing unless it took
// the chunk.
func (d *chatDecoder) fast(data []byte) bool {
	var choices, model []byte
	m := peek.Object(data)
	for m.Next() {
		switch string(m.Key) {
		case "choices":
			if choices != nil {
				return false
			}
			choices = m.Value
		case "model":
			if model != nil {
				return false
			}
			model = m.Value
		case "usage", "error", "x_groq":
			if !peek.Null(m.Value) {
				return false
			}
		case "object", "message":
			if string(m.Value) == `"error"` || string(m.Key) == "message" {
				return false
			}
		default:
			if !peek.Lower(m.Key) {
				return false
			}
		}
	}
	if !m.OK() || choices == nil {
		return false
	}
	choice, ok := peek.Only(choices)
	if !ok {
		return false
	}
	var delta []byte
	m = peek.Object(choice)
	for m.Next() {
		switch string(m.Key) {
		case "delta":
			if delta != nil {
				return false
			}
			delta = m.Value
		case "finish_reason", "usage":
			if !peek.Null(m.Value) {
				return false
			}
		default:
			if !peek.Lower(m.Key) {
				return false
			}
		}
	}
	if !m.OK() || delta == nil {
		return false
	}
	return d.fastDelta(delta, model)
}

func (d *chatDecoder) fastDelta(delta, model []byte) bool {
	var content []byte
	var thoughts [3][]byte // in the order in which they count
	m := peek.Object(delta)
	for m.Next() {
		into := &content
		switch string(m.Key) {
		case "content":
		case "reasoning_content":
			into = &thoughts[0]
		case "reasoning":
			into = &thoughts[1]
		case "thinking":
			into = &thoughts[2]
		case "reasoning_details", "refusal", "tool_calls":
			if !peek.Null(m.Value) {
				return false
			}
			continue
		default:
			if !peek.Lower(m.Key) {
				return false
			}
			continue
		}
		if *into != nil {
			return false
		}
		*into = m.Value
	}
	if !m.OK() {
		return false
	}
	said, ok := optional(content)
	reasoned := ""
	for _, value := range thoughts {
		t, fits := optional(value)
		ok = ok && fits
		if reasoned == "" {
			reasoned = t
		}
	}
	if !ok || !d.name(model) {
		return false
	}
	d.b.Append(llm.Reasoning, reasoned)
	d.say(said)
	return true
}

// optional decodes a text that may be absent or null.
func optional(value []byte) (string, bool) {
	if value == nil || peek.Null(value) {
		return "", true
	}
	return peek.Text(value)
}

// name takes over the model's name.
func (d *chatDecoder) name(value []byte) bool {
	if value == nil || bytes.Equal(value, d.model) {
		return true
	}
	name, ok := optional(value)
	if !ok {
		return false
	}
	if name != "" {
		d.answer.Model = name
		d.model = append(d.model[:0], value...)
	}
	return true
}

// text decodes a string, "" for anything else.
func text(raw json.RawMessage) string {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// content takes a text, or the parts that Mistral sends when it reasons.
func (d *chatDecoder) content(raw json.RawMessage) {
	if len(raw) == 0 || raw[0] != '[' {
		d.say(text(raw))
		return
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		Thinking []struct {
			Text string `json:"text"`
		} `json:"thinking"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return
	}
	for _, p := range parts {
		for _, t := range p.Thinking {
			d.b.Append(llm.Reasoning, t.Text)
		}
		d.b.Append(llm.Text, p.Text)
	}
}

// say adds text, taking reasoning between tags out of it.
func (d *chatDecoder) say(s string) {
	if s != "" {
		d.think.add(d.b, s)
	}
}

// close ends the answer.
func (d *chatDecoder) close() {
	d.think.flush(d.b)
	d.details.store(d.b)
}

// call adds a piece of a call. Servers may leave the index out, leave the id out, give every call the same index, or send
// a whole call at once.
func (d *chatDecoder) call(c chatCall) {
	d.think.flush(d.b)
	block, known := d.known(c)
	if !known {
		id := c.ID
		if _, taken := d.ids[id]; id == "" || taken {
			id = llm.NewCallID()
		}
		block = d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: id, Name: c.Function.Name})
		d.ids[id] = block
		if c.Index != nil {
			d.calls[*c.Index] = block
		}
	}
	d.last = block
	args := string(c.Function.Arguments)
	if s := ""; args == "null" || json.Unmarshal(c.Function.Arguments, &s) == nil {
		args = s
	}
	d.b.Add(block, args)
}

// known gives the block that a piece of a call belongs to, if there is one.
func (d *chatDecoder) known(c chatCall) (int, bool) {
	byID, hasID := d.ids[c.ID]
	if c.Index != nil {
		block, ok := d.calls[*c.Index]
		if ok && c.ID != "" && c.Function.Name != "" && (!hasID || byID != block) {
			return 0, false // another call with an index that is taken
		}
		return block, ok
	}
	switch {
	case c.ID != "":
		return byID, hasID
	case c.Function.Name != "":
		return 0, false
	}
	return d.last, d.last >= 0
}

func chatFinish(reason string) llm.Finish {
	switch reason {
	case "stop", "end_turn", "eos", "eos_token", "stop_sequence":
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
	if s := ""; json.Unmarshal(raw, &s) == nil {
		return transport.Named("", s)
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return transport.Malformed(err)
	}
	kind := e.Type
	if code := strings.Trim(string(e.Code), `"`); code != "" && code != "null" {
		kind = code
	}
	return transport.Named(kind, e.Message)
}
