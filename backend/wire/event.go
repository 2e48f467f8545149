package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// EventKind names a journaled event.
type EventKind string

// The kinds of journaled events.
const (
	// EventTurnStarted: a message was accepted and its turn reserved. Message, TurnID.
	EventTurnStarted EventKind = "turn.started"
	// EventMessageQueued: a message waits for the running turn to end. Message.
	EventMessageQueued EventKind = "message.queued"
	// EventMessageSteered: a message was given to the running turn. Message, TurnID.
	EventMessageSteered EventKind = "message.steered"
	// EventQueueChanged: a queued message was edited, moved, removed or promoted. Queue holds the whole queue after it.
	EventQueueChanged EventKind = "queue.changed"
	// EventStepCompleted: one model answer, whole, or what had arrived when it was cut. Step.
	EventStepCompleted EventKind = "step.completed"
	// EventToolCompleted: one tool call was answered. Tool.
	EventToolCompleted EventKind = "tool.completed"
	// EventTurnCompleted: the turn ended. Outcome.
	EventTurnCompleted EventKind = "turn.completed"
	// EventNotice: something the person should read in the conversation (a model that is gone, a folder that moved). Notice.
	EventNotice EventKind = "notice"
)

// Event is one journaled output of a session. Seq grows by exactly 1.
type Event struct {
	Seq     int64           `json:"seq"`
	At      int64           `json:"at"`
	Kind    EventKind       `json:"kind"`
	TurnID  string          `json:"turn_id,omitempty"`
	Message *Message        `json:"message,omitempty"`
	Step    *Step           `json:"step,omitempty"`
	Tool    *ToolResult     `json:"tool,omitempty"`
	Outcome *Outcome        `json:"outcome,omitempty"`
	Queue   []QueuedMessage `json:"queue,omitempty"`
	Notice  *Notice         `json:"notice,omitempty"`
	// Stored, if set, is the JSON object of the members after TurnID as it is stored. It is encoded in their place, so
	// that a page of history need not be decoded to be sent.
	Stored string `json:"-"`
}

// plainEvent is Event without its methods.
type plainEvent Event

// MarshalJSON implements json.Marshaler.
func (e Event) MarshalJSON() ([]byte, error) {
	if len(e.Stored) < 2 {
		return json.Marshal(plainEvent(e))
	}
	b := make([]byte, 0, len(e.Stored)+96)
	b = strconv.AppendInt(append(b, `{"seq":`...), e.Seq, 10)
	b = strconv.AppendInt(append(b, `,"at":`...), e.At, 10)
	b = append(append(append(b, `,"kind":"`...), e.Kind...), '"')
	if e.TurnID != "" {
		b = append(append(append(b, `,"turn_id":"`...), e.TurnID...), '"')
	}
	if rest := e.Stored[1:]; rest != "}" {
		return append(append(b, ','), rest...), nil
	}
	return append(b, '}'), nil
}

// Decoded gives the event with its members decoded from what is stored.
func (e Event) Decoded() (Event, error) {
	if e.Stored == "" {
		return e, nil
	}
	out := Event{}
	if err := json.Unmarshal([]byte(e.Stored), &out); err != nil {
		return e, fmt.Errorf("decode event %d: %w", e.Seq, err)
	}
	out.Seq, out.At, out.Kind, out.TurnID = e.Seq, e.At, e.Kind, e.TurnID
	return out, nil
}

// Step is one model answer.
type Step struct {
	Index   int     `json:"index"`             // 0-based within the turn
	Attempt int     `json:"attempt,omitempty"` // from 2 on; the first is not told
	Model   string  `json:"model,omitempty"`
	Blocks  []Block `json:"blocks"`
	Finish  string  `json:"finish,omitempty"` // stop, tool_calls, length, content_filter, interrupted, error
	Usage   *Usage  `json:"usage,omitempty"`
}

// Block kinds.
const (
	BlockText      = "text"
	BlockReasoning = "reasoning"
	BlockToolCall  = "tool_call"
)

// Block is one part of a model answer.
type Block struct {
	Kind       string `json:"kind"`
	Text       string `json:"text,omitempty"`        // text and reasoning
	CallID     string `json:"call_id,omitempty"`     // tool_call
	Name       string `json:"name,omitempty"`        // tool_call
	Args       string `json:"args,omitempty"`        // tool_call: the arguments as the model wrote them, JSON if it kept to the format
	DurationMS int64  `json:"duration_ms,omitempty"` // reasoning
}

// ToolResult is the answer to one tool call.
type ToolResult struct {
	CallID     string `json:"call_id"`
	Name       string `json:"name"`
	Status     string `json:"status"` // ok, error, interrupted
	Output     string `json:"output"`
	DurationMS int64  `json:"duration_ms,omitempty"`
}

// Outcome is how a turn ended.
type Outcome struct {
	Status string     `json:"status"` // completed, aborted, failed
	Error  *Rejection `json:"error,omitempty"`
	Reason string     `json:"reason,omitempty"` // of an abort: interrupted, restart
	Usage  Usage      `json:"usage"`
}

// Notice is a sentence for the person within a conversation.
type Notice struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

// Usage counts tokens, each once: Input excludes what was read from or written to the provider's cache.
type Usage struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"` // reasoning included
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Reasoning  int64 `json:"reasoning,omitempty"` // part of Output
	CostMicros int64 `json:"cost_micros"`         // millionths of a US dollar; 0 when prices are unknown or free
	Context    int64 `json:"context,omitempty"`   // tokens of the last request: what fills the window
}

// Live is what a running turn has streamed since its last journaled event.
type Live struct {
	TurnID  string       `json:"turn_id"`
	Step    int          `json:"step"`
	Attempt int          `json:"attempt"`
	N       int64        `json:"n"` // number of the last frame that is contained here
	Blocks  []Block      `json:"blocks"`
	Running []Block      `json:"running,omitempty"` // tool calls that are being carried out
	Retry   *RetryNotice `json:"retry,omitempty"`
}

// Frame kinds.
const (
	FrameAttempt = "attempt" // a new attempt begins: what the attempt before it streamed is void
	FrameDelta   = "delta"   // text grows
	FrameTool    = "tool"    // a tool call is being carried out
	FrameRetry   = "retry"   // the request failed and will be tried again
)

// Frame is one live piece of a running turn; it is not journaled. N grows by exactly 1 within a session's resident life;
// a reader that sees a gap opens the session again.
type Frame struct {
	N       int64        `json:"n"`
	Kind    string       `json:"kind"`
	TurnID  string       `json:"turn_id"`
	Step    int          `json:"step"`
	Attempt int          `json:"attempt"`
	Deltas  []Delta      `json:"deltas,omitempty"`
	Tool    *Block       `json:"tool,omitempty"`
	Retry   *RetryNotice `json:"retry,omitempty"`
}

// Delta is a piece to append to block Index of the step. Kind, CallID and Name are set on the first piece of a block;
// Text is appended to a text or reasoning block, or to the arguments of a tool call.
type Delta struct {
	Index  int    `json:"index"`
	Kind   string `json:"kind,omitempty"`
	CallID string `json:"call_id,omitempty"`
	Name   string `json:"name,omitempty"`
	Text   string `json:"text,omitempty"`
}

// RetryNotice tells why and until when a request waits.
type RetryNotice struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Until   int64  `json:"until"` // UTC milliseconds
	Attempt int    `json:"attempt"`
}

// Envelope kinds.
const (
	EnvelopeEvent   = "event"
	EnvelopeFrame   = "frame"
	EnvelopeCatalog = "catalog"
	EnvelopeResync  = "resync" // this client fell behind: open what is shown again and list anew
)

// Envelope is one item of a batch that a shell gets. A batch is a JSON array of envelopes.
type Envelope struct {
	Kind      string  `json:"kind"`
	SessionID string  `json:"session_id,omitempty"`
	Event     *Event  `json:"event,omitempty"`
	Frame     *Frame  `json:"frame,omitempty"`
	Change    *Change `json:"change,omitempty"`
}

// Change is one change of the catalog: a record that is new or different, or the id of one that is gone. A list read at
// revision R contains every change up to R, so a client ignores older ones.
type Change struct {
	Revision uint64            `json:"revision"`
	Removed  string            `json:"removed,omitempty"` // id of the record that is gone
	Bot      *Bot              `json:"bot,omitempty"`
	Session  *Session          `json:"session,omitempty"`
	Provider *ProviderInstance `json:"provider,omitempty"`
	Settings *Settings         `json:"settings,omitempty"`
	Defaults *BotDefaults      `json:"defaults,omitempty"`
}
