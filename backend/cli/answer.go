package cli

import (
	"fmt"
	"io"
	"strings"
)

// answer writes an answer to standard output and everything else to standard error, each on lines of its own also where
// both are the same terminal.
type answer struct {
	out, err io.Writer
	quiet    bool // the output is JSON
	live     bool // a person reads along

	midText    bool // the last line of the answer has no end yet
	midThought bool // the last line of the reasoning has no end yet
}

func newAnswer(a *app) *answer {
	return &answer{out: a.Out, err: a.Err, quiet: a.asJSON, live: isTerminal(a.Out)}
}

// say writes a piece of the answer.
func (w *answer) say(text string) {
	if w.quiet {
		return
	}
	w.endThought()
	fmt.Fprint(w.out, text)
	w.midText = !strings.HasSuffix(text, "\n")
}

// think writes a piece of the reasoning.
func (w *answer) think(text string) {
	if w.quiet {
		return
	}
	w.endText()
	fmt.Fprint(w.err, text)
	w.midThought = !strings.HasSuffix(text, "\n")
}

// status writes a line about what happens.
func (w *answer) status(text string) {
	if w.quiet {
		return
	}
	w.end()
	fmt.Fprintln(w.err, text)
}

// block begins a part that does not continue the line before it.
func (w *answer) block() { w.end() }

// end ends the line that is being written.
func (w *answer) end() {
	w.endText()
	w.endThought()
}

func (w *answer) endText() {
	if w.midText {
		fmt.Fprintln(w.out)
		w.midText = false
	}
}

func (w *answer) endThought() {
	if w.midThought {
		fmt.Fprintln(w.err)
		w.midThought = false
	}
}
