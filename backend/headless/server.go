package headless

import (
	"context"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"mobius/backend/feed"
	"mobius/backend/wire"
)

const (
	shutdownTime = 5 * time.Second
	maxHeader    = 64 << 10 // bytes
)

// Options is what a server serves.
type Options struct {
	Services []any // pointers to structs; a service's name is its type's
	Feed     *feed.Feed
	Page     fs.FS    // the built frontend, nil to serve none
	Token    string   // "" makes one
	Hosts    []string // more names that the server may be called by, with or without a port
	Open     bool     // no token, Host and Origin checks: for the control socket only
}

// Server is the HTTP side of the services.
type Server struct {
	options Options
	caller  *Caller
	page    *page
	answers answers

	mu      sync.Mutex
	over    chan struct{}  // closed when the server ends
	sockets sync.WaitGroup // WebSockets, which http.Server loses sight of
}

// New makes a server.
func New(o Options) (*Server, error) {
	if o.Token == "" && !o.Open {
		o.Token = NewToken()
	}
	s := &Server{options: o, caller: NewCaller(o.Services), over: make(chan struct{})}
	if o.Page != nil {
		p, err := newPage(o.Page)
		if err != nil {
			return nil, err
		}
		s.page = p
	}
	return s, nil
}

// Token is what callers have to show.
func (s *Server) Token() string { return s.options.Token }

// Serve answers on the listener until ctx ends, which is no error. Calls that are under way then are answered, within a
// limit, and every WebSocket is closed before it returns. A server serves once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	requests, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return requests },
		ErrorLog:    slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.end()
	stop, done := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer done()
	defer context.AfterFunc(stop, cancel)() // WebSockets whose clients do not answer the goodbye
	if server.Shutdown(stop) != nil {
		_ = server.Close()
	}
	if err == nil {
		<-failed
	}
	s.sockets.Wait()
	return err
}

func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.over)
}

// enter counts a WebSocket, unless the server ends.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.over:
		return false
	default:
		s.sockets.Add(1)
		return true
	}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	if err := s.admit(r); err != nil {
		fail(w, err)
		return
	}
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/"):
		s.api(w, r)
	case r.URL.Path == "/events":
		s.events(w, r)
	case s.page != nil:
		s.page.serve(w, r)
	default:
		fail(w, wire.Reject(wire.CodeUnknownMethod, "There is nothing at %s.", short(r.URL.Path)))
	}
}
