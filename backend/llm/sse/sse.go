// Package sse reads what model servers stream: server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation) and documents of one line
// each. It copes with every line ending and with servers that leave out the space or the last blank line, and it stops
// at limits instead of filling memory.
package sse

import (
	"bytes"
	"errors"
	"io"
)

// ErrTooLarge means that a line, an event or the whole stream is over its limit.
var ErrTooLarge = errors.New("the stream is over its size limit")

// Limits bound what is read, in bytes.
type Limits struct {
	Event int // one line, or the data of one event
	Total int // the whole stream
}

const firstBuffer = 8 << 10

// Lines reads lines that end with LF, CR LF or CR. The memory it uses grows with the longest line.
type Lines struct {
	r       io.Reader
	limits  Limits
	buf     []byte
	start   int // of what was not given out yet, in buf
	scanned int // bytes behind start that hold no line end
	total   int
	skipLF  bool // the line before ended with a CR at the end of what had been read
	cut     bool
	err     error
}

// NewLines makes a reader of lines.
func NewLines(r io.Reader, limits Limits) *Lines {
	return &Lines{r: r, limits: limits, buf: make([]byte, 0, firstBuffer)}
}

// Next gives the next line without its end; it is valid until the next call. The error is that of the underlying reader
// (io.EOF at the end) or ErrTooLarge. Text behind the last line end counts as a line if the stream ended properly; Cut
// tells that.
func (l *Lines) Next() ([]byte, error) {
	for {
		if l.skipLF && l.start < len(l.buf) {
			l.skipLF = false
			if l.buf[l.start] == '\n' {
				l.start++
			}
		}
		if line, ok := l.whole(); ok {
			return line, nil
		}
		if l.err != nil {
			return l.rest()
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// Cut tells whether the last line had no end.
func (l *Lines) Cut() bool { return l.cut }

// whole gives a line that is in the buffer with its end.
func (l *Lines) whole() ([]byte, bool) {
	window := l.buf[l.start+l.scanned:]
	end := bytes.IndexByte(window, '\n')
	until := end
	if end < 0 {
		until = len(window)
	}
	if cr := bytes.IndexByte(window[:until], '\r'); cr >= 0 {
		line := l.buf[l.start : l.start+l.scanned+cr]
		l.start += l.scanned + cr + 1
		l.scanned, l.skipLF = 0, true
		return line, true
	}
	if end < 0 {
		l.scanned += len(window)
		return nil, false
	}
	line := l.buf[l.start : l.start+l.scanned+end]
	l.start += l.scanned + end + 1
	l.scanned = 0
	return line, true
}

func (l *Lines) rest() ([]byte, error) {
	if errors.Is(l.err, io.EOF) && l.start < len(l.buf) {
		line := l.buf[l.start:]
		l.start, l.scanned, l.cut = len(l.buf), 0, true
		return line, nil
	}
	return nil, l.err
}

// fill reads more into the buffer.
func (l *Lines) fill() error {
	if l.start > 0 { // what was given out makes room
		n := copy(l.buf[:cap(l.buf)], l.buf[l.start:])
		l.buf, l.start = l.buf[:n], 0
	}
	if len(l.buf) == cap(l.buf) {
		if len(l.buf) > l.limits.Event {
			return ErrTooLarge
		}
		grown := make([]byte, len(l.buf), 2*cap(l.buf))
		copy(grown, l.buf)
		l.buf = grown
	}
	n, err := l.r.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf = l.buf[:len(l.buf)+n]
	if l.total += n; l.total > l.limits.Total {
		return ErrTooLarge
	}
	l.err = err
	return nil
}

// Event is one event. Its parts are valid until the next call of Next.
type Event struct {
	Name []byte // its type, empty if it has none
	Data []byte
	// Cut means that the stream ended inside the event. It may be whole all the same: servers forget the blank line.
	Cut bool
}

// Reader reads events.
type Reader struct {
	lines *Lines
	limit int
	name  []byte
	data  []byte
	first bool // no line was read yet
	ended error
}

// NewReader makes a reader of events.
func NewReader(r io.Reader, limits Limits) *Reader {
	return &Reader{lines: NewLines(r, limits), limit: limits.Event, first: true}
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// Next gives the next event that has data. The error is io.EOF at the end of the stream, ErrTooLarge, or the underlying
// reader's.
func (r *Reader) Next() (Event, error) {
	if r.ended != nil {
		return Event{}, r.ended
	}
	r.name, r.data = r.name[:0], r.data[:0]
	has := false
	for {
		line, err := r.lines.Next()
		if err != nil {
			r.ended = err
			if has && errors.Is(err, io.EOF) {
				return Event{Name: r.name, Data: r.data, Cut: true}, nil
			}
			return Event{}, err
		}
		if r.first {
			r.first = false
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		if len(line) == 0 {
			if has {
				return Event{Name: r.name, Data: r.data}, nil
			}
			r.name = r.name[:0]
			continue
		}
		field, value := cut(line)
		switch string(field) {
		case "data":
			if has {
				r.data = append(r.data, '\n')
			}
			if len(r.data)+len(value) > r.limit {
				r.ended = ErrTooLarge
				return Event{}, ErrTooLarge
			}
			r.data, has = append(r.data, value...), true
		case "event":
			r.name = append(r.name[:0], value...)
		} // comments, ids, retry times and unknown fields are of no use here
	}
}

// cut splits a line at its colon; one space behind it does not count.
func cut(line []byte) (field, value []byte) {
	i := bytes.IndexByte(line, ':')
	if i < 0 {
		return line, nil
	}
	value = line[i+1:]
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	return line[:i], value
}
