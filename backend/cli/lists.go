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

const listed = 100

func table(w io.Writer, rows func(*tabwriter.Writer)) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	rows(t)
	_ = t.Flush()
}

func (a *app) botsCommand() *cobra.Command {
	return &cobra.Command{Use: "bots", Short: "List the Bots", Args: usage(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(c client) error {
			var list wire.BotList
			if err := c.call(cmd.Context(), "Bots.List", &list); err != nil {
				return err
			}
			return a.print(list, func(w io.Writer) {
				table(w, func(t *tabwriter.Writer) {
					for _, b := range list.Bots {
						fmt.Fprintf(t, "@%s\t%s\t%s/%s\t%s\n", b.Handle, b.Name, b.Config.Config.Provider.Instance, b.Config.Config.Provider.Model, b.Description)
					}
				})
			})
		})
	}}
}

func (a *app) sessionsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "sessions", Short: "List conversations", Args: usage(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(c client) error {
			var page wire.SessionPage
			if err := c.call(cmd.Context(), "Sessions.List", &page, wire.SessionQuery{Limit: listed}); err != nil {
				return err
			}
			return a.print(page, func(w io.Writer) {
				table(w, func(t *tabwriter.Writer) {
					for _, s := range page.Sessions {
						fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", s.ID, time.UnixMilli(s.UpdatedAt).Format("2006-01-02 15:04"), s.Title, s.Workspace)
					}
				})
			})
		})
	}}
	cmd.AddCommand(
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

// show prints a whole conversation, page by page.
func (a *app) show(ctx context.Context, c client, id string) error {
	var open wire.OpenSession
	if err := c.call(ctx, "Sessions.Open", &open, wire.OpenRequest{ID: id}); err != nil {
		return err
	}
	pages := [][]wire.Event{open.Page.Events}
	for before := open.Page.Before; before > 0; {
		var page wire.EventPage
		if err := c.call(ctx, "Sessions.History", &page, wire.HistoryRequest{ID: id, Before: before, Turns: listed}); err != nil {
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
		fmt.Fprintf(w, "%s\n", open.Session.Title)
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
				fmt.Fprintf(w, "· %s %s\n", b.Name, b.Args)
			}
		}
	case wire.EventTurnCompleted:
		if e.Outcome.Status == wire.OutcomeFailed {
			fmt.Fprintf(w, "! %s\n", e.Outcome.Error.Message)
		} else if e.Outcome.Status == wire.OutcomeAborted {
			fmt.Fprintf(w, "! %s\n", e.Outcome.Reason)
		}
	}
}

func (a *app) providersCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "providers", Short: "List the model providers", Args: usage(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(c client) error {
			var list wire.ProviderList
			if err := c.call(cmd.Context(), "Providers.List", &list); err != nil {
				return err
			}
			return a.print(list, func(w io.Writer) {
				table(w, func(t *tabwriter.Writer) {
					for _, p := range list.Providers {
						fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", p.ID, p.Name, p.BaseURL, p.KeyHint)
					}
				})
			})
		})
	}}
	cmd.AddCommand(a.addProviderCommand(), &cobra.Command{Use: "test ID", Short: "Test the connection of a provider", Args: usage(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), func(c client) error { return a.testProvider(cmd.Context(), c, args[0]) })
	}})
	return cmd
}

func (a *app) addProviderCommand() *cobra.Command {
	var draft wire.ProviderDraft
	cmd := &cobra.Command{
		Use: "add KIND", Short: "Set up a provider; its key is read from standard input", Args: usage(cobra.ExactArgs(1)),
		Long: "Sets up a provider of a kind such as anthropic, openai, gemini, openrouter, ollama or compatible. The key is read from standard input, so that it is in no history and no list of processes.",
		RunE: func(cmd *cobra.Command, args []string) error {
			draft.Kind = args[0]
			key, err := io.ReadAll(io.LimitReader(a.In, 16<<10))
			if err != nil {
				return fmt.Errorf("read the key: %w", err)
			}
			draft.Key = strings.TrimSpace(string(key))
			return a.with(cmd.Context(), func(c client) error {
				var made wire.ProviderInstance
				if err := c.call(cmd.Context(), "Providers.Save", &made, draft); err != nil {
					return err
				}
				return a.print(made, func(w io.Writer) { fmt.Fprintf(w, "%s is set up.\n", made.ID) })
			})
		},
	}
	cmd.Flags().StringVar(&draft.Name, "name", "", "name to show")
	cmd.Flags().StringVar(&draft.BaseURL, "base-url", "", "address, where it is not the kind's own")
	return cmd
}

func (a *app) testProvider(ctx context.Context, c client, id string) error {
	var list wire.ProviderList
	if err := c.call(ctx, "Providers.List", &list); err != nil {
		return err
	}
	for _, p := range list.Providers {
		if p.ID != id {
			continue
		}
		var result wire.ProviderTest
		if err := c.call(ctx, "Providers.Test", &result, wire.ProviderDraft{ID: p.ID, Kind: p.Kind, Name: p.Name, BaseURL: p.BaseURL}); err != nil {
			return err
		}
		if !result.OK {
			return wire.Reject(result.Code, "%s", result.Message)
		}
		return a.print(result, func(w io.Writer) {
			fmt.Fprintf(w, "%s %d models, %d ms.\n", result.Message, result.Models, result.LatencyMS)
		})
	}
	return wire.Reject(wire.CodeInvalidProvider, "The provider %q is not set up.", id)
}

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{Use: "doctor", Short: "Check storage, key store, webview, sandbox parts and providers", Args: usage(cobra.NoArgs), RunE: func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(c client) error {
			var report wire.DoctorReport
			if err := c.call(cmd.Context(), "System.Doctor", &report); err != nil {
				return err
			}
			if err := a.print(report, func(w io.Writer) { fmt.Fprintln(w, report.Text) }); err != nil {
				return err
			}
			for _, check := range report.Checks {
				if check.Status == "error" {
					return wire.Reject(wire.CodeGatewayError, "A check failed: %s.", check.Name)
				}
			}
			return nil
		})
	}}
}
