package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"mobius/backend/api"
	"mobius/backend/engine"
	"mobius/backend/store"
	"mobius/backend/wire"
)

// Deps is what the command line is given by main.
type Deps struct {
	Version string
	Page    fs.FS // the built frontend
	// Desktop runs the window on an open engine until it is closed; nil where the program has none.
	Desktop func(ctx context.Context, e *engine.Engine, window *Window) error
	// Display says why a window cannot be shown here, nil when it can.
	Display func() error
	// Browser shows an address in the system's browser.
	Browser func(address string) error
	// Log starts the log in a state directory and gives what ends it.
	Log func(stateDir string) (io.Closer, error)
	// Secret is told every key that is read or stored, so that the log can hide it; nil tells nobody.
	Secret func(key string)
	// Doctor makes the checks of an engine.
	Doctor func(e *engine.Engine) api.Doctor
	Out    io.Writer
	Err    io.Writer
	In     io.Reader
}

// The exit codes.
const (
	exitOK        = 0
	exitFailure   = 1
	exitUsage     = 2
	exitCancelled = 130 // as shells tell an end by Ctrl-C
)

type app struct {
	Deps
	stateDir string
	asJSON   bool
	safeMode bool
	log      io.Closer // nil before it was started
}

// Run carries a command line out and gives the exit code: 0, 1 for a failure, 2 for a wrong command line, 130 for a command
// that was cancelled.
func Run(args []string, deps Deps) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the program at once, unless the command itself listens for it.
	defer context.AfterFunc(ctx, stop)()
	deps.Out, deps.Err = forTerminal(deps.Out), forTerminal(deps.Err)
	a := &app{Deps: deps}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(deps.Out)
	root.SetErr(deps.Err)
	code := a.report(ctx, root.ExecuteContext(ctx))
	if a.log != nil {
		_ = a.log.Close() // nothing is logged any more
	}
	return code
}

// report tells the person or script how the command ended.
func (a *app) report(ctx context.Context, err error) int {
	var usage *usageError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errReported):
		return exitFailure
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return exitCancelled
	case errors.As(err, &usage):
		fmt.Fprintf(a.Err, "mobius: %v\nRun mobius --help to see the commands.\n", err)
		return exitUsage
	}
	r := wire.AsRejection(err)
	if a.asJSON {
		_ = json.NewEncoder(a.Out).Encode(map[string]any{"error": r}) // where nothing can be written, the exit code says it
	} else {
		fmt.Fprintf(a.Err, "mobius: %s (%s)\n", r.Message, r.Code)
	}
	return exitFailure
}

// errReported is a failure whose output has said everything.
var errReported = errors.New("reported")

// usageError is a command line that is not right.
type usageError struct{ error }

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use: "mobius", Short: "Run a team of AI bots on your own computer", Version: a.Version, SilenceUsage: true, SilenceErrors: true, Args: usage(cobra.NoArgs),
		Long: "Mobius runs a team of AI bots on your own computer. Without a command it opens its window.",
		PersistentPreRunE: func(*cobra.Command, []string) (err error) {
			if a.stateDir == "" {
				a.stateDir, err = engine.StateDir()
			} else {
				a.stateDir, err = filepath.Abs(a.stateDir)
			}
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return a.desktop(cmd.Context()) },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &usageError{err} })
	root.PersistentFlags().StringVar(&a.stateDir, "state-dir", "", "folder of Mobius' data (default $MOBIUS_STATE_DIR or the platform's)")
	root.PersistentFlags().BoolVar(&a.asJSON, "json", false, "print JSON")
	if a.Desktop != nil {
		root.Flags().BoolVar(&a.safeMode, "safe-mode", false, "draw the window without the graphics card")
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(a.serveCommand(), a.runCommand(), a.botsCommand(), a.sessionsCommand(), a.providersCommand(), a.doctorCommand(), a.versionCommand())
	return root
}

func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err}
		}
		return nil
	}
}

// open opens the engine of this process with its log.
func (a *app) open(ctx context.Context, shell string) (*engine.Engine, error) {
	if err := os.MkdirAll(a.stateDir, 0o700); err != nil {
		return nil, store.Reject(fmt.Errorf("make the state directory: %w", err))
	}
	if a.Log != nil && a.log == nil {
		log, err := a.Log(a.stateDir)
		if err != nil {
			slog.Warn("there is no log", "error", err)
		}
		a.log = log
	}
	return engine.Open(ctx, engine.Options{StateDir: a.stateDir, Shell: shell, Version: a.Version, Secret: a.Secret, Doctor: a.Doctor})
}

// print writes a result as JSON, or in words.
func (a *app) print(result any, words func(w io.Writer)) error {
	if a.asJSON {
		e := json.NewEncoder(a.Out)
		e.SetIndent("", "  ")
		return e.Encode(result)
	}
	words(a.Out)
	return nil
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{Use: "version", Short: "Print the version", Args: usage(cobra.NoArgs), RunE: func(*cobra.Command, []string) error {
		return a.print(map[string]string{"version": a.Version}, func(w io.Writer) { fmt.Fprintln(w, a.Version) })
	}}
}
