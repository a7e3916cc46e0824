package care

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// summarizers reports what would write summaries, in pi and in a shell.
func (d *doctor) summarizers() {
	set, h := d.set, d.set.Config.History
	if !h.Enabled {
		d.say("summaries", resultOK, "", "the history is switched off: nothing is summarised")
		return
	}
	none := len(h.Models) > 0 && h.Models[0] == config.NoModel
	if none && len(set.Config.Summarizer.Command) == 0 {
		d.say("summaries", resultOK, "", "no model is asked (history.models): they are extracted from the session")
		return
	}
	inside := "in pi " + strings.Join(append(slices.Clone(h.Models), "the session's model"), ", else ") + " writes them"
	switch {
	case !h.Compact:
		inside = "pi compacts by itself"
	case none:
		inside = "in pi nobody writes them"
	}
	_, asker := d.Summarizer(set, workspace.SummarizerOptions{}, d.Project)
	s := asker.(*workspace.CommandSummarizer)
	program := append(slices.Clone(s.Argv), s.Pi)[0]
	shell, hint := "pictx compact asks "+program, ""
	if program == "" {
		shell, hint = "pictx compact has no model to ask and extracts summaries from the messages", "have pi on the PATH, or set summarizer.command"
	} else if program != s.Pi && !strings.ContainsRune(program, '/') && d.LookPath(program, "") == "" {
		shell, hint = shell+", which is not on the PATH", "pictx config get summarizer.command"
	}
	d.say("summaries", resultOK, hint, "%s; %s", inside, shell)
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

// history checks the parts of the store against each other. With --fix it repairs what can be
// repaired, after copying the store.
func (d *doctor) history(ctx context.Context, st *store.Store) {
	if d.quick {
		return
	}
	found, err := examine(ctx, st)
	if err == nil && d.fix && slices.ContainsFunc(found, store.Finding.Mendable) {
		var copied string
		if copied, err = st.Repair(ctx, found); err == nil {
			d.say("history", resultOK, "", "the store as it was is kept as %s", copied).Fixed = true
			found, err = examine(ctx, st)
		}
	}
	switch {
	case err != nil:
		d.say("history", resultError, d.storeHint(err), "%v", err)
	case len(found) == 0:
		d.say("history", resultOK, "", "whole")
	}
	for _, f := range found {
		if f.Remedy == "" { // nothing can be done about it; everything else works
			d.say("history", resultWarning, "", "%s: %s", text.Thousands(int64(f.Count)), f.Name)
		} else {
			d.say("history", resultError, f.Remedy, "%s: %s", text.Thousands(int64(f.Count)), f.Name)
		}
	}
}

// examine returns what is wrong with the history, its objects and its summaries.
func examine(ctx context.Context, st *store.Store) ([]store.Finding, error) {
	found, err := st.Examine(ctx)
	if err != nil {
		return nil, err
	}
	damaged, err := st.Objects.Verify(ctx)
	if err != nil {
		return nil, err
	}
	for _, what := range damaged {
		found = append(found, store.Finding{Name: what, Count: 1, Remedy: "pictx history purge --help"})
	}
	sessions, err := st.Summaries.Sessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range sessions {
		gaps, err := summary.Examine(ctx, st.Summaries, id)
		if err != nil {
			return nil, fmt.Errorf("examine session %s: %w", id, err)
		}
		if gaps > 0 {
			found = append(found, store.Finding{
				Name: "messages between summaries that none of them covers, in session " + id, Count: gaps, Remedy: "pictx compact " + text.ShellWord(id),
			})
		}
	}
	return found, nil
}
