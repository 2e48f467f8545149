package headless

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"mobius/backend/feed"
	"mobius/backend/wire"
)

const (
	// pingEvery keeps proxies from cutting a quiet connection.
	pingEvery = 30 * time.Second
	// writeLimit is how long a client may take to read one batch. One that is slower but reads is resynchronised by the
	// feed; one that does not read at all is let go.
	writeLimit  = 20 * time.Second
	subprotocol = "mobius"
	maxClient   = 128 // bytes of a client's id
)

// events sends batches over a WebSocket.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	client := r.URL.Query().Get("client")
	switch {
	case !s.authorized(shownToken(r)):
		fail(w, wire.Reject(wire.CodeUnauthorized, "The token is missing or wrong."))
		return
	case client == "" || len(client) > maxClient:
		fail(w, wire.Reject(wire.CodeInvalidRequest, "The client needs an id of at most %d bytes.", maxClient))
		return
	}
	if !s.enter() {
		fail(w, wire.Reject(wire.CodeGatewayStopped, "Mobius is shutting down."))
		return
	}
	defer s.sockets.Done()
	// Subscribing before the connection is accepted: what happens from then on is not missed.
	sub := s.options.Feed.Subscribe(client)
	defer sub.Close()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}, InsecureSkipVerify: true}) // admit has checked the origin
	if err != nil {
		slog.Debug("a websocket was not accepted", "error", err)
		return
	}
	defer func() { _ = conn.CloseNow() }()
	if err := s.pump(r.Context(), conn, sub); err != nil {
		slog.Debug("a websocket ended", "error", err)
	}
}

// shownToken is the token of a WebSocket's request: offered as the subprotocol after "mobius", as a browser can, or as a
// header, or in the address for scripts that can do neither.
func shownToken(r *http.Request) string {
	offered := strings.Split(strings.ReplaceAll(r.Header.Get("Sec-WebSocket-Protocol"), " ", ""), ",")
	if len(offered) == 2 && offered[0] == subprotocol {
		return offered[1]
	}
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return token
	}
	return r.URL.Query().Get("token")
}

// pump sends batches until the client is gone, ctx ends or the feed or the server is closed.
func (s *Server) pump(ctx context.Context, conn *websocket.Conn, sub *feed.Subscription) error {
	life, cancel := context.WithCancelCause(ctx)
	var group sync.WaitGroup
	group.Go(func() { cancel(s.keepAlive(life, conn)) })
	group.Go(func() { cancel(listen(ctx, conn)) })
	defer func() { cancel(nil); _ = conn.CloseNow(); group.Wait() }()
	for {
		batch, err := sub.Next(life)
		switch cause := context.Cause(life); {
		case errors.Is(err, feed.ErrClosed), err != nil && errors.Is(cause, errOver):
			return conn.Close(websocket.StatusGoingAway, "Mobius is shutting down")
		case err != nil && errors.Is(cause, errSpoke):
			return conn.Close(websocket.StatusPolicyViolation, "Clients send nothing here; call methods with POST.")
		case err != nil:
			return cause
		}
		write, stop := context.WithTimeout(ctx, writeLimit)
		err = conn.Write(write, websocket.MessageText, batch)
		stop()
		if err != nil {
			return err
		}
	}
}

var (
	errOver  = errors.New("the server ends")
	errSpoke = errors.New("the client sent something")
)

// listen answers pings, notices the end of the connection, and takes nothing else.
func listen(ctx context.Context, conn *websocket.Conn) error {
	_, _, err := conn.Reader(ctx)
	if err == nil {
		err = errSpoke
	}
	return err
}

// keepAlive pings the client until one is not answered or the server ends.
func (s *Server) keepAlive(ctx context.Context, conn *websocket.Conn) error {
	ticks := time.NewTicker(pingEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-s.over:
			return errOver
		case <-ctx.Done():
			return ctx.Err()
		}
		ping, stop := context.WithTimeout(ctx, writeLimit)
		err := conn.Ping(ping)
		stop()
		if err != nil {
			return err
		}
	}
}
