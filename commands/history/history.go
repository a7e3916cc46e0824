package history

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// Command returns the command pictx history.
func Command(a *cli.Run) *cobra.Command {
	return cli.Parent("history", "Count, check, back up and clean up the history",
		statsCommand(a), backupCommand(a), restoreCommand(a),
		purgeCommand(a), redactCommand(a), vacuumCommand(a))
}

func statsCommand(a *cli.Run) *cobra.Command {
	cmd := cli.Command("stats", "Count sessions, entries and bytes", "10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		st, _, err := a.Store(ctx, sqlite.Read)
		if err != nil {
			return err
		}
		defer st.Close()
		s, err := st.Stats(ctx)
		if err != nil {
			return err
		}
		s.Roles = append([]store.RoleCount{}, s.Roles...)
		v := statsView{st.Path(), s, text.KnownTime(s.First), text.KnownTime(s.Last)}
		return a.Out.Emit(v, func(w *cli.Out) {
			w.Printf("%s in %s, from %s to %s\n", text.Count(s.Entries, "entry"), text.Count(s.Sessions, "session"), text.LocalMinute(s.First), text.LocalMinute(s.Last))
			w.Printf("%s of %s, %s stored; %s on disk with indexes\n", text.Count(s.Texts, "text"), text.Bytes(s.TextBytes), text.Bytes(s.Stored), text.Bytes(s.FileBytes))
			for _, r := range s.Roles {
				name := r.Role
				if name == "" {
					name = "other entries"
				}
				w.Printf("  %-18s %s\n", text.TerminalLine(name), text.Thousands(int64(r.Entries)))
			}
			if s.Summaries > 0 {
				w.Printf("%s\n", text.Count(s.Summaries, "summary"))
			}
			if s.Purged > 0 {
				w.Printf("%s taken out on purpose\n", text.Count(s.Purged, "text"))
			}
		})
	})
	return a.JSONFlag(cmd)
}

// statsView is what history stats prints as JSON.
type statsView struct {
	Store string `json:"store"`
	store.Stats
	First string `json:"first"`
	Last  string `json:"last"`
}

func vacuumCommand(a *cli.Run) *cobra.Command {
	cmd := cli.Command("vacuum", "Reclaim disk space that the store no longer needs", "10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		st, err := a.ExistingStore(ctx)
		if err != nil {
			return err
		}
		defer st.Close()
		v := vacuumResult{Before: st.Size()}
		if v.Texts, err = st.Eraser.Vacuum(ctx); err != nil {
			return err
		}
		v.After = st.Size()
		return a.Out.Emit(v, func(w *cli.Out) {
			if v.Texts > 0 {
				w.Printf("deleted %s that nothing refers to\n", text.Count(v.Texts, "text"))
			}
			w.Printf("the store takes %s, before %s\n", text.Bytes(v.After), text.Bytes(v.Before))
		})
	})
	return a.JSONFlag(cmd)
}

// vacuumResult is what history vacuum prints as JSON.
type vacuumResult struct {
	Texts  int   `json:"texts"` // that were deleted
	Before int64 `json:"before_bytes"`
	After  int64 `json:"after_bytes"`
}

func backupCommand(a *cli.Run) *cobra.Command {
	all := false
	cmd := cli.Command("backup FILE", "Copy the store to a file", "5 10 11 12", cli.SomeArgs(1, 1), func(ctx context.Context, args []string) error {
		to := a.Path(args[0])
		if all {
			return a.EachStore(ctx, sqlite.Read, func(st *store.Store, key, root string) error {
				return backup(a, ctx, st, filepath.Join(to, filepath.Base(root)+"-"+key+".db"))
			})
		}
		st, _, err := a.Store(ctx, sqlite.Read)
		if err != nil {
			return err
		}
		return errors.Join(backup(a, ctx, st, to), st.Close())
	})
	cmd.Flags().BoolVar(&all, "all", false, "copy the stores of all projects into the directory FILE")
	return cmd
}

func backup(a *cli.Run, ctx context.Context, st *store.Store, to string) error {
	size, err := workspace.Backup(ctx, st, to)
	if err == nil {
		a.Out.Printf("wrote %s, %s\n", text.TerminalLine(to), text.Bytes(size))
	}
	return err
}

func restoreCommand(a *cli.Run) *cobra.Command {
	yes := false
	cmd := cli.Command("restore FILE", "Restore a backup of the store", "5 11 12", cli.SomeArgs(1, 1), func(ctx context.Context, args []string) error {
		return runRestore(a, ctx, args[0], yes)
	})
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
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
	kept, err := sqlite.Restore(ctx, from, to, a.Env.Now)
	if errors.Is(err, sqlite.ErrOlder) {
		return exit.WithHint(exit.Damaged, "pictx import", err) // a backup cannot be migrated
	} else if err != nil {
		return err
	}
	a.Out.Printf("restored %s\n", text.TerminalLine(file))
	if kept != "" {
		a.Out.Printf("the previous store is kept as %s\n", text.TerminalLine(kept))
	}
	return nil
}
