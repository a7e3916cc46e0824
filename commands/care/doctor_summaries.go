package care

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// summarizers reports what would write summaries, in pi and in a shell.
func (d *doctor) summarizers() error {
	set, err := d.LoadSettings(d.Project)
	if err != nil {
		return err
	}
	h := set.Config.History
	if !h.Enabled {
		d.say("summaries", resultOK, "", "the history is switched off: nothing is summarised")
		return nil
	}
	if len(h.Models) > 0 && h.Models[0] == config.NoModel && len(set.Config.Summarizer.Command) == 0 {
		d.say("summaries", resultOK, "", "no model is asked (history.models): they are extracted from the session")
		return nil
	}
	_, asker := d.Summarizer(set, workspace.SummarizerOptions{}, d.Project)
	shell, hint := "pictx compact has no model to ask and extracts summaries from the messages", "have pi on the PATH, or set summarizer.command"
	switch s := asker.(*workspace.CommandSummarizer); {
	case len(s.Argv) > 0:
		shell, hint = "pictx compact asks "+s.Argv[0], ""
		if program := s.Argv[0]; !strings.ContainsRune(program, '/') && d.LookPath(program, "") == "" {
			shell += ", which is not on the PATH"
			hint = "pictx config get summarizer.command"
		}
	case s.Pi != "":
		shell, hint = "pictx compact asks "+s.Pi, ""
	}
	inside := "pi compacts by itself"
	if h.Compact {
		inside = "in pi " + modelChain(h.Models) + " writes them"
	}
	d.say("summaries", resultOK, hint, "%s; %s", inside, shell)
	return nil
}

// modelChain describes the order in which models are asked.
func modelChain(models []string) string {
	if len(models) > 0 && models[0] == config.NoModel {
		return "nobody"
	}
	return strings.Join(append(append([]string(nil), models...), "the session's model"), ", else ")
}

// extracts counts the summaries that no model has written yet.
func (d *doctor) extracts(ctx context.Context, st *store.Store) {
	n, err := st.Summaries.Extracts(ctx)
	switch {
	case err != nil:
		d.say("summaries", resultError, d.storeHint(err), "%v", err)
	case n.Extracts > 0:
		d.say("summaries", resultOK, "pictx compact "+text.ShellWord(history.ShortSession(n.Latest)), "%s in the store, %s of them, of %s, extracted: pictx compact writes them",
			text.Count(n.Summaries, "summary"), text.Thousands(int64(n.Extracts)), text.Count(n.Sessions, "session"))
	case n.Summaries > 0:
		d.say("summaries", resultOK, "", "%s in the store", text.Count(n.Summaries, "summary"))
	}
}
