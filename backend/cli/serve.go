package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"mobius/backend/engine"
	"mobius/backend/headless"
)

// The shells, as the owner of a state directory names itself.
const (
	shellDesktop = "desktop"
	shellServe   = "serve"
	shellCommand = "cli"
)

// anyPort is where the page is served when nobody says where.
const anyPort = "127.0.0.1:0"

type serveFlags struct {
	addr, token string
	hosts       []string
}

func (a *app) serveCommand() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the page and the API without a window", Args: usage(cobra.NoArgs),
		Long: "Serves the page and the API. When it is ready it prints one JSON line with url, token and pid. It listens on loopback unless told otherwise.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.token = cmp.Or(f.token, os.Getenv("MOBIUS_TOKEN"))
			if f.token != "" {
				if err := headless.CheckToken(f.token); err != nil {
					return err
				}
			}
			return a.serve(cmd.Context(), f)
		},
	}
	cmd.Flags().StringVar(&f.addr, "addr", anyPort, "address to listen on; port 0 takes a free one")
	cmd.Flags().StringVar(&f.token, "token", "", "token that callers must show (default: $MOBIUS_TOKEN, which other users cannot see, or a new one for each start)")
	cmd.Flags().StringSliceVar(&f.hosts, "allow-host", nil, "another name that the server may be called by")
	return cmd
}

// ready is the line that says that the server answers.
type ready struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	PID   int    `json:"pid"`
}

// address is what a person opens.
func (r ready) address() string { return r.URL + "#token=" + r.Token }

func (a *app) serve(ctx context.Context, f serveFlags) error {
	e, err := a.open(ctx, shellServe)
	if err != nil {
		return err
	}
	return a.serveEngine(ctx, e, f, nil)
}

// serveEngine serves an open engine until ctx ends, and closes it. browser, if not nil, is shown the page.
func (a *app) serveEngine(ctx context.Context, e *engine.Engine, f serveFlags, browser func(string) error) error {
	l, err := net.Listen("tcp", f.addr)
	if err != nil {
		return errors.Join(fmt.Errorf("listen on %s: %w", f.addr, err), e.Close())
	}
	server, err := headless.New(headless.Options{Services: e.Services.List(), Feed: e.Feed, Page: a.Page, Token: f.token, Hosts: f.hosts})
	if err != nil {
		return errors.Join(err, l.Close(), e.Close())
	}
	if a.Secret != nil {
		a.Secret(server.Token())
	}
	line := ready{URL: pageURL(l.Addr()), Token: server.Token(), PID: os.Getpid()}
	ctx, cancel := context.WithCancel(ctx)
	var group sync.WaitGroup
	control := a.control(e, &Serving{line})
	group.Go(func() { control(ctx) })
	if err = a.announce(line, l.Addr(), browser); err == nil {
		err = server.Serve(ctx, l)
	} else {
		err = errors.Join(err, l.Close())
	}
	cancel()
	group.Wait()
	return errors.Join(err, e.Close())
}

// announce says that the server is ready: to scripts with the one line on standard output, to a person beside it.
func (a *app) announce(line ready, at net.Addr, browser func(string) error) error {
	if err := json.NewEncoder(a.Out).Encode(line); err != nil {
		return fmt.Errorf("print where the server is: %w", err)
	}
	fmt.Fprintf(a.Err, "Open %s in a browser. Stop with Ctrl-C.\n", line.address())
	if tcp, ok := at.(*net.TCPAddr); ok && !tcp.IP.IsLoopback() {
		fmt.Fprintln(a.Err, "Other computers can reach this address. The connection is not encrypted, and whoever has the token can do what you can do here.")
	}
	if browser == nil {
		return nil
	}
	if err := browser(line.address()); err != nil {
		fmt.Fprintf(a.Err, "The browser could not be started: %v.\n", err)
	}
	return nil
}

// pageURL is an address of the server that works on this machine.
func pageURL(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String() + "/"
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // "::" takes connections of both families
	}
	return "http://" + net.JoinHostPort(host, port) + "/"
}

// control listens on the control socket, so that commands reach this process from now on, and gives what answers them until
// its context ends; shell is what only this kind of start offers. Without the socket commands open the state themselves
// once this process has ended, so a failure is told and no more.
func (a *app) control(e *engine.Engine, shell any) func(context.Context) {
	l, err := listenControl(a.stateDir)
	if err != nil {
		slog.Warn("there is no control socket", "error", err)
		fmt.Fprintf(a.Err, "Commands cannot reach this Mobius: %v.\n", err)
		return func(context.Context) {}
	}
	server, err := headless.New(headless.Options{Services: append(e.Services.List(), shell), Feed: e.Feed, Open: true})
	if err != nil {
		slog.Warn("there is no control socket", "error", errors.Join(err, l.Close()))
		return func(context.Context) {}
	}
	return func(ctx context.Context) {
		if err := server.Serve(ctx, l); err != nil {
			slog.Warn("the control socket ended", "error", err)
		}
	}
}

// Serving is the service by which a second start learns where the first one's page is. It is on the control socket only.
type Serving struct{ line ready }

// Ready gives the address, the token and the process.
func (s *Serving) Ready() (any, error) { return s.line, nil }
