package gemini

import (
	"bytes"
	"encoding/json"

	"mobius/backend/llm"
	"mobius/backend/llm/peek"
	"mobius/backend/llm/transport"
)

type chunk struct {
	Candidates []struct {
		Content struct {
			Parts []part `json:"parts"`
		} `json:"content"`
		Finish  string `json:"finishReason"`
		Message string `json:"finishMessage"`
	} `json:"candidates"`
	Prompt *struct {
		Block string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage json.RawMessage `json:"usageMetadata"`
	Model string          `json:"modelVersion"`
	Error *struct {
		Status  string `json:"status"`
		Message string `json:"message"`
	} `json:"error"`
}

type part struct {
	Text      string        `json:"text"`
	Thought   bool          `json:"thought"`
	Signature string        `json:"thoughtSignature"`
	Call      *functionCall `json:"functionCall"`
}

type decoder struct {
	b        *llm.Builder
	finished bool
	answer   llm.Answer
	usage    []byte // the newest report, decoded at the end: it comes with every chunk
	model    []byte // as it stands in the chunks, so that it is decoded once
	slow     bool   // decode everything with encoding/json; for tests
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
	if c.Error != nil {
		return false, transport.Named(c.Error.Status, c.Error.Message)
	}
	if c.Model != "" {
		d.answer.Model = c.Model
	}
	if len(c.Usage) > 0 && string(c.Usage) != "null" {
		d.usage = append(d.usage[:0], c.Usage...)
	}
	if c.Prompt != nil && c.Prompt.Block != "" {
		return false, &llm.Error{Kind: llm.ErrRefused, Code: c.Prompt.Block, Message: "the provider blocked the request: " + c.Prompt.Block}
	}
	for i := range c.Candidates[:min(1, len(c.Candidates))] {
		candidate := &c.Candidates[i]
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

// fast takes a chunk that does nothing but add text or a thought. It changes nothing unless it took the chunk. The names
// of the protocol have capitals, so that any name that is not known here is left to encoding/json.
func (d *decoder) fast(data []byte) bool {
	var candidates, usage, model []byte
	m := peek.Object(data)
	for m.Next() {
		var into *[]byte
		switch string(m.Key) {
		case "candidates":
			into = &candidates
		case "usageMetadata":
			into = &usage
		case "modelVersion":
			into = &model
		case "responseId", "createTime":
			continue
		default:
			return false
		}
		if *into != nil {
			return false
		}
		*into = m.Value
	}
	candidate, ok := peek.Only(candidates)
	if !m.OK() || !ok {
		return false
	}
	content, ok := member(candidate, "content", "index", "safetyRatings")
	if !ok {
		return false
	}
	parts, ok := member(content, "parts", "role")
	if !ok {
		return false
	}
	only, ok := peek.Only(parts)
	if !ok {
		return false
	}
	kind := llm.Text
	var text []byte
	m = peek.Object(only)
	for m.Next() {
		switch {
		case string(m.Key) == "text" && text == nil:
			text = m.Value
		case string(m.Key) == "thought" && kind == llm.Text && string(m.Value) == "true":
			kind = llm.Reasoning
		default:
			return false
		}
	}
	s, ok := peek.Text(text)
	if !m.OK() || !ok || !d.name(model) {
		return false
	}
	if usage != nil && !peek.Null(usage) {
		d.usage = append(d.usage[:0], usage...)
	}
	d.b.Append(kind, s)
	return true
}

// member gives the one member with this name; ok is false if there is none, or any that is not among ignored.
func member(object []byte, name string, ignored ...string) (value []byte, ok bool) {
	m := peek.Object(object)
	for m.Next() {
		if string(m.Key) == name {
			if value != nil {
				return nil, false
			}
			value = m.Value
			continue
		}
		fine := false
		for _, i := range ignored {
			fine = fine || string(m.Key) == i
		}
		if !fine {
			return nil, false
		}
	}
	return value, m.OK() && value != nil
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

func (d *decoder) part(p part) {
	switch {
	case p.Call != nil:
		id := p.Call.ID
		if id == "" {
			id = llm.NewCallID()
		}
		i := d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: id, Name: p.Call.Name})
		if args := string(p.Call.Args); args != "null" {
			d.b.Add(i, args)
		}
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

// counted gives the usage by the newest report.
func (d *decoder) counted() llm.Usage {
	var u struct {
		Prompt     int64 `json:"promptTokenCount"`
		Tools      int64 `json:"toolUsePromptTokenCount"`
		Cached     int64 `json:"cachedContentTokenCount"`
		Candidates int64 `json:"candidatesTokenCount"`
		Thoughts   int64 `json:"thoughtsTokenCount"`
	}
	if json.Unmarshal(d.usage, &u) != nil {
		return llm.Usage{} // none came, or nothing readable
	}
	return llm.Usage{Input: max(0, u.Prompt+u.Tools-u.Cached), CacheRead: u.Cached, Output: u.Candidates + u.Thoughts, Reasoning: u.Thoughts}
}

func finish(reason string) llm.Finish {
	switch reason {
	case "STOP":
		return llm.FinishStop
	case "MAX_TOKENS":
		return llm.FinishLength
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "LANGUAGE":
		return llm.FinishFilter
	}
	return llm.FinishUnknown
}
