package headless

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"mobius/backend/feed"
	"mobius/backend/wire"
)

const (
	maxBody      = 8 << 20 // bytes; a message is at most 1 MiB, and JSON may escape each of its characters
	pingEvery    = 30 * time.Second
	writeLimit   = 20 * time.Second
	shutdownTime = 5 * time.Second
	subprotocol  = "mobius"
)

// Options is what a server serves.
type Options struct {
	Services []any // pointers to structs; a service's name is its type's
	Feed     *feed.Feed
	Page     fs.FS    // the built frontend, nil to serve none
	Token    string   // "" makes one
	Hosts    []string // more names that the server may be called by
	Open     bool     // no token, Host and Origin checks: for the control socket only
}

// Server is the HTTP side of the services.
type Server struct {
	options Options
	caller  *Caller
	page    *page
	host    string // host:port that it listens on
}

// New makes a server.
func New(o Options) (*Server, error) {
	if o.Token == "" && !o.Open {
		o.Token = NewToken()
	}
	s := &Server{options: o, caller: NewCaller(o.Services)}
	if o.Page != nil {
		p, err := newPage(o.Page)
		if err != nil {
			return nil, err
		}
		s.page = p
	}
	return s, nil
}

// NewToken makes a token of 256 random bits.
func NewToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// Token is what callers have to show.
func (s *Server) Token() string { return s.options.Token }

// Serve answers on the listener until ctx ends.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	s.host = l.Addr().String()
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 60 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }, ErrorLog: slog.NewLogLogger(slog.Default().Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	if err := server.Shutdown(stop); err != nil {
		_ = server.Close()
	}
	<-failed
	return ctx.Err()
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
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
		fail(w, wire.Reject(wire.CodeUnknownMethod, "There is nothing at %s.", r.URL.Path))
	}
}

// admit checks who is called and from where: a foreign name that resolves to this machine, or a page of another origin,
// gets nothing.
func (s *Server) admit(r *http.Request) error {
	if s.options.Open {
		return nil
	}
	if !s.known(r.Host) {
		return wire.Reject(wire.CodeUnauthorized, "This server is not called %q. Start it with --allow-host to use that name.", r.Host)
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host != r.Host {
		return wire.Reject(wire.CodeUnauthorized, "Pages of other origins may not call this server.")
	}
	return nil
}

func (s *Server) known(host string) bool {
	if host == s.host {
		return true
	}
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = host, ""
	}
	_, own, _ := net.SplitHostPort(s.host)
	if (name == "localhost" || name == "127.0.0.1" || name == "::1") && port == own {
		return true
	}
	for _, h := range s.options.Hosts {
		if strings.EqualFold(h, host) || strings.EqualFold(h, name) {
			return true
		}
	}
	return false
}

func (s *Server) authorized(token string) bool {
	return s.options.Open || subtle.ConstantTimeCompare([]byte(token), []byte(s.options.Token)) == 1
}

func (s *Server) api(w http.ResponseWriter, r *http.Request) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !s.authorized(token) {
		fail(w, wire.Reject(wire.CodeUnauthorized, "The token is missing or wrong. Open the address that Mobius printed at its start."))
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/api/")
	if r.Method != http.MethodPost {
		fail(w, wire.Reject(wire.CodeUnknownMethod, "Methods are called with POST."))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		fail(w, wire.Reject(wire.CodeInvalidRequest, "The body could not be read or is over %d MiB.", maxBody>>20))
		return
	}
	result, err := s.caller.Call(name, body)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if err := json.NewEncoder(w).Encode(map[string]any{"result": result}); err != nil {
		slog.Debug("answer was not delivered", "method", name, "error", err)
	}
}

// statuses gives rejection codes the HTTP status that fits; others are 409 (the state does not allow it).
var statuses = map[wire.Code]int{
	wire.CodeUnauthorized: http.StatusForbidden, wire.CodeUnknownMethod: http.StatusNotFound, wire.CodeInvalidRequest: http.StatusBadRequest,
	wire.CodeInvalidBot: http.StatusUnprocessableEntity, wire.CodeInvalidConfig: http.StatusUnprocessableEntity, wire.CodeInvalidProvider: http.StatusUnprocessableEntity,
	wire.CodeInvalidWorkspace: http.StatusUnprocessableEntity, wire.CodeUnknownSession: http.StatusNotFound, wire.CodeGatewayBusy: http.StatusServiceUnavailable,
	wire.CodeGatewayStopped: http.StatusGone, wire.CodeGatewayError: http.StatusInternalServerError, wire.CodeQueueFull: http.StatusTooManyRequests,
	wire.CodeSessionLimit: http.StatusTooManyRequests, wire.CodeStorageFull: http.StatusInsufficientStorage,
}

func fail(w http.ResponseWriter, err error) {
	r := wire.AsRejection(err)
	status, ok := statuses[r.Code]
	if !ok {
		status = http.StatusConflict
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": r})
}

// events sends batches over a WebSocket.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	offered := strings.Split(strings.ReplaceAll(r.Header.Get("Sec-WebSocket-Protocol"), " ", ""), ",")
	token := r.URL.Query().Get("token") // scripts that cannot offer a subprotocol may use the address
	if len(offered) == 2 && offered[0] == subprotocol {
		token = offered[1]
	}
	client := r.URL.Query().Get("client")
	switch {
	case !s.authorized(token):
		fail(w, wire.Reject(wire.CodeUnauthorized, "The token is missing or wrong."))
		return
	case client == "" || len(client) > 128:
		fail(w, wire.Reject(wire.CodeInvalidRequest, "The client needs an id of at most 128 bytes."))
		return
	}
	// Subscribing before the connection is accepted: what happens from then on is not missed.
	sub := s.options.Feed.Subscribe(client)
	defer sub.Close()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}, InsecureSkipVerify: true}) // admit has checked the origin
	if err != nil {
		slog.Debug("websocket was not accepted", "error", err)
		return
	}
	defer func() { _ = conn.CloseNow() }()
	ctx := conn.CloseRead(r.Context()) // clients send nothing; this answers pings and notices the end
	pings := time.NewTicker(pingEvery)
	defer pings.Stop()
	if err := s.pump(ctx, conn, sub, pings.C); err != nil && ctx.Err() == nil {
		slog.Debug("websocket ended", "error", err)
	}
}

func (s *Server) pump(ctx context.Context, conn *websocket.Conn, sub *feed.Subscription, pings <-chan time.Time) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan struct{})
	go func() { // proxies cut connections that are silent
		defer close(done)
		for {
			select {
			case <-pings:
				ping, stop := context.WithTimeout(ctx, writeLimit)
				err := conn.Ping(ping)
				stop()
				if err != nil {
					cancel()
					return
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	defer func() { cancel(); <-done }()
	for {
		batch, err := sub.Next(ctx)
		if err != nil {
			if errors.Is(err, feed.ErrClosed) {
				return conn.Close(websocket.StatusGoingAway, "Mobius is shutting down")
			}
			return err
		}
		write, stop := context.WithTimeout(ctx, writeLimit)
		err = conn.Write(write, websocket.MessageText, batch)
		stop()
		if err != nil {
			return err
		}
	}
}
