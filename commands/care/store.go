package care

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

// StoreCommand returns the command pictx store.
func StoreCommand(a *cli.Run) *cobra.Command {
	return cli.Parent("store", "Manage the project's store", storePath(a), storeMigrate(a), storeAdopt(a))
}

func storePath(a *cli.Run) *cobra.Command {
	return cli.Command("path", "Print the path of the store", "", cli.NoArgs, func(_ context.Context, _ []string) error {
		pl, err := a.Here()
		if err != nil {
			return err
		}
		a.Out.Printf("%s\n", pl.StorePath())
		return nil
	})
}

func storeMigrate(a *cli.Run) *cobra.Command {
	return cli.Command("migrate", "Update the store to this version", "10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		pl, err := a.Here()
		if err != nil {
			return err
		}
		if _, err := os.Stat(pl.StorePath()); errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("migrate store: %w", sqlite.ErrNoStore)
		}
		st, _, err := a.Store(ctx, sqlite.Write)
		if err != nil {
			return err
		}
		if err := st.Close(); err != nil {
			return err
		}
		a.Out.Printf("the store is at schema %d\n", sqlite.SchemaVersion())
		return nil
	})
}

func storeAdopt(a *cli.Run) *cobra.Command {
	yes := false
	cmd := cli.Command("adopt OLD", "Adopt the store of a project that was moved", "5 10 11 12", cli.SomeArgs(1, 1), func(ctx context.Context, args []string) error {
		return runAdopt(a, ctx, args[0], yes)
	})
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func runAdopt(a *cli.Run, ctx context.Context, old string, yes bool) error {
	pl, err := a.Here()
	if err != nil {
		return err
	}
	from, err := oldStore(a, pl, old)
	if err != nil {
		return err
	}
	to := pl.StorePath()
	if from == to {
		return exit.UsageError("pictx store adopt OLD", "adopt store: it already belongs to this project")
	}
	detail := fmt.Sprintf("%s becomes %s.", from, to)
	if err := a.Confirm(ctx, yes, "Adopt the store of "+old+"?", detail); err != nil {
		return err
	}
	kept, stays, err := sqlite.Adopt(ctx, from, to, a.Env.Now)
	if errors.Is(err, sqlite.ErrOlder) {
		return exit.WithHint(exit.Damaged, "pictx import", err) // opening it would set it aside
	} else if err != nil {
		return err
	}
	st, _, err := a.Store(ctx, sqlite.Write)
	if err != nil {
		return err
	}
	err = errors.Join(st.SeenFrom(ctx, pl.Key, pl.Root), st.Close())
	if err != nil {
		return err
	}
	a.Out.Printf("adopted the store of %s\n", old)
	if kept != "" {
		a.Out.Printf("the previous store is kept as %s\n", text.TerminalLine(kept))
	}
	if stays {
		a.Warning("another process has the old store open, so it stays: "+text.TerminalLine(from), "")
	}
	return nil
}

// oldStore finds the store that the argument names: by its key, or by a directory.
func oldStore(a *cli.Run, pl workspace.Project, old string) (string, error) {
	var paths []string
	if regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(old) {
		paths = append(paths, workspace.StoreOf(pl.AgentDir, old))
	}
	p, err := workspace.FindProject(a.Path(old), pl.AgentDir)
	if err == nil {
		paths = append(paths, p.StorePath())
	}
	if left, ok := workspace.LeftProject(a.Path(old), pl.AgentDir); ok {
		paths = append(paths, left.StorePath())
	}
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	if err != nil {
		return "", err
	}
	return "", exit.WithHint(exit.NoProject, "ls "+filepath.Join(pl.AgentDir, "pictx"), fmt.Errorf("adopt store of %s: there is none", old))
}

// VersionCommand returns the command pictx version.
func VersionCommand(a *cli.Run) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "version",
		Short:  "Show the version",
		Args:   cli.NoArgs,
		Hidden: true, // the help lists --version; here is its --json
		RunE:   func(*cobra.Command, []string) error { return PrintVersion(a) },
	}
	return a.JSONFlag(cmd)
}

// PrintVersion prints the version and the build.
func PrintVersion(a *cli.Run) error {
	v := a.VersionInfo()
	return a.Out.Emit(v, func(w *cli.Out) {
		w.Printf("pictx %s (%s, %s, SQLite %s %s)\n", v.Version, v.Go, v.Platform, v.SQLite, v.Driver)
	})
}
