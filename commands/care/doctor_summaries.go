package care

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// summarizers says who would write summaries, in pi and at the shell.
func (d *doctor) summarizers() error {
	set, err := d.LoadSettings(d.Place)
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
	_, asker := d.Summarizer(set, workspace.SummarizerOptions{}, d.Place)
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
	d.leafSize(set)
	return nil
}

// modelChain names models in the order in which they are asked.
func modelChain(models []string) string {
	if len(models) > 0 && models[0] == config.NoModel {
		return "nobody"
	}
	return strings.Join(append(append([]string(nil), models...), "the session's model"), ", else ")
}

// The cost of small leaves is stated for a session with as many messages and tokens as
// long sessions of coding agents have on average.
const (
	costMessages = 100_000
	costTokens   = 350
)

// callsFor is about how many times a model is asked about costMessages. A node is
// made of as many as threshold below it, so that the nodes above n leaves come to
// n/(threshold-1).
func callsFor(leaf, threshold int) int {
	leaves := (costMessages*costTokens + leaf - 1) / leaf
	return leaves + leaves/(max(threshold, 2)-1)
}

// leafSize warns of leaves that are smaller than pictx would make them: settings of
// the extension before pictx have 4,000 tokens.
func (d *doctor) leafSize(set *workspace.Settings) {
	h := set.Config.History
	own := int(summary.LeafFor(0))
	if h.LeafChunkTokens <= 0 || h.LeafChunkTokens >= own/2 {
		return
	}
	from := ""
	if v, err := set.Get("history.leaf_chunk_tokens"); err == nil {
		from = " (" + v.Origin.String() + ")"
	}
	d.say("summaries", resultWarning, "pictx config set history.leaf_chunk_tokens 0",
		"history.leaf_chunk_tokens is %d%s: about %s for %s messages, %s with 0", h.LeafChunkTokens, from,
		text.Count(callsFor(h.LeafChunkTokens, h.CondensationThreshold), "call"), text.Thousands(costMessages),
		text.Thousands(int64(callsFor(own, h.CondensationThreshold))))
}

// extracts counts the summaries that a model is still to write.
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
