package commands

import (
	"io/fs"
	"path"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/must"
)

func TestEveryHelpTextBelongsToACommand(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(helpTexts, "help/*.txt")
	must.Stop(t, err != nil || len(files) == 0, "%d help texts, %v", len(files), err)
	left := make(map[string]bool)
	for _, f := range files {
		left[strings.TrimSuffix(path.Base(f), ".txt")] = true
	}
	walk(Root(&cli.Env{}), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(strings.ReplaceAll(cmd.CommandPath(), " ", "-"), "pictx-")
		delete(left, name)
	})
	for name := range left {
		t.Errorf("help/%s.txt belongs to no command", name)
	}
}

func TestAFlagOfEveryCommandMeansTheSameInEach(t *testing.T) {
	t.Parallel()
	// pi-decision-memory gave this one its name, and its users know it.
	inherited := map[string]bool{"pictx decision enable": true, "pictx decision disable": true}
	root := Root(&cli.Env{})
	walk(root, func(cmd *cobra.Command) {
		if inherited[cmd.CommandPath()] {
			return
		}
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			global := root.PersistentFlags().Lookup(f.Name)
			if global != nil && (f.Usage != global.Usage || f.Value.Type() != global.Value.Type()) {
				t.Errorf("%s: --%s is %q, everywhere else %q", cmd.CommandPath(), f.Name, f.Usage, global.Usage)
			}
		})
	})
}
