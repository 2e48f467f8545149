package ollama

import (
	"bytes"
	"encoding/json"

	"mobius/backend/llm"
	"mobius/backend/llm/peek"
	"mobius/backend/llm/transport"
)

type chunk struct {
	Model   string `json:"model"`
	Message *struct {
		Content  string `json:"content"`
		Thinking string `json:"thinking"`
		Calls    []call `json:"tool_calls"`
	} `json:"message"`
	Done   bool   `json:"done"`
	Reason string `json:"done_reason"`
	Prompt int64  `json:"prompt_eval_count"`
	Output int64  `json:"eval_count"`
	Error  string `json:"error"`
}

type decoder struct {
	b      *llm.Builder
	answer llm.Answer
	model  []byte // as it stands in the chunks, so that it is decoded once
	slow   bool   // decode everything with encoding/json; for tests
}

func newDecoder(b *llm.Builder) *decoder {
	return &decoder{b: b, answer: llm.Answer{Finish: llm.FinishUnknown}}
}

func (d *decoder) event(data []byte) (bool, error) {
	if !d.slow && d.fast(data) {
		return false, nil
	}
	var c chunk
	if err := json.Unmarshal(data, &c); err != nil {
		return false, transport.Malformed(err)
	}
	if c.Error != "" {
		return false, transport.Named("server_error", c.Error)
	}
	if c.Model != "" {
		d.answer.Model = c.Model
	}
	if c.Message != nil {
		d.b.Append(llm.Reasoning, c.Message.Thinking)
		d.b.Append(llm.Text, c.Message.Content)
		for _, one := range c.Message.Calls {
			if one.ID == "" {
				one.ID = llm.NewCallID()
			}
			i := d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: one.ID, Name: one.Function.Name})
			if args := string(one.Function.Arguments); args != "null" {
				d.b.Add(i, args)
			}
		}
	}
	if !c.Done {
		return false, nil
	}
	d.answer.Usage = llm.Usage{Input: c.Prompt, Output: c.Output}
	switch c.Reason {
	case "stop", "":
		d.answer.Finish = llm.FinishStop
	case "length":
		d.answer.Finish = llm.FinishLength
	}
	return true, nil
}

// fast takes a chunk that does nothing but add text or a thought, which nearly all do. It changes nothing unless it took
// the chunk.
func (d *decoder) fast(data []byte) bool {
	var message, model []byte
	m := peek.Object(data)
	for m.Next() {
		switch string(m.Key) {
		case "message":
			if message != nil {
				return false
			}
			message = m.Value
		case "model":
			if model != nil {
				return false
			}
			model = m.Value
		case "done":
			if string(m.Value) != "false" {
				return false
			}
		case "created_at":
		default:
			return false
		}
	}
	if !m.OK() || message == nil {
		return false
	}
	var content, thought []byte
	m = peek.Object(message)
	for m.Next() {
		switch {
		case string(m.Key) == "content" && content == nil:
			content = m.Value
		case string(m.Key) == "thinking" && thought == nil:
			thought = m.Value
		case string(m.Key) == "role":
		default:
			return false
		}
	}
	said, reasoned, ok := "", "", m.OK()
	if ok && content != nil {
		said, ok = peek.Text(content)
	}
	if ok && thought != nil {
		reasoned, ok = peek.Text(thought)
	}
	if !ok || !d.name(model) {
		return false
	}
	d.b.Append(llm.Reasoning, reasoned)
	d.b.Append(llm.Text, said)
	return true
}

// name takes over the model's name.
func (d *decoder) name(value []byte) bool {
	if value == nil || bytes.Equal(value, d.model) {
		return true
	}
	name, ok := peek.Text(value)
	if ok && name != "" {
		d.answer.Model = name
		d.model = append(d.model[:0], value...)
	}
	return ok
}
