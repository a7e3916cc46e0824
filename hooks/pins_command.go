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
	switch verb {
	case "pin":
		return s.pin(ctx, c, b, strings.TrimSpace(rest))
	case "unpin":
		return s.unpin(ctx, c, b, strings.TrimSpace(rest))
	}
	return s.listPins(ctx, c, b)
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
	pins, err := pinned(ctx, c, d.Branch)
	if err != nil {
		return err
	}
	now := s.footer(ctx, c, d.Branch, d.Branch.LeftOut()) // what d would prune is not pruned
	if now == "" {
		now = "nothing yet: pictx has not changed a request of this session"
	}
	out := append([]string{"The footer now: " + now, "What it can say:"}, bill.Legend()...)
	out = append(out, footerWords)
	out = append(out, fmt.Sprintf("Here: %s pruned, %s.", text.CountPlain(len(d.Branch.Pruned()), "message"), text.CountPlain(len(pins), "pin")), pinsHelp, otherCommands)
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
		if p.Target = pinTarget(b, strings.TrimPrefix(target, "--")); p.Target == "" {
			c.Say(noOutput(target, shown), "warning")
			return nil
		}
	}
	back, err := restore(b, c.CWD, p)
	if err != nil {
		return err
	}
	later := len(back) > 0 && busy(ctx, c)
	if err := s.bringBack(ctx, c, back, later); err != nil {
		return err
	}
	s.recordPin(c, p)
	c.Say(pinnedText(p, pinnedOutputs(p, shown, c.CWD), len(back), later), "info")
	return nil
}

// bringBack shows pruned results again: now, or before the next turn while one is running.
func (s Prune) bringBack(ctx context.Context, c *Call, back []restored, later bool) error {
	if len(back) == 0 {
		return nil
	}
	if later {
		wait(c, askData{Restore: entriesOf(back)})
		return nil
	}
	if err := s.clearThinking(ctx, c, entriesOf(back)...); err != nil {
		return err
	}
	showAgain(c, back)
	return s.showRestored(ctx, c, back)
}

// showRestored updates the footer for results that were just restored, which the session
// does not record yet.
func (s Prune) showRestored(ctx context.Context, c *Call, back []restored) error {
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

// pinnedText tells the user what a new pin does.
func pinnedText(p prune.Pin, held []prune.Shown, back int, later bool) string {
	name := text.LogLine(p.Target)
	switch {
	case p.IsPath && len(held) == 0:
		return "Pinned " + name + ": no output of it is in the context yet; those to come stay."
	case p.IsPath:
		name += " (" + text.CountPlain(len(held), "output") + ", " + totalTokens(held) + ")"
	case len(held) > 0:
		name += " (" + text.LogLine(held[0].Title) + ", " + totalTokens(held) + ")"
	}
	msg := "Pinned " + name + ": it stays in the context; a compaction carries over what fits into 4,000 tokens."
	if later {
		return msg + "\n" + text.CountPlain(back, "output") + " that had been pruned comes back with your next prompt: a turn is running."
	}
	if back > 0 {
		verb := "is"
		if back > 1 {
			verb = "are"
		}
		msg += fmt.Sprintf("\n%s that had been pruned %s back: the next request writes the prompt again from there on.", text.CountPlain(back, "output"), verb)
	}
	return msg
}

// noOutput tells the user that no output, or more than one, has an id, and lists
// candidates.
func noOutput(id string, shown []prune.Shown) string {
	if len(shown) == 0 {
		return "Nothing was pinned: no tool output is in the context yet."
	}
	msg := "Nothing was pinned: no tool output in this context has the id " + text.LogLine(id) + ". The newest:"
	if like := slices.DeleteFunc(slices.Clone(shown), func(r prune.Shown) bool { return !strings.HasPrefix(r.Entry, id) }); len(like) > 1 {
		msg, shown = "Nothing was pinned: several ids begin with "+text.LogLine(id)+". The newest:", like
	}
	const most = 5
	for _, r := range slices.Backward(shown[max(0, len(shown)-most):]) {
		msg += "\n  " + text.LogLine(r.Entry) + "  " + text.LogLine(r.Title)
	}
	return msg + "\n" + pinsHelp
}

// pinnedOutputs lists the outputs that a pin keeps.
func pinnedOutputs(p prune.Pin, shown []prune.Shown, cwd string) []prune.Shown {
	named := prune.PinsOf([]prune.Pin{p})
	var out []prune.Shown
	for _, r := range shown {
		if p.IsPath && named.Names(r.Access, cwd) || !p.IsPath && r.Entry == p.Target {
			out = append(out, r)
		}
	}
	return out
}

// tokensOf returns the total size of outputs, as "1.2K tokens".
func totalTokens(shown []prune.Shown) string {
	var n token.Count
	for _, r := range shown {
		n += r.Tokens
	}
	return text.Tokens(n) + " tokens"
}

// unpin removes the pin of a file or of an output. An output may be named by a prefix of
// its id.
func (s Prune) unpin(ctx context.Context, c *Call, b *prune.Branch, target string) error {
	pins, err := kept(ctx, c, b)
	if err != nil {
		return err
	}
	for _, p := range pins {
		if target == "" || p.Target != target && (p.IsPath || !strings.HasPrefix(p.Target, target)) {
			continue
		}
		s.recordPin(c, prune.Pin{Target: p.Target, IsPath: p.IsPath, Removed: true})
		c.Say("Unpinned "+text.LogLine(p.Target)+": it may be pruned from now on.", "info")
		return nil
	}
	what := text.LogLine(target) + " is not pinned."
	if target == "" {
		what = "/pictx unpin needs a file or an id."
	}
	c.Say(lines(append([]string{"Nothing was unpinned: " + what}, pinLines(s.Now(), c, b, pins)...)...), "warning")
	return nil
}

func (s Prune) listPins(ctx context.Context, c *Call, b *prune.Branch) error {
	list, err := kept(ctx, c, b)
	if err != nil {
		return err
	}
	c.Say(lines(append(pinLines(s.Now(), c, b, list), pinsHelp)...), "info")
	return nil
}

// pinLines describes pins, one a line: what each keeps, its size, and when it was made.
func pinLines(now time.Time, c *Call, b *prune.Branch, pins []prune.Pin) []string {
	if len(pins) == 0 {
		return []string{"Nothing is pinned."}
	}
	out := []string{text.CountPlain(len(pins), "pin") + ":"}
	shown := b.Shown(c.CWD)
	for _, p := range pins {
		line := "  " + text.LogLine(p.Target) + "  " + pinnedWhat(b, p, pinnedOutputs(p, shown, c.CWD))
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

// pinnedWhat describes what a pin keeps: the outputs of a file, or one output with the
// prompt that led to it.
func pinnedWhat(b *prune.Branch, p prune.Pin, held []prune.Shown) string {
	switch {
	case len(held) == 0 && p.IsPath:
		return "no output yet"
	case len(held) == 0:
		return "no longer in the context"
	case p.IsPath:
		return text.CountPlain(len(held), "output") + ", " + totalTokens(held)
	}
	what := text.LogLine(held[0].Title) + ", " + totalTokens(held)
	if prompt := promptBefore(b, held[0].Index); prompt != "" {
		what += `, for "` + prompt + `"`
	}
	return what
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
		return prompt
	}
	return ""
}

// completePins completes the arguments of /pictx.
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
	switch verb {
	case "pin":
		c.Result().Items = completePin(b.Shown(c.CWD), rest, c.CWD)
	case "unpin":
		list, _, err := b.Pinned(storedPins(ctx, c))
		if err != nil {
			return err
		}
		shown := b.Shown(c.CWD)
		for _, p := range list {
			if strings.HasPrefix(p.Target, rest) {
				c.Result().Items = append(c.Result().Items, CompletionItem{Value: "unpin " + p.Target, Label: p.Target, Description: pinnedWhat(b, p, pinnedOutputs(p, shown, c.CWD))})
			}
		}
	}
	return nil
}

// completePin completes the id of an output, or the path of a file that has some, newest
// first.
func completePin(shown []prune.Shown, prefix, cwd string) []CompletionItem {
	var out []CompletionItem
	for _, r := range slices.Backward(shown) {
		for _, target := range []string{r.Entry, strings.TrimPrefix(r.Access.Path, strings.TrimSuffix(cwd, "/")+"/")} {
			known := slices.ContainsFunc(out, func(i CompletionItem) bool { return i.Label == target })
			path := target != r.Entry
			if path && !r.Access.Reads && !r.Access.Writes {
				continue
			}
			if len(out) < lastShown && target != "" && strings.HasPrefix(target, prefix) && !known && (prefix != "" || !path) {
				out = append(out, CompletionItem{Value: "pin " + target, Label: target, Description: text.LogLine(r.Title)})
			}
		}
	}
	return out
}
