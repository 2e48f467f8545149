package anthropic

import (
	"encoding/json"

	"mobius/backend/llm"
	"mobius/backend/llm/peek"
	"mobius/backend/llm/transport"
)

type event struct {
	Type    string `json:"type"`
	Index   int    `json:"index"`
	Message *struct {
		Model string `json:"model"`
		Usage usage  `json:"usage"`
	} `json:"message"`
	Block json.RawMessage `json:"content_block"`
	Delta *delta          `json:"delta"`
	Usage *usage          `json:"usage"`
	Error *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

type delta struct {
	Type       string `json:"type"`
	Text       string `json:"text"`
	Thinking   string `json:"thinking"`
	Signature  string `json:"signature"`
	JSON       string `json:"partial_json"`
	StopReason string `json:"stop_reason"`
}

type usage struct {
	Input      int64 `json:"input_tokens"`
	Output     int64 `json:"output_tokens"`
	CacheRead  int64 `json:"cache_read_input_tokens"`
	CacheWrite int64 `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// block is one block of the answer while it is streamed.
type block struct {
	at        int
	signature string
	thinking  bool
	input     string // arguments that came with the beginning of a call
}

type decoder struct {
	b      *llm.Builder
	blocks map[int]*block // by their index in the protocol
	answer llm.Answer
	slow   bool // decode everything with encoding/json; for tests
}

func newDecoder(b *llm.Builder) *decoder {
	return &decoder{b: b, blocks: map[int]*block{}, answer: llm.Answer{Finish: llm.FinishUnknown}}
}

func (d *decoder) event(data []byte) (bool, error) {
	if !d.slow && d.fast(data) {
		return false, nil
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return false, transport.Malformed(err)
	}
	switch e.Type {
	case "message_start":
		if e.Message != nil {
			d.answer.Model = e.Message.Model
			d.count(e.Message.Usage)
		}
	case "content_block_start":
		return false, d.start(e)
	case "content_block_delta":
		d.delta(e)
	case "content_block_stop":
		d.stop(e.Index)
	case "message_delta":
		if e.Usage != nil {
			d.count(*e.Usage)
		}
		if e.Delta != nil && e.Delta.StopReason != "" {
			d.answer.Finish = finish(e.Delta.StopReason)
		}
	case "message_stop":
		return true, nil
	case "error":
		if e.Error != nil {
			return false, transport.Named(e.Error.Type, e.Error.Message)
		}
		return false, transport.Named("api_error", "")
	}
	return false, nil
}

// fast takes an event that does nothing but add to a block, which nearly all do. It changes nothing unless it took the
// event.
func (d *decoder) fast(data []byte) bool {
	var typ, index, inner []byte
	m := peek.Object(data)
	for m.Next() {
		var into *[]byte
		switch string(m.Key) {
		case "type":
			into = &typ
		case "index":
			into = &index
		case "delta":
			into = &inner
		default:
			return false
		}
		if *into != nil {
			return false
		}
		*into = m.Value
	}
	if !m.OK() || string(typ) != `"content_block_delta"` {
		return false
	}
	at, ok := peek.Int(index)
	block := d.blocks[at]
	if !ok || block == nil {
		return false
	}
	var kind, more []byte
	field := ""
	m = peek.Object(inner)
	for m.Next() {
		switch string(m.Key) {
		case "type":
			if kind != nil {
				return false
			}
			kind = m.Value
		case "text", "thinking", "partial_json":
			if more != nil {
				return false
			}
			field, more = string(m.Key), m.Value
		default:
			return false
		}
	}
	text, ok := peek.Text(more)
	if !m.OK() || !ok {
		return false
	}
	switch {
	case field == "text" && string(kind) == `"text_delta"`:
	case field == "thinking" && string(kind) == `"thinking_delta"`:
	case field == "partial_json" && string(kind) == `"input_json_delta"`:
	default:
		return false
	}
	d.b.Add(block.at, text)
	return true
}

// count takes over what is reported; later reports are cumulative.
func (d *decoder) count(u usage) {
	a := &d.answer.Usage
	a.Input, a.Output = max(a.Input, u.Input), max(a.Output, u.Output)
	a.CacheRead, a.CacheWrite = max(a.CacheRead, u.CacheRead), max(a.CacheWrite, u.CacheWrite)
	a.Reasoning = max(a.Reasoning, u.Details.Thinking)
}

func (d *decoder) start(e event) error {
	var c struct {
		Type      string          `json:"type"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Input     json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(e.Block, &c); err != nil {
		return transport.Malformed(err)
	}
	switch c.Type {
	case "text":
		d.blocks[e.Index] = &block{at: d.b.Open(llm.Block{Kind: llm.Text})}
		d.b.Add(d.blocks[e.Index].at, c.Text)
	case "thinking":
		d.blocks[e.Index] = &block{at: d.b.Open(llm.Block{Kind: llm.Reasoning}), thinking: true, signature: c.Signature}
		d.b.Add(d.blocks[e.Index].at, c.Thinking)
	case "redacted_thinking":
		d.b.Open(llm.Block{Kind: llm.Reasoning, Meta: llm.NewMeta(protocol, string(e.Block))})
	case "tool_use":
		if c.ID == "" {
			c.ID = llm.NewCallID()
		}
		d.blocks[e.Index] = &block{at: d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: c.ID, Name: c.Name}), input: string(c.Input)}
	}
	return nil
}

func (d *decoder) delta(e event) {
	block := d.blocks[e.Index]
	if block == nil || e.Delta == nil {
		return
	}
	switch e.Delta.Type {
	case "text_delta":
		d.b.Add(block.at, e.Delta.Text)
	case "thinking_delta":
		d.b.Add(block.at, e.Delta.Thinking)
	case "input_json_delta":
		d.b.Add(block.at, e.Delta.JSON)
	case "signature_delta":
		block.signature += e.Delta.Signature
	}
}

// stop ends a block: signed thinking is kept as it goes back.
func (d *decoder) stop(index int) {
	block := d.blocks[index]
	switch {
	case block == nil:
	case block.thinking && block.signature != "":
		whole := marshal(struct {
			Type      string `json:"type"`
			Thinking  string `json:"thinking"`
			Signature string `json:"signature"`
		}{"thinking", d.b.Text(block.at), block.signature})
		d.b.SetMeta(block.at, llm.NewMeta(protocol, string(whole)))
	case block.input != "" && block.input != "{}" && block.input != "null" && !d.b.HasText(block.at):
		d.b.Add(block.at, block.input)
	}
}

func finish(reason string) llm.Finish {
	switch reason {
	case "end_turn", "stop_sequence":
		return llm.FinishStop
	case "tool_use":
		return llm.FinishToolCalls
	case "max_tokens", "model_context_window_exceeded":
		return llm.FinishLength
	case "refusal":
		return llm.FinishFilter
	}
	return llm.FinishUnknown
}
