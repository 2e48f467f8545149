package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mobius/backend/engine"
	"mobius/backend/feed"
	"mobius/backend/headless"
	"mobius/backend/store"
	"mobius/backend/wire"
)

const (
	// lookEvery is how often a command that waits for the state directory looks again.
	lookEvery = 20 * time.Millisecond
	// quietWait is how long it does so without saying so.
	quietWait = time.Second
	// socketWait is how long a running Mobius may take from its start until it answers commands.
	socketWait = 10 * time.Second
)

// client calls the services. A command cannot tell its two kinds apart.
type client interface {
	// call calls "Service.Method" and reads its result into out, unless that is nil. Its error is a *wire.Rejection.
	call(ctx context.Context, method string, out any, args ...any) error
	// events subscribes; what is published from then on comes.
	events(ctx context.Context, id string) (subscription, error)
	close() error
}

// subscription gives batches of envelopes.
type subscription interface {
	next(ctx context.Context) ([]wire.Envelope, error)
	close()
}

// with runs fn with a client of the running Mobius or of one opened for this command.
func (a *app) with(ctx context.Context, fn func(client) error) error {
	return a.withState(ctx, false, fn)
}

// withState is with; broken tells that fn can do with a database that cannot be opened.
func (a *app) withState(ctx context.Context, broken bool, fn func(client) error) (err error) {
	c, err := a.connect(ctx, broken)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	return fn(c)
}

// connect gives a client of the running Mobius, or of one that is opened for this command. Another command that has the
// state open is waited for: there is one owner at a time.
func (a *app) connect(ctx context.Context, broken bool) (client, error) {
	began, told := time.Now(), false
	for {
		if c := dial(ctx, a.stateDir); c != nil {
			return c, nil
		}
		e, err := a.open(ctx, shellCommand)
		if err == nil {
			return newLocal(e, broken)
		}
		if wire.CodeOf(err) != wire.CodeStateLocked {
			return nil, err
		}
		waited := time.Since(began)
		owner := store.ReadOwner(a.stateDir)
		if owner.Shell != shellCommand && waited > socketWait {
			return nil, err
		}
		if waited > quietWait && !told {
			told = true
			fmt.Fprintf(a.Err, "Waiting for another Mobius (process %d, %s), which has the data open…\n", owner.PID, owner.Shell)
		}
		if err := pause(ctx, lookEvery); err != nil {
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

// local calls an engine of this process. It goes through the same decoding as a request from outside.
type local struct {
	engine *engine.Engine
	caller *headless.Caller
}

func newLocal(e *engine.Engine, broken bool) (client, error) {
	if _, err := e.Host.Gateway(); err != nil && !broken {
		return nil, errors.Join(err, e.Close())
	}
	return &local{engine: e, caller: headless.NewCaller(e.Services.List())}, nil
}

func (l *local) call(_ context.Context, method string, out any, args ...any) error {
	body, err := encodeArgs(args)
	if err != nil {
		return err
	}
	result, err := l.caller.Call(method, body)
	if err != nil || out == nil {
		return err
	}
	text, err := json.Marshal(result)
	if err != nil {
		return fmt.Errorf("encode the result of %s: %w", method, err)
	}
	return json.Unmarshal(text, out)
}

func encodeArgs(args []any) ([]byte, error) {
	if args == nil {
		args = []any{}
	}
	body, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("encode the arguments: %w", err)
	}
	return body, nil
}

func (l *local) events(_ context.Context, id string) (subscription, error) {
	return localEvents{l.engine.Feed.Subscribe(id)}, nil
}

func (l *local) close() error { return l.engine.Close() }

type localEvents struct{ sub *feed.Subscription }

func (l localEvents) next(ctx context.Context) ([]wire.Envelope, error) {
	batch, err := l.sub.Next(ctx)
	if err != nil {
		return nil, err
	}
	return decodeBatch(batch)
}

func (l localEvents) close() { l.sub.Close() }

func decodeBatch(batch []byte) ([]wire.Envelope, error) {
	var list []wire.Envelope
	if err := json.Unmarshal(batch, &list); err != nil {
		return nil, fmt.Errorf("read the events: %w", err)
	}
	return list, nil
}
