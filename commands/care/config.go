package care

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// ConfigCommand returns the command pictx config.
func ConfigCommand(a *cli.Run) *cobra.Command {
	return cli.Parent("config", "Read and change settings",
		configList(a), configGet(a), configSet(a), configUnset(a), cli.Command("edit", "Edit your pictx.toml", "5", cli.NoArgs, func(ctx context.Context, _ []string) error { return editConfig(a, ctx) }), cli.Moved("path", "pictx config list"))
}

// settingView is an element of config list --json.
type settingView struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Default bool   `json:"default"` // set nowhere
	Origin  string `json:"origin"`  // the kind of place that set it
	Path    string `json:"path"`    // the path of that place
}

func jsonSetting(s config.Setting) settingView {
	return settingView{s.Key, s.Value, s.Origin.Kind == config.Default, s.Origin.Kind.String(), s.Origin.Path}
}

func configList(a *cli.Run) *cobra.Command {
	cmd := cli.Command("list", "List every setting", "", cli.NoArgs, func(_ context.Context, _ []string) error {
		s, _, err := a.Resolved()
		if err != nil {
			return err
		}
		rows, err := cli.JSONOrRows(a.Out, s.Values(), func(v *config.Setting) any { return jsonSetting(*v) }, func(v *config.Setting) []string {
			value := "= " + v.Text
			if v.Origin.Kind != config.Default { // a separate column would be pushed out of sight by the longest value
				value += "  # " + v.Origin.String()
			}
			return []string{v.Key, text.TerminalLine(value)}
		})
		cli.Table(a.Out, rows)
		for _, l := range s.Files {
			if !a.JSON {
				a.Out.Printf("# %s: %s\n", l.Kind, text.TerminalLine(l.Path))
			}
		}
		return err
	})
	return a.JSONFlag(cmd)
}

func configGet(a *cli.Run) *cobra.Command {
	cmd := cli.Command("get KEY", "Print a setting", "", cli.SomeArgs(1, 1), func(_ context.Context, args []string) error {
		s, _, err := a.Resolved()
		if err != nil {
			return err
		}
		v, err := s.Get(args[0])
		if err != nil {
			return err
		}
		return a.Out.Emit(jsonSetting(v), func(w *cli.Out) {
			said, isText := v.Value.(string)
			if !isText { // a string has no quotes, as a shell wants it
				said = v.Text
			}
			w.Printf("%s\n", text.TerminalLine(said))
		})
	})
	cmd.ValidArgsFunction = cli.CompleteKeys
	return a.JSONFlag(cmd)
}

func configSet(a *cli.Run) *cobra.Command {
	local := false
	cmd := cli.Command("set KEY VALUE", "Change a setting", "5", cli.SomeArgs(2, -1), func(_ context.Context, args []string) error {
		value := strings.Join(args[1:], ",")
		if err := workspace.OneProgram(args[0], value); err != nil {
			return err
		}
		return changeConfig(a, args[0], local, func(text []byte) ([]byte, bool, error) {
			b, err := config.Set(text, args[0], value)
			return b, true, err
		})
	})
	cmd.ValidArgsFunction = cli.CompleteKeys
	cmd.Flags().BoolVar(&local, "local", false, "write the project's file")
	return cmd
}

func configUnset(a *cli.Run) *cobra.Command {
	local := false
	cmd := cli.Command("unset KEY", "Remove a setting from its file", "3 5", cli.SomeArgs(1, 1), func(_ context.Context, args []string) error {
		return changeConfig(a, args[0], local, func(text []byte) ([]byte, bool, error) { return config.Unset(text, args[0]) })
	})
	cmd.ValidArgsFunction = cli.CompleteKeys
	cmd.Flags().BoolVar(&local, "local", false, "change the project's file")
	return cmd
}

// changeConfig edits the file that sets a key.
func changeConfig(a *cli.Run, key string, local bool, edit func([]byte) ([]byte, bool, error)) error {
	if err := a.ForPeople("change settings"); err != nil {
		return err
	}
	s, pl, err := a.Resolved()
	if err != nil {
		return err
	}
	path, err := workspace.WriteSetting(s, pl, key, local, edit)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Env.Err, "pictx: wrote %s\n", path)
	after, err := a.LoadSettings(pl)
	if err != nil {
		return err
	}
	switch v, err := after.Get(key); {
	case slices.Contains(after.PassedOver(pl), path):
		fmt.Fprintf(a.Env.Err, "pictx: warning: it does not count: the project is not trusted\nhint: %s\n", trustHint(pl, after.Config.Trust))
	case err == nil && v.Origin.Kind > config.User && v.Origin.Path != path:
		fmt.Fprintf(a.Env.Err, "pictx: warning: %s still decides %s\n", text.TerminalLine(v.Origin.String()), key)
	}
	return nil
}

// editConfig opens the user's settings in their editor.
func editConfig(a *cli.Run, ctx context.Context) error {
	if err := a.ForPeople("change settings"); err != nil {
		return err
	}
	pl, err := a.Here()
	if err != nil {
		return err
	}
	path := workspace.UserConfig(pl)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := repo.Replace(path, config.DefaultFile(), 0o600); err != nil {
			return err
		}
	}
	words := strings.Fields(cmp.Or(a.Env.Getenv("VISUAL"), a.Env.Getenv("EDITOR")))
	if len(words) == 0 {
		return exit.WithHint(exit.Failed, "EDITOR=vim pictx config edit", errors.New("open editor: neither VISUAL nor EDITOR is set"))
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.Env.In, a.Env.Out, a.Env.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("open editor: %w", err)
	}
	_, _, err = a.Resolved() // warns about mistakes in the edited file
	return err
}
