package modeltest

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mobius/backend/llm"
)

// PartKind is the kind of a [Part].
type PartKind string

// The kinds.
const (
	TextPart     PartKind = "text"
	ReasonPart   PartKind = "reasoning"
	RedactedPart PartKind = "redacted" // reasoning that is not shown; only some protocols have it
	CallPart     PartKind = "call"
)

// Part is one block of a reply, streamed in deltas.
type Part struct {
	Kind   PartKind
	Deltas []string // text, reasoning or arguments in pieces
	Count  int      // instead of Deltas: that many words, see [WordsText]
	Name   string   // call
	ID     string   // call; "" = made by the server
}

// Text is a text in n deltas of about the same size.
func Text(s string, n int) Part { return Part{Kind: TextPart, Deltas: Split(s, n)} }

// Words is n deltas, each a word of its own so that a lost or doubled one shows.
func Words(n int) Part { return Part{Kind: TextPart, Count: n} }

// Reasoning is reasoning in n deltas.
func Reasoning(s string, n int) Part { return Part{Kind: ReasonPart, Deltas: Split(s, n)} }

// Call is a tool call; its arguments are streamed in pieces of a few bytes. They need not be valid.
func Call(name, args string) Part {
	return Part{Kind: CallPart, Name: name, Deltas: Split(args, len(args)/7+1)}
}

// CallAs is Call with an id.
func CallAs(id, name, args string) Part {
	p := Call(name, args)
	p.ID = id
	return p
}

// WordsText is the text of the deltas of Words(n) or of a Part with that Count.
func WordsText(n int) string {
	b := make([]byte, 0, n*6)
	for i := range n {
		b = appendWord(b, i)
	}
	return string(b)
}

func appendWord(b []byte, i int) []byte {
	b = append(b, 'w')
	b = strconv.AppendInt(b, int64(i), 10)
	return append(b, ' ')
}

// Split cuts s into n pieces of about the same size at character boundaries.
func Split(s string, n int) []string {
	if n < 2 || s == "" {
		return []string{s}
	}
	pieces := make([]string, 0, n)
	for i, from := 1, 0; i <= n; i++ {
		to := len(s) * i / n
		for to < len(s) && !utf8.RuneStart(s[to]) {
			to++
		}
		if to > from {
			pieces, from = append(pieces, s[from:to]), to
		}
	}
	return pieces
}

// Fault is what goes wrong with a reply that began well.
type Fault string

// The faults. Each happens once the reply's After deltas were sent; the rest is never sent unless said.
const (
	FaultDrop      Fault = "drop"      // the connection ends
	FaultSilent    Fault = "silent"    // nothing more comes, the connection stays
	FaultMalformed Fault = "malformed" // a chunk that is no JSON comes, then the rest
	FaultEnd       Fault = "end"       // the stream ends properly but without the protocol's end
	FaultError     Fault = "error"     // an error inside the stream, see Reply.Error
)

// Style is how the event stream is written.
type Style struct {
	NoSpace  bool // "data:{" without the space
	CRLF     bool // lines end with CR LF
	Comments bool // a keep-alive comment before every event
	EachByte bool // every delta is sent on its own even without delay
}

// Quirks are deviations of servers that call themselves compatible with Chat Completions.
type Quirks struct {
	ReasoningField string // instead of reasoning_content
	NoUsage        bool
	UsageEverytime bool // usage so far in every chunk
	UsageAtFinish  bool // usage in the chunk of the finish reason
	NoDone         bool
	NoFinish       bool
	NoIndex        bool // tool calls without index
	NoIDs          bool // tool calls without id
	WholeCalls     bool // a tool call in one piece
	ObjectArgs     bool // arguments as an object in one piece instead of text
	ThinkTags      bool // reasoning inside the content, between <think> and </think>
}

// Reply is the answer to one request.
type Reply struct {
	Parts  []Part
	Usage  llm.Usage  // zero = made up from the sizes
	Finish llm.Finish // "" = by the parts
	Model  string     // "" = as asked for

	Delay time.Duration // before each delta
	First time.Duration // before the first byte

	Status int         // other than 0 and 200: an error with this status
	Header http.Header // more headers
	Body   string      // with Status: the body, "" = the protocol's form of an error; with 200: the whole body, no stream
	Error  string      // message of the error
	Type   string      // type or code of the error, "" = by the status
	Fault  Fault
	After  int // deltas before the fault

	Style  Style
	Quirks Quirks
}

// Say is a reply that says this.
func Say(text string) Reply { return Reply{Parts: []Part{Text(text, strings.Count(text, " ")+1)}} }

// SayWords is a reply of n deltas.
func SayWords(n int) Reply { return Reply{Parts: []Part{Words(n)}} }

// Calls is a reply that calls tools.
func Calls(calls ...Part) Reply { return Reply{Parts: calls} }

// Fail is an error reply with a status.
func Fail(status int) Reply { return Reply{Status: status} }

// RateLimited is a 429 that asks to wait.
func RateLimited(retryAfter string) Reply {
	return Reply{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {retryAfter}}}
}

// WebPage is what a sign-in page of a proxy looks like: HTML with status 200.
func WebPage() Reply {
	return Reply{
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
		Body:   "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in to the network.</body></html>",
	}
}

// Huge is an answer of about that many bytes in deltas of 64 KiB.
func Huge(size int) Reply {
	piece := strings.Repeat("0123456789abcde ", 4096)
	var p Part
	p.Kind = TextPart
	for n := 0; n < size; n += len(piece) {
		p.Deltas = append(p.Deltas, piece)
	}
	return Reply{Parts: []Part{p}}
}

// finish is the reply's finish reason.
func (r *Reply) finish() llm.Finish {
	if r.Finish != "" {
		return r.Finish
	}
	for _, p := range r.Parts {
		if p.Kind == CallPart {
			return llm.FinishToolCalls
		}
	}
	return llm.FinishStop
}

// usage is the reply's usage, made up from sizes when the script says nothing.
func (r *Reply) usage(req *Request) llm.Usage {
	if r.Usage != (llm.Usage{}) {
		return r.Usage
	}
	u := llm.Usage{Input: int64(len(req.Body)/4 + 1)}
	for _, p := range r.Parts {
		n := int64(max(p.Count, len(p.Deltas)))
		u.Output += n
		if p.Kind == ReasonPart {
			u.Reasoning += n
		}
	}
	return u
}
