package hooks

import (
	"context"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
)

// commandPictx is the command whose words are pin, unpin and pins.
const commandPictx = "pictx"

// pinsHelp is what /pictx says when it is not understood.
const pinsHelp = `/pictx pin [ID | GLOB | last] [REASON]   keep a tool output, or the text of paths, in the context
/pictx unpin ID | GLOB                   let it be pruned again
/pictx pins                              list what is pinned`

// pinsIn returns the pins in force for the session.
func pinsIn(ctx context.Context, c *Call) (prune.Pins, error) {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return prune.Pins{}, nil // nothing new is pruned without a store anyway
	}
	list, err := st.Pins(ctx, c.Session.ID)
	return prune.PinsOf(list), err
}

// pictx runs the command /pictx.
func (s Prune) pictx(ctx context.Context, c *Call, args string) error {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	verb, rest, _ := strings.Cut(strings.TrimSpace(args), " ")
	switch verb {
	case "pin":
		return s.pin(ctx, c, st, strings.TrimSpace(rest))
	case "unpin":
		return unpin(ctx, c, st, strings.TrimSpace(rest))
	case "pins", "":
		return listPins(ctx, c, st)
	}
	c.say(pinsHelp, "info")
	return nil
}

// pin pins what the user names, the newest tool output when nothing is named.
func (s Prune) pin(ctx context.Context, c *Call, st prune.PinStore, what string) error {
	target, reason, _ := strings.Cut(what, " ")
	p := prune.Pin{Target: target, Reason: oneLine(reason), Time: s.Now().UnixMilli(), IsPath: prune.LooksLikePath(target)}
	if !p.IsPath {
		b, _, err := s.branch(ctx, c)
		if err != nil {
			return err
		}
		if p.Target = pinTarget(b, strings.TrimPrefix(target, "--")); p.Target == "" {
			c.say("There is no tool output with the id "+oneLine(target)+" in this context.\n"+pinsHelp, "warning")
			return nil
		}
	}
	if err := st.AddPin(ctx, c.Session.ID, p); err != nil {
		return err
	}
	c.say("Pinned "+oneLine(p.Target)+": it stays in the context.", "info")
	return nil
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

// unpin forgets a pin, named by itself or its beginning.
func unpin(ctx context.Context, c *Call, st prune.PinStore, target string) error {
	list, err := st.Pins(ctx, c.Session.ID)
	if err != nil {
		return err
	}
	for _, p := range list {
		if target == "" || p.Target != target && (p.IsPath || !strings.HasPrefix(p.Target, target)) {
			continue
		}
		if _, err := st.RemovePin(ctx, c.Session.ID, p.Target); err != nil {
			return err
		}
		c.say("Unpinned "+oneLine(p.Target)+": it may be pruned from the next decision on.", "info")
		return nil
	}
	c.say("Nothing is pinned by that name.\n"+pinsHelp, "warning")
	return nil
}

func listPins(ctx context.Context, c *Call, st prune.PinStore) error {
	list, err := st.Pins(ctx, c.Session.ID)
	if err != nil {
		return err
	}
	text := []string{fmt.Sprintf("%s in this session.", plural(len(list), "pin"))}
	for _, p := range list {
		text = append(text, strings.TrimRight("  "+oneLine(p.Target)+"  "+oneLine(p.Reason), " "))
	}
	c.say(lines(append(text, pinsHelp)...), "info")
	return nil
}

// completePins completes the words of /pictx.
func completePins(ctx context.Context, c *Call, prefix string) error {
	for _, verb := range []string{"pin", "unpin", "pins"} {
		if strings.HasPrefix(verb, prefix) {
			c.Result().Items = append(c.Result().Items, CompletionItem{Value: verb, Label: verb})
		}
	}
	rest, ok := strings.CutPrefix(prefix, "unpin ")
	if !ok {
		return nil
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	list, err := st.Pins(ctx, c.Session.ID)
	for _, p := range list {
		if strings.HasPrefix(p.Target, rest) {
			c.Result().Items = append(c.Result().Items, CompletionItem{Value: "unpin " + p.Target, Label: p.Target, Description: p.Reason})
		}
	}
	return err
}
