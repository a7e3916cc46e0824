package history

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/health"
	"github.com/coctostan/pictx/sqlite/store"
)

// Command returns the command pictx history.
func Command(a *cli.Run) *cobra.Command {
	return cli.Parent("history", "Count, check, back up and clean up the history",
		statsCommand(a), doctorCommand(a), backupCommand(a), restoreCommand(a),
		purgeCommand(a), redactCommand(a), vacuumCommand(a))
}

// openExisting opens the project's store, which must be there, to read or to write.
func openExisting(a *cli.Run, ctx context.Context, write bool) (*store.Store, error) {
	if write {
		return a.ExistingStore(ctx)
	}
	st, _, err := a.Store(ctx, sqlite.Read)
	return st, err
}

func statsCommand(a *cli.Run) *cobra.Command {
	cmd := cli.Command("stats", "Count sessions, entries and bytes", "10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runStats(a, ctx)
	})
	a.JSONFlag(cmd)
	return cmd
}

// statsView is what history stats prints as JSON.
type statsView struct {
	Store     string             `json:"store"`
	Sessions  int                `json:"sessions"`
	Entries   int                `json:"entries"`
	Texts     int                `json:"texts"` // distinct ones
	TextBytes int64              `json:"text_bytes"`
	Stored    int64              `json:"stored_bytes"` // of the texts after compression
	FileBytes int64              `json:"file_bytes"`
	Summaries int                `json:"summaries"`
	First     string             `json:"first"`
	Last      string             `json:"last"`
	Unindexed int                `json:"unindexed"` // texts missing from the indexes
	Purged    int                `json:"purged"`
	Roles     []health.RoleCount `json:"roles"`
}

func runStats(a *cli.Run, ctx context.Context) error {
	st, _, err := a.Store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	s, err := st.Health.Stats(ctx)
	if err != nil {
		return err
	}
	v := statsView{
		Store: st.Path(), Sessions: s.Sessions, Entries: s.Entries, Texts: s.Texts, TextBytes: s.TextBytes, Stored: s.Stored,
		FileBytes: s.FileBytes, Summaries: s.Summaries, First: text.KnownTime(s.First), Last: text.KnownTime(s.Last),
		Unindexed: s.Unindexed, Purged: s.Purged, Roles: append([]health.RoleCount{}, s.Roles...),
	}
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
		if s.Unindexed > 0 {
			w.Printf("%s not indexed: searching reads them\n", text.Count(s.Unindexed, "text"))
		}
	})
}

func vacuumCommand(a *cli.Run) *cobra.Command {
	cmd := cli.Command("vacuum", "Reclaim disk space that the store no longer needs", "10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runVacuum(a, ctx)
	})
	a.JSONFlag(cmd)
	return cmd
}

// vacuumResult is what history vacuum prints as JSON.
type vacuumResult struct {
	Texts  int   `json:"texts"` // that were deleted
	Before int64 `json:"before_bytes"`
	After  int64 `json:"after_bytes"`
}

func runVacuum(a *cli.Run, ctx context.Context) error {
	st, err := a.ExistingStore(ctx)
	if err != nil {
		return err
	}
	before, err := st.Health.Stats(ctx)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	v := vacuumResult{Before: before.FileBytes}
	if v.Texts, err = st.Eraser.Vacuum(ctx); err != nil {
		return errors.Join(err, st.Close())
	}
	after, err := st.Health.Stats(ctx)
	if err = errors.Join(err, st.Close()); err != nil {
		return err
	}
	v.After = after.FileBytes
	return a.Out.Emit(v, func(w *cli.Out) {
		if v.Texts > 0 {
			w.Printf("deleted %s that nothing refers to\n", text.Count(v.Texts, "text"))
		}
		w.Printf("the store takes %s, before %s\n", text.Bytes(v.After), text.Bytes(v.Before))
	})
}
