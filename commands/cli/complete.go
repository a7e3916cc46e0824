package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

// CompleteKeys completes a setting, and the values of one that has few.
func CompleteKeys(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, k := range config.Keys() {
		if len(args) == 0 {
			out = append(out, k.Name+"\t"+k.Doc)
		} else if k.Name == args[0] {
			out = append(out, k.Enum...)
			if k.Type == config.Bool {
				out = append(out, "true", "false")
			}
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// CompleteSetting completes a setting and its value, as one word.
func CompleteSetting(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	if key, _, ok := strings.Cut(typed, "="); ok {
		values, directive := CompleteKeys(cmd, []string{key}, "")
		for i, v := range values {
			values[i] = key + "=" + v
		}
		return values, directive
	}
	keys, directive := CompleteKeys(cmd, nil, "")
	for i, k := range keys {
		keys[i] = strings.Replace(k, "\t", "=\t", 1)
	}
	return keys, directive | cobra.ShellCompDirectiveNoSpace
}

// CompleteWords completes a flag with fixed words.
func (a *Run) CompleteWords(cmd *cobra.Command, flag string, words []string) {
	Complete(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// CompleteSession completes --session with the sessions of the store.
func (a *Run) CompleteSession(cmd *cobra.Command) {
	Complete(cmd, "session", a.SessionWords)
}

// How many sessions a completion gives titles, and how many bytes of each with its time.
const (
	maxTitles = 200
	maxTitle  = 80
)

// SessionWords are the sessions of the store; where one is named a file may be.
func (a *Run) SessionWords(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	st, _, err := a.Store(cmd.Context(), sqlite.Read)
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	defer st.Close()
	rows, err := st.Entries.Names(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []string
	for _, r := range rows {
		if !strings.HasPrefix(r.ID, prefix) {
			continue
		}
		title := r.Name
		if len(out) < maxTitles { // reading one costs a text
			if title, err = st.Entries.Title(cmd.Context(), r); err != nil {
				title = r.Name
			}
		}
		out = append(out, r.ID+"\t"+text.CutBytes(text.TerminalLine(text.LocalMinute(r.Started)+" "+title), maxTitle))
	}
	return out, cobra.ShellCompDirectiveDefault
}

// EntryWords are the entries whose ids begin with what was typed; without anything
// typed there are too many.
func (a *Run) EntryWords(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	const limit = 50
	if prefix == "" || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	st, _, err := a.Store(cmd.Context(), sqlite.Read)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer st.Close()
	rows, err := st.Search.Find(cmd.Context(), prefix, nil, limit)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []string
	for _, r := range rows {
		out = append(out, r.EntryID+"\t"+text.TerminalLine(text.LocalMinute(r.Time)+" "+r.Speaker()))
	}
	slices.Sort(out)
	return slices.Compact(out), cobra.ShellCompDirectiveNoFileComp
}

// CompletionCommands gives cobra's completion commands examples, and lets them refuse
// arguments as every other command does.
func CompletionCommands(root *cobra.Command) {
	parent, _, err := root.Find([]string{"completion"})
	if err != nil {
		return
	}
	parent.Example = "  source <(pictx completion bash)"
	parent.Args, parent.RunE = NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, c := range parent.Commands() {
		c.Args = NoArgs
		switch c.Name() {
		case "powershell":
			c.Example = "  pictx completion powershell | Out-String | Invoke-Expression"
		case "fish":
			c.Example = "  pictx completion fish > ~/.config/fish/completions/pictx.fish"
		default:
			c.Example = "  source <(pictx completion " + c.Name() + ")"
		}
	}
}

// Complete registers a completion. The only error is a flag that does not exist,
// which a test would find.
func Complete(cmd *cobra.Command, flag string, fn cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, fn); err != nil {
		panic(err)
	}
}
