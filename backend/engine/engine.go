// Package engine puts the parts together: it is the composition root of everything below the shells. A shell opens an
// [Engine], serves or binds its services, and closes it.
package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"mobius/backend/api"
	"mobius/backend/capability"
	"mobius/backend/capability/files"
	"mobius/backend/feed"
	"mobius/backend/gateway"
	"mobius/backend/keys"
	"mobius/backend/llm/demo"
	"mobius/backend/llm/provider"
	"mobius/backend/llm/transport"
	"mobius/backend/session"
	"mobius/backend/store"
	"mobius/backend/wire"
	"mobius/backend/workspace"
)

// closeLimit is how long a shutdown waits for turns to be recorded.
const closeLimit = 10 * time.Second

// Options is how an engine is opened.
type Options struct {
	StateDir string
	Shell    string // desktop, serve, cli
	Version  string
	// Secret is told every key that is read or stored, so that logs can hide it; nil tells nobody.
	Secret func(key string)
	// Doctor runs all checks; it is given the engine's parts. nil reports nothing.
	Doctor func(e *Engine) api.Doctor
}

// Engine is the running core. Its services work even when the database could not be opened: then they say why, and
// Rescue works.
type Engine struct {
	Services *api.Services
	Feed     *feed.Feed
	Host     *api.Host
	Keys     *keys.Store
	StateDir string

	options   Options
	lock      *store.Lock
	store     *store.Store
	providers *provider.Registry
	client    *http.Client
	lifetime  context.Context
	end       context.CancelFunc
	serving   chan struct{}
	stopServe context.CancelFunc
}

// StateDir is $MOBIUS_STATE_DIR, else the platform's folder for application data.
func StateDir() (string, error) {
	if dir := os.Getenv("MOBIUS_STATE_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the home folder (set MOBIUS_STATE_DIR instead): %w", err)
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Application Support", "Mobius"), nil
	case "windows":
		if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "Mobius"), nil
		}
		return filepath.Join(home, "AppData", "Local", "Mobius"), nil
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "mobius"), nil
	}
	return filepath.Join(home, ".local", "share", "mobius"), nil
}

// Open takes the state directory and opens what is stored in it. It fails when another process has the directory (a
// state_locked rejection) or the directory cannot be used at all; a database that cannot be opened is no failure here.
func Open(ctx context.Context, o Options) (*Engine, error) {
	if err := os.MkdirAll(o.StateDir, 0o700); err != nil {
		return nil, store.Reject(fmt.Errorf("make the state directory: %w", err))
	}
	lock, err := store.LockDir(o.StateDir, o.Shell)
	if err != nil {
		return nil, store.Reject(err)
	}
	lifetime, end := context.WithCancel(context.WithoutCancel(ctx))
	client := transport.NewClient()
	home, _ := os.UserHomeDir() // without one, a default workspace has to be chosen
	e := &Engine{
		Feed: feed.New(), Keys: keys.New(o.StateDir, os.Getenv("MOBIUS_KEYS")), StateDir: o.StateDir, options: o, lock: lock,
		client: client, providers: provider.New(client, session.SystemClock{}, demo.New), lifetime: lifetime, end: end,
	}
	if o.Secret != nil {
		e.Keys.OnSecret(o.Secret)
	}
	e.Host = &api.Host{
		Feed: e.Feed, Folders: &workspace.Folders{}, Reopen: e.open, KeyStore: e.Keys.Where,
		Info: wire.SystemInfo{Version: o.Version, Shell: o.Shell, StateDir: o.StateDir, OS: runtime.GOOS, Home: home},
	}
	e.Host.Doctor = func(context.Context) wire.DoctorReport { return wire.DoctorReport{Checks: []wire.DoctorCheck{}} }
	if o.Doctor != nil {
		e.Host.Doctor = o.Doctor(e)
	}
	e.Services = api.New(e.Host)
	g, err := e.open(ctx)
	if err != nil {
		slog.Error("the stored state could not be opened", "error", err)
		e.Host.Fail(err)
		return e, nil
	}
	e.Host.Use(g)
	return e, nil
}

// open opens the database and a gateway on it.
func (e *Engine) open(ctx context.Context) (*gateway.Gateway, error) {
	st, err := store.Open(ctx, e.StateDir)
	if err != nil {
		return nil, err
	}
	set, err := capability.NewSet(
		files.New(),
	)
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	g, err := gateway.Open(e.lifetime, gateway.Deps{
		Store: st, Feed: e.Feed, Clock: session.SystemClock{}, Keys: e.Keys, Folders: &workspace.Folders{}, Toolbox: set, Providers: e.providers,
		Infos: set.Infos(), Home: e.Host.Info.Home,
	})
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	e.store = st
	serve, stop := context.WithCancel(e.lifetime)
	e.stopServe, e.serving = stop, make(chan struct{})
	go func() {
		defer close(e.serving)
		if err := g.Serve(serve); err != nil && serve.Err() == nil {
			slog.Error("the work after the start ended", "error", err)
		}
	}()
	return g, nil
}

// Store is the open database, nil when there is none.
func (e *Engine) Store() *store.Store { return e.store }

// Close interrupts and records running turns, closes the database and gives the state directory free.
func (e *Engine) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	var errs []error
	if g, err := e.Host.Gateway(); err == nil {
		e.stopServe()
		<-e.serving
		errs = append(errs, g.Close(ctx))
	}
	e.Host.Fail(wire.Reject(wire.CodeGatewayStopped, "Mobius is shutting down."))
	e.Feed.Close()
	if e.store != nil {
		errs = append(errs, e.store.Close())
	}
	e.end()
	e.client.CloseIdleConnections()
	errs = append(errs, e.lock.Release())
	return errors.Join(errs...)
}
