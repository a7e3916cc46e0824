package hooks

import (
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
)

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
	list, carry, err := b.LatestPins(storedPins(ctx, c))
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
