package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"mobius/backend/llm"
	"mobius/backend/llm/sse"
)

// The bounds of one answer.
const (
	maxEvent     = 8 << 20   // bytes of one event
	maxAnswer    = 32 << 20  // bytes of text and arguments of one answer, or of a document that is no stream
	maxStream    = 512 << 20 // bytes on the wire: a delta of a few letters comes in some hundred bytes
	maxErrorBody = 64 << 10
	// DefaultIdle is how long a stream may be silent.
	DefaultIdle = 60 * time.Second
	// drainLimit is how long a finished stream is waited for, so that its connection can be used again.
	drainLimit = 20 * time.Millisecond
)

var errSilent = errors.New("no data within the idle limit")

// Request is a request whose body is the concatenation of its pieces, which are not copied.
type Request struct {
	URL    string
	Header http.Header
	Body   [][]byte
	Key    string        // the key in Header: checked before it is sent, and kept out of errors
	Idle   time.Duration // between two bytes; 0 = DefaultIdle
	First  time.Duration // before the first byte; 0 = Idle
	Size   func() int    // how large the answer is by now, in bytes
	Lines  bool          // the answer is one JSON document a line instead of events
}

// Handler takes the data of one event, which is valid during the call only. It returns true when the answer is complete.
type Handler func(data []byte) (done bool, err error)

// Stream posts the request and hands the events of the answer to handle. Its error is an *llm.Error or ctx's error. An
// answer that ends before handle said that it is complete is llm.ErrDropped, one without any event llm.ErrEmpty.
func Stream(ctx context.Context, client *http.Client, r Request, handle Handler) error {
	if r.Idle <= 0 {
		r.Idle = DefaultIdle
	}
	if r.First <= 0 {
		r.First = r.Idle
	}
	if err := checkKey(r.Key); err != nil {
		return err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(r.First, func() { cancel(errSilent) })
	defer watchdog.Stop()
	req, err := r.post(inner)
	if err != nil {
		return badAddress(err)
	}
	res, err := client.Do(req)
	if err != nil {
		return redact(fault(ctx, inner, err, false), r.Key)
	}
	defer func() { _ = res.Body.Close() }()
	body := &watched{r: res.Body, touch: func() { watchdog.Reset(r.Idle) }}
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(body, maxErrorBody)) // what was read says enough
		return redact(Classify(res.StatusCode, res.Header, text, time.Now()), r.Key)
	}
	err = r.events(res, body, handle)
	if err == nil {
		watchdog.Reset(drainLimit)
		_, _ = io.CopyN(io.Discard, body.r, maxErrorBody)
		return nil
	}
	var known *llm.Error
	if errors.As(err, &known) {
		return redact(known, r.Key)
	}
	return redact(fault(ctx, inner, err, true), r.Key)
}

// post makes the HTTP request.
func (r *Request) post(ctx context.Context) (*http.Request, error) {
	size := int64(0)
	for _, b := range r.Body {
		size += int64(len(b))
	}
	body := func() (io.ReadCloser, error) { return io.NopCloser(&pieces{rest: r.Body}), nil }
	first, _ := body()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, first)
	if err != nil {
		return nil, err
	}
	req.ContentLength, req.GetBody = size, body
	req.Header = r.Header.Clone()
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("Accept-Encoding", "identity") // a compressed stream would come in lumps
	return req, nil
}

// pieces reads a list of byte slices one after the other.
type pieces struct {
	rest [][]byte
	at   int
}

func (p *pieces) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) && len(p.rest) > 0 {
		c := copy(b[n:], p.rest[0][p.at:])
		n, p.at = n+c, p.at+c
		if p.at == len(p.rest[0]) {
			p.rest, p.at = p.rest[1:], 0
		}
	}
	if n == 0 && len(b) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// watched keeps the watchdog away while bytes come.
type watched struct {
	r     io.Reader
	touch func()
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	if n > 0 {
		w.touch()
	}
	return n, err
}

// events hands the events of a stream to handle until it is done.
func (r *Request) events(res *http.Response, body io.Reader, handle Handler) error {
	buffered := bufio.NewReaderSize(body, 1<<10) // what is larger goes past this buffer
	if !r.Lines {
		if err := checkStream(res, buffered); err != nil {
			return err
		}
	}
	limits := sse.Limits{Event: maxEvent, Total: maxStream}
	next := lineEvents(buffered, limits)
	if !r.Lines {
		next = sse.NewReader(buffered, limits).Next
	}
	for n := 0; ; n++ {
		e, err := next()
		switch {
		case errors.Is(err, io.EOF) && n == 0:
			return &llm.Error{Kind: llm.ErrEmpty, Message: "the provider ended its answer without saying anything"}
		case err != nil:
			return err
		}
		done, err := handle(e.Data)
		if err != nil && e.Cut && isMalformed(err) {
			return io.ErrUnexpectedEOF // half an event: the stream was cut, not malformed
		}
		if done || err != nil {
			return err
		}
		if r.Size() > maxAnswer {
			return sse.ErrTooLarge
		}
	}
}

// lineEvents reads one document a line; blank lines are none.
func lineEvents(r io.Reader, limits sse.Limits) func() (sse.Event, error) {
	lines := sse.NewLines(r, limits)
	first := true
	return func() (sse.Event, error) {
		for {
			line, err := lines.Next()
			if err != nil {
				return sse.Event{}, err
			}
			line = bytes.TrimSpace(line)
			if first && len(line) > 0 && line[0] == '<' {
				return sse.Event{}, webPage()
			}
			if len(line) > 0 {
				first = false
				return sse.Event{Data: line, Cut: lines.Cut()}, nil
			}
		}
	}
}

func isMalformed(err error) bool {
	var e *llm.Error
	return errors.As(err, &e) && e.Kind == llm.ErrMalformed
}

// checkStream finds answers that are no stream: a web page, or one JSON document.
func checkStream(res *http.Response, r *bufio.Reader) error {
	for n := 1; n <= 64; n++ { // blank lines may come first
		b, err := r.Peek(n)
		if err != nil || len(b) < n {
			return nil // reading on gives the error
		}
		switch c := b[n-1]; c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
			continue
		case '<':
			return webPage()
		case '{', '[':
			text, _ := io.ReadAll(io.LimitReader(r, maxErrorBody))
			return notAStream(res, text)
		}
		return nil
	}
	return nil
}

// notAStream explains a JSON document that came with status 200: some servers report errors like this.
func notAStream(res *http.Response, text []byte) error {
	if m := readMessage(text); m.text != "" {
		e := named(m)
		e.RetryAfter = RetryAfter(res.Header, time.Now())
		return e
	}
	return &llm.Error{Kind: llm.ErrMalformed, Message: "the server answered with one JSON document instead of a stream"}
}

func webPage() *llm.Error {
	return &llm.Error{Kind: llm.ErrMalformed, Message: "the address answered with a web page; is it a proxy or a sign-in page?"}
}

// Malformed is the error for a piece of an answer that cannot be decoded.
func Malformed(err error) *llm.Error {
	return &llm.Error{Kind: llm.ErrMalformed, Message: "a piece of the answer is not valid JSON", Err: err}
}

// Complete gives the answer that a stream has built. Its error is an *llm.Error when there is nothing in it.
func Complete(b *llm.Builder, a *llm.Answer) (*llm.Answer, error) {
	a.Blocks = b.Blocks()
	if len(a.Blocks) > 0 {
		if b.HasCalls() && a.Finish != llm.FinishLength && a.Finish != llm.FinishFilter {
			a.Finish = llm.FinishToolCalls
		}
		return a, nil
	}
	switch a.Finish {
	case llm.FinishFilter:
		return nil, &llm.Error{Kind: llm.ErrRefused, Message: "the provider's content filter withheld the answer"}
	case llm.FinishLength:
		return nil, &llm.Error{Kind: llm.ErrEmpty, Message: "the output limit was reached before the model said anything"}
	}
	return nil, &llm.Error{Kind: llm.ErrEmpty, Message: "the model ended its answer without saying anything"}
}

// Get reads a JSON document, such as a list of models, into out. Its error is an *llm.Error or ctx's. key is kept out of it.
func Get(req *http.Request, client *http.Client, key string, out any) error {
	if err := checkKey(key); err != nil {
		return err
	}
	ctx := req.Context()
	res, err := client.Do(req)
	if err != nil {
		return redact(fault(ctx, ctx, err, false), key)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		return redact(Classify(res.StatusCode, res.Header, body, time.Now()), key)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	switch {
	case err != nil:
		return redact(fault(ctx, ctx, err, true), key)
	case len(body) > maxAnswer:
		return fault(ctx, ctx, sse.ErrTooLarge, true)
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		return webPage()
	}
	if err := json.Unmarshal(body, out); err != nil {
		return &llm.Error{Kind: llm.ErrMalformed, Message: fmt.Sprintf("the answer is not what this kind of provider sends: %v", err), Err: err}
	}
	return nil
}
