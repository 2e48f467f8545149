// Package llm is the one interface to language models. An adapter (packages below this one) speaks one protocol and
// implements [Model]; everything above sees only these types.
//
// # Encoded history
//
// A conversation is sent whole with every request, so an adapter must not encode it anew each time. A [Message] is
// immutable once it was part of a request and keeps its encoded form per protocol ([Message.Encoded]); an adapter builds
// the request body by joining these.
package llm

import (
	"context"
	"sync"
)

// Role is who speaks.
type Role string

// The roles. Instructions are not a message: see [Request.System].
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool" // holds the tool_result blocks that answer the assistant message before it
)

// BlockKind is the kind of a [Block].
type BlockKind string

// The block kinds.
const (
	Text       BlockKind = "text"
	Reasoning  BlockKind = "reasoning"
	ToolCall   BlockKind = "tool_call"
	ToolResult BlockKind = "tool_result"
	Image      BlockKind = "image"
)

// Block is one part of a message.
type Block struct {
	Kind    BlockKind
	Text    string // text, reasoning, tool_result
	CallID  string // tool_call, tool_result
	Name    string // tool_call, tool_result: the tool's name
	Args    string // tool_call: arguments as the model wrote them
	IsError bool   // tool_result
	MIME    string // image
	Data    []byte // image
	// Meta is what the provider wants back unchanged with this block (a signature, encrypted reasoning), as a JSON text
	// whose "p" member names the protocol that made it. An adapter ignores the Meta of other protocols. Empty = none.
	Meta string
}

// Message is one message of a conversation. It must not be changed after it was part of a request.
type Message struct {
	Role   Role
	Blocks []Block

	mu  sync.Mutex
	enc map[string][]byte
}

// NewMessage makes a message.
func NewMessage(role Role, blocks ...Block) *Message { return &Message{Role: role, Blocks: blocks} }

// Encoded gives the message in the form of one protocol, made by encode at the first call and kept. The result must not
// be changed.
func (m *Message) Encoded(protocol string, encode func(*Message) []byte) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b, ok := m.enc[protocol]; ok {
		return b
	}
	b := encode(m)
	if m.enc == nil {
		m.enc = make(map[string][]byte, 1)
	}
	m.enc[protocol] = b
	return b
}

// Tool is a tool that the model may call.
type Tool struct {
	Name        string
	Description string
	Schema      string // JSON Schema of the arguments, an object
}

// Request is one request to a model.
type Request struct {
	System    string
	Messages  []*Message
	Tools     []Tool
	Effort    string // reasoning effort, "" = the model's default
	MaxOutput int64  // tokens, 0 = the model's default
	CacheKey  string // stable per conversation, for providers that route by it
}

// Finish is why an answer ended.
type Finish string

// The finish reasons.
const (
	FinishStop      Finish = "stop"
	FinishToolCalls Finish = "tool_calls"
	FinishLength    Finish = "length" // cut at the output limit: a tool call in it may be half
	FinishFilter    Finish = "content_filter"
	FinishUnknown   Finish = "unknown"
)

// Usage counts the tokens of one answer, each once: Input excludes CacheRead and CacheWrite, Output includes Reasoning.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, Reasoning int64
}

// Total is all tokens of the request and its answer.
func (u Usage) Total() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Piece is one piece of a streaming answer: Text is to be appended to block Index. Kind is set on the first piece of a
// block, as are CallID and Name of a tool call (whose Text pieces are its arguments). Indexes start at 0 and grow by 1.
type Piece struct {
	Index  int
	Kind   BlockKind
	CallID string
	Name   string
	Text   string
}

// Answer is a whole answer.
type Answer struct {
	Blocks []Block
	Usage  Usage
	Finish Finish
	Model  string // as the provider named it, "" if it did not
}

// Model is one model of one provider instance. It is safe for concurrent use.
type Model interface {
	// Stream sends the request once (no retries) and calls emit, from this goroutine, with each piece as it arrives. It
	// returns the whole answer, or an *[Error] (what was emitted so far is then all there is), or ctx's error when ctx
	// ended. emit must not block for long.
	Stream(ctx context.Context, req *Request, emit func(Piece)) (*Answer, error)
}
