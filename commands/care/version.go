package care

import (
	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
)

// VersionCommand returns the command pictx version.
func VersionCommand(a *cli.Run) *cobra.Command {
	cmd := &cobra.Command{
		Use:    "version",
		Short:  "Show the version",
		Args:   cli.NoArgs,
		Hidden: true, // the help lists --version; here is its --json
		RunE:   func(*cobra.Command, []string) error { return PrintVersion(a) },
	}
	a.JSONFlag(cmd)
	return cmd
}

// PrintVersion prints the version and the build.
func PrintVersion(a *cli.Run) error {
	v := a.VersionInfo()
	return a.Out.Emit(v, func(w *cli.Out) {
		fts := "with full-text search"
		if !v.FullText {
			fts = "without full-text search"
		}
		w.Printf("pictx %s (%s, %s, SQLite %s %s)\n", v.Version, v.Go, v.Platform, v.SQLite, fts)
	})
}
