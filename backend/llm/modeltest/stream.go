package modeltest

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
	"unicode/utf8"

	"mobius/backend/llm"
)

// protocol is one protocol's half of the server. A value serves one kind of request and keeps no state: what a reply
// needs it keeps in a speaker.
type protocol interface {
	name() Protocol
	contentType() string
	key(h http.Header) string
	parse(r *Request, hr *http.Request)
	check(r *Request, sent *issued)
	errorBody(status int, kind, text string) string
	speak(s *stream) speaker
}

// speaker writes one reply.
type speaker interface {
	start()
	// open begins a part and gives what stands around the quoted text of each delta; ok is false when the part has been
	// written whole.
	open(i int, p *Part) (before, after []byte, ok bool)
	end(p *Part)
	// finish ends the answer.
	finish(f llm.Finish, u llm.Usage)
	// broken writes a chunk that is no JSON.
	broken()
	// fault writes an error inside the stream.
	fault(kind, text string)
}

const flushAt = 16 << 10 // bytes that are sent at once when nothing paces the reply

// stream writes a reply.
type stream struct {
	server *Server
	w      http.ResponseWriter
	rc     *http.ResponseController
	ctx    context.Context //nolint:containedctx // lives as long as the reply
	reply  *Reply
	req    *Request
	buf    []byte
	word   []byte
	sent   int // deltas
	failed bool
}

func (s *stream) run(p protocol) {
	r := s.reply
	sp := p.speak(s)
	if r.Fault == FaultEnd && r.After == 0 && len(r.Parts) == 0 { // an empty stream
		s.flush()
		return
	}
	if s.faulty(sp) {
		return
	}
	sp.start()
	for i := range r.Parts {
		part := &r.Parts[i]
		before, after, ok := sp.open(i, part)
		if ok && !s.deltas(sp, part, before, after) {
			return
		}
		sp.end(part)
	}
	if s.faulty(sp) {
		return
	}
	sp.finish(r.finish(), r.usage(s.req))
	s.flush()
}

// deltas writes the deltas of a part and tells whether the reply goes on.
func (s *stream) deltas(sp speaker, part *Part, before, after []byte) bool {
	n := len(part.Deltas)
	if part.Count > 0 {
		n = part.Count
	}
	paced := s.reply.Delay > 0 || s.reply.Style.EachByte
	var due time.Time
	if s.reply.Delay > 0 {
		s.flush()
		due = time.Now()
	}
	for i := range n {
		if s.reply.Delay > 0 { // by the clock, so that pauses do not add up
			due = due.Add(s.reply.Delay)
			if !s.server.pause(s.ctx, time.Until(due)) {
				return false
			}
		}
		if s.faulty(sp) {
			return false
		}
		s.buf = append(s.buf, before...)
		if part.Count > 0 {
			s.word = appendWord(s.word[:0], i)
			s.buf = append(append(append(s.buf, '"'), s.word...), '"')
		} else {
			s.buf = appendQuoted(s.buf, part.Deltas[i])
		}
		s.buf = append(s.buf, after...)
		s.sent++
		if paced || len(s.buf) >= flushAt {
			s.flush()
		}
	}
	return true
}

// faulty lets the fault happen when it is due and tells whether the reply ended with it.
func (s *stream) faulty(sp speaker) bool {
	r := s.reply
	if r.Fault == "" || s.failed || s.sent < r.After {
		return false
	}
	s.failed = true
	switch r.Fault {
	case FaultMalformed:
		sp.broken()
		return false
	case FaultError:
		sp.fault(r.Type, r.Error)
	}
	s.flush()
	switch r.Fault {
	case FaultDrop:
		panic(http.ErrAbortHandler)
	case FaultSilent:
		select {
		case <-s.ctx.Done():
		case <-s.server.quitting.Done():
		}
	}
	return true
}

func (s *stream) flush() {
	if len(s.buf) > 0 {
		_, _ = s.w.Write(s.buf)
		s.buf = s.buf[:0]
	}
	_ = s.rc.Flush()
}

// event writes one event.
func (s *stream) event(name string, data []byte) {
	s.buf = append(s.buf, s.before(name)...)
	s.buf = append(s.buf, data...)
	s.buf = append(s.buf, s.after()...)
}

// broken writes an event that is cut in the middle.
func (s *stream) broken() { s.event("", []byte(`{"choices":[{"delta":{"content":"bro`)) }

// before is what stands before an event's data, after what stands behind it.
func (s *stream) before(name string) []byte {
	style := s.reply.Style
	var b []byte
	if style.Comments {
		b = append(append(b, ": keep-alive"...), s.newline()...)
	}
	if name != "" {
		b = append(append(append(b, "event: "...), name...), s.newline()...)
	}
	b = append(b, "data:"...)
	if !style.NoSpace {
		b = append(b, ' ')
	}
	return b
}

func (s *stream) after() []byte { return append([]byte(s.newline()), s.newline()...) }

func (s *stream) newline() string {
	if s.reply.Style.CRLF {
		return "\r\n"
	}
	return "\n"
}

// around gives what stands around the delta in a template: an event whose data holds %s in place of it.
func (s *stream) around(name, head, tail string) (before, after []byte) {
	return append(s.before(name), head...), append([]byte(tail), s.after()...)
}

// appendQuoted appends s as a JSON string.
func appendQuoted(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c < 0x20 || c == '"' || c == '\\' || c >= utf8.RuneSelf {
			q, _ := json.Marshal(s)
			return append(b, q...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func quoted(s string) string { return string(appendQuoted(nil, s)) }

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the values here always encode
	}
	return b
}
