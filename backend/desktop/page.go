package desktop

import (
	"strings"
	"time"
)

// A page whose process dies is loaded again at most maxRestarts times within restartSpan: one that dies from what it
// shows would otherwise do so for ever.
const (
	maxRestarts = 3
	restartSpan = time.Minute
)

// restarts remembers when the page was loaded again. It is not safe for concurrent use.
type restarts struct{ at []time.Time }

// again tells whether the page may be loaded again now, and remembers it if so.
func (r *restarts) again(now time.Time) bool {
	recent := r.at[:0]
	for _, t := range r.at {
		if now.Sub(t) < restartSpan {
			recent = append(recent, t)
		}
	}
	r.at = recent
	if len(r.at) >= maxRestarts {
		return false
	}
	r.at = append(r.at, now)
	return true
}

// pageAddress is where the window's page lives.
const pageAddress = "wails://wails/"

// staysOnPage tells whether an address is the page itself, whatever place in it, or nothing at all. The window shows
// nothing else: its page is the only one that may call the engine.
func staysOnPage(address string) bool {
	rest, ok := strings.CutPrefix(address, pageAddress)
	return ok && (rest == "" || rest[0] == '#' || rest[0] == '?') || address == "about:blank"
}
