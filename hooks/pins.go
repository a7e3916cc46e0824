package hooks

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
)

// commandPictx is the command whose words are pin, unpin and pins.
const commandPictx = "pictx"

// pinsHelp is what /pictx says when it is not understood.
const pinsHelp = `/pictx pin [ID | GLOB | last] [REASON]   keep a tool output, or the text of paths, in the context
/pictx unpin ID | GLOB                   remove a pin
/pictx pins                              list what is pinned`

// storedPins are the pins that the store has for the session, none without a store:
// those that the session carries are in force then.
func storedPins(ctx context.Context, c *Call) []prune.Pin {
	list, err := callStore{c}.Pins(ctx, c.Session.ID)
	if err != nil {
		return nil
	}
	return list
}

// saidOfPins returns the last word on every pin of a branch. What was pinned at the
// shell goes into the session, which only the agent may write.
func saidOfPins(ctx context.Context, c *Call, b *prune.Branch) ([]prune.Pin, error) {
	list, carry, err := b.SaidOfPins(storedPins(ctx, c))
	carryPins(c, carry)
	return list, err
}

// carryPins puts pins into the session that it lacks.
func carryPins(c *Call, pins []prune.Pin) {
	if len(pins) > 0 {
		c.Add(AppendEntry(prune.PinsEntry, prune.PinsData{Pins: pins}))
	}
}

// pinned returns the pins in force on a branch.
func pinned(ctx context.Context, c *Call, b *prune.Branch) ([]prune.Pin, error) {
	list, err := saidOfPins(ctx, c, b)
	return prune.InForce(list), err
}

// pinsIn is saidOfPins for a Situation.
func pinsIn(ctx context.Context, c *Call, b *prune.Branch) (prune.Pins, error) {
	list, err := saidOfPins(ctx, c, b)
	return prune.PinsOf(list), err
}

// pictx runs the command /pictx.
func (s Prune) pictx(ctx context.Context, c *Call, args string) error {
	verb, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	if !slices.Contains([]string{"pin", "unpin", "pins", ""}, verb) {
		c.Say(pinsHelp, "info")
		return nil
	}
	b, err := s.branch(ctx, c)
	if err != nil {
		return err
	}
	switch verb {
	case "pin":
		return s.pin(ctx, c, b, strings.TrimSpace(rest))
	case "unpin":
		return s.unpin(ctx, c, b, strings.TrimSpace(rest))
	}
	return listPins(ctx, c, b)
}

// pin pins what the user names, the newest tool output when nothing is named.
func (s Prune) pin(ctx context.Context, c *Call, b *prune.Branch, what string) error {
	target, reason, _ := strings.Cut(what, " ")
	p := prune.Pin{Target: target, Reason: text.LogLine(reason), IsPath: prune.LooksLikePath(target)}
	if !p.IsPath {
		if p.Target = pinTarget(b, strings.TrimPrefix(target, "--")); p.Target == "" {
			c.Say("There is no tool output with the id "+text.LogLine(target)+" in this context.\n"+pinsHelp, "warning")
			return nil
		}
	}
	session, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	back, err := restore(session, b, p, c.CWD)
	if err != nil {
		return err
	}
	s.keepPin(c, p, back...)
	said := "Pinned " + text.LogLine(p.Target) + ": it stays in the context."
	if len(back) > 0 {
		said += fmt.Sprintf("\n%s that had been pruned is back: the next request writes the prompt again from there on.", text.CountPlain(len(back), "output"))
	}
	c.Say(said, "info")
	return nil
}

// keepPin puts a pin into the session, and what it brings back.
func (s Prune) keepPin(c *Call, p prune.Pin, back ...restored) {
	p.Time = s.Now().UnixMilli()
	data := prune.PinsData{Pins: []prune.Pin{p}}
	for _, r := range back {
		data.Restored = append(data.Restored, r.entry)
		if c.CanDo(CanContextEdit) {
			c.Result().Entries = append(c.Result().Entries, EditEntry(r.entry, r.content))
		}
	}
	c.Result().Entries = append(c.Result().Entries, CustomEntry(prune.PinsEntry, data))
}

// pinTarget is the entry that an id, the beginning of one, "last" or nothing
// means, "" for none.
func pinTarget(b *prune.Branch, id string) string {
	if id == "" || id == "last" {
		return b.LastResult()
	}
	found := ""
	for _, m := range b.Messages {
		if m.Head == nil || m.Head.Role != message.RoleToolResult || !strings.HasPrefix(m.EntryID, id) {
			continue
		}
		if found != "" {
			return ""
		}
		found = m.EntryID
	}
	return found
}

// unpin takes a pin back, named by itself or its beginning.
func (s Prune) unpin(ctx context.Context, c *Call, b *prune.Branch, target string) error {
	said, err := saidOfPins(ctx, c, b)
	if err != nil {
		return err
	}
	for _, p := range append(prune.InForce(said), keptByName(c, b, said)...) {
		if target == "" || p.Target != target && (p.IsPath || !strings.HasPrefix(p.Target, target)) {
			continue
		}
		s.keepPin(c, prune.Pin{Target: p.Target, IsPath: p.IsPath, Removed: true})
		c.Say("Unpinned "+text.LogLine(p.Target)+": it may be pruned from the next decision on.", "info")
		return nil
	}
	c.Say("Nothing is pinned by that name.\n"+pinsHelp, "warning")
	return nil
}

// keptByName are the results that stay for the name of their tool and that were neither
// pinned nor unpinned, as pins.
func keptByName(c *Call, b *prune.Branch, said []prune.Pin) []prune.Pin {
	if !c.Project.Config().Config.Prune.Kota.PinImpact {
		return nil
	}
	var out []prune.Pin
	for _, r := range b.Shown(c.CWD) {
		spoken := slices.ContainsFunc(said, func(p prune.Pin) bool { return p.Target == r.Entry && !p.IsPath })
		if prune.KeptByName(r.Tool) && !r.Failed && !spoken {
			out = append(out, prune.Pin{Target: r.Entry})
		}
	}
	return out
}

func listPins(ctx context.Context, c *Call, b *prune.Branch) error {
	list, err := pinned(ctx, c, b)
	if err != nil {
		return err
	}
	out := []string{fmt.Sprintf("%s in force here.", text.CountPlain(len(list), "pin"))}
	for _, p := range list {
		out = append(out, strings.TrimRight("  "+text.LogLine(p.Target)+"  "+text.LogLine(p.Reason), " "))
	}
	c.Say(lines(append(out, pinsHelp)...), "info")
	return nil
}

// completePins completes the words of /pictx.
func (s Prune) completePins(ctx context.Context, c *Call, prefix string) error {
	for _, verb := range []string{"pin", "unpin", "pins"} {
		if strings.HasPrefix(verb, prefix) {
			c.Result().Items = append(c.Result().Items, CompletionItem{Value: verb, Label: verb})
		}
	}
	rest, ok := strings.CutPrefix(prefix, "unpin ")
	if !ok {
		return nil
	}
	b, err := s.branch(ctx, c)
	if err != nil {
		return err
	}
	list, _, err := b.Pinned(storedPins(ctx, c))
	for _, p := range list {
		if strings.HasPrefix(p.Target, rest) {
			c.Result().Items = append(c.Result().Items, CompletionItem{Value: "unpin " + p.Target, Label: p.Target, Description: p.Reason})
		}
	}
	return err
}
