package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/text"
)

func (a *app) configCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "config",
		GroupID: groupCare,
		Short:   "Read and change settings",
		Long: `Settings come from, later wins: the built-in default, pi's settings.json with the
names of the original extensions, the user's pictx.toml, the same two files of a
project that pi trusts, environment variables, and -c key=value. A project can
switch off what the user has on, never on what the user has off.

pictx help config lists every setting.`,
		Example: `  pictx config list --origin
  pictx config set prune.seed.minimum 10000`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, c := range []*cobra.Command{a.configList(), a.configGet(), a.configSet(), a.configUnset(), a.configPath(), a.configEdit()} {
		cmd.AddCommand(c)
	}
	return cmd
}

// settingJSON is a line of config list --json.
type settingJSON struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Default bool   `json:"default"` // nothing set it
	Origin  string `json:"origin"`  // the kind of place that did
	Path    string `json:"path"`    // that place
}

func jsonSetting(s config.Setting) settingJSON {
	return settingJSON{s.Key, s.Value, s.Default, s.Origin.Kind.String(), s.Origin.Path}
}

func (a *app) resolved() (*settings, place, error) {
	pl, err := a.place()
	if err != nil {
		return nil, pl, err
	}
	s, err := a.loadSettings(pl)
	if err != nil {
		return nil, pl, err
	}
	a.warn(s)
	return s, pl, nil
}

func (a *app) configList() *cobra.Command {
	origin := false
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List every setting",
		Long:    "Lists every setting with its value. With --json an object a line.",
		Example: "  pictx config list --origin",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			s, _, err := a.resolved()
			if err != nil {
				return err
			}
			var rows [][]string
			for _, v := range s.Values() {
				if a.json {
					if err := a.out.line(jsonSetting(v)); err != nil {
						return err
					}
					continue
				}
				row := []string{v.Key, "= " + text.TerminalLine(v.Text)}
				if origin {
					row = append(row, "# "+text.TerminalLine(v.Origin.String()))
				}
				rows = append(rows, row)
			}
			table(a.out, rows)
			return nil
		},
	}
	cmd.Flags().BoolVar(&origin, "origin", false, "say where each value comes from")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) configGet() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "get KEY",
		Short:             "Print a setting",
		Long:              "Prints the value that is in force.",
		Example:           "  pictx config get prune.mode",
		Args:              someArgs(1, 1),
		ValidArgsFunction: completeKeys,
		RunE: func(_ *cobra.Command, args []string) error {
			s, _, err := a.resolved()
			if err != nil {
				return err
			}
			v, err := s.Get(args[0])
			if err != nil {
				return err
			}
			return a.out.emit(jsonSetting(v), func(w *out) { w.printf("%s\n", plainValue(v)) })
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

// plainValue is a value as a shell wants it: a word without quotes.
func plainValue(s config.Setting) string {
	if body, ok := s.Value.(string); ok {
		return text.TerminalLine(body)
	}
	return text.TerminalLine(s.Text)
}

func (a *app) configSet() *cobra.Command {
	local := false
	cmd := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Change a setting",
		Long: `Writes a setting into the file that decides it now, else into the user's
pictx.toml, and says which file that was. Everything else in the file stays as
it is, comments included.`,
		Example: `  pictx config set prune.mode off
  pictx config set prune.seed.protected_tools bash,grep
  pictx config set --local prune.enabled false`,
		Annotations:       exits("5"),
		Args:              someArgs(2, -1),
		ValidArgsFunction: completeKeys,
		RunE: func(_ *cobra.Command, args []string) error {
			value := strings.Join(args[1:], ",")
			return a.changeConfig(args[0], local, func(text []byte) ([]byte, bool, error) {
				b, err := config.Set(text, args[0], value)
				return b, true, err
			})
		},
	}
	cmd.Flags().BoolVar(&local, "local", false, "write the project's file")
	return cmd
}

func (a *app) configUnset() *cobra.Command {
	local := false
	cmd := &cobra.Command{
		Use:               "unset KEY",
		Short:             "Take a setting out of its file",
		Long:              "Takes a setting out of the pictx.toml that holds it. Everything else in the file\nstays as it is.",
		Example:           "  pictx config unset prune.mode",
		Annotations:       exits("3 5"),
		Args:              someArgs(1, 1),
		ValidArgsFunction: completeKeys,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.changeConfig(args[0], local, func(text []byte) ([]byte, bool, error) {
				return config.Unset(text, args[0])
			})
		},
	}
	cmd.Flags().BoolVar(&local, "local", false, "change the project's file")
	return cmd
}

// changeConfig edits the file that decides a key.
func (a *app) changeConfig(key string, local bool, edit func([]byte) ([]byte, bool, error)) error {
	if a.env.agent() {
		return withHint(exitRefused, "ask the user to run it", errors.New("change settings: that is for a person to decide"))
	}
	s, pl, err := a.resolved()
	if err != nil {
		return err
	}
	path, blocked, err := writeSetting(s, pl, key, local, edit)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.env.Err, "pictx: wrote %s\n", path)
	for _, o := range blocked {
		fmt.Fprintf(a.env.Err, "pictx: warning: %s still decides %s\n", text.TerminalLine(o.String()), key)
	}
	if s, err := a.loadSettings(pl); err == nil && slices.Contains(s.passedOver(pl), path) {
		fmt.Fprintf(a.env.Err, "pictx: warning: it does not count: the project is not trusted\nhint: %s\n", trustHint(pl, s.Config.Trust))
	}
	return nil
}

// writeSetting edits the file that decides a key, and returns it, with what
// decides the key all the same.
func writeSetting(s *settings, pl place, key string, local bool, edit func([]byte) ([]byte, bool, error)) (string, []config.Origin, error) {
	path, blocked, err := configTarget(s, pl, key, local)
	if err != nil {
		return "", nil, err
	}
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", nil, fmt.Errorf("read settings: %w", err)
	}
	changed, had, err := edit(old)
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
	}
	if !had {
		return "", nil, withHint(exitNotFound, "pictx config list --origin", fmt.Errorf("unset %s: %s does not set it", key, path))
	}
	return path, blocked, s.write(pl, path, changed, 0o600)
}

// configTarget is the file to change.
func configTarget(s *settings, pl place, key string, local bool) (string, []config.Origin, error) {
	t, err := s.Target(key)
	var unknown *config.UnknownKeyError
	if errors.As(err, &unknown) && local {
		return projectConfig(pl), nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	if local {
		for _, k := range config.Keys() {
			if k.Name == key && k.UserOnly {
				return "", nil, usageError("pictx config set "+key+" VALUE", "set %s: only the user's own file may set it", key)
			}
		}
		return projectConfig(pl), t.Blocked, nil
	}
	if t.Path == "" {
		return userConfig(pl), t.Blocked, nil
	}
	return t.Path, t.Blocked, nil
}

func (a *app) configPath() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "path",
		Short:   "Print where the configuration files are",
		Long:    "Prints every configuration file that is read, the one that wins last, and\nwhether it exists. With --json an object a line.",
		Example: "  pictx config path",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			s, _, err := a.resolved()
			if err != nil {
				return err
			}
			for _, l := range s.files {
				_, serr := os.Stat(l.Path)
				v := struct {
					Kind   string `json:"kind"`
					Path   string `json:"path"`
					Exists bool   `json:"exists"`
				}{l.Kind.String(), l.Path, serr == nil}
				err := a.out.emit(v, func(w *out) {
					w.printf("%s", l.Path)
					if serr != nil {
						w.printf("  # not there")
					}
					w.printf("\n")
				})
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) configEdit() *cobra.Command {
	return &cobra.Command{
		Use:         "edit",
		Short:       "Open the user's pictx.toml in your editor",
		Long:        "Opens the user's pictx.toml in $VISUAL or $EDITOR. A file that does not exist is\nmade first, with every setting and its default in it, commented out.",
		Example:     "  EDITOR=vim pictx config edit",
		Annotations: exits("5"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.editConfig(cmd.Context()) },
	}
}

func (a *app) editConfig(ctx context.Context) error {
	if a.env.agent() {
		return withHint(exitRefused, "ask the user to run it", errors.New("change settings: that is for a person to decide"))
	}
	pl, err := a.place()
	if err != nil {
		return err
	}
	path := userConfig(pl)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		if err := writeFile(path, config.DefaultFile(), 0o600); err != nil {
			return err
		}
	}
	editor := a.env.Getenv("VISUAL")
	if editor == "" {
		editor = a.env.Getenv("EDITOR")
	}
	words := strings.Fields(editor)
	if len(words) == 0 {
		return withHint(exitFailed, "EDITOR=vim pictx config edit", errors.New("open editor: neither VISUAL nor EDITOR is set"))
	}
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.env.In, a.env.Out, a.env.Err
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("open editor: %w", err)
	}
	_, _, err = a.resolved() // warns of what is wrong now
	return err
}
