package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"mobius/backend/wire"
)

const maxPrompt = 1 << 20 // bytes, as for any message

type runFlags struct {
	bot, workspace, session string
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use: "run [flags] PROMPT|-", Short: "Ask a Bot and stream its answer", Args: usage(cobra.ExactArgs(1)),
		Long: "Starts a conversation, or continues one with --session, and writes the answer to standard output: as it comes on a terminal, else when a step of it is " +
			"whole, so that what was said before a lost connection is never there twice. What the Bot thinks and does goes to standard error. " +
			"With - the prompt is read from standard input. Ctrl-C interrupts the turn and keeps what was said; a second one ends the command. " +
			"The exit code is not 0 when the turn failed or was interrupted. With --json each line is one event or live piece of the conversation.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.session != "" && (cmd.Flags().Changed("bot") || f.workspace != "") {
				return &usageError{errors.New("a conversation has its Bot and its folder: --session goes without --bot and --workspace")}
			}
			prompt, err := a.prompt(args[0])
			if err != nil {
				return err
			}
			return a.with(cmd.Context(), func(c client) error { return a.run(cmd.Context(), c, f, prompt) })
		},
	}
	cmd.Flags().StringVar(&f.bot, "bot", "mobius", "handle or name of the Bot")
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "folder to work in (default: the current one)")
	cmd.Flags().StringVar(&f.session, "session", "", "id of a conversation to continue")
	return cmd
}

// prompt gives the prompt of the command line, or of standard input for "-".
func (a *app) prompt(arg string) (string, error) {
	if arg == "-" {
		b, err := io.ReadAll(io.LimitReader(a.In, maxPrompt+1))
		if err != nil {
			return "", fmt.Errorf("read the prompt: %w", err)
		}
		arg = string(b)
	}
	switch {
	case len(arg) > maxPrompt:
		return "", wire.Reject(wire.CodeInvalidRequest, "A prompt has at most %d MiB.", maxPrompt>>20)
	case strings.TrimSpace(arg) == "":
		return "", &usageError{errors.New("the prompt is empty")}
	}
	return arg, nil
}

func (a *app) run(ctx context.Context, c client, f runFlags, prompt string) error {
	session, err := a.sessionFor(ctx, c, f)
	if err != nil {
		return err
	}
	id := uuid.NewString()
	events, err := c.events(ctx, id)
	if err != nil {
		return err
	}
	defer events.close()
	if err := c.call(ctx, "System.Watch", nil, id, []string{session}); err != nil {
		return err
	}
	// From here on Ctrl-C is for the turn: it must not cut a message off that may have been accepted.
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx = context.WithoutCancel(ctx)
	t := newTurn(a, c, session)
	err = c.call(ctx, "Sessions.Submit", &t.accepted, wire.Submission{
		SessionID: session, ID: uuid.NewString(), Message: &wire.Message{Text: prompt, RequestedDelivery: "queue"},
	})
	if err != nil {
		return err
	}
	return t.follow(ctx, events, signals)
}

// sessionFor gives the conversation to run in.
func (a *app) sessionFor(ctx context.Context, c client, f runFlags) (string, error) {
	if f.session != "" {
		return f.session, nil
	}
	bot, err := findBot(ctx, c, f.bot)
	if err != nil {
		return "", err
	}
	folder, err := absolute(f.workspace)
	if err != nil {
		return "", err
	}
	var made wire.Session
	err = c.call(ctx, "Sessions.Create", &made, wire.SessionDraft{BotID: bot.ID, Workspace: folder})
	if r := wire.AsRejection(err); f.workspace == "" && wire.CodeOf(err) == wire.CodeInvalidWorkspace {
		// The home folder, where a terminal begins, usually is one that cannot be given to a Bot.
		fmt.Fprintf(a.Err, "%s The default folder is used instead.\n", r.Message)
		err = c.call(ctx, "Sessions.Create", &made, wire.SessionDraft{BotID: bot.ID})
	}
	return made.ID, err
}

func absolute(dir string) (string, error) {
	if dir == "" {
		return os.Getwd()
	}
	return filepath.Abs(dir)
}

func findBot(ctx context.Context, c client, name string) (*wire.Bot, error) {
	var list wire.BotList
	if err := c.call(ctx, "Bots.List", &list); err != nil {
		return nil, err
	}
	name = strings.TrimPrefix(name, "@")
	known := make([]string, 0, len(list.Bots))
	for _, b := range list.Bots {
		if b.Handle == name || b.ID == name {
			return &b, nil
		}
		known = append(known, b.Handle)
	}
	for _, b := range list.Bots {
		if strings.EqualFold(b.Name, name) {
			return &b, nil
		}
	}
	return nil, wire.Reject(wire.CodeInvalidBot, "There is no Bot %q. The Bots are: %s.", name, strings.Join(known, ", "))
}
