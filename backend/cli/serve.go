package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mobius/backend/engine"
	"mobius/backend/headless"
	"mobius/backend/store"
	"mobius/backend/wire"
)

// raiseLimit is how long a second start waits for the window of a first one that is only just starting.
const raiseLimit = 5 * time.Second

// desktop opens the window, or says why it cannot and serves the page to a browser instead.
func (a *app) desktop(ctx context.Context) error {
	if a.Desktop == nil {
		fmt.Fprintln(a.Err, "This program has no window; serving the page to a browser instead.")
		return a.serve(ctx, "127.0.0.1:0", "", nil)
	}
	if err := a.Display(); err != nil {
		fmt.Fprintf(a.Err, "No window can be shown (%v); serving the page to a browser instead.\n", err)
		return a.serve(ctx, "127.0.0.1:0", "", nil)
	}
	e, err := a.open(ctx, "desktop")
	if wire.CodeOf(err) == wire.CodeStateLocked {
		return a.raise(ctx, err)
	}
	if err != nil {
		return err
	}
	parent := ctx
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	window := &Window{SafeMode: a.safeMode}
	group.Go(func() { a.control(ctx, e, append(e.Services.List(), window)) })
	err = a.Desktop(ctx, e, window)
	cancel()
	group.Wait()
	if err != nil && parent.Err() == nil {
		fmt.Fprintf(a.Err, "The window could not be opened (%v); showing the page in the browser instead.\n", err)
		return a.serveEngine(parent, e, "127.0.0.1:0", "", nil, a.Browser)
	}
	return e.Close()
}

// raise asks the running Mobius to show its window. One that is only just starting is waited for; one that has no window
// leaves the state locked.
func (a *app) raise(ctx context.Context, locked error) error {
	// The desktop gives whatever a person starts a token with which its window may take the keyboard.
	token := cmp.Or(os.Getenv("XDG_ACTIVATION_TOKEN"), os.Getenv("DESKTOP_STARTUP_ID"))
	ctx, cancel := context.WithTimeout(ctx, raiseLimit)
	defer cancel()
	for {
		err := a.showWindow(ctx, token)
		switch wire.CodeOf(err) {
		case "":
			return nil
		case wire.CodeGatewayBusy, wire.CodeGatewayStopped:
		default:
			return locked
		}
		if pause(ctx, 50*time.Millisecond) != nil {
			return locked
		}
	}
}

func (a *app) showWindow(ctx context.Context, token string) error {
	c := dial(ctx, a.stateDir)
	if c == nil {
		return wire.Reject(wire.CodeGatewayStopped, "Mobius does not answer yet.")
	}
	return errors.Join(c.call(ctx, "Window.Show", nil, token), c.close())
}

func (a *app) serveCommand() *cobra.Command {
	var addr, token string
	var hosts []string
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the page and the API without a window", Args: usage(cobra.NoArgs),
		Long: "Serves the page and the API. When it is ready it prints one JSON line with url, token and pid. It listens on loopback unless told otherwise.",
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), addr, token, hosts) },
	}
	cmd.Flags().StringVar(&addr, "addr", "127.0.0.1:0", "address to listen on; port 0 takes a free one")
	cmd.Flags().StringVar(&token, "token", "", "token that callers must show (default: a new one for each start)")
	cmd.Flags().StringSliceVar(&hosts, "allow-host", nil, "another name that the server may be called by")
	return cmd
}

// ready is the line that says that the server answers.
type ready struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

func (a *app) serve(ctx context.Context, addr, token string, hosts []string) error {
	e, err := a.open(ctx, "serve")
	if err != nil {
		return err
	}
	return a.serveEngine(ctx, e, addr, token, hosts, nil)
}

// serveEngine serves an open engine until ctx ends, and closes it. browser, if not nil, is shown the page.
func (a *app) serveEngine(ctx context.Context, e *engine.Engine, addr, token string, hosts []string, browser func(string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return errors.Join(fmt.Errorf("listen on %s: %w", addr, err), e.Close())
	}
	server, err := headless.New(headless.Options{Services: e.Services.List(), Feed: e.Feed, Page: a.Page, Token: token, Hosts: hosts})
	if err != nil {
		return errors.Join(err, l.Close(), e.Close())
	}
	group.Go(func() { a.control(ctx, e, e.Services.List()) })
	line := ready{URL: "http://" + l.Addr().String() + "/", Token: server.Token(), PID: os.Getpid()}
	if err := json.NewEncoder(a.Out).Encode(line); err != nil {
		return errors.Join(err, l.Close(), e.Close())
	}
	fmt.Fprintf(a.Err, "Open %s#token=%s in a browser. Stop with Ctrl-C.\n", line.URL, line.Token)
	if browser != nil {
		if err := browser(line.URL + "#token=" + line.Token); err != nil {
			fmt.Fprintf(a.Err, "The browser could not be started: %v.\n", err)
		}
	}
	err = server.Serve(ctx, l)
	cancel()
	group.Wait()
	return errors.Join(err, e.Close())
}

// control serves the command line on the control socket until ctx ends. Without it commands open the state themselves
// once this process has ended, so a failure is logged and no more.
func (a *app) control(ctx context.Context, e *engine.Engine, services []any) {
	path := filepath.Join(a.stateDir, SocketName)
	_ = os.Remove(path) // this process holds the lock: what is there is left over
	l, err := net.Listen("unix", path)
	if err != nil {
		fmt.Fprintf(a.Err, "Commands cannot reach this Mobius (%v).\n", store.Reject(err))
		return
	}
	_ = os.Chmod(path, 0o600)
	server, err := headless.New(headless.Options{Services: services, Feed: e.Feed, Open: true})
	if err == nil {
		_ = server.Serve(ctx, l)
	}
	_ = os.Remove(path)
}

// Window is the service by which a second start brings the first one's window up.
type Window struct {
	// SafeMode asks for drawing that works with every graphics driver.
	SafeMode bool

	mu   sync.Mutex
	show func(token string)
}

// OnShow sets what shows the window; nil when there is none any more.
func (w *Window) OnShow(fn func(token string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.show = fn
}

// Show brings the window up. token is the activation token of whatever asks for it, or "".
func (w *Window) Show(token string) error {
	w.mu.Lock()
	fn := w.show
	w.mu.Unlock()
	if fn == nil {
		return wire.Reject(wire.CodeGatewayBusy, "The window is not there yet.")
	}
	fn(token)
	return nil
}
