package transport

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"mobius/backend/llm"
)

const maxMessage = 600 // bytes of a provider's message that are passed on

// Classify makes an error of an answer that is not 200. now is for Retry-After given as a date.
func Classify(status int, header http.Header, body []byte, now time.Time) *llm.Error {
	text, code, typ := message(body)
	e := &llm.Error{Status: status, Message: text}
	if text == "" {
		e.Message = http.StatusText(status)
	}
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(strings.TrimSpace(string(body)), "<") && status < 500:
		e.Kind, e.Message = llm.ErrMalformed, "the address answered with a web page; is it a proxy or a sign-in page?"
		if status == http.StatusNotFound {
			e.Kind, e.Message = llm.ErrNotFound, "the address has no such page; check the base URL"
		}
	case contextLimit(code, typ, lower):
		e.Kind = llm.ErrContextLimit
	case status == http.StatusUnauthorized, status == http.StatusBadRequest && strings.Contains(lower, "api key not valid"):
		e.Kind = llm.ErrKeyInvalid
	case status == http.StatusForbidden:
		e.Kind = llm.ErrForbidden
	case status == http.StatusNotFound:
		e.Kind = llm.ErrNotFound
	case status == http.StatusTooManyRequests && code == "insufficient_quota":
		e.Kind = llm.ErrRefused
	case status == http.StatusTooManyRequests:
		e.Kind, e.RetryAfter = llm.ErrRateLimited, RetryAfter(header, now)
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status >= 500:
		e.Kind, e.RetryAfter = llm.ErrOverloaded, RetryAfter(header, now)
	case status >= 300 && status < 400:
		e.Kind, e.Message = llm.ErrMalformed, "the address redirects elsewhere; set the base URL to where it leads"
	default:
		e.Kind = llm.ErrRefused
	}
	return e
}

// Named gives an error that a provider reported inside a stream its kind, by its type or code.
func Named(kind, text string) *llm.Error {
	e := &llm.Error{Message: shorten(text)}
	lower := strings.ToLower(text)
	switch {
	case contextLimit(kind, kind, lower):
		e.Kind = llm.ErrContextLimit
	case strings.Contains(kind, "overloaded"), strings.Contains(kind, "server_error"), kind == "api_error", kind == "INTERNAL", kind == "UNAVAILABLE", kind == "500", kind == "502", kind == "503", kind == "529":
		e.Kind = llm.ErrOverloaded
	case strings.Contains(kind, "rate_limit"), kind == "RESOURCE_EXHAUSTED", kind == "429":
		e.Kind = llm.ErrRateLimited
	case kind == "authentication_error", kind == "invalid_api_key", kind == "401":
		e.Kind = llm.ErrKeyInvalid
	case kind == "permission_error", kind == "403":
		e.Kind = llm.ErrForbidden
	case kind == "not_found_error", kind == "model_not_found", kind == "404":
		e.Kind = llm.ErrNotFound
	default:
		e.Kind = llm.ErrRefused
	}
	return e
}

// contextLimit knows the words in which providers and local servers say that a request is longer than the window.
func contextLimit(code, typ, lower string) bool {
	if code == "context_length_exceeded" || typ == "exceed_context_size_error" {
		return true
	}
	for _, words := range [...]string{
		"maximum context length", "context length exceeded", "context_length_exceeded", "prompt is too long", "context window", "exceeds the maximum number of tokens",
		"input is too long", "exceeds the available context size", "too many input tokens", "exceed context limit", "longer than the model's context",
	} {
		if strings.Contains(lower, words) {
			return true
		}
	}
	return false
}

// message finds what an error body says, in the forms that providers use.
func message(body []byte) (text, code, typ string) {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	trimmed := body
	if strings.HasPrefix(strings.TrimSpace(string(body)), "[") { // Gemini wraps errors of streams in a list
		var list []json.RawMessage
		if json.Unmarshal(body, &list) == nil && len(list) > 0 {
			trimmed = list[0]
		}
	}
	if json.Unmarshal(trimmed, &outer) != nil {
		s := strings.TrimSpace(string(body))
		if strings.HasPrefix(s, "<") {
			return "", "", ""
		}
		return shorten(s), "", ""
	}
	var inner struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Status  string          `json:"status"`
		Code    json.RawMessage `json:"code"`
	}
	var plain string
	switch {
	case json.Unmarshal(outer.Error, &inner) == nil && inner.Message != "":
		typ = inner.Type
		if inner.Status != "" {
			typ = inner.Status
		}
		return shorten(inner.Message), strings.Trim(string(inner.Code), `"`), typ
	case json.Unmarshal(outer.Error, &plain) == nil && plain != "":
		return shorten(plain), "", ""
	case json.Unmarshal(outer.Detail, &plain) == nil && plain != "":
		return shorten(plain), "", ""
	}
	return shorten(outer.Message), "", ""
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

// RetryAfter reads how long a provider asks to wait: retry-after-ms, or Retry-After in seconds or as an HTTP date
// (RFC 9110, section 10.2.3). 0 when it does not say or what it says makes no sense.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms > 0 && ms < 1e10 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		if s > 0 && s < 1e7 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

// Get reads a JSON document, such as a list of models, into out. Its error is an *llm.Error or ctx's.
func Get(req *http.Request, client *http.Client, out any) error {
	ctx := req.Context()
	res, err := client.Do(req)
	if err != nil {
		return fault(ctx, ctx, err, false)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		body := make([]byte, maxErrorBody)
		n, _ := readFull(res.Body, body)
		return Classify(res.StatusCode, res.Header, body[:n], time.Now())
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		return webPage()
	}
	if err := json.NewDecoder(&limited{r: res.Body, left: maxAnswer}).Decode(out); err != nil {
		return &llm.Error{Kind: llm.ErrMalformed, Message: fmt.Sprintf("the answer is not what this kind of provider sends: %v", err), Err: err}
	}
	return nil
}
