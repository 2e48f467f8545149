package capability

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxOutput is the longest result of a tool, in bytes.
const MaxOutput = 64 << 10

// Clip shortens a text to limit bytes by taking out its middle, at the borders of characters and where possible of
// lines. What is left says how much was taken out and, in the words of how, how to get it.
func Clip(text string, limit int, how string) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if len(text) <= limit {
		return text
	}
	const note = "\n\n[%d bytes in the middle are left out; %s]\n\n"
	room := max(limit-len(fmt.Sprintf(note, len(text), how)), 0)
	head := cutEnd(text, room*3/4)
	if i := strings.LastIndexByte(head, '\n'); i > len(head)/2 {
		head = head[:i]
	}
	tail := cutStart(text, room-room*3/4)
	if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
		tail = tail[i+1:]
	}
	return head + fmt.Sprintf(note, len(text)-len(head)-len(tail), how) + tail
}

// cutEnd gives the first n bytes of valid UTF-8, fewer where a character would be cut.
func cutEnd(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutStart gives the last n bytes of valid UTF-8, fewer where a character would be cut.
func cutStart(s string, n int) string {
	at := max(len(s)-n, 0)
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}
