package history

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

type importOptions struct {
	all    bool
	dryRun bool
}

// ImportCommand returns the command pictx import.
func ImportCommand(a *cli.Run) *cobra.Command {
	var o importOptions
	cmd := cli.Command("import [FILE|DIR]...", "Import session files into the store", "3 4 5 11 12 130", cobra.ArbitraryArgs, func(ctx context.Context, args []string) error {
		return runImport(a, ctx, o, args)
	})
	cmd.ValidArgsFunction = cobra.FixedCompletions([]string{"jsonl"}, cobra.ShellCompDirectiveFilterFileExt)
	cmd.Flags().BoolVar(&o.all, "all", false, "read the sessions of every project, each into its own store")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "read and count, but store nothing")
	return a.JSONFlag(cmd)
}

func runImport(a *cli.Run, ctx context.Context, o importOptions, args []string) error {
	set, pl, err := a.Resolved()
	if err != nil {
		return err
	}
	if !set.Config.History.Enabled {
		return exit.WithHint(exit.Refused, "pictx config set history.enabled true", errors.New("import sessions: history is switched off"))
	}
	if len(args) > 0 && o.all {
		return exit.UsageError("pictx import --help", "--all takes no files")
	}
	m := workspace.NewImport(a.Workspace, pl, o.dryRun)
	m.Ignore = set.Config.History.Ignore
	if err := importSessions(a, ctx, m, o.all, args); err != nil {
		return err
	}
	if err := a.Out.Emit(&m.Sum, func(w *cli.Out) { printImport(w, &m.Sum) }); err != nil {
		return err
	}
	return importVerdict(a, m.Project, o, &m.Sum)
}

// importSessions imports session files and shows the progress.
func importSessions(a *cli.Run, ctx context.Context, m *workspace.Import, all bool, args []string) error {
	found, err := m.Find(all, args)
	if err != nil {
		return err
	}
	jobs := m.Jobs(found)
	var total int64
	for _, j := range jobs {
		total += j.Size
	}
	bar := a.Progress("reading", total)
	defer bar.End()
	m.Progress = bar.Add
	return m.Run(ctx, jobs)
}

// importVerdict prints the problems of an import, and returns its exit code as an error.
func importVerdict(a *cli.Run, pl workspace.Project, o importOptions, sum *workspace.ImportSummary) error {
	bad, whole := false, 0
	for _, p := range sum.Problems {
		bad = bad || !p.Torn
		if p.Line == 0 {
			whole++
		}
		if p.Torn || !a.JSON { // errors are in the document
			kind, place := "error", ""
			if p.Torn {
				kind = "warning"
			}
			if p.Line > 0 {
				place = fmt.Sprintf("%s: line %d: ", p.File, p.Line)
			}
			fmt.Fprintf(a.Env.Err, "pictx: %s: %s%s\n", kind, place, text.Printable(p.Cause))
		}
	}
	switch {
	case whole > 0 && whole == sum.Files:
		return exit.Silent(exit.Failed)
	case bad:
		return exit.Silent(exit.Partly)
	case sum.Files == 0 && sum.Ignored == 0:
		return workspace.NoSessions(a.Workspace, pl, o.all, "pictx import --all")
	}
	return nil
}

// printImport prints the counts of an import.
func printImport(w *cli.Out, s *workspace.ImportSummary) {
	if s.Files == 0 && s.Ignored == 0 {
		return // the error that follows says so
	}
	verb := map[bool]string{false: "added", true: "would add"}[s.DryRun]
	w.Printf("%s %s from %s (%s read, %s unchanged)\n", verb, text.Count(s.Added, "entry"),
		text.Count(s.Files, "session file"), text.Bytes(s.Bytes), text.Thousands(int64(s.Unchanged)))
	if s.Ignored > 0 {
		w.Printf("%s left out by history.ignore\n", text.Count(s.Ignored, "session file"))
	}
}
