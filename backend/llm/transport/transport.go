// Package transport sends a model request and reads its answer as server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), with the limits and the error kinds that all
// adapters share.
package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"mobius/backend/llm"
)

// The bounds of one answer.
const (
	maxLine      = 8 << 20  // bytes of one event's line
	maxAnswer    = 32 << 20 // bytes of the whole stream
	maxErrorBody = 64 << 10
	// DefaultIdle is how long a stream may be silent.
	DefaultIdle = 60 * time.Second
)

var (
	errSilent   = errors.New("no data within the idle limit")
	errTooLarge = errors.New("the answer is over the size limit")
)

// NewClient makes the HTTP client for all providers of a process. Proxies come from the environment; loopback never
// goes through one.
func NewClient() *http.Client {
	dialer := &net.Dialer{Timeout: 15 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: proxy, DialContext: dialer.DialContext, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 15 * time.Second,
			MaxIdleConns: 512, MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second, ReadBufferSize: 32 << 10, WriteBufferSize: 32 << 10,
		},
		// A redirect would carry the request, and with it the conversation, to an address that nobody chose.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func proxy(r *http.Request) (*url.URL, error) {
	if host := r.URL.Hostname(); host == "localhost" || net.ParseIP(host).IsLoopback() {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// Request is a request whose body is the concatenation of its pieces, which are not copied.
type Request struct {
	URL    string
	Header http.Header
	Body   [][]byte
	Idle   time.Duration // 0 = DefaultIdle
}

// Event handles one event: its type ("" if it has none) and its data, which is only valid during the call. It returns
// true when the answer is complete.
type Event func(name string, data []byte) (done bool, err error)

// Stream posts the request and hands the events of the answer to handle. Its error is an *llm.Error or ctx's error. An
// answer that ends before handle said that it is complete is complete is llm.ErrDropped.
func Stream(ctx context.Context, client *http.Client, r Request, handle Event) error {
	idle := r.Idle
	if idle == 0 {
		idle = DefaultIdle
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(idle, func() { cancel(errSilent) })
	defer watchdog.Stop()
	res, err := post(inner, client, r)
	if err != nil {
		return fault(ctx, inner, err, false)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		return Classify(res.StatusCode, res.Header, body, time.Now())
	}
	if kind := res.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		return webPage()
	}
	body := &watched{r: res.Body, touch: func() { watchdog.Reset(idle) }}
	if err := read(body, handle); err != nil {
		var known *llm.Error
		if errors.As(err, &known) {
			return known
		}
		return fault(ctx, inner, err, true)
	}
	return nil
}

func post(ctx context.Context, client *http.Client, r Request) (*http.Response, error) {
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
	req.Header.Set("Accept", "text/event-stream")
	return client.Do(req)
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

// watched counts what is read and keeps the watchdog away.
type watched struct {
	r     io.Reader
	touch func()
	total int
}

func (w *watched) Read(b []byte) (int, error) {
	n, err := w.r.Read(b)
	w.touch()
	if w.total += n; w.total > maxAnswer {
		return n, errTooLarge
	}
	return n, err
}

// read splits a stream into events.
func read(r io.Reader, handle Event) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	var data, long []byte
	name, has := "", false
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			if long = append(long, line...); len(long) > maxLine {
				return errTooLarge
			}
			continue
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
			long = long[:0]
		}
		line = bytes.TrimRight(line, "\r\n")
		switch {
		case len(line) > 0:
			field, value, _ := bytes.Cut(line, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(field) {
			case "data":
				if has {
					data = append(data, '\n')
				}
				data, has = append(data, value...), true
			case "event":
				name = string(value)
			case "":
			default:
				if line[0] == '<' && !has {
					return webPage()
				}
				if line[0] == '{' && !has {
					return plainJSON(line)
				}
			}
		case has:
			done, e := handle(name, data)
			if done || e != nil {
				return e
			}
			data, name, has = data[:0], "", false
		}
		if len(data) > maxLine {
			return errTooLarge
		}
		if err != nil {
			if errors.Is(err, io.EOF) && has { // a last event without its blank line
				done, e := handle(name, data)
				if done || e != nil {
					return e
				}
			}
			return err
		}
	}
}

// plainJSON is what an endpoint gives that does not stream, or that reports an error with status 200.
func plainJSON(line []byte) error {
	if message, _, _ := message(line); message != "" {
		return &llm.Error{Kind: llm.ErrRefused, Message: message}
	}
	return &llm.Error{Kind: llm.ErrMalformed, Message: "the server answered with one JSON document instead of a stream"}
}

func webPage() error {
	return &llm.Error{Kind: llm.ErrMalformed, Message: "the address answered with a web page; is it a proxy or a sign-in page?"}
}

// fault gives an error of the connection its kind.
func fault(ctx, inner context.Context, err error, begun bool) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(inner), errSilent):
		return &llm.Error{Kind: llm.ErrSilent, Message: "the provider sent no data for a while", Err: errSilent}
	case errors.Is(err, errTooLarge):
		return &llm.Error{Kind: llm.ErrTooLarge, Message: fmt.Sprintf("the answer is over %d MiB", maxAnswer>>20), Err: err}
	case begun:
		return &llm.Error{Kind: llm.ErrDropped, Message: "the connection ended in the middle of the answer", Err: err}
	}
	// A *url.Error repeats the address, which may hold what a person pasted into it; its cause says enough.
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &llm.Error{Kind: llm.ErrUnreachable, Message: err.Error(), Err: err}
}
