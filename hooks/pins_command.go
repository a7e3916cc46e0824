package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// commandPictx is the command for pins and objects. Without a word it explains the footer.
const commandPictx = "pictx"

// pictxVerbs lists the words of /pictx.
func pictxVerbs() []string { return []string{"pin", "unpin", "pins", "objects", "restore"} }

// footerWords explains what other systems show in the footer, as bill.Legend does.
const footerWords = `  compacting: 3 summaries  old messages are summarised
  indexing code 40%        the code index is being built
  code index stopped       /kota restart starts it again`

// otherCommands lists the commands besides pin and unpin.
const otherCommands = `/pictx objects [QUERY]     such as type:file state:active
/prune, /prune-toggle      prune now; pause it here
/prune-stats               what is pruned, and its price
/lcm search                find what was said
/decision, /kota           decisions; the code index`

// pinsHelp describes /pictx pin and unpin.
const pinsHelp = `/pictx pin [FILE|ID [WHY]] keep or bring back (the newest)
/pictx unpin FILE|ID       remove a pin; pins lists them
/pictx restore all         bring back everything pruned`

// pictx runs the command /pictx.
func (s Prune) pictx(ctx context.Context, c *Call, args string) error {
	verb, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	if verb == "" || verb == "help" {
		return s.overview(ctx, c)
	}
	if !slices.Contains(pictxVerbs(), verb) {
		c.Say(UnknownWord(commandPictx, verb, pictxVerbs())+"\n"+pinsHelp, "warning")
		return nil
	}
	switch verb {
	case "objects":
		return s.objects(ctx, c, strings.TrimSpace(rest))
	case "restore":
		return s.restoreAllNow(ctx, c, strings.TrimSpace(rest))
	}
	b, err := branchOf(ctx, c)
	if err != nil {
		return err
	}
	if verb == "pin" {
		return s.pin(ctx, c, b, strings.TrimSpace(rest))
	}
	latest, err := latestPins(ctx, c, b)
	if err != nil {
		return err
	}
	pins := append(prune.InForce(latest), keptByTool(c, b, latest)...)
	if verb == "unpin" {
		s.unpin(c, b, pins, strings.TrimSpace(rest))
		return nil
	}
	c.Say(lines(append(pinLines(s.Now(), c, b, pins), pinsHelp)...), "info")
	return nil
}

// objects lists the objects of the session.
func (s Prune) objects(ctx context.Context, c *Call, query string) error {
	set := c.Project.Config().Config
	if s.Objects == nil || !set.Objects.Enabled || !set.History.Enabled {
		c.Say("No objects are kept: objects.enabled or history.enabled is false.", "warning")
		return nil
	}
	list, err := s.Objects(ctx, c, query)
	if err == nil {
		c.Say(list, "info")
	}
	return err
}

// overview explains on one screen what the footer says and which commands there are.
func (s Prune) overview(ctx context.Context, c *Call) error {
	d, err := s.planned(ctx, c, false)
	if err != nil {
		return err
	}
	latest, err := latestPins(ctx, c, d.Branch)
	if err != nil {
		return err
	}
	now := s.footer(ctx, c, d.Branch, d.Branch.LeftOut()) // what d would prune is not pruned
	if now == "" {
		now = "nothing yet: pictx has not changed a request of this session"
	}
	out := append([]string{"The footer now: " + now, "What it can say:"}, bill.Legend()...)
	out = append(out, footerWords)
	out = append(out, fmt.Sprintf("Here: %s pruned, %s.", text.CountPlain(len(d.Branch.Pruned()), "message"), text.CountPlain(len(prune.InForce(latest)), "pin")), pinsHelp, otherCommands)
	c.Say(lines(out...), "info")
	return nil
}

// pin pins a file or an output: "src/cart.ts", "3f2a why it matters", or "" for the newest
// output.
func (s Prune) pin(ctx context.Context, c *Call, b *prune.Branch, what string) error {
	target, reason, _ := strings.Cut(what, " ")
	p := prune.Pin{Target: target, Reason: text.LogLine(reason), IsPath: prune.LooksLikePath(target)}
	shown := b.Shown(c.CWD)
	if !p.IsPath {
		like := outputsWithID(shown, strings.TrimPrefix(target, "--"))
		if len(like) != 1 {
			c.Say(noOutput(target, shown, like), "warning")
			return nil
		}
		p.Target = like[0].Entry
	}
	back, err := restore(b, c.CWD, p)
	if err != nil {
		return err
	}
	msg := fmt.Sprintf("Pinned %s (%s): it stays in the context; a compaction carries over what fits into 4,000 tokens.",
		text.LogLine(p.Target), pinnedWhat(p, pinnedOutputs(p, shown, c.CWD)))
	if len(back) > 0 {
		msg += "\n" + text.CountPlain(len(back), "pruned output")
		if busy(ctx, c) {
			wait(c, askData{Restore: entriesOf(back)})
			msg += ": shown again with your next prompt, because a turn is running."
		} else {
			if err := s.bringBack(ctx, c, back); err != nil {
				return err
			}
			msg += ": shown again from the next request on, which rewrites the prompt from there."
		}
	}
	s.recordPin(c, p)
	c.Say(msg, "info")
	return nil
}

// recordPin records a pin in the session.
func (s Prune) recordPin(c *Call, p prune.Pin) {
	p.Time = s.Now().UnixMilli()
	c.Result().Entries = append(c.Result().Entries, CustomEntry(prune.PinsEntry, prune.PinsData{Pins: []prune.Pin{p}}))
}

// bringBack shows pruned results again, and updates the footer for them: the session does not record
// them yet.
func (s Prune) bringBack(ctx context.Context, c *Call, back []restored) error {
	if err := s.clearThinking(ctx, c, entriesOf(back)...); err != nil {
		return err
	}
	showAgain(c, back)
	d, err := s.planned(ctx, c, false)
	if err != nil || disabled(c) {
		return err
	}
	pruned := d.Branch.LeftOut()
	for _, p := range d.Branch.Pruned() {
		if slices.ContainsFunc(back, func(r restored) bool { return r.entry == p.EntryID }) {
			pruned -= p.Tokens - p.MarkerTokens
		}
	}
	c.Add(Status(statusPrune, s.footer(ctx, c, d.Branch, pruned)))
	return nil
}

// outputsWithID returns the outputs that an argument may name: those with an id or a prefix of one, or
// with "last" or "" the newest.
func outputsWithID(shown []prune.Shown, id string) []prune.Shown {
	if id == "" || id == "last" {
		return shown[max(0, len(shown)-1):]
	}
	return slices.DeleteFunc(slices.Clone(shown), func(r prune.Shown) bool { return !strings.HasPrefix(r.Entry, id) })
}

// noOutput tells the user that no output has an id, or more than one, which are like then, and lists
// candidates.
func noOutput(id string, shown, like []prune.Shown) string {
	if len(shown) == 0 {
		return "Nothing was pinned: no tool output is in the context yet."
	}
	why := "no tool output in this context has the id "
	if len(like) > 1 {
		why, shown = "several ids begin with ", like
	}
	msg := "Nothing was pinned: " + why + text.LogLine(id) + ". The newest:"
	const most = 5
	for _, r := range slices.Backward(shown[max(0, len(shown)-most):]) {
		msg += "\n  " + text.LogLine(r.Entry) + "  " + text.LogLine(r.Title)
	}
	return msg + "\n" + pinsHelp
}

// pinnedOutputs lists the outputs that a pin keeps.
func pinnedOutputs(p prune.Pin, shown []prune.Shown, cwd string) []prune.Shown {
	named := prune.PinsOf([]prune.Pin{p})
	return slices.DeleteFunc(slices.Clone(shown), func(r prune.Shown) bool {
		return p.IsPath && !named.Names(r.Access, cwd) || !p.IsPath && r.Entry != p.Target
	})
}

// pinnedWhat describes what a pin keeps: the outputs of a file, or one output.
func pinnedWhat(p prune.Pin, held []prune.Shown) string {
	var size token.Count
	for _, r := range held {
		size += r.Tokens
	}
	what := ""
	switch {
	case len(held) == 0 && p.IsPath:
		return "no output yet"
	case len(held) == 0:
		return "no longer in the context"
	case p.IsPath:
		what = text.CountPlain(len(held), "output")
	default:
		what = text.LogLine(held[0].Title)
	}
	return what + ", " + text.Tokens(size) + " tokens"
}

// unpin removes the pin of a file or of an output. An output may be named by a prefix of
// its id.
func (s Prune) unpin(c *Call, b *prune.Branch, pins []prune.Pin, target string) {
	for _, p := range pins {
		if target == "" || p.Target != target && (p.IsPath || !strings.HasPrefix(p.Target, target)) {
			continue
		}
		s.recordPin(c, prune.Pin{Target: p.Target, IsPath: p.IsPath, Removed: true})
		c.Say("Unpinned "+text.LogLine(p.Target)+": it may be pruned from now on.", "info")
		return
	}
	what := text.LogLine(target) + " is not pinned."
	if target == "" {
		what = "/pictx unpin needs a file or an id."
	}
	c.Say(lines(append([]string{"Nothing was unpinned: " + what}, pinLines(s.Now(), c, b, pins)...)...), "warning")
}

// pinLines describes pins, one a line: what each keeps, its size, and when it was made.
func pinLines(now time.Time, c *Call, b *prune.Branch, pins []prune.Pin) []string {
	if len(pins) == 0 {
		return []string{"Nothing is pinned."}
	}
	out := []string{text.CountPlain(len(pins), "pin") + ":"}
	shown := b.Shown(c.CWD)
	for _, p := range pins {
		held := pinnedOutputs(p, shown, c.CWD)
		line := "  " + text.LogLine(p.Target) + "  " + pinnedWhat(p, held)
		if !p.IsPath && len(held) > 0 {
			line += promptBefore(b, held[0].Index)
		}
		if p.Time > 0 {
			line += ", pinned " + text.Ago(time.UnixMilli(p.Time), now)
		}
		if p.Reason != "" {
			line += ": " + text.LogLine(p.Reason)
		}
		out = append(out, line)
	}
	return out
}

// promptBefore returns the beginning of the user's prompt before a message, "" without one.
func promptBefore(b *prune.Branch, index int) string {
	const most = 30
	for i := index - 1; i >= 0; i-- {
		if h := b.Messages[i].Head; h == nil || h.Role != message.RoleUser {
			continue
		}
		prompt := text.LogLine(b.Text(i))
		if utf8.RuneCountInString(prompt) > most {
			prompt = string([]rune(prompt)[:most]) + text.Ellipsis
		}
		return `, for "` + prompt + `"`
	}
	return ""
}

// completePins completes the arguments of /pictx: ids and paths, newest first, or pins.
func (s Prune) completePins(ctx context.Context, c *Call, prefix string) error {
	verb, rest, second := strings.Cut(prefix, " ")
	if !second {
		c.Result().Items = CompleteWord(prefix, pictxVerbs())
		return nil
	}
	b, err := branchOf(ctx, c)
	if err != nil {
		return err
	}
	shown := b.Shown(c.CWD)
	add := func(target, description string) {
		known := slices.ContainsFunc(c.Result().Items, func(i CompletionItem) bool { return i.Label == target })
		if target != "" && strings.HasPrefix(target, rest) && !known && len(c.Result().Items) < lastShown {
			c.Result().Items = append(c.Result().Items, CompletionItem{Value: verb + " " + target, Label: target, Description: description})
		}
	}
	switch verb {
	case "pin":
		for _, r := range slices.Backward(shown) {
			if add(r.Entry, text.LogLine(r.Title)); rest != "" && (r.Access.Reads || r.Access.Writes) {
				add(strings.TrimPrefix(r.Access.Path, strings.TrimSuffix(c.CWD, "/")+"/"), text.LogLine(r.Title))
			}
		}
	case "unpin":
		latest, _, err := b.LatestPins(storedPins(ctx, c))
		if err != nil {
			return err
		}
		for _, p := range prune.InForce(latest) {
			add(p.Target, pinnedWhat(p, pinnedOutputs(p, shown, c.CWD)))
		}
	}
	return nil
}
