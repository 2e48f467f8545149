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
	"net/url"

	"github.com/coder/websocket"

	"mobius/backend/wire"
)

const maxBatch = 32 << 20 // bytes

// remote talks to a running Mobius through its control socket.
type remote struct {
	http  *http.Client
	first chan net.Conn // the connection that was tried, until a request uses it
}

// dial gives a client if somebody answers on the socket of the state directory.
func dial(ctx context.Context, stateDir string) client {
	conn, err := dialControl(ctx, stateDir)
	if err != nil {
		return nil
	}
	first := make(chan net.Conn, 1)
	first <- conn
	return &remote{first: first, http: &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		select {
		case conn := <-first:
			return conn, nil
		default:
			return dialControl(ctx, stateDir)
		}
	}}}}
}

func (r *remote) call(ctx context.Context, method string, out any, args ...any) error {
	body, err := encodeArgs(args)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://mobius/api/"+method, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("call %s: %w", method, err)
	}
	res, err := r.http.Do(req)
	if err != nil {
		return gone(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	return decodeAnswer(res.Body, out)
}

// gone is the error of a connection that failed.
func gone(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return wire.Reject(wire.CodeGatewayStopped, "Mobius was quit, or does not answer any more (%v).", errors.Unwrap(err))
}

// decodeAnswer reads {"result": …} or {"error": …}.
func decodeAnswer(r io.Reader, out any) error {
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *wire.Rejection `json:"error"`
	}
	if err := json.NewDecoder(r).Decode(&answer); err != nil {
		return wire.Reject(wire.CodeGatewayStopped, "Mobius was quit in the middle of an answer (%v).", err)
	}
	if answer.Error != nil {
		return answer.Error
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Result, out)
}

func (r *remote) events(ctx context.Context, id string) (subscription, error) {
	conn, _, err := websocket.Dial(ctx, "ws://mobius/events?client="+url.QueryEscape(id), &websocket.DialOptions{HTTPClient: r.http}) //nolint:bodyclose // the library closes it
	if err != nil {
		return nil, gone(ctx, err)
	}
	conn.SetReadLimit(maxBatch)
	return remoteEvents{conn}, nil
}

func (r *remote) close() error {
	r.http.CloseIdleConnections()
	select {
	case conn := <-r.first:
		return conn.Close()
	default:
		return nil
	}
}

type remoteEvents struct{ conn *websocket.Conn }

func (r remoteEvents) next(ctx context.Context) ([]wire.Envelope, error) {
	_, batch, err := r.conn.Read(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, wire.Reject(wire.CodeGatewayStopped, "Mobius was quit. What was said until then is kept.")
	}
	return decodeBatch(batch)
}

func (r remoteEvents) close() { _ = r.conn.CloseNow() }
