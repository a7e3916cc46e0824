package cli

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// CompleteKeys completes the name of a setting, or its value if there are few.
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

// CompleteSetting completes a setting up to its value, key=.
func CompleteSetting(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
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

// How many sessions get a title in a completion, and its maximum length with the time in bytes.
const (
	maxTitles = 200
	maxTitle  = 80
)

// SessionWords completes the id of a session in the store, or the name of a file.
func (a *Run) SessionWords(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
	return a.storedWords(cmd, func(st *store.Store) (out []string, err error) {
		rows, err := st.Entries.Names(cmd.Context())
		for _, r := range rows {
			if !strings.HasPrefix(r.ID, prefix) || text.TerminalLine(r.ID) != r.ID {
				continue
			}
			title := r.Name
			if len(out) < maxTitles { // each title has to be read and decompressed
				if first, err := st.Entries.Title(cmd.Context(), r.ID); err == nil {
					title = first
				}
			}
			out = append(out, r.ID+"\t"+text.CutBytes(text.TerminalLine(text.LocalMinute(r.Started)+" "+title), maxTitle))
		}
		return out, err
	}), cobra.ShellCompDirectiveDefault
}

// EntryWords completes the id of an entry once something is typed; before, there are too
// many.
func (a *Run) EntryWords(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	const limit = 50
	if prefix == "" || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.storedWords(cmd, func(st *store.Store) (out []string, err error) {
		rows, err := st.Search.Find(cmd.Context(), prefix, nil, limit)
		for _, r := range rows {
			if text.TerminalLine(r.EntryID) == r.EntryID { // a shell prints it
				out = append(out, r.EntryID+"\t"+text.TerminalLine(text.LocalMinute(r.Time)+" "+r.Speaker()))
			}
		}
		slices.Sort(out)
		return slices.Compact(out), err
	}), cobra.ShellCompDirectiveNoFileComp
}

// storedWords returns the words that read finds in the store, none when it cannot be read.
func (a *Run) storedWords(cmd *cobra.Command, read func(*store.Store) ([]string, error)) []string {
	st, _, err := a.Store(cmd.Context(), sqlite.Read)
	if err != nil {
		return nil
	}
	defer st.Close()
	words, err := read(st)
	if err != nil {
		return nil
	}
	return words
}

// CompletionCommands adds examples to cobra's completion commands, and makes them reject
// arguments like every other command.
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
		case "bash":
			c.Example = "  source <(pictx completion bash)"
			c.RunE = func(cmd *cobra.Command, _ []string) error {
				plain, err := cmd.Flags().GetBool("no-descriptions")
				return errors.Join(err, BashCompletion(root, cmd.OutOrStdout(), !plain))
			}
		case "powershell":
			c.Example = "  pictx completion powershell | Out-String | Invoke-Expression"
		case "fish":
			c.Example = "  pictx completion fish > ~/.config/fish/completions/pictx.fish"
		default:
			c.Example = "  source <(pictx completion " + c.Name() + ")"
		}
	}
}

// withoutPackage replaces what cobra's script calls from the package bash-completion, without
// which it completes nothing and says nothing. It splits the line as that package does for
// "-n =:": bash breaks words at = and :, which are joined again.
const withoutPackage = `    if declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
        _get_comp_words_by_ref "$@" cur prev words cword
        return
    fi
    local i
    words=()
    cword=0
    for ((i = 0; i <= COMP_CWORD; i++)); do
        if ((i > 1)) && [[ ${COMP_WORDS[i]} == [=:]* || ${COMP_WORDS[i - 1]} == *[=:] ]]; then
            words[cword]+=${COMP_WORDS[i]}
        else
            cword=${#words[@]}
            words[cword]=${COMP_WORDS[i]}
        fi
    done
    cur=${words[cword]}
    prev=${words[cword > 0 ? cword - 1 : 0]}
`

// BashCompletion writes the completion script for bash, which needs no other package.
func BashCompletion(root *cobra.Command, w io.Writer, descriptions bool) error {
	var script strings.Builder
	if err := root.GenBashCompletionV2(&script, descriptions); err != nil {
		return err
	}
	call := "    _get_comp_words_by_ref \"$@\" cur prev words cword\n"
	_, err := io.WriteString(w, strings.Replace(script.String(), call, withoutPackage, 1))
	return err
}

// Complete registers a completion. It panics if the flag does not exist, which tests would
// find.
func Complete(cmd *cobra.Command, flag string, fn cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, fn); err != nil {
		panic(err)
	}
}
