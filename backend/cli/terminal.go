package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

const maxKeyInput = 16 << 10 // bytes

// isTerminal tells whether a person sees what is written to w, or types what is read from it.
func isTerminal(stream any) bool {
	switch s := stream.(type) {
	case *os.File:
		return term.IsTerminal(int(s.Fd()))
	case *plainWriter:
		return true
	}
	return false
}

// forTerminal keeps what models and files say from steering the person's terminal. Files and pipes get every byte.
func forTerminal(w io.Writer) io.Writer {
	if isTerminal(w) {
		return &plainWriter{w}
	}
	return w
}

// plainWriter leaves control characters out, except line ends and tabs: an escape sequence could change what is on the
// screen, the window's title or the clipboard.
type plainWriter struct{ next io.Writer }

// Write implements io.Writer. Every text that is written here ends at a character's end.
func (p *plainWriter) Write(b []byte) (int, error) {
	if _, err := p.next.Write(plain(b)); err != nil {
		return 0, err
	}
	return len(b), nil
}

func plain(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !bidirectional(r) {
			out = utf8.AppendRune(out, r)
		}
		b = b[n:]
	}
	return out
}

// bidirectional tells whether a character changes the order in which others are shown, with which a text can look like
// another one.
func bidirectional(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}

// readKey reads a provider's key: without showing it where a person types, else all of standard input.
func (a *app) readKey(name string, needed bool) (string, error) {
	file, ok := a.In.(*os.File)
	if !ok || !isTerminal(file) {
		b, err := io.ReadAll(io.LimitReader(a.In, maxKeyInput))
		if err != nil {
			return "", fmt.Errorf("read the key: %w", err)
		}
		return strings.TrimSpace(string(b)), nil
	}
	hint := ""
	if !needed {
		hint = ", Enter for none"
	}
	fmt.Fprintf(a.Err, "Key for %s (it is not shown%s): ", name, hint)
	b, err := term.ReadPassword(int(file.Fd()))
	fmt.Fprintln(a.Err)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	return strings.TrimSpace(string(b)), nil
}
