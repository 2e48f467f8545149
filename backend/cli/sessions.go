package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"mobius/backend/wire"
)

const (
	// listed is how many conversations a list shows, unless all are asked for.
	listed = 100
	// pageSize is how many conversations or turns are read at a time.
	pageSize = 200
)

func table(w io.Writer, rows func(*tabwriter.Writer)) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	rows(t)
	_ = t.Flush() // a pipe that was closed needs no rest
}

// cell keeps a text from breaking a table.
func cell(text string) string { return strings.Join(strings.Fields(text), " ") }

func (a *app) botsCommand() *cobra.Command {
	list := func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(c client) error {
			var list wire.BotList
			if err := c.call(cmd.Context(), "Bots.List", &list); err != nil {
				return err
			}
			return a.print(list, func(w io.Writer) {
				table(w, func(t *tabwriter.Writer) {
					for _, b := range list.Bots {
						fmt.Fprintf(t, "@%s\t%s\t%s\t%s\n", b.Handle, cell(b.Name), modelOf(b.Config.Config.Provider), cell(b.Description))
					}
				})
			})
		})
	}
	cmd := &cobra.Command{Use: "bots", Short: "List the Bots", Args: usage(cobra.NoArgs), RunE: list}
	cmd.AddCommand(&cobra.Command{Use: "list", Short: "List the Bots", Args: usage(cobra.NoArgs), RunE: list})
	return cmd
}

func modelOf(p wire.ProviderChoice) string {
	if p.Instance == "" || p.Model == "" {
		return "(no model)"
	}
	return p.Instance + "/" + p.Model
}

type listFlags struct {
	bot string
	all bool
}

func (a *app) sessionsCommand() *cobra.Command {
	list := func(use string) *cobra.Command {
		var f listFlags
		cmd := &cobra.Command{Use: use, Short: "List conversations", Args: usage(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
			return a.with(cmd.Context(), func(c client) error { return a.listSessions(cmd.Context(), c, f) })
		}}
		cmd.Flags().StringVar(&f.bot, "bot", "", "only those of the Bot with this handle or name")
		cmd.Flags().BoolVar(&f.all, "all", false, fmt.Sprintf("list all, not only the first %d", listed))
		return cmd
	}
	cmd := list("sessions")
	cmd.AddCommand(list("list"),
		&cobra.Command{Use: "show ID", Short: "Print a conversation", Args: usage(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(c client) error { return a.show(cmd.Context(), c, args[0]) })
		}},
		&cobra.Command{Use: "delete ID…", Short: "Move conversations to the trash", Args: usage(cobra.MinimumNArgs(1)), RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(c client) error {
				var gone []string
				if err := c.call(cmd.Context(), "Sessions.Delete", &gone, args); err != nil {
					return err
				}
				return a.print(gone, func(w io.Writer) { fmt.Fprintf(w, "%d in the trash, where they stay for 30 days.\n", len(gone)) })
			})
		}},
	)
	return cmd
}

func (a *app) listSessions(ctx context.Context, c client, f listFlags) error {
	query := wire.SessionQuery{Limit: listed}
	if f.all {
		query.Limit = pageSize
	}
	if f.bot != "" {
		bot, err := findBot(ctx, c, f.bot)
		if err != nil {
			return err
		}
		query.BotID = bot.ID
	}
	var found wire.SessionPage
	for {
		var page wire.SessionPage
		if err := c.call(ctx, "Sessions.List", &page, query); err != nil {
			return err
		}
		page.Sessions = append(found.Sessions, page.Sessions...)
		found = page
		if !f.all || page.Next == "" {
			break
		}
		query.Cursor = page.Next
	}
	return a.print(found, func(w io.Writer) {
		table(w, func(t *tabwriter.Writer) {
			for _, s := range found.Sessions {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.ID, time.UnixMilli(s.UpdatedAt).Format("2006-01-02 15:04"), cell(s.Title), cell(s.Workspace))
			}
		})
		if more := found.Total - len(found.Sessions); more > 0 {
			fmt.Fprintf(a.Err, "%d more; list them with --all.\n", more)
		}
	})
}

// show prints a whole conversation, read page by page.
func (a *app) show(ctx context.Context, c client, id string) error {
	var open wire.OpenSession
	if err := c.call(ctx, "Sessions.Open", &open, wire.OpenRequest{ID: id}); err != nil {
		return err
	}
	pages := [][]wire.Event{open.Page.Events}
	for before := open.Page.Before; before > 0; {
		var page wire.EventPage
		if err := c.call(ctx, "Sessions.History", &page, wire.HistoryRequest{ID: id, Before: before, Turns: pageSize}); err != nil {
			return err
		}
		pages = append(pages, page.Events)
		before = page.Before
	}
	events := []wire.Event{}
	for i := len(pages) - 1; i >= 0; i-- {
		events = append(events, pages[i]...)
	}
	return a.print(map[string]any{"session": open.Session, "events": events}, func(w io.Writer) {
		fmt.Fprintln(w, open.Session.Title)
		for _, e := range events {
			printEvent(w, e)
		}
	})
}

func printEvent(w io.Writer, e wire.Event) {
	switch e.Kind {
	case wire.EventTurnStarted, wire.EventMessageSteered:
		fmt.Fprintf(w, "\n> %s\n\n", strings.ReplaceAll(e.Message.Text, "\n", "\n> "))
	case wire.EventStepCompleted:
		for _, b := range e.Step.Blocks {
			switch b.Kind {
			case wire.BlockText:
				fmt.Fprintln(w, strings.TrimRight(b.Text, "\n"))
			case wire.BlockToolCall:
				fmt.Fprintf(w, "· %s %s\n", b.Name, line(b.Args))
			}
		}
	case wire.EventNotice:
		fmt.Fprintf(w, "! %s\n", e.Notice.Text)
	case wire.EventTurnCompleted:
		switch {
		case e.Outcome.Status == wire.OutcomeFailed && e.Outcome.Error != nil:
			fmt.Fprintf(w, "! %s\n", e.Outcome.Error.Message)
		case e.Outcome.Status == wire.OutcomeAborted:
			fmt.Fprintf(w, "! The turn was ended (%s).\n", e.Outcome.Reason)
		}
	}
}
