package modeltest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Protocol is what a request speaks.
type Protocol string

// The protocols.
const (
	Chat      Protocol = "openai-chat"
	Responses Protocol = "openai-responses"
	Anthropic Protocol = "anthropic"
	Gemini    Protocol = "gemini"
	Ollama    Protocol = "ollama"
)

// Protocols are all of them.
var Protocols = [...]Protocol{Chat, Responses, Anthropic, Gemini, Ollama}

// Request is one request that the server got.
type Request struct {
	N          int // from 1
	Protocol   Protocol
	Path       string
	Header     http.Header
	Body       []byte // nil once answered when the server drops bodies
	Model      string
	System     string
	Tools      []string
	MaxOutput  int64
	Messages   []Message
	Violations []string
	At         time.Time     // when it was read
	Took       time.Duration // from then to the last byte written; 0 while it runs
	count      int           // of messages
	size       int           // of the body
}

// Message is one message of a request, in the same form for all protocols.
type Message struct {
	Role    string // user, assistant, tool
	Text    string
	Thought string // reasoning that was given back
	Calls   []ToolCall
	Results []ToolResult
	Images  int
	echoes  []echo
}

// echo is something that the server sent and got back: a signature or an encrypted text, and what belongs to it.
type echo struct{ secret, text string }

// ToolCall is a call in a request.
type ToolCall struct{ ID, Name, Args string }

// ToolResult is a result in a request.
type ToolResult struct {
	ID, Name, Text string
	IsError        bool
}

// LastUser is the text of the newest message of the user.
func (r *Request) LastUser() string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "user" && m.Text != "" {
			return m.Text
		}
	}
	return ""
}

// Last is the newest message.
func (r *Request) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// Script decides what a request is answered with. It is called from many goroutines.
type Script func(r *Request) Reply

// Queue answers with the replies in turn; a request beyond them is answered with 500.
func Queue(replies ...Reply) Script {
	var mu sync.Mutex
	return func(*Request) Reply {
		mu.Lock()
		defer mu.Unlock()
		if len(replies) == 0 {
			return Reply{Status: http.StatusInternalServerError, Error: "the script has no reply left"}
		}
		r := replies[0]
		replies = replies[1:]
		return r
	}
}

// Always answers every request with the same reply.
func Always(reply Reply) Script { return func(*Request) Reply { return reply } }

// TB is the part of testing.TB that is used.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
}

// Options change what a server does.
type Options struct {
	Addr       string   // "" = a free port of 127.0.0.1
	Key        string   // required of every request; "" = any or none
	Models     []Listed // what the lists of models give; nil = one model named "test-model"
	Kind       string   // what the server is: "" (anything), ollama, lmstudio, llamacpp or vllm
	DropBodies bool     // a request's body and messages are forgotten once it was answered
	NoCheck    bool     // requests are not checked
	Violations bool     // violations do not fail the test: it is about them
	Context    int64    // Ollama: the loaded context in tokens, 0 = the model is not loaded
}

// Listed is a model in a list of models.
type Listed struct {
	ID      string
	Context int64
}

// Server is a running model server.
type Server struct {
	URL string // without a path, such as http://127.0.0.1:40001

	options  Options
	script   Script
	http     *http.Server
	running  sync.WaitGroup
	quit     context.CancelFunc
	quitting context.Context
	issued   issued

	mu       sync.Mutex
	closed   bool
	requests []*Request
	arrived  chan struct{} // closed and replaced when a request arrives
}

// New starts a server that ends with the test. tb may be nil; then Close ends it.
func New(tb TB, script Script, options ...Options) *Server {
	s, err := Start(script, options...)
	if err != nil {
		panic(err) // loopback does not work
	}
	if tb != nil {
		tb.Helper()
		tb.Cleanup(func() {
			tb.Helper()
			s.Close()
			if !s.options.Violations {
				for _, v := range s.Violations() {
					tb.Errorf("malformed request: %s", v)
				}
			}
		})
	}
	return s
}

// Start starts a server that Close ends.
func Start(script Script, options ...Options) (*Server, error) {
	s := &Server{script: script, arrived: make(chan struct{})}
	if len(options) > 0 {
		s.options = options[0]
	}
	if s.options.Models == nil {
		s.options.Models = []Listed{{ID: "test-model", Context: 32768}}
	}
	addr := s.options.Addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s.URL = "http://" + l.Addr().String()
	s.quitting, s.quit = context.WithCancel(context.Background())
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	s.running.Go(func() {
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			panic(err)
		}
	})
	return s, nil
}

// Close ends the server and waits for its handlers.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.quit()
	_ = s.http.Close()
	s.running.Wait()
}

// enter counts a handler in unless the server is closing.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.running.Add(1)
	}
	return !s.closed
}

// Base is the base URL for clients of a protocol.
func (s *Server) Base(p Protocol) string {
	switch p {
	case Anthropic:
		return s.URL
	case Gemini:
		return s.URL + "/v1beta"
	}
	return s.URL + "/v1"
}

// Requests gives the requests so far.
func (s *Server) Requests() []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]*Request, len(s.requests))
	for i, r := range s.requests {
		c := *r
		list[i] = &c
	}
	return list
}

// Wait waits until n requests have arrived in all.
func (s *Server) Wait(ctx context.Context, n int) error {
	for {
		s.mu.Lock()
		got, arrived := len(s.requests), s.arrived
		s.mu.Unlock()
		if got >= n {
			return nil
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return fmt.Errorf("%d of %d requests arrived: %w", got, n, ctx.Err())
		}
	}
}

// Reset forgets the requests so far.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// Violations gives what was malformed in the requests so far, with the number of the request.
func (s *Server) Violations() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, r := range s.requests {
		for _, v := range r.Violations {
			list = append(list, fmt.Sprintf("request %d (%s): %s", r.N, r.Protocol, v))
		}
	}
	return list
}

// add records a request and gives its number.
func (s *Server) add(r *Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	r.N, r.count, r.size = len(s.requests), len(r.Messages), len(r.Body)
	close(s.arrived)
	s.arrived = make(chan struct{})
}

func (s *Server) took(r *Request) {
	d := time.Since(r.At)
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Took = d
	if s.options.DropBodies {
		r.Body, r.Messages, r.Header = nil, nil, nil
	}
}

const maxBody = 256 << 20

// handle answers a model request of one protocol.
func (s *Server) handle(p protocol) http.HandlerFunc {
	return func(w http.ResponseWriter, hr *http.Request) {
		if !s.enter() {
			return
		}
		defer s.running.Done()
		var body bytes.Buffer
		if hr.ContentLength > 0 {
			body.Grow(int(min(hr.ContentLength, maxBody)) + bytes.MinRead)
		}
		if _, err := body.ReadFrom(io.LimitReader(hr.Body, maxBody)); err != nil {
			return // the client went away
		}
		r := &Request{Protocol: p.name(), Path: hr.URL.Path, Header: hr.Header.Clone(), Body: body.Bytes(), At: time.Now()}
		p.parse(r, hr)
		if !s.options.NoCheck {
			p.check(r, &s.issued)
		}
		s.add(r)
		defer s.took(r)
		if key := s.options.Key; key != "" && p.key(hr.Header) != key {
			s.fail(w, p, r, Reply{Status: http.StatusUnauthorized, Error: "Incorrect API key provided: " + p.key(hr.Header)})
			return
		}
		if len(r.Violations) > 0 {
			s.fail(w, p, r, Reply{Status: http.StatusBadRequest, Error: "malformed request: " + r.Violations[0]})
			return
		}
		reply := s.script(r)
		if reply.Model == "" {
			reply.Model = r.Model
		}
		s.reply(w, hr, p, r, reply)
	}
}

func (s *Server) reply(w http.ResponseWriter, hr *http.Request, p protocol, r *Request, reply Reply) {
	if reply.First > 0 && !s.pause(hr.Context(), reply.First) {
		return
	}
	if reply.Status != 0 && reply.Status != http.StatusOK {
		s.fail(w, p, r, reply)
		return
	}
	for k, v := range reply.Header {
		w.Header()[http.CanonicalHeaderKey(k)] = v
	}
	if reply.Body != "" {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		_, _ = io.WriteString(w, reply.Body)
		return
	}
	w.Header().Set("Content-Type", p.contentType())
	st := &stream{server: s, w: w, rc: http.NewResponseController(w), ctx: hr.Context(), reply: &reply, req: r}
	st.run(p)
}

// fail answers with an error in the protocol's form.
func (s *Server) fail(w http.ResponseWriter, p protocol, _ *Request, reply Reply) {
	for k, v := range reply.Header {
		w.Header()[http.CanonicalHeaderKey(k)] = v
	}
	body := reply.Body
	if body == "" {
		text := reply.Error
		if text == "" {
			text = http.StatusText(reply.Status)
		}
		body = p.errorBody(reply.Status, reply.Type, text)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(reply.Status)
	_, _ = io.WriteString(w, body)
}

// pause waits and tells whether the client is still there.
func (s *Server) pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-s.quitting.Done():
	}
	return false
}
