package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/coder/websocket"

	"mobius/backend/engine"
	"mobius/backend/headless"
	"mobius/backend/wire"
)

// SocketName is the control socket inside the state directory.
const SocketName = "control.sock"

const (
	dialLimit = 300 * time.Millisecond
	maxBatch  = 32 << 20
)

// client calls the services.
type client interface {
	call(ctx context.Context, method string, out any, args ...any) error
	// events gives a function that waits for the next batch.
	events(ctx context.Context, id string) (next func(context.Context) ([]wire.Envelope, error), closeEvents func(), err error)
	close() error
}

// connect gives a client of the running Mobius, or of one that is opened for this command.
func (a *app) connect(ctx context.Context) (client, error) {
	for {
		if c := dial(ctx, a.stateDir); c != nil {
			return c, nil
		}
		e, err := a.open(ctx, "cli")
		if err == nil {
			return newLocal(e)
		}
		if wire.CodeOf(err) != wire.CodeStateLocked {
			return nil, err
		}
		// Another command has the state open and no socket, or a start is under way: wait for its end or its socket.
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// remote talks to a running Mobius.
type remote struct {
	http *http.Client
}

// dial gives a client if somebody answers on the socket.
func dial(ctx context.Context, stateDir string) client {
	socket := filepath.Join(stateDir, SocketName)
	conn, err := (&net.Dialer{Timeout: dialLimit}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil
	}
	_ = conn.Close()
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	return &remote{http: &http.Client{Transport: transport}}
}

func (r *remote) call(ctx context.Context, method string, out any, args ...any) error {
	if args == nil {
		args = []any{}
	}
	body, err := json.Marshal(args)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://mobius/api/"+method, bytes.NewReader(body))
	if err != nil {
		return err
	}
	res, err := r.http.Do(req)
	if err != nil {
		return wire.Reject(wire.CodeGatewayStopped, "Mobius does not answer: %v.", err)
	}
	defer func() { _ = res.Body.Close() }()
	return decodeAnswer(res.Body, out)
}

// decodeAnswer reads {"result": …} or {"error": …}.
func decodeAnswer(r io.Reader, out any) error {
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *wire.Rejection `json:"error"`
	}
	if err := json.NewDecoder(r).Decode(&answer); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if answer.Error != nil {
		return answer.Error
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, out)
}

func (r *remote) events(ctx context.Context, id string) (func(context.Context) ([]wire.Envelope, error), func(), error) {
	conn, _, err := websocket.Dial(ctx, "ws://mobius/events?client="+id, &websocket.DialOptions{HTTPClient: r.http})
	if err != nil {
		return nil, nil, fmt.Errorf("follow the events: %w", err)
	}
	conn.SetReadLimit(maxBatch)
	next := func(ctx context.Context) ([]wire.Envelope, error) {
		_, batch, err := conn.Read(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, wire.Reject(wire.CodeGatewayStopped, "Mobius was quit.")
		}
		return decodeBatch(batch)
	}
	return next, func() { _ = conn.CloseNow() }, nil
}

func decodeBatch(batch []byte) ([]wire.Envelope, error) {
	var list []wire.Envelope
	if err := json.Unmarshal(batch, &list); err != nil {
		return nil, fmt.Errorf("read the events: %w", err)
	}
	return list, nil
}

func (r *remote) close() error {
	r.http.CloseIdleConnections()
	return nil
}

// local calls an engine of this process. It goes through the same decoding as a request from outside.
type local struct {
	engine *engine.Engine
	direct *headless.Caller
}

func newLocal(e *engine.Engine) (client, error) {
	if _, err := e.Host.Gateway(); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return &local{engine: e, direct: headless.NewCaller(e.Services.List())}, nil
}

func (l *local) call(_ context.Context, method string, out any, args ...any) error {
	if args == nil {
		args = []any{}
	}
	body, err := json.Marshal(args)
	if err != nil {
		return err
	}
	result, err := l.direct.Call(method, body)
	if err != nil || out == nil {
		return err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, out)
}

func (l *local) events(_ context.Context, id string) (func(context.Context) ([]wire.Envelope, error), func(), error) {
	sub := l.engine.Feed.Subscribe(id)
	next := func(ctx context.Context) ([]wire.Envelope, error) {
		batch, err := sub.Next(ctx)
		if err != nil {
			return nil, err
		}
		return decodeBatch(batch)
	}
	return next, sub.Close, nil
}

func (l *local) close() error { return l.engine.Close() }
