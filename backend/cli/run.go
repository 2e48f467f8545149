package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

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
		Long: "Starts a conversation, or continues one with --session, and streams the answer to standard output; what the Bot does goes to standard error. " +
			"With - the prompt is read from standard input. Ctrl-C interrupts the turn and keeps what was said. The exit code is not 0 when the turn failed or was interrupted.",
		RunE: func(cmd *cobra.Command, args []string) error {
			prompt := args[0]
			if prompt == "-" {
				b, err := io.ReadAll(io.LimitReader(a.In, maxPrompt+1))
				if err != nil {
					return fmt.Errorf("read the prompt: %w", err)
				}
				prompt = string(b)
			}
			// A first Ctrl-C interrupts the turn only, so it must not end the command's context.
			ctx := context.WithoutCancel(cmd.Context())
			return a.with(ctx, func(c client) error { return a.run(ctx, c, f, prompt) })
		},
	}
	cmd.Flags().StringVar(&f.bot, "bot", "mobius", "handle or name of the Bot")
	cmd.Flags().StringVar(&f.workspace, "workspace", "", "folder to work in (default: the current one)")
	cmd.Flags().StringVar(&f.session, "session", "", "id of a conversation to continue")
	return cmd
}

func (a *app) run(ctx context.Context, c client, f runFlags, prompt string) error {
	session, err := a.sessionFor(ctx, c, f)
	if err != nil {
		return err
	}
	id := uuid.NewString()
	next, done, err := c.events(ctx, id)
	if err != nil {
		return err
	}
	defer done()
	if err := c.call(ctx, "System.Watch", nil, id, []string{session}); err != nil {
		return err
	}
	var accepted wire.Accepted
	err = c.call(ctx, "Sessions.Submit", &accepted, wire.Submission{SessionID: session, ID: uuid.NewString(), Message: &wire.Message{Text: prompt, RequestedDelivery: "queue"}})
	if err != nil {
		return err
	}
	p := &printer{app: a, session: session, accepted: accepted, client: c}
	return p.follow(ctx, next)
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
	return made.ID, err
}

func findBot(ctx context.Context, c client, name string) (*wire.Bot, error) {
	var list wire.BotList
	if err := c.call(ctx, "Bots.List", &list); err != nil {
		return nil, err
	}
	var known []string
	for _, b := range list.Bots {
		if b.Handle == name || b.ID == name || strings.EqualFold(b.Name, name) {
			return &b, nil
		}
		known = append(known, b.Handle)
	}
	return nil, wire.Reject(wire.CodeInvalidBot, "There is no Bot %q. The Bots are: %s.", name, strings.Join(known, ", "))
}

// printer shows a turn as it runs.
type printer struct {
	*app
	client   client
	session  string
	accepted wire.Accepted
	turn     string // the turn that answers our message
	step     int
	shown    map[int]int // bytes of each block's text that were printed
	kinds    map[int]string
	newline  bool // the last thing printed ended a line
}

func (p *printer) follow(ctx context.Context, next func(context.Context) ([]wire.Envelope, error)) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go p.interrupts(ctx, cancel, signals)
	p.turn, p.step, p.newline = p.accepted.TurnID, -1, true
	if p.accepted.Delivery != "started" {
		p.turn = "" // it waits for another turn; its own is known when it starts
	}
	for {
		batch, err := next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return wire.Reject(wire.CodeGatewayStopped, "Interrupted.")
			}
			return err
		}
		for _, e := range batch {
			if p.asJSON {
				if err := json.NewEncoder(p.Out).Encode(e); err != nil {
					return err
				}
			}
			switch {
			case e.Kind == wire.EnvelopeResync:
				return p.resync(ctx)
			case e.SessionID != p.session:
			case e.Frame != nil:
				p.frame(*e.Frame)
			case e.Event != nil:
				if done, err := p.event(*e.Event); done {
					return err
				}
			}
		}
	}
}

// interrupts turns the first Ctrl-C into an interrupt of the turn and the second into the end of the command.
func (p *printer) interrupts(ctx context.Context, cancel context.CancelFunc, signals <-chan os.Signal) {
	for first := true; ; first = false {
		select {
		case <-ctx.Done():
			return
		case <-signals:
			if !first || p.accepted.TurnID == "" {
				cancel()
				return
			}
			_ = p.client.call(ctx, "Sessions.Submit", nil, wire.Submission{SessionID: p.session, ID: uuid.NewString(), Interrupt: &wire.Interrupt{TurnID: p.accepted.TurnID}})
		}
	}
}

// resync happens when this command read too slowly: the rest is taken from the journal.
func (p *printer) resync(ctx context.Context) error {
	var open wire.OpenSession
	if err := p.client.call(ctx, "Sessions.Open", &open, wire.OpenRequest{ID: p.session}); err != nil {
		return err
	}
	for _, e := range open.Page.Events {
		if done, err := p.event(e); done {
			return err
		}
	}
	return errors.New("the events were lost; open the conversation to see the answer")
}

func (p *printer) begin(step int) {
	if step != p.step {
		p.step, p.shown, p.kinds = step, map[int]int{}, map[int]string{}
	}
}

func (p *printer) frame(f wire.Frame) {
	if f.TurnID != p.turn {
		return
	}
	p.begin(f.Step)
	switch f.Kind {
	case wire.FrameAttempt:
		p.status("(the answer begins anew)")
		p.shown, p.kinds = map[int]int{}, map[int]string{}
	case wire.FrameRetry:
		p.status(f.Retry.Message)
	case wire.FrameTool:
		p.status("· " + f.Tool.Name)
	case wire.FrameDelta:
		for _, d := range f.Deltas {
			if d.Kind != "" {
				p.kinds[d.Index] = d.Kind
			}
			p.text(d.Index, p.kinds[d.Index], d.Text)
		}
	}
}

// text prints a piece: the answer to standard output, reasoning and calls nowhere.
func (p *printer) text(index int, kind, text string) {
	p.shown[index] += len(text)
	if kind != wire.BlockText || text == "" || p.asJSON {
		return
	}
	fmt.Fprint(p.Out, text)
	p.newline = strings.HasSuffix(text, "\n")
}

func (p *printer) status(line string) {
	if p.asJSON {
		return
	}
	if !p.newline {
		fmt.Fprintln(p.Out)
		p.newline = true
	}
	fmt.Fprintln(p.Err, line)
}

// event prints what frames did not, and tells whether the turn is over.
func (p *printer) event(e wire.Event) (done bool, err error) {
	if e.Kind == wire.EventTurnStarted && e.Message != nil && e.Message.ID == p.accepted.SubmissionID {
		p.turn, p.accepted.TurnID = e.TurnID, e.TurnID
	}
	if e.TurnID != p.turn || p.turn == "" {
		return false, nil
	}
	switch e.Kind {
	case wire.EventStepCompleted:
		p.begin(e.Step.Index)
		for i, b := range e.Step.Blocks {
			if rest := b.Text; len(rest) > p.shown[i] && b.Kind == wire.BlockText {
				p.text(i, b.Kind, rest[p.shown[i]:])
			}
		}
	case wire.EventToolCompleted:
		if e.Tool.Status != "ok" {
			p.status(fmt.Sprintf("· %s: %s", e.Tool.Name, e.Tool.Status))
		}
	case wire.EventTurnCompleted:
		if !p.newline && !p.asJSON {
			fmt.Fprintln(p.Out)
		}
		switch e.Outcome.Status {
		case wire.OutcomeFailed:
			return true, e.Outcome.Error
		case wire.OutcomeAborted:
			return true, wire.Reject(wire.CodeStaleTurn, "The turn was %s.", e.Outcome.Reason)
		}
		return true, nil
	}
	return false, nil
}
