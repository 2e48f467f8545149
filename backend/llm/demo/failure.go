package demo

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"mobius/backend/llm"
)

const (
	// askedWait is what "fail with 429" asks to wait before the next attempt.
	askedWait = 3 * time.Second
	// maxRemembered bounds the failures that are counted; beyond it counting begins anew.
	maxRemembered = 256
)

// failure is a way to fail that can be asked for.
type failure struct {
	words   *regexp.Regexp
	kind    llm.ErrorKind
	status  int
	message string
	after   time.Duration
	partial bool // something is said before it fails
}

var failures = sync.OnceValue(func() []failure {
	list := []struct {
		words string
		failure
	}{
		{`429|rate|limit(?:ed)?\b.*\brate|zu viele`, failure{kind: llm.ErrRateLimited, status: 429, message: "too many requests", after: askedWait}},
		{`401|key|schlüssel`, failure{kind: llm.ErrKeyInvalid, status: 401, message: "the key is not valid"}},
		{`403|forbidden|verboten`, failure{kind: llm.ErrForbidden, status: 403, message: "the key may not use this model"}},
		{`404|not found|unknown model|nicht gefunden`, failure{kind: llm.ErrNotFound, status: 404, message: "there is no such model"}},
		{`413|context|too long|zu lang|kontext`, failure{kind: llm.ErrContextLimit, status: 400, message: "the conversation is longer than the context window"}},
		{`529|overload|überlast`, failure{kind: llm.ErrOverloaded, status: 529, message: "overloaded"}},
		{`5\d\d|server|serverfehler`, failure{kind: llm.ErrOverloaded, status: 500, message: "internal server error"}},
		{`unreachable|offline|no connection|unerreichbar|keine verbindung`, failure{kind: llm.ErrUnreachable, message: "no connection"}},
		{`drop|lost|cut|abbruch|abgebrochen`, failure{kind: llm.ErrDropped, message: "the connection ended in mid-answer", partial: true}},
		{`silen|timeout|time out|stall|stille|schweigen`, failure{kind: llm.ErrSilent, message: "no data for too long", partial: true}},
		{`malformed|html|garbage|unsinn`, failure{kind: llm.ErrMalformed, message: "the answer was a web page, not a model's"}},
		{`empty|nothing|leer|nichts`, failure{kind: llm.ErrEmpty, message: "the stream ended without an answer"}},
		{`large|huge|groß`, failure{kind: llm.ErrTooLarge, message: "the answer is over the size limit"}},
		{`4\d\d|refuse|abgelehnt`, failure{kind: llm.ErrRefused, status: 400, message: "the request was refused"}},
	}
	out := make([]failure, len(list))
	for i, f := range list {
		out[i] = f.failure
		out[i].words = regexp.MustCompile(`(?i)(?:^|\W)(` + f.words + `)`) // \b knows no ü
	}
	return out
})

// failureOf finds the failure that a request asks for; the usual one is a server error.
func failureOf(text string) failure {
	for _, f := range failures() {
		found := f.words.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		if status, err := strconv.Atoi(found[1]); err == nil && f.status != 0 && f.kind != llm.ErrContextLimit {
			f.status = status
		}
		return f
	}
	return failure{kind: llm.ErrOverloaded, status: 500, message: "internal server error"}
}

// fail fails as asked. After a number of times that was asked for it succeeds, so that a person sees a recovery.
func (c *conversation) fail(v *voice, what intent) error {
	f := failureOf(what.text)
	if what.n > 0 && v.model.failed(c.key()) >= what.n {
		return v.say(llm.Text, c.lang.pick(
			fmt.Sprintf("It worked, after failing %s as you asked: %s.", timesEN(what.n), f.message),
			fmt.Sprintf("Es hat geklappt, nachdem es wie gewünscht %d-mal gescheitert ist: %s.", what.n, f.message)))
	}
	if what.n > 0 {
		v.model.fails(c.key())
	}
	if f.partial {
		if err := v.say(llm.Text, c.lang.pick("This is how an answer begins that is cut off in the mid", "So beginnt eine Antwort, die mitten im Wo")); err != nil {
			return err
		}
	}
	return &llm.Error{Kind: f.kind, Status: f.status, RetryAfter: f.after, Message: "demonstration: " + f.message}
}

func timesEN(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return strconv.Itoa(n) + " times"
}

// key names the request among those of the model.
func (c *conversation) key() string {
	return strings.Join([]string{c.req.CacheKey, strconv.Itoa(len(c.req.Messages)), c.asked}, "\x00")
}

func (m *Model) failed(key string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failures[key]
}

func (m *Model) fails(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.failures) >= maxRemembered {
		clear(m.failures)
	}
	m.failures[key]++
}
