package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// commandKota is the command whose words are those of pi-kota.
const commandKota = "kota"

// kotaHelp is what /kota says when it is not understood.
const kotaHelp = `/kota status       whether this project is indexed, where, by what, and the settings
/kota index        index it, or bring the index up to date
/kota restart      restart the index
/kota pruning      how old tool output is pruned, and what was pruned last
/kota pin          keep the last summary of a tool, or else its last output
/kota blobs        where full outputs are kept, and which came last
/kota purge-blobs  remove all of them, after asking`

// kotaVerbs are the words of /kota, those about code first.
func kotaVerbs() []string {
	return []string{"status", "index", "restart", "pruning", "pin", "blobs", "purge-blobs"}
}

// KotaCommands answers /kota, as people know it from pi-kota.
type KotaCommands struct {
	Prune Prune
	Blobs Blobs
	Kota  Kota
}

// Name implements System.
func (KotaCommands) Name() string { return "kota-commands" }

// Declare implements System.
func (s KotaCommands) Declare(c *config.Config, h *Hello) {
	code := s.Kota.on(c)
	if !code && !c.Prune.Enabled && !c.Blobs.Enabled {
		return
	}
	what := "Pruning, pins and blobs: pruning, pin, blobs, purge-blobs"
	if code {
		what = "The code index, pruning, pins and blobs: " + strings.Join(kotaVerbs(), ", ")
	}
	h.Commands = append(h.Commands, CommandSpec{Name: commandKota, Description: what, Complete: true})
	h.Timeouts.Command[commandKota] = int(AskedTime.Milliseconds())
}

// Handle implements System.
func (s KotaCommands) Handle(ctx context.Context, c *Call) error {
	switch c.Event {
	case EventComplete:
		return s.complete(c)
	case EventCommand:
		return s.command(ctx, c)
	}
	return nil
}

// complete completes the words of /kota.
func (s KotaCommands) complete(c *Call) error {
	var p Completion
	if err := c.Read(&p); err != nil {
		return err
	}
	verbs := kotaVerbs()
	if !s.Kota.on(&c.Project.Config().Config) {
		verbs = verbs[3:]
	}
	for _, verb := range verbs {
		if strings.HasPrefix(verb, p.Prefix) {
			c.Result().Items = append(c.Result().Items, CompletionItem{Value: verb, Label: verb})
		}
	}
	return nil
}

func (s KotaCommands) command(ctx context.Context, c *Call) error {
	var p Command
	if err := c.Read(&p); err != nil {
		return err
	}
	switch verb := strings.TrimSpace(p.Args); verb {
	case "status", "index", "restart":
		return s.Kota.verb(ctx, c, verb)
	case "pruning":
		return s.pruning(ctx, c)
	case "pin":
		return s.pin(ctx, c)
	case "blobs":
		return s.blobs(c)
	case "purge-blobs":
		return s.purge(ctx, c)
	}
	c.Say(kotaHelp, "info")
	return nil
}

// lastShown is how many decisions, results and blobs are listed.
const lastShown = 10

// pruning shows the settings that decide and what was done last.
func (s KotaCommands) pruning(ctx context.Context, c *Call) error {
	b, err := s.Prune.branch(ctx, c)
	if err != nil {
		return err
	}
	out := []string{pruningMode(c.Project.Config().Config.Prune)}
	decisions, err := s.decisions(ctx, c)
	if err != nil {
		return err
	}
	if len(decisions) == 0 {
		out = append(out, "Nothing was decided on this branch yet.")
	} else {
		out = append(append(out, "Decided last:"), decisions...)
	}
	results, err := s.results(ctx, c, b)
	if err != nil {
		return err
	}
	if len(results) > 0 {
		out = append(append(out, fmt.Sprintf("Pruned here: %s. The newest:", text.CountPlain(len(b.Pruned()), "tool output"))), results...)
	}
	c.Say(lines(append(out, "/prune-config shows every setting, /prune-stats what comes next.")...), "info")
	return nil
}

// pruningMode says in a line how pruning is set.
func pruningMode(p config.Prune) string {
	switch {
	case !p.Enabled:
		return "Pruning is switched off (prune.enabled)."
	case p.Mode == config.ModeOff:
		return "Pruning is switched off (prune.mode)."
	case p.Policy == config.PolicySeed:
		return fmt.Sprintf("Pruning is on: policy seed, mode %s, the last %s and %s tokens of output before them stay, at least %s go at once.",
			p.Mode, text.CountPlain(p.Seed.ProtectedTurns, "turn"), text.Tokens(token.Count(p.Seed.Protect)), text.Tokens(token.Count(p.Seed.Minimum)))
	case p.Policy == config.PolicyKota:
		adaptive := "never stricter"
		if p.Kota.Adaptive {
			adaptive = "stricter from " + text.Tokens(token.Count(p.Kota.AdaptiveTokens)) + " tokens on"
		}
		return fmt.Sprintf("Pruning is on: policy kota, mode %s, the last %s stay, of older ones outputs up to %d characters, %s.",
			p.Mode, text.CountPlain(p.Kota.KeepRecentTurns, "turn"), p.Kota.MaxToolChars, adaptive)
	}
	return fmt.Sprintf("Pruning is on: policy auto, mode %s, preset %s.", p.Mode, p.Preset)
}

// decisions are the last decisions that the branch carries, the newest first.
func (s KotaCommands) decisions(ctx context.Context, c *Call) ([]string, error) {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	path := sess.Entries().Path(c.Session.LeafID)
	var out []string
	for i := len(path) - 1; i >= 0 && len(out) < lastShown; i-- {
		n := path[i]
		kind := n.Message.CustomType
		if n.Type != message.EntryCustom || kind != prune.DecisionEntry && kind != prune.MarksEntry {
			continue
		}
		raw, err := sess.Line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		var e struct {
			Data struct {
				decisionRecord `json:",embed"`
				Nested         decisionRecord `json:"decision"`
			} `json:"data"`
		}
		if Decode(raw, &e) != nil {
			continue
		}
		d := e.Data.decisionRecord
		if kind == prune.MarksEntry {
			d = e.Data.Nested
		}
		out = append(out, fmt.Sprintf("  %s: %s, %s tokens; %s", s.ago(n.Time), text.CountPlain(d.Results, "tool output"), text.Tokens(d.PrunedTokens), text.LogLine(d.Outcome)))
	}
	return out, nil
}

// results are the newest results that are pruned on a branch: what the model sees
// of each, and why it went where that is remembered.
func (s KotaCommands) results(ctx context.Context, c *Call, b *prune.Branch) ([]string, error) {
	why := make(map[string]string)
	for _, m := range b.Remembered() {
		why[m.EntryID] = m.Reason
	}
	shown := make(map[string]string)
	for _, m := range b.Loose {
		shown[m.EntryID] = m.Marker
	}
	if _, err := saidOfPins(ctx, c, b); err != nil {
		return nil, err
	}
	if _, err := statesOn(ctx, c, b); err != nil {
		return nil, err
	}
	pruned := make(map[string]prune.PrunedResult)
	for _, p := range b.Pruned() {
		pruned[p.EntryID] = p
	}
	var out []string
	for i := len(b.Messages) - 1; i >= 0 && len(out) < lastShown; i-- {
		p, ok := pruned[b.Messages[i].EntryID]
		if !ok {
			continue
		}
		marker := shown[p.EntryID]
		if marker == "" {
			marker = b.Text(i)
		}
		line := fmt.Sprintf("  %s  %s tokens  %s", text.LogLine(p.EntryID), text.Tokens(p.Tokens), text.LogLine(marker))
		if why[p.EntryID] != "" {
			line += " (" + text.LogLine(why[p.EntryID]) + ")"
		}
		out = append(out, line)
	}
	return out, nil
}

// ago says how long ago something was.
func (s KotaCommands) ago(ms int64) string {
	d := s.Prune.Now().Sub(time.UnixMilli(ms))
	switch {
	case ms <= 0:
		return "some time ago"
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/(24*time.Hour))
}

// pin pins the last result that is a summary, unless it is pinned, else the last.
func (s KotaCommands) pin(ctx context.Context, c *Call) error {
	b, err := s.Prune.branch(ctx, c)
	if err != nil {
		return err
	}
	pins, err := pinned(ctx, c, b)
	if err != nil {
		return err
	}
	for _, id := range []string{b.LastSummary(), b.LastResult()} {
		known := slices.ContainsFunc(pins, func(p prune.Pin) bool { return p.Target == id && !p.IsPath })
		if id == "" || known {
			continue
		}
		return s.Prune.pin(ctx, c, b, id)
	}
	c.Say("There is no tool output in this context that is not pinned.", "warning")
	return nil
}

// blobs shows where full outputs are kept, and the last of them.
func (s KotaCommands) blobs(c *Call) error {
	set := &c.Project.Config().Config
	cache := s.Blobs.Cache(set)
	all, err := cache.List()
	if err != nil {
		return err
	}
	var stored int64
	for _, i := range all {
		stored += i.Stored
	}
	out := []string{fmt.Sprintf("%s in %s, %s of %s on disk.", text.CountPlain(len(all), "blob"), text.LogLine(cache.Dir()), text.Bytes(stored), text.Bytes(int64(set.Blobs.MaxBytes)))}
	if !set.Blobs.Enabled {
		out[0] += " No more are kept (blobs.enabled)."
	}
	for _, i := range all[:min(len(all), lastShown)] {
		out = append(out, fmt.Sprintf("  %s  %s  used %s", blob.ShortID(i.ID), text.Bytes(i.Bytes), s.ago(i.Used.UnixMilli())))
	}
	if len(all) > lastShown {
		out = append(out, fmt.Sprintf("  and %d more: pictx blobs list", len(all)-lastShown))
	}
	if len(all) > 0 {
		out = append(out, "pictx expand ID prints one, /kota purge-blobs removes all.")
	}
	c.Say(lines(out...), "info")
	return nil
}

// askPurge is the question of purge.
const askPurge = "purge"

// purge removes all blobs, once the user said so.
func (s KotaCommands) purge(ctx context.Context, c *Call) error {
	if c.Nested || !c.HasUI {
		c.Say("Nobody can be asked here. In a shell: pictx blobs purge --all", "warning")
		return nil
	}
	set := &c.Project.Config().Config
	cache := s.Blobs.Cache(set)
	all, err := cache.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		c.Say("There are no blobs.", "info")
		return nil
	}
	answer, ok := c.Answered(askPurge)
	if !ok {
		c.Ask(Ask{ID: askPurge, Kind: AskConfirm, Title: "Purge " + text.CountPlain(len(all), "blob") + "?", Message: purgeQuestion(all)})
		return nil
	}
	if string(answer.Value) != "true" {
		c.Say("No blob was removed.", "info")
		return nil
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	gone, err := cache.Purge(ctx, ids, blob.Purged)
	if err != nil {
		return err
	}
	c.Say("Removed "+text.CountPlain(len(gone), "blob")+". What pi's session files hold stays there.", "info")
	return nil
}

// purgeQuestion says what would go.
func purgeQuestion(all []blob.Info) string {
	out := []string{"Their texts are nowhere else, and cannot be brought back:"}
	for _, i := range all[:min(len(all), lastShown)] {
		out = append(out, "  "+blob.ShortID(i.ID)+"  "+text.Bytes(i.Bytes))
	}
	if len(all) > lastShown {
		out = append(out, fmt.Sprintf("  and %d more", len(all)-lastShown))
	}
	return lines(out...)
}
