package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

func (a *app) historyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "history",
		GroupID: groupHistory,
		Short:   "Look after what is kept of your sessions",
		Long: `Counts, checks, copies and cleans the history in this project's store. pictx help
storage says what is in it and what can be made again from pi's session files.`,
		Example: "  pictx history stats\n  pictx history backup ~/shop-history.db",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range []*cobra.Command{
		a.historyStats(), a.historyDoctor(), a.historyBackup(), a.historyRestore(),
		a.historyPurge(), a.historyRedact(), a.historyVacuum(),
	} {
		cmd.AddCommand(c)
	}
	return cmd
}

func (a *app) historyStats() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Count what is kept",
		Long: `Counts the sessions, entries and texts of this project's store, how much room they
take, and what the indexes lack still.`,
		Example:     "  pictx history stats\n  pictx history stats --json | jq .entries",
		Annotations: exits("10 11 12"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runHistoryStats(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// historyStatsJSON is what history stats prints as JSON.
type historyStatsJSON struct {
	Store     string             `json:"store"`
	Sessions  int                `json:"sessions"`
	Entries   int                `json:"entries"`
	Texts     int                `json:"texts"` // different ones
	TextBytes int64              `json:"text_bytes"`
	Stored    int64              `json:"stored_bytes"` // of the texts, compressed
	FileBytes int64              `json:"file_bytes"`
	Summaries int                `json:"summaries"`
	First     string             `json:"first"`
	Last      string             `json:"last"`
	Unindexed int                `json:"unindexed"` // texts that the index of words lacks
	Underived int                `json:"underived"` // entries that the indexes of parts of words lack
	Purged    int                `json:"purged"`
	Roles     []sqlite.RoleCount `json:"roles"`
}

func (a *app) runHistoryStats(ctx context.Context) error {
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	s, err := st.Stats(ctx)
	if err != nil {
		return err
	}
	v := historyStatsJSON{
		Store: st.Path(), Sessions: s.Sessions, Entries: s.Entries, Texts: s.Texts, TextBytes: s.TextBytes, Stored: s.Stored,
		FileBytes: s.FileBytes, Summaries: s.Summaries, First: text.KnownTime(s.First), Last: text.KnownTime(s.Last),
		Unindexed: s.Unindexed, Underived: s.Underived, Purged: s.Purged, Roles: append([]sqlite.RoleCount{}, s.Roles...),
	}
	return a.out.emit(v, func(w *out) {
		w.printf("%s in %s, from %s to %s\n", text.Count(s.Entries, "entry"), text.Count(s.Sessions, "session"), text.LocalMinute(s.First), text.LocalMinute(s.Last))
		w.printf("%s of %s, %s stored; %s on disk with indexes\n", text.Count(s.Texts, "text"), text.Bytes(s.TextBytes), text.Bytes(s.Stored), text.Bytes(s.FileBytes))
		for _, r := range s.Roles {
			name := r.Role
			if name == "" {
				name = "other entries"
			}
			w.printf("  %-18s %s\n", text.TerminalLine(name), text.Thousands(int64(r.Entries)))
		}
		if s.Summaries > 0 {
			w.printf("%s\n", text.Count(s.Summaries, "summary"))
		}
		if s.Purged > 0 {
			w.printf("%s taken out on purpose\n", text.Count(s.Purged, "text"))
		}
		if s.Unindexed > 0 {
			w.printf("%s not indexed: searching reads them\n", text.Count(s.Unindexed, "text"))
		}
		if s.Underived > 0 {
			w.printf("%s not indexed by parts of words yet: pictx store migrate\n", text.Count(s.Underived, "entry"))
		}
	})
}

// existing is the file of this project's store, which must be there: a command that
// cares for the history does not make one.
func (a *app) existing() (string, error) {
	pl, err := a.place()
	if err != nil {
		return "", err
	}
	path := pl.StorePath(pl.agentDir)
	if !isFile(path) {
		return "", fmt.Errorf("open store %s: %w", path, sqlite.ErrNoStore)
	}
	return path, nil
}

func (a *app) historyVacuum() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "vacuum",
		Short: "Give back the room that the store no longer needs",
		Long: `Deletes texts that nothing refers to any more, merges the indexes and writes the
database anew without free space. It needs as much free space as the database takes.`,
		Example:     "  pictx history vacuum",
		Annotations: exits("10 11 12"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runHistoryVacuum(cmd.Context()) },
	}
	a.jsonFlag(cmd)
	return cmd
}

// historyVacuumJSON is what history vacuum prints as JSON.
type historyVacuumJSON struct {
	Texts  int   `json:"texts"` // that went
	Before int64 `json:"before_bytes"`
	After  int64 `json:"after_bytes"`
}

func (a *app) runHistoryVacuum(ctx context.Context) error {
	if _, err := a.existing(); err != nil {
		return err
	}
	st, _, err := a.store(ctx, sqlite.Write)
	if err != nil {
		return err
	}
	before, err := st.Stats(ctx)
	if err != nil {
		return errors.Join(err, st.Close())
	}
	v := historyVacuumJSON{Before: before.FileBytes}
	if v.Texts, err = st.Vacuum(ctx); err != nil {
		return errors.Join(err, st.Close())
	}
	after, err := st.Stats(ctx)
	if err = errors.Join(err, st.Close()); err != nil {
		return err
	}
	v.After = after.FileBytes
	return a.out.emit(v, func(w *out) {
		if v.Texts > 0 {
			w.printf("deleted %s that nothing refers to\n", text.Count(v.Texts, "text"))
		}
		w.printf("the store takes %s, before %s\n", text.Bytes(v.After), text.Bytes(v.Before))
	})
}
