package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"mobius/backend/wire"
)

func (a *app) providersCommand() *cobra.Command {
	list := func(cmd *cobra.Command, _ []string) error {
		return a.with(cmd.Context(), func(c client) error {
			var list wire.ProviderList
			if err := c.call(cmd.Context(), "Providers.List", &list); err != nil {
				return err
			}
			return a.print(list, func(w io.Writer) {
				table(w, func(t *tabwriter.Writer) {
					for _, p := range list.Providers {
						fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", p.ID, cell(p.Name), p.BaseURL, p.KeyHint)
					}
				})
			})
		})
	}
	cmd := &cobra.Command{Use: "providers", Short: "List the model providers", Args: usage(cobra.NoArgs), RunE: list}
	cmd.AddCommand(
		&cobra.Command{Use: "list", Short: "List the model providers", Args: usage(cobra.NoArgs), RunE: list},
		a.addProviderCommand(),
		&cobra.Command{Use: "test ID", Short: "Test the connection of a provider", Args: usage(cobra.ExactArgs(1)), RunE: func(cmd *cobra.Command, args []string) error {
			return a.with(cmd.Context(), func(c client) error { return a.testProvider(cmd.Context(), c, args[0]) })
		}},
	)
	return cmd
}

func (a *app) addProviderCommand() *cobra.Command {
	var draft wire.ProviderDraft
	cmd := &cobra.Command{
		Use: "add KIND", Short: "Set up a provider; its key is read from standard input", Args: usage(cobra.ExactArgs(1)),
		Long: "Sets up a provider of a kind such as anthropic, openai, gemini, openrouter, ollama or compatible. The key is read from standard input, so that it is in no history and no list of processes; on a terminal it is asked for and not shown.",
		RunE: func(cmd *cobra.Command, args []string) error {
			draft.Kind = args[0]
			return a.with(cmd.Context(), func(c client) error { return a.addProvider(cmd.Context(), c, draft) })
		},
	}
	cmd.Flags().StringVar(&draft.Name, "name", "", "name to show")
	cmd.Flags().StringVar(&draft.BaseURL, "base-url", "", "address, where it is not the kind's own")
	return cmd
}

func (a *app) addProvider(ctx context.Context, c client, draft wire.ProviderDraft) error {
	var kinds []wire.ProviderKind
	if err := c.call(ctx, "Providers.Kinds", &kinds); err != nil {
		return err
	}
	var kind *wire.ProviderKind
	known := make([]string, 0, len(kinds))
	for i, k := range kinds {
		known = append(known, k.ID)
		if k.ID == draft.Kind {
			kind = &kinds[i]
		}
	}
	if kind == nil {
		return wire.Reject(wire.CodeInvalidProvider, "There is no kind of provider %q. The kinds are: %s.", draft.Kind, strings.Join(known, ", "))
	}
	key, err := a.readKey(kind.Name, kind.NeedsKey)
	if err != nil {
		return err
	}
	if key == "" && kind.NeedsKey {
		return wire.Reject(wire.CodeInvalidProvider, "%s needs a key on standard input. Keys are made at %s.", kind.Name, kind.KeyURL)
	}
	draft.Key = key
	var made wire.ProviderInstance
	if err := c.call(ctx, "Providers.Save", &made, draft); err != nil {
		return err
	}
	return a.print(made, func(w io.Writer) {
		fmt.Fprintf(w, "%s is set up. Try it with: mobius providers test %s\n", made.ID, made.ID)
	})
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
	return &cobra.Command{
		Use: "doctor", Short: "Check storage, key store, webview, sandbox parts and providers", Args: usage(cobra.NoArgs),
		Long: "Checks everything that Mobius needs and says what to do. It works when the database cannot be opened, too. The exit code is 1 when a check failed; warnings do not count.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withState(cmd.Context(), true, func(c client) error { return a.doctor(cmd.Context(), c) })
		},
	}
}

func (a *app) doctor(ctx context.Context, c client) error {
	var report wire.DoctorReport
	if err := c.call(ctx, "System.Doctor", &report); err != nil {
		return err
	}
	if err := a.print(report, func(w io.Writer) { fmt.Fprintln(w, strings.TrimRight(report.Text, "\n")) }); err != nil {
		return err
	}
	for _, check := range report.Checks {
		if check.Status == "error" {
			return errReported
		}
	}
	return nil
}
