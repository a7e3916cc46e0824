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

// summarizers reports what would write summaries, in pi and in a shell.
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

// modelChain describes the order in which models are asked.
func modelChain(models []string) string {
	if len(models) > 0 && models[0] == config.NoModel {
		return "nobody"
	}
	return strings.Join(append(append([]string(nil), models...), "the session's model"), ", else ")
}

// The cost of small leaves is given for a session of costMessages messages with costTokens
// tokens each, which is their average in long sessions of coding agents.
const (
	costMessages = 100_000
	costTokens   = 350
)

// callsFor returns about how many requests costMessages messages take. A node is made of
// threshold nodes below it, so there are n/(threshold-1) nodes above n leaves.
func callsFor(leaf, threshold int) int {
	leaves := (costMessages*costTokens + leaf - 1) / leaf
	return leaves + leaves/(max(threshold, 2)-1)
}

// leafSize warns of leaves that are much smaller than pictx would make them. Settings of
// pi-lcm have 4,000 tokens.
func (d *doctor) leafSize(set *workspace.Settings) {
	h := set.Config.History
	own := int(summary.LeafFor(0))
	if h.LeafChunkTokens <= 0 || h.LeafChunkTokens >= own/2 {
		return
	}
	from := ""
	if v, err := set.Get("lcm.leafChunkTokens"); err == nil {
		from = " (" + v.Origin.String() + ")"
	}
	d.say("summaries", resultWarning, "remove lcm.leafChunkTokens from settings.json",
		"lcm.leafChunkTokens is %d%s: about %s for %s messages, %s without it", h.LeafChunkTokens, from,
		text.Count(callsFor(h.LeafChunkTokens, h.CondensationThreshold), "call"), text.Thousands(costMessages),
		text.Thousands(int64(callsFor(own, h.CondensationThreshold))))
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
