package commands

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/internal/must"
)

// endless are the commands and flags that run until they are interrupted.
var endless = []string{"pictx object watch", "pictx log --follow", "pictx hook --serve"}

// lines returns command lines with each flag of a command: with an odd value, and with one that
// nothing takes.
func lines(cmd *cobra.Command) [][]string {
	path := strings.Fields(cmd.CommandPath())[1:]
	for range placeholder.FindAllString(cmd.Use, -1) {
		path = append(path, "zebra")
	}
	path = path[:len(path):len(path)]
	all := [][]string{path}
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		flag := "--" + f.Name
		switch f.Value.Type() {
		case "bool":
			all = append(all, append(path, flag))
		case "int":
			all = append(all, append(path, flag+"=-3"), append(path, flag+"=many"))
		case "duration":
			all = append(all, append(path, flag+"=-3s"), append(path, flag+"=soon"))
		default:
			all = append(all, append(path, flag+"="), append(path, flag+"=no such\x1b[31m"))
		}
	})
	return all
}

// Where there is no project yet, every command with each of its flags ends with one of the
// exit codes in its help, says why it failed, and what it says is safe for a terminal.
func TestEveryFlagEndsWithADocumentedExitCode(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: there are hundreds of them")
	}
	t.Parallel()
	seen := 0
	runnable(Root(&cli.Env{}), func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		documented := []string{"0", "1", "2"}
		documented = append(documented, strings.Fields(cmd.Annotations["exit"])...)
		for _, line := range lines(cmd) {
			if slices.ContainsFunc(endless, func(e string) bool { return strings.HasPrefix("pictx "+strings.Join(line, " "), e) }) {
				continue
			}
			seen++
			switch s := runIn(t.Context(), t.TempDir(), line...); {
			case !slices.Contains(documented, fmt.Sprint(s.code)):
				t.Errorf("pictx %q: exit code %d is not in its help: %s", line, s.code, s.errs)
			case strings.Contains(s.errs, "internal error"), strings.ContainsRune(s.errs, '\x1b'):
				t.Errorf("pictx %q: %q", line, s.errs)
			case s.code > 1 && s.errs+s.out == "":
				t.Errorf("pictx %q: exit code %d, and nothing says why", line, s.code)
			}
		}
	})
	must.Not(t, seen < 300, "only %d command lines were run", seen)
}
