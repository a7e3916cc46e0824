package history

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

func backupCommand(a *cli.Run) *cobra.Command {
	cmd := cli.Command("backup FILE", "Copy the store to a file", "5 10 11 12", cli.SomeArgs(1, 1), func(ctx context.Context, args []string) error {
		return runBackup(a, ctx, args[0])
	})
	a.JSONFlag(cmd)
	return cmd
}

// backupResult is what history backup prints as JSON.
type backupResult struct {
	File  string `json:"file"`
	Bytes int64  `json:"bytes"`
}

func runBackup(a *cli.Run, ctx context.Context, file string) error {
	to := a.Path(file)
	if _, err := os.Lstat(to); err == nil {
		return exit.WithHint(exit.Refused, "pictx history backup ANOTHER", fmt.Errorf("back up store: %s already exists", file))
	}
	st, _, err := a.Store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	if err = errors.Join(st.Backup(ctx, to), st.Close()); err != nil {
		return err
	}
	info, err := os.Stat(to)
	if err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	v := backupResult{to, info.Size()}
	return a.Out.Emit(v, func(w *cli.Out) { w.Printf("wrote %s, %s\n", text.TerminalLine(v.File), text.Bytes(v.Bytes)) })
}

func restoreCommand(a *cli.Run) *cobra.Command {
	yes := false
	cmd := cli.Command("restore FILE", "Restore a backup of the store", "5 11 12", cli.SomeArgs(1, 1), func(ctx context.Context, args []string) error {
		return runRestore(a, ctx, args[0], yes)
	})
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	a.JSONFlag(cmd)
	return cmd
}

// restoreResult is what history restore prints as JSON.
type restoreResult struct {
	Store string `json:"store"`
	Kept  string `json:"kept"` // the path of the previous store, "" if there was none
}

func runRestore(a *cli.Run, ctx context.Context, file string, yes bool) error {
	pl, err := a.Here()
	if err != nil {
		return err
	}
	from, to := a.Path(file), pl.StorePath()
	if !workspace.IsFile(from) {
		return fmt.Errorf("restore store: %w", &os.PathError{Op: "open", Path: file, Err: os.ErrNotExist})
	}
	detail := fmt.Sprintf("%s becomes %s.", from, to)
	if workspace.IsFile(to) {
		detail += " The current store is kept beside it."
	}
	if err := a.Confirm(ctx, yes, "Restore "+file+"?", detail); err != nil {
		return err
	}
	v := restoreResult{Store: to}
	if v.Kept, err = sqlite.Restore(ctx, from, to, a.Env.Now); errors.Is(err, sqlite.ErrOlder) {
		return exit.WithHint(exit.Damaged, "pictx import", err) // a backup cannot be migrated
	} else if err != nil {
		return err
	}
	return a.Out.Emit(v, func(w *cli.Out) {
		w.Printf("restored %s\n", text.TerminalLine(file))
		if v.Kept != "" {
			w.Printf("the previous store is kept as %s\n", text.TerminalLine(v.Kept))
		}
	})
}
