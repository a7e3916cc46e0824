package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// commandKota is the name of the command. Its words are those of pi-kota.
const commandKota = "kota"

// kotaHelp is shown by /kota without a word.
const kotaHelp = `/kota status       whether the code is indexed, where, and by which settings
/kota index        index the code, or update the index
/kota restart      restart the index
/kota search WORDS find where something is done
/kota usages NAME  where a symbol is used, under whatever name
/kota deps FILE    what a file imports, and what imports it
/kota impact FILE  dependents of a change, and the tests that reach them
/kota pruning      what was pruned last, and why
/kota pin          pin the last code answer, else the last tool output
/kota blobs        list the full texts of shortened outputs
/kota purge-blobs  delete all of those, after asking
The model asks these questions itself. In a shell: pictx kota --help.`

// kotaVerbs lists the words of /kota. Those of codeVerbs come first.
func kotaVerbs() []string {
	return append(codeVerbs(), "pruning", "pin", "blobs", "purge-blobs")
}

// codeVerbs lists the words that need code in the project.
func codeVerbs() []string { return append([]string{"status", "index", "restart"}, questions()...) }

// questions lists the words that are followed by a question.
func questions() []string { return []string{"search", "usages", "deps", "impact"} }

// KotaCommands is the command /kota, as users of pi-kota know it.
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
	what := "Pruning, pins and full outputs: pruning, pin, blobs, purge-blobs"
	if code {
		what = "The code index, pruning, pins, full outputs: " + strings.Join(kotaVerbs(), ", ")
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

// complete completes the word after /kota.
func (s KotaCommands) complete(c *Call) error {
	var p Completion
	if err := c.Read(&p); err != nil {
		return err
	}
	verbs := kotaVerbs()
	if !s.Kota.on(&c.Project.Config().Config) {
		verbs = verbs[len(codeVerbs()):]
	}
	c.Result().Items = CompleteWord(p.Prefix, verbs)
	return nil
}

func (s KotaCommands) command(ctx context.Context, c *Call) error {
	var p Command
	if err := c.Read(&p); err != nil {
		return err
	}
	args := strings.TrimSpace(p.Args)
	if word, about, _ := strings.Cut(args, " "); slices.Contains(questions(), word) {
		return s.Kota.question(ctx, c, word, strings.TrimSpace(about))
	}
	switch verb := args; verb {
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
	if args != "" && args != "help" {
		c.Say(UnknownWord(commandKota, args, kotaVerbs())+"\n"+kotaHelp, "warning")
		return nil
	}
	c.Say(kotaHelp, "info")
	return nil
}

// lastShown is the maximum number of decisions, results and blobs in a list.
const lastShown = 10

// pruning shows how pruning is set, and what was pruned last.
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
		out = append(out, "Nothing was pruned on this branch yet.")
	} else {
		out = append(append(out, "Pruned last:"), decisions...)
	}
	results, err := s.results(ctx, c, b)
	if err != nil {
		return err
	}
	if len(results) > 0 {
		out = append(append(out, "Pruned from all further requests: "+describeBranch(b)+". The newest:"), results...)
	}
	c.Say(lines(append(out, "/prune-config shows every setting, /prune-stats what comes next.")...), "info")
	return nil
}

// pruningMode describes the settings of pruning in one line.
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
			adaptive = "stricter from " + text.Tokens(policy.LargeContext) + " tokens on"
		}
		return fmt.Sprintf("Pruning is on: policy kota, mode %s, the last %s stay, of older ones outputs up to %d characters, %s.",
			p.Mode, text.CountPlain(p.Kota.KeepRecentTurns, "turn"), p.Kota.MaxToolChars, adaptive)
	}
	return fmt.Sprintf("Pruning is on: policy auto, mode %s.", p.Mode)
}

// decisions describes the latest pruning decisions recorded on the branch, newest first.
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
		out = append(out, fmt.Sprintf("  %s: %s, %s tokens; %s", ago(s.Prune.Now(), n.Time), describePruned(d.Results-d.Responses, d.Responses), text.Tokens(d.PrunedTokens), text.LogLine(d.Outcome)))
	}
	return out, nil
}

// results describes the newest pruned results of a branch: the marker that the model sees,
// and why the result was pruned if that was recorded.
func (s KotaCommands) results(ctx context.Context, c *Call, b *prune.Branch) ([]string, error) {
	why := make(map[string]string)
	for _, m := range b.Remembered() {
		why[m.EntryID] = m.Reason
	}
	shown := make(map[string]string)
	for _, m := range b.Untold {
		shown[m.EntryID] = m.Marker
	}
	if _, err := latestPins(ctx, c, b); err != nil {
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

// pin pins the last answer of the code index, or the last tool output when that is pinned
// already.
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
	c.Say("Nothing was pinned: every tool output in this context is pinned, or there is none.", "warning")
	return nil
}

// blobs shows where full outputs are stored, and lists the newest.
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
	out := []string{fmt.Sprintf("%s stored in %s, %s of %s on disk.", text.CountPlain(len(all), "full output"), text.LogLine(cache.Dir()), text.Bytes(stored), text.Bytes(int64(set.Blobs.MaxBytes)))}
	if !set.Blobs.Enabled {
		out[0] += " No more are stored (blobs.enabled)."
	}
	for _, i := range all[:min(len(all), lastShown)] {
		out = append(out, fmt.Sprintf("  %s  %s  used %s", blob.ShortID(i.ID), text.Bytes(i.Bytes), ago(s.Prune.Now(), i.Used.UnixMilli())))
	}
	if len(all) > lastShown {
		out = append(out, fmt.Sprintf("  and %d more; in a shell: pictx blobs list", len(all)-lastShown))
	}
	if len(all) > 0 {
		out = append(out, "/kota purge-blobs deletes all. To read one, in a shell: pictx expand ID")
	}
	c.Say(lines(out...), "info")
	return nil
}

// askPurge is the id of the question that purge asks.
const askPurge = "purge"

// purge deletes all blobs after the user confirms.
func (s KotaCommands) purge(ctx context.Context, c *Call) error {
	if c.Nested || !c.HasUI {
		c.Say("Nothing was deleted: without a screen nobody can confirm it. In a shell: pictx blobs purge --all", "warning")
		return nil
	}
	set := &c.Project.Config().Config
	cache := s.Blobs.Cache(set)
	all, err := cache.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		c.Say("No full outputs are stored.", "info")
		return nil
	}
	answer, ok := c.Answered(askPurge)
	if !ok {
		c.Ask(Ask{ID: askPurge, Kind: AskConfirm, Title: "Delete " + text.CountPlain(len(all), "full output") + "?", Message: purgeQuestion(all)})
		return nil
	}
	if string(answer.Value) != "true" {
		c.Say("Nothing was deleted.", "info")
		return nil
	}
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	gone, err := cache.Purge(ctx, ids)
	if err != nil {
		return err
	}
	c.Say("Deleted "+text.CountPlain(len(gone), "full output")+". The sessions keep their shortened texts.", "info")
	return nil
}

// purgeQuestion lists what would be deleted.
func purgeQuestion(all []blob.Info) string {
	out := []string{"They are stored nowhere else, and cannot be restored:"}
	for _, i := range all[:min(len(all), lastShown)] {
		out = append(out, "  "+blob.ShortID(i.ID)+"  "+text.Bytes(i.Bytes))
	}
	if len(all) > lastShown {
		out = append(out, fmt.Sprintf("  and %d more", len(all)-lastShown))
	}
	return lines(out...)
}
