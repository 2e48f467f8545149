package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mobius/backend/llm"
)

const maxMessage = 600 // bytes of a provider's message that are passed on

// Classify makes an error of an answer that is not 200. now is for waits that are given as a date.
func Classify(status int, header http.Header, body []byte, now time.Time) *llm.Error {
	m := readMessage(body)
	e := &llm.Error{Kind: kindOf(status, m), Status: status, Code: m.name(), Message: m.text}
	switch {
	case m.page && status >= 500:
		e.Message = "a gateway answered for the provider: " + statusText(status)
	case m.page && status == http.StatusNotFound:
		e.Message = "the address has no such page; check the base URL"
	case m.page:
		e.Kind, e.Message = llm.ErrMalformed, webPage().Message
	case status >= 300 && status < 400:
		e.Kind, e.Message = llm.ErrMalformed, "the address redirects elsewhere; set the base URL to where it leads"
	case status == http.StatusProxyAuthRequired:
		e.Message = "the proxy between here and the provider wants a sign-in"
	case e.Message == "":
		e.Message = statusText(status)
	}
	if e.Kind == llm.ErrRateLimited || e.Kind == llm.ErrOverloaded {
		if e.RetryAfter = RetryAfter(header, now); e.RetryAfter == 0 {
			e.RetryAfter = m.wait
		}
	}
	return e
}

const statusOverloaded = 529 // not registered; Anthropic and others use it

func statusText(status int) string {
	if status == statusOverloaded {
		return "overloaded"
	}
	if text := http.StatusText(status); text != "" {
		return text
	}
	return "status " + strconv.Itoa(status)
}

// kindOf gives an error answer its kind.
func kindOf(status int, m message) llm.ErrorKind {
	switch status {
	case http.StatusUnauthorized:
		return llm.ErrKeyInvalid
	case http.StatusForbidden:
		return llm.ErrForbidden
	case http.StatusRequestEntityTooLarge:
		return llm.ErrContextLimit
	case http.StatusTooManyRequests:
		if m.is("insufficient_quota", "billing_hard_limit_reached") || strings.Contains(m.lower, "request too large") {
			return llm.ErrRefused // waiting does not help
		}
		return llm.ErrRateLimited
	case http.StatusNotFound:
		return llm.ErrNotFound
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly:
		return llm.ErrOverloaded
	}
	switch {
	case m.contextLimit():
		return llm.ErrContextLimit
	case status >= 500:
		return llm.ErrOverloaded
	case m.is("invalid_api_key", "API_KEY_INVALID"), strings.Contains(m.lower, "api key") && saysWrong(m.lower):
		return llm.ErrKeyInvalid // Gemini and xAI say so with status 400
	case m.is("model_not_found"), strings.Contains(m.lower, "not a valid model"), strings.Contains(m.lower, "model") && (strings.Contains(m.lower, "does not exist") || strings.Contains(m.lower, "not found")):
		return llm.ErrNotFound
	}
	return llm.ErrRefused
}

func saysWrong(lower string) bool {
	return strings.Contains(lower, "not valid") || strings.Contains(lower, "invalid") || strings.Contains(lower, "incorrect")
}

// Named gives an error that a provider reported inside a stream its kind, by its type, code or status, and its text.
func Named(kind, text string) *llm.Error {
	text = shorten(text)
	return named(message{text: text, lower: strings.ToLower(text), names: []string{kind}, wait: waitIn(text)})
}

func named(m message) *llm.Error {
	e := &llm.Error{Kind: llm.ErrRefused, Code: m.name(), Message: m.text}
	if e.Message == "" {
		e.Message = "the provider failed without saying why"
	}
	has := func(part string) bool {
		return slices.ContainsFunc(m.names, func(n string) bool { return strings.Contains(n, part) })
	}
	switch {
	case m.contextLimit():
		e.Kind = llm.ErrContextLimit
	case m.is("insufficient_quota", "billing_hard_limit_reached"):
	case has("rate_limit"), m.is("RESOURCE_EXHAUSTED", "429"):
		e.Kind, e.RetryAfter = llm.ErrRateLimited, m.wait
	case has("overloaded"), has("server_error"), has("timeout"), m.is("api_error", "INTERNAL", "UNAVAILABLE", "DEADLINE_EXCEEDED", "500", "502", "503", "504", "529"), m.text == "":
		e.Kind = llm.ErrOverloaded
	case m.is("authentication_error", "invalid_api_key", "UNAUTHENTICATED", "401"):
		e.Kind = llm.ErrKeyInvalid
	case m.is("permission_error", "PERMISSION_DENIED", "403"):
		e.Kind = llm.ErrForbidden
	case m.is("not_found_error", "model_not_found", "NOT_FOUND", "404"):
		e.Kind = llm.ErrNotFound
	}
	return e
}

// message is what an error body says, in whatever form.
type message struct {
	text, lower string
	names       []string      // its types, codes and statuses
	page        bool          // it is a web page
	wait        time.Duration // how long it asks to wait, 0 when it does not
}

// name is the most exact name, which comes last.
func (m *message) name() string {
	for _, n := range slices.Backward(m.names) {
		if n != "" {
			return n
		}
	}
	return ""
}

func (m *message) is(names ...string) bool {
	return slices.ContainsFunc(m.names, func(n string) bool { return slices.Contains(names, n) })
}

// tooLong is how providers and local servers say that a request is longer than the model's window.
var tooLong = [...]string{
	"maximum context length", "context length exceeded", "context_length_exceeded", "prompt is too long", "prompt too long", "exceeds the context window", "exceed the context window",
	"exceeds the maximum number of tokens", "input is too long", "exceeds the available context size", "too many input tokens", "exceed context limit", "exceeds context limit",
	"longer than the model's context", "greater than the context length", "exceeds the context length", "maximum prompt length", "reached context length", "context overflow", "max_new_tokens` must be",
	"exceed max length", "exceeds max length", "larger than the context", "exceeds the model's context", "reduce the length of the messages", "exceeds the model's maximum context",
}

func (m *message) contextLimit() bool {
	return m.is("context_length_exceeded", "exceed_context_size_error", "request_too_large") ||
		slices.ContainsFunc(tooLong[:], func(words string) bool { return strings.Contains(m.lower, words) })
}

// readMessage finds what an error body says, in the forms that providers use.
func readMessage(body []byte) message {
	body = bytes.TrimSpace(body)
	if bytes.HasPrefix(body, []byte("<")) {
		return message{page: true}
	}
	if bytes.HasPrefix(body, []byte("[")) { // Gemini wraps the errors of streams in a list
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			body = list[0]
		}
	}
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message json.RawMessage `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Type    any             `json:"type"`
		Code    any             `json:"code"`
	}
	if json.Unmarshal(body, &outer) != nil {
		return newMessage(string(body))
	}
	var inner struct {
		Message string `json:"message"`
		Type    any    `json:"type"`
		Status  any    `json:"status"`
		Code    any    `json:"code"`
		Details []struct {
			Reason string `json:"reason"`
			Delay  string `json:"retryDelay"`
		} `json:"details"`
		Metadata struct {
			Raw string `json:"raw"` // OpenRouter: what the provider behind it said
		} `json:"metadata"`
	}
	var plain string
	switch {
	case json.Unmarshal(outer.Error, &inner) == nil && (inner.Message != "" || inner.Type != nil || inner.Code != nil):
		text := inner.Message
		if raw := inner.Metadata.Raw; raw != "" {
			text += ": " + readMessage([]byte(raw)).text
		}
		m := newMessage(text, inner.Type, inner.Status, inner.Code)
		for _, d := range inner.Details {
			m.names = append(m.names, d.Reason)
			if wait, err := time.ParseDuration(d.Delay); err == nil && wait > 0 {
				m.wait = wait
			}
		}
		return m
	case json.Unmarshal(outer.Error, &plain) == nil && plain != "":
	case json.Unmarshal(outer.Detail, &plain) == nil && plain != "":
	case json.Unmarshal(outer.Message, &plain) == nil && plain != "":
	case len(outer.Detail) > 2: // a list of what is wrong
		plain = string(outer.Detail)
	case len(outer.Message) > 2:
		plain = string(outer.Message)
	}
	return newMessage(plain, outer.Type, outer.Code)
}

func newMessage(text string, names ...any) message {
	text = shorten(text)
	m := message{text: text, lower: strings.ToLower(text), wait: waitIn(text)}
	for _, n := range names {
		switch n := n.(type) {
		case string:
			m.names = append(m.names, n)
		case float64:
			m.names = append(m.names, strconv.FormatFloat(n, 'f', -1, 64))
		}
	}
	return m
}

func shorten(s string) string {
	s = strings.ToValidUTF8(strings.TrimSpace(s), "")
	if len(s) <= maxMessage {
		return s
	}
	end := maxMessage
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

var tryAgain = regexp.MustCompile(`(?i)(?:try again|retry) in ((?:\d+(?:\.\d+)?(?:ms|s|m|h))+)`)

// waitIn finds how long a text asks to wait, 0 when it does not.
func waitIn(text string) time.Duration {
	if match := tryAgain.FindStringSubmatch(text); match != nil {
		if d, err := time.ParseDuration(match[1]); err == nil && d > 0 && d < longestWait {
			return d
		}
	}
	return 0
}

const longestWait = 30 * 24 * time.Hour // what is longer makes no sense

// RetryAfter reads how long a provider asks to wait: retry-after-ms, Retry-After in seconds or as an HTTP date (RFC 9110,
// section 10.2.3), or when an exhausted limit is full again. 0 when it does not say or what it says makes no sense.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil {
		if d := float64(time.Millisecond) * ms; d > 0 && d < float64(longestWait) {
			return time.Duration(d)
		}
	}
	if d := moment(h.Get("Retry-After"), now); d > 0 {
		return d
	}
	longest := time.Duration(0)
	for _, what := range [...]string{"", "-requests", "-tokens"} {
		if h.Get("X-Ratelimit-Remaining"+what) == "0" {
			longest = max(longest, moment(h.Get("X-Ratelimit-Reset"+what), now))
		}
	}
	return longest
}

// moment reads seconds, a duration such as 6m0s, a Unix time in seconds or milliseconds, or an HTTP date, as the time
// from now on.
func moment(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	var d time.Duration
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		const unix, unixMilli = 1e9, 1e12
		switch {
		case n >= unixMilli && n < 1e15:
			d = time.UnixMilli(int64(n)).Sub(now)
		case n >= unix && n < unixMilli:
			d = time.Unix(int64(n), 0).Sub(now)
		case n > 0 && n < unix:
			d = time.Duration(n * float64(time.Second))
		}
	} else if at, err := http.ParseTime(value); err == nil {
		d = at.Sub(now)
	} else if d, err = time.ParseDuration(value); err != nil {
		return 0
	}
	if d < 0 || d > longestWait {
		return 0
	}
	return d
}
