package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"mobius/backend/wire"
)

// raiseLimit is how long a second start waits for the window of a first one that is only just starting.
const raiseLimit = 5 * time.Second

// desktop opens the window, or says why it cannot and serves the page to a browser instead. A second start brings up the
// first one.
func (a *app) desktop(ctx context.Context) error {
	switch reason := a.noWindow(); {
	case reason != "":
		e, err := a.open(ctx, shellServe)
		if wire.CodeOf(err) == wire.CodeStateLocked {
			return a.raise(ctx, err)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Err, "%s; serving the page to a browser instead.\n", reason)
		return a.serveEngine(ctx, e, serveFlags{addr: anyPort}, nil)
	default:
		return a.window(ctx)
	}
}

// noWindow says why there can be no window, "" when there can.
func (a *app) noWindow() string {
	if a.Desktop == nil {
		return "This program has no window"
	}
	if err := a.Display(); err != nil {
		return fmt.Sprintf("No window can be shown (%v)", err)
	}
	return ""
}

func (a *app) window(ctx context.Context) error {
	e, err := a.open(ctx, shellDesktop)
	if wire.CodeOf(err) == wire.CodeStateLocked {
		return a.raise(ctx, err)
	}
	if err != nil {
		return err
	}
	life, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	window := &Window{SafeMode: a.safeMode}
	control := a.control(e, window)
	group.Go(func() { control(life) })
	err = a.Desktop(life, e, window)
	cancel()
	group.Wait()
	if err != nil && ctx.Err() == nil {
		fmt.Fprintf(a.Err, "The window could not be opened (%v); showing the page in the browser instead.\n", err)
		return a.serveEngine(ctx, e, serveFlags{addr: anyPort}, a.Browser)
	}
	return e.Close()
}

// raise asks the running Mobius to show its window. One that is only just starting is waited for; one that has no window
// tells where its page is; one that does neither leaves the state locked.
func (a *app) raise(ctx context.Context, locked error) error {
	// The desktop gives whatever a person starts a token with which its window may take the keyboard.
	token := cmp.Or(os.Getenv("XDG_ACTIVATION_TOKEN"), os.Getenv("DESKTOP_STARTUP_ID"))
	ctx, cancel := context.WithTimeout(ctx, raiseLimit)
	defer cancel()
	for {
		err := a.ask(ctx, "Window.Show", nil, token)
		switch wire.CodeOf(err) {
		case "":
			return nil
		case wire.CodeUnknownMethod:
			return a.tell(ctx, locked)
		case wire.CodeGatewayBusy, wire.CodeGatewayStopped:
		default:
			return locked
		}
		if pause(ctx, lookEvery) != nil {
			return locked
		}
	}
}

// tell says where the page of the running Mobius is, and shows it where there is a browser.
func (a *app) tell(ctx context.Context, locked error) error {
	var line ready
	if err := a.ask(ctx, "Serving.Ready", &line); err != nil {
		return locked
	}
	if a.asJSON {
		return json.NewEncoder(a.Out).Encode(line)
	}
	fmt.Fprintf(a.Out, "Mobius runs already (process %d): %s\n", line.PID, line.address())
	if a.noWindow() == "" && a.Browser != nil {
		if err := a.Browser(line.address()); err != nil {
			fmt.Fprintf(a.Err, "The browser could not be started: %v.\n", err)
		}
	}
	return nil
}

// ask calls a method of the running Mobius.
func (a *app) ask(ctx context.Context, method string, out any, args ...any) error {
	c := dial(ctx, a.stateDir)
	if c == nil {
		return wire.Reject(wire.CodeGatewayStopped, "Mobius does not answer yet.")
	}
	return errors.Join(c.call(ctx, method, out, args...), c.close())
}

// Window is the service by which a second start brings the first one's window up. It is on the control socket only.
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
