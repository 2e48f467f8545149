package openai

import (
	"encoding/json"
	"strings"

	"mobius/backend/llm"
)

// thinkTags takes reasoning out of the text of servers that do not know where their model reasons: the text then begins
// with <think> and goes on behind </think>.
type thinkTags struct {
	state int
	held  string // what may be the beginning of a tag
}

const (
	thinkUndecided = iota // nothing but space so far
	thinkInside
	thinkAfter  // the space behind the closing tag does not count
	thinkAbsent // the text is what it is

	openTag, closeTag = "<think>", "</think>"
)

func (t *thinkTags) add(b *llm.Builder, s string) {
	if t.state == thinkAbsent {
		b.Append(llm.Text, s)
		return
	}
	s = t.held + s
	t.held = ""
	if t.state == thinkUndecided {
		trimmed := strings.TrimLeft(s, " \t\r\n")
		switch {
		case len(trimmed) < len(openTag) && strings.HasPrefix(openTag, trimmed):
			t.held = s
			return
		case !strings.HasPrefix(trimmed, openTag):
			t.state = thinkAbsent
			b.Append(llm.Text, s)
			return
		}
		t.state, s = thinkInside, trimmed[len(openTag):]
	}
	if t.state == thinkInside {
		inside, rest, closed := strings.Cut(s, closeTag)
		if !closed {
			keep := tagStart(s)
			b.Append(llm.Reasoning, s[:len(s)-keep])
			t.held = s[len(s)-keep:]
			return
		}
		b.Append(llm.Reasoning, inside)
		t.state, s = thinkAfter, rest
	}
	if s = strings.TrimLeft(s, " \t\r\n"); s != "" {
		t.state = thinkAbsent
		b.Append(llm.Text, s)
	}
}

// tagStart is how many bytes at the end of s may begin the closing tag.
func tagStart(s string) int {
	for n := min(len(closeTag)-1, len(s)); n > 0; n-- {
		if strings.HasSuffix(s, closeTag[:n]) {
			return n
		}
	}
	return 0
}

// flush gives out what was held back.
func (t *thinkTags) flush(b *llm.Builder) {
	if t.held == "" {
		return
	}
	kind := llm.Text
	if t.state == thinkInside {
		kind = llm.Reasoning
	}
	b.Append(kind, t.held)
	t.held = ""
}

// details puts reasoning details together that come in pieces, so that they can be given back as a whole.
type details struct{ list []map[string]any }

// add takes pieces in: those of the same index and type belong together, their texts follow each other.
func (d *details) add(pieces []json.RawMessage) {
	for _, raw := range pieces {
		var piece map[string]any
		if json.Unmarshal(raw, &piece) != nil || piece == nil {
			continue
		}
		whole := d.find(piece)
		if whole == nil {
			d.list = append(d.list, piece)
			continue
		}
		for k, v := range piece {
			old, isText := whole[k].(string)
			more, also := v.(string)
			switch {
			case isText && also && (k == "text" || k == "summary" || k == "data"):
				whole[k] = old + more
			case v != nil:
				whole[k] = v
			}
		}
	}
}

func (d *details) find(piece map[string]any) map[string]any {
	if piece["index"] == nil {
		return nil
	}
	for _, whole := range d.list {
		if whole["index"] == piece["index"] && whole["type"] == piece["type"] {
			return whole
		}
	}
	return nil
}

// store keeps the details with the first reasoning of the answer, or with a block of its own when none is shown.
func (d *details) store(b *llm.Builder) {
	if len(d.list) == 0 {
		return
	}
	meta := llm.NewMeta(detailsProtocol, string(marshal(d.list)))
	at := b.Find(llm.Reasoning)
	if at < 0 {
		at = b.Open(llm.Block{Kind: llm.Reasoning})
	}
	b.SetMeta(at, meta)
}
