package browse

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
)

// Command returns the command pictx browse.
func Command(a *cli.Run) *cobra.Command {
	all := false
	cmd := cli.Command("browse [WORDS]...", "Search and read sessions on a full screen", "4 5 10 11 12", cobra.ArbitraryArgs, func(ctx context.Context, args []string) error {
		return run(a, ctx, all, args)
	})
	cmd.Flags().BoolVar(&all, "all", false, "browse the sessions of every project")
	return cmd
}

func run(a *cli.Run, ctx context.Context, all bool, words []string) error {
	if !a.Env.InTerminal || !a.Env.OutTerminal || a.Env.Getenv("TERM") == "dumb" || a.Env.Getenv("ACCESSIBLE") != "" {
		return exit.UsageError("pictx sessions", "browse sessions: this needs a terminal that can draw a full screen; pictx sessions, grep and expand do the same as text")
	}
	lib, err := openLibrary(a, ctx, all)
	if err != nil {
		return err
	}
	defer lib.stores.Close()
	environ := a.Env.Environ
	if !a.Out.Color {
		environ = append(environ[:len(environ):len(environ)], "NO_COLOR=1")
	}
	_, err = tea.NewProgram(newModel(ctx, lib, words),
		tea.WithContext(ctx), tea.WithInput(a.Env.In), tea.WithOutput(a.Env.Out), tea.WithEnvironment(environ), tea.WithoutSignalHandler(),
	).Run()
	switch {
	case errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("browse sessions: %w", err)
	}
	return nil
}
