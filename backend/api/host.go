package api

import (
	"context"
	"sync"
	"time"

	"mobius/backend/feed"
	"mobius/backend/gateway"
	"mobius/backend/store"
	"mobius/backend/wire"
)

const (
	// callLimit bounds one call. What a call waits for (the gate, storage, a provider's list) is bounded below it.
	callLimit   = 60 * time.Second
	recentShown = 20
	filesShown  = 50
)

// Folders answers questions about folders for the shells.
type Folders interface {
	Info(path string) wire.WorkspaceInfo
	Folders(path string) (*wire.FolderListing, error)
	Find(ctx context.Context, root, query string, limit int) ([]wire.FileMatch, error)
}

// Doctor runs all checks.
type Doctor func(ctx context.Context) wire.DoctorReport

// Host is what the services call: the gateway once it is open, or the reason why it could not be opened, in which case
// [Rescue] still works.
type Host struct {
	Feed    *feed.Feed
	Folders Folders
	Doctor  Doctor
	Info    wire.SystemInfo
	// KeyStore says in words where keys are kept.
	KeyStore func() string
	// Reopen opens the gateway anew after a rescue.
	Reopen func(ctx context.Context) (*gateway.Gateway, error)

	rescuing sync.Mutex // one rescue at a time: a second one would set aside what the first has made

	mu      sync.Mutex
	gateway *gateway.Gateway
	failure error
}

// Use makes the services call g.
func (h *Host) Use(g *gateway.Gateway) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gateway, h.failure = g, nil
}

// Fail makes every service but Rescue and System answer with err.
func (h *Host) Fail(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.gateway, h.failure = nil, store.Reject(err)
}

// Gateway gives the open gateway or why there is none.
func (h *Host) Gateway() (*gateway.Gateway, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.gateway == nil && h.failure == nil {
		return nil, wire.Reject(wire.CodeGatewayStopped, "Mobius is starting.")
	}
	return h.gateway, h.failure
}

// Services is the whole API.
type Services struct {
	Bots      *Bots
	Sessions  *Sessions
	Providers *Providers
	Workspace *Workspace
	Settings  *Settings
	System    *System
	Rescue    *Rescue
}

// New makes the services of a host.
func New(h *Host) *Services {
	return &Services{&Bots{h}, &Sessions{h}, &Providers{h}, &Workspace{h}, &Settings{h}, &System{h}, &Rescue{h}}
}

// List gives the services for a shell to bind.
func (s *Services) List() []any {
	return []any{s.Bots, s.Sessions, s.Providers, s.Workspace, s.Settings, s.System, s.Rescue}
}

// call runs one call on the gateway and makes its error a *wire.Rejection.
func call[T any](h *Host, fn func(ctx context.Context, g *gateway.Gateway) (T, error)) (T, error) {
	var zero T
	g, err := h.Gateway()
	if err != nil {
		return zero, reject(err)
	}
	ctx, cancel := g.Context(callLimit)
	defer cancel()
	out, err := fn(ctx, g)
	if err != nil {
		return zero, reject(err)
	}
	return out, nil
}

func do(h *Host, fn func(ctx context.Context, g *gateway.Gateway) error) error {
	_, err := call(h, func(ctx context.Context, g *gateway.Gateway) (struct{}, error) { return struct{}{}, fn(ctx, g) })
	return err
}

// reject makes sure that a shell gets a Rejection, and a plain nil where there is none.
func reject(err error) error {
	if err == nil {
		return nil
	}
	return wire.AsRejection(store.Reject(err))
}
