package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// Word is a word of a command, and what it runs.
type Word struct {
	Name string
	Run  func(ctx context.Context, c *Call) error
}

// kotaWords are the words of /kota that are about pruning, pins and full outputs.
type kotaWords struct {
	Prune
	blobs Blobs
}

// KotaWords returns the words of /kota that need no code, as users of pi-kota know them.
func KotaWords(prune Prune, blobs Blobs) []Word {
	s := kotaWords{prune, blobs}
	return []Word{{"pruning", s.pruning}, {"pin", s.pinAnswer}, {"blobs", s.list}, {"purge-blobs", s.purge}}
}

// lastShown is the maximum number of decisions, results and blobs in a list.
const lastShown = 10

// pruning shows how pruning is set, and what was pruned last.
func (s kotaWords) pruning(ctx context.Context, c *Call) error {
	b, err := branchOf(ctx, c)
	if err != nil {
		return err
	}
	c.switchedOff = toggledOff(ctx, c)
	out := []string{pruningMode(c.Project.Config().Config.Prune, pruningOff(s.Prune, c))}
	decisions, err := s.decisions(ctx, c)
	if err != nil {
		return err
	}
	if len(decisions) == 0 {
		out = append(out, "Nothing was pruned on this branch yet.")
	} else {
		out = append(append(out, "Pruned last:"), decisions...)
	}
	if len(b.Pruned()) > 0 {
		out = append(append(out, "Pruned from all further requests: "+describeBranch(b)+". The newest:"), newestPruned(b)...)
	}
	c.Say(lines(append(out, "/prune-config shows every setting, /prune-stats what comes next.")...), "info")
	return nil
}

// pruningMode describes the settings of pruning in one line, or why it is off.
func pruningMode(p config.Prune, off string) string {
	switch {
	case off != "":
		return "Nothing is pruned automatically: " + off + "."
	case p.Policy == config.PolicySeed:
		return fmt.Sprintf("Pruning is on: policy seed, mode %s, the last %s and %s tokens of output before them stay, at least %s go at once.",
			p.Mode, text.CountPlain(p.Seed.ProtectedTurns, "turn"), text.Tokens(token.Count(p.Seed.Protect)), text.Tokens(token.Count(p.Seed.Minimum)))
	case p.Policy == config.PolicyKota:
		adaptive := "never stricter"
		if p.Kota.Adaptive {
			adaptive = "stricter from " + text.Tokens(policy.LargeContext) + " tokens on"
		}
		return fmt.Sprintf("Pruning is on: policy kota, mode %s, the last %s stay, of older ones outputs up to %d characters, %s.",
			p.Mode, text.CountPlain(p.Kota.KeepRecentTurns, "turn"), p.Kota.MaxToolChars, adaptive)
	}
	return fmt.Sprintf("Pruning is on: policy auto, mode %s.", p.Mode)
}

// decisions describes the latest pruning decisions recorded on the branch, newest first.
func (s kotaWords) decisions(ctx context.Context, c *Call) (out []string, err error) {
	type data struct {
		decisionRecord `json:",embed"`
		Nested         *decisionRecord `json:"decision"` // of a MarksEntry
	}
	for _, kind := range []string{prune.DecisionEntry, prune.MarksEntry} { // a session has one of them
		err = errors.Join(err, EachCustom(ctx, c, kind, func(d data, n *message.Node) {
			r := cmp.Or(d.Nested, &d.decisionRecord)
			out = append(out, fmt.Sprintf("  %s: %s, %s tokens; %s", text.Ago(time.UnixMilli(n.Time), s.Now()),
				describePruned(r.Results-r.Responses, r.Responses), text.Tokens(r.PrunedTokens), text.LogLine(r.Outcome)))
		}))
	}
	slices.Reverse(out)
	return out[:min(len(out), lastShown)], err
}

// newestPruned describes the newest pruned results of a branch: the marker that the model sees,
// and why the result was pruned if that was recorded.
func newestPruned(b *prune.Branch) (out []string) {
	marks := make(map[string]prune.Mark)
	for _, m := range b.Remembered() {
		marks[m.EntryID] = m
	}
	for _, p := range slices.Backward(b.Pruned()) {
		line := fmt.Sprintf("  %s  %s tokens", text.LogLine(p.EntryID), text.Tokens(p.Tokens))
		if m, known := marks[p.EntryID]; known {
			line += "  " + text.LogLine(m.Marker) + " (" + text.LogLine(m.Reason) + ")"
		}
		if out = append(out, line); len(out) == lastShown {
			break
		}
	}
	return out
}

// pinAnswer pins the last answer of the code index, or the last tool output when that is pinned
// already.
func (s kotaWords) pinAnswer(ctx context.Context, c *Call) error {
	b, err := branchOf(ctx, c)
	if err != nil {
		return err
	}
	pins, err := latestPins(ctx, c, b)
	if err != nil {
		return err
	}
	for _, id := range []string{b.LastSummary(), b.LastResult()} {
		known := slices.ContainsFunc(pins, func(p prune.Pin) bool { return p.Target == id && !p.IsPath && !p.Removed })
		if id == "" || known {
			continue
		}
		return s.pin(ctx, c, b, id)
	}
	c.Say("Nothing was pinned: every tool output in this context is pinned, or there is none.", "warning")
	return nil
}

// list shows where full outputs are stored, and lists the newest.
func (s kotaWords) list(_ context.Context, c *Call) error {
	set := &c.Project.Config().Config
	cache := s.blobs.Cache(set)
	all, err := cache.List()
	if err != nil {
		return err
	}
	var stored int64
	for _, i := range all {
		stored += i.Stored
	}
	head := fmt.Sprintf("%s stored in %s, %s of %s on disk.", text.CountPlain(len(all), "full output"), text.LogLine(cache.Dir()), text.Bytes(stored), text.Bytes(int64(set.Blobs.MaxBytes)))
	if !set.Blobs.Enabled {
		head += " No more are stored (blobs.enabled)."
	}
	out := append([]string{head}, s.newestBlobs(all)...)
	if len(all) > 0 {
		out = append(out, "/kota purge-blobs deletes all. In a shell, pictx blobs list lists them, and pictx expand ID shows one.")
	}
	c.Say(lines(out...), "info")
	return nil
}

// newestBlobs lists the newest blobs, and how many more there are.
func (s kotaWords) newestBlobs(all []blob.Info) (out []string) {
	for _, i := range all[:min(len(all), lastShown)] {
		out = append(out, fmt.Sprintf("  %s  %s  used %s", blob.ShortID(i.ID), text.Bytes(i.Bytes), text.Ago(i.Used, s.Now())))
	}
	if more := len(all) - len(out); more > 0 {
		out = append(out, fmt.Sprintf("  and %d more", more))
	}
	return out
}

// askPurge is the id of the question that purge asks.
const askPurge = "purge"

// purge deletes all blobs after the user confirms.
func (s kotaWords) purge(ctx context.Context, c *Call) error {
	if c.Nested || !c.HasUI {
		c.Say("Nothing was deleted: without a screen nobody can confirm it. In a shell: pictx blobs purge --all", "warning")
		return nil
	}
	cache := s.blobs.Cache(&c.Project.Config().Config)
	all, err := cache.List()
	if err != nil {
		return err
	}
	answer, answered := c.Answered(askPurge)
	switch {
	case len(all) == 0:
		c.Say("No full outputs are stored.", "info")
		return nil
	case !answered:
		c.Ask(Ask{
			ID: askPurge, Kind: AskConfirm, Title: "Delete " + text.CountPlain(len(all), "full output") + "?",
			Message: lines(append([]string{"They are stored nowhere else, and cannot be restored:"}, s.newestBlobs(all)...)...),
		})
		return nil
	case string(answer.Value) != "true":
		c.Say("Nothing was deleted.", "info")
		return nil
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	gone, err := cache.Purge(ctx, ids)
	if err == nil {
		c.Say("Deleted "+text.CountPlain(len(gone), "full output")+". The sessions keep their shortened texts.", "info")
	}
	return err
}
