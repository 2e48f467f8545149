package openai

import (
	"encoding/json"

	"mobius/backend/llm"
	"mobius/backend/llm/peek"
	"mobius/backend/llm/transport"
)

type responsesEvent struct {
	Type     string          `json:"type"`
	Output   int             `json:"output_index"`
	Delta    json.RawMessage `json:"delta"` // a text
	Item     *responsesItem  `json:"item"`
	Response *struct {
		Model      string `json:"model"`
		Incomplete *struct {
			Reason string `json:"reason"`
		} `json:"incomplete_details"`
		Error json.RawMessage `json:"error"`
		Usage *responsesUsage `json:"usage"`
	} `json:"response"`
	Message string          `json:"message"`
	Code    string          `json:"code"`
	Error   json.RawMessage `json:"error"`
}

type responsesItem struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted string          `json:"encrypted_content"`
	Content   []struct {
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	} `json:"content"`
}

type responsesUsage struct {
	Input   int64 `json:"input_tokens"`
	Output  int64 `json:"output_tokens"`
	Details struct {
		Cached  int64 `json:"cached_tokens"`
		Written int64 `json:"cache_write_tokens"`
	} `json:"input_tokens_details"`
	Out struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
}

type responsesDecoder struct {
	b      *llm.Builder
	items  map[int]int // output index → block
	answer llm.Answer
	slow   bool // decode everything with encoding/json; for tests
}

func newResponsesDecoder(b *llm.Builder) *responsesDecoder {
	return &responsesDecoder{b: b, items: map[int]int{}, answer: llm.Answer{Finish: llm.FinishUnknown}}
}

func (d *responsesDecoder) event(data []byte) (bool, error) {
	if !d.slow && d.fast(data) {
		return false, nil
	}
	if string(data) == "[DONE]" { // compatible servers only; the protocol ends otherwise
		return false, nil
	}
	var e responsesEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return false, transport.Malformed(err)
	}
	switch e.Type {
	case "response.output_text.delta", "response.refusal.delta":
		d.add(e.Output, llm.Text, text(e.Delta))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		d.add(e.Output, llm.Reasoning, text(e.Delta))
	case "response.reasoning_summary_part.added":
		if i, ok := d.items[e.Output]; ok && d.b.HasText(i) {
			d.b.Add(i, "\n\n")
		}
	case "response.output_item.added":
		if e.Item != nil && e.Item.Type == "function_call" {
			d.call(e)
		}
	case "response.function_call_arguments.delta":
		if i, ok := d.items[e.Output]; ok {
			d.b.Add(i, text(e.Delta))
		}
	case "response.output_item.done":
		d.done(e)
	case "response.completed", "response.incomplete":
		d.complete(e)
		return true, nil
	case "response.failed":
		if e.Response != nil && len(e.Response.Error) > 0 && string(e.Response.Error) != "null" {
			return false, streamError(e.Response.Error)
		}
		return false, transport.Named("server_error", "")
	case "error":
		if len(e.Error) > 0 && string(e.Error) != "null" {
			return false, streamError(e.Error)
		}
		return false, transport.Named(e.Code, e.Message)
	}
	return false, nil
}

// fast takes an event that does nothing but add to a block, which nearly all do. It changes nothing unless it took the
// event.
func (d *responsesDecoder) fast(data []byte) bool {
	var typ, delta, output []byte
	m := peek.Object(data)
	for m.Next() {
		var into *[]byte
		switch string(m.Key) {
		case "type":
			into = &typ
		case "delta":
			into = &delta
		case "output_index":
			into = &output
		case "item", "response", "error":
			return false
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
	at, ok1 := peek.Int(output)
	more, ok2 := peek.Text(delta)
	if !ok1 || !ok2 {
		return false
	}
	switch string(typ) {
	case `"response.output_text.delta"`:
		d.add(at, llm.Text, more)
	case `"response.reasoning_summary_text.delta"`, `"response.reasoning_text.delta"`:
		d.add(at, llm.Reasoning, more)
	case `"response.function_call_arguments.delta"`:
		if i, ok := d.items[at]; ok {
			d.b.Add(i, more)
		}
	default:
		return false
	}
	return true
}

// add adds to the block of an output, which begins with its first text.
func (d *responsesDecoder) add(output int, kind llm.BlockKind, more string) {
	if more != "" {
		d.b.Add(d.block(output, kind), more)
	}
}

func (d *responsesDecoder) block(output int, kind llm.BlockKind) int {
	if i, ok := d.items[output]; ok {
		return i
	}
	i := d.b.Open(llm.Block{Kind: kind})
	d.items[output] = i
	return i
}

// call begins a call.
func (d *responsesDecoder) call(e responsesEvent) int {
	id := e.Item.CallID
	if id == "" {
		id = llm.NewCallID()
	}
	i := d.b.Open(llm.Block{Kind: llm.ToolCall, CallID: id, Name: e.Item.Name})
	d.items[e.Output] = i
	return i
}

// done keeps what goes back of an encrypted reasoning item, and completes what was not streamed.
func (d *responsesDecoder) done(e responsesEvent) {
	if e.Item == nil {
		return
	}
	i, begun := d.items[e.Output]
	switch e.Item.Type {
	case "reasoning":
		if e.Item.Encrypted == "" {
			return
		}
		summary := e.Item.Summary
		if len(summary) == 0 || summary[0] != '[' {
			summary = json.RawMessage("[]")
		}
		kept := marshal(struct {
			Type      string          `json:"type"`
			ID        string          `json:"id,omitempty"`
			Summary   json.RawMessage `json:"summary"`
			Encrypted string          `json:"encrypted_content"`
		}{"reasoning", e.Item.ID, summary, e.Item.Encrypted})
		d.b.SetMeta(d.block(e.Output, llm.Reasoning), llm.NewMeta(responsesProtocol, string(kept)))
	case "function_call":
		if !begun {
			i = d.call(e)
		}
		if !d.b.HasText(i) {
			d.b.Add(i, e.Item.Arguments)
		}
	case "message":
		if !begun {
			for _, c := range e.Item.Content {
				d.add(e.Output, llm.Text, c.Text+c.Refusal)
			}
		}
	}
}

func (d *responsesDecoder) complete(e responsesEvent) {
	d.answer.Finish = llm.FinishStop
	if e.Response == nil {
		return
	}
	d.answer.Model = e.Response.Model
	if u := e.Response.Usage; u != nil {
		read, written := u.Details.Cached, u.Details.Written
		d.answer.Usage = llm.Usage{Input: max(0, u.Input-read-written), CacheRead: read, CacheWrite: written, Output: u.Output, Reasoning: u.Out.Reasoning}
	}
	if inc := e.Response.Incomplete; inc != nil {
		switch inc.Reason {
		case "max_output_tokens":
			d.answer.Finish = llm.FinishLength
		case "content_filter":
			d.answer.Finish = llm.FinishFilter
		default:
			d.answer.Finish = llm.FinishUnknown
		}
	}
}
