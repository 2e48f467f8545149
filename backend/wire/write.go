package wire

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes the page as encoding/json would, but passes stored events on without parsing them again, which for a
// long conversation is most of the work of opening it.
func (p *EventPage) WriteJSON(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := p.write(out); err != nil {
		return err
	}
	return out.Flush()
}

func (p *EventPage) write(out *bufio.Writer) error {
	_, _ = out.WriteString(`{"events":[`) // a bufio.Writer keeps its first error for Flush
	for i, e := range p.Events {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		b, err := e.MarshalJSON()
		if err != nil {
			return err
		}
		_, _ = out.Write(b)
	}
	_, _ = fmt.Fprintf(out, `],"before":%d,"last_seq":%d}`, p.Before, p.LastSeq)
	return nil
}

// WriteJSON writes the opened session as encoding/json would; see [EventPage.WriteJSON].
func (o *OpenSession) WriteJSON(w io.Writer) error {
	rest, err := json.Marshal(struct {
		Session Session         `json:"session"`
		Queue   []QueuedMessage `json:"queue"`
		Live    *Live           `json:"live,omitempty"`
	}{o.Session, o.Queue, o.Live})
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	_, _ = out.Write(rest[:len(rest)-1])
	_, _ = out.WriteString(`,"page":`)
	if err := o.Page.write(out); err != nil {
		return err
	}
	_ = out.WriteByte('}')
	return out.Flush()
}
