package history

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
)

// SessionsCommand returns the command pictx sessions.
func SessionsCommand(a *cli.Run) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sessions",
		GroupID: cli.GroupHistory,
		Short:   "List the sessions of the store",
		Long: `Lists the sessions that were read into this project's store, the latest first.
Long ids are cut where they still differ; --json prints them in full, an object
a line.`,
		Example: `  pictx sessions
  pictx sessions --json | jq -r .session`,
		Annotations: cli.Exits("3 10 11 12"),
		Args:        cli.NoArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return runSessions(a, cmd.Context()) },
	}
	a.JSONFlag(cmd)
	return cmd
}

// sessionView is a line of sessions --json.
type sessionView struct {
	Session string `json:"session"`
	Name    string `json:"name"`
	CWD     string `json:"cwd"`
	File    string `json:"file"`
	Exists  bool   `json:"file_exists"`
	Parent  string `json:"parent"` // the file it was forked from
	Started string `json:"started"`
	Last    string `json:"last"`
	Entries int    `json:"entries"`
	Calls   int    `json:"calls"` // answers of the model
	Bytes   int64  `json:"bytes"`
}

func runSessions(a *cli.Run, ctx context.Context) error {
	st, _, err := a.Store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	rows, err := st.Entries.Sessions(ctx)
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		return exit.WithHint(exit.NotFound, "pictx import", errors.New("the store holds no sessions"))
	}
	if a.JSON {
		for _, r := range rows {
			if err := a.Out.Line(sessionLine(a, r)); err != nil {
				return err
			}
		}
		return nil
	}
	cells := [][]string{{"SESSION", "LAST", "CALLS", "ENTRIES", "SIZE", "NAME"}}
	short := shortIDs(rows)
	for _, r := range rows {
		name := text.TerminalLine(r.Name)
		if r.Parent != "" {
			name = text.TerminalLine(name + " (fork)")
		}
		cells = append(cells, []string{
			text.TerminalLine(short(r.ID)), text.LocalMinute(r.Last), text.Thousands(int64(r.Calls)),
			text.Thousands(int64(r.Entries)), text.Bytes(r.Bytes), name,
		})
	}
	a.Out.FittedTable(cells, 2, 3, 4)
	return nil
}

// shortIDs returns a function that shortens session ids as far as they stay distinct.
// Every command accepts the beginning of a session id.
func shortIDs(rows []entries.Session) func(string) string {
	length := 0
	for unique := false; !unique; length++ {
		unique = true
		seen := make(map[string]bool)
		for _, r := range rows {
			short := r.ID[:min(length, len(r.ID))]
			unique = unique && (!seen[short] || short == r.ID)
			seen[short] = true
		}
	}
	return func(id string) string {
		if short := history.ShortSession(id); len(short) >= length {
			return short
		}
		return id
	}
}

func sessionLine(a *cli.Run, r entries.Session) sessionView {
	return sessionView{
		Session: r.ID, Name: r.Name, CWD: r.CWD, File: r.File, Exists: a.Sources().Has(r.File), Parent: r.Parent,
		Started: text.KnownTime(r.Started), Last: text.KnownTime(r.Last), Entries: r.Entries, Calls: r.Calls, Bytes: r.Bytes,
	}
}
