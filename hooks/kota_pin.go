package hooks

import (
	"context"
	"slices"

	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
)

// pinReason says why a result was pinned automatically.
const pinReason = "dependents of a change (prune.kota.pin_impact)"

// pinImpact pins the results of kota_impact of the turn that ends: they are what a
// plan was made from, and asking again gives what is so then.
func (s Kota) pinImpact(ctx context.Context, c *Call) error {
	set := c.Project.Config().Config.Prune
	if !set.Enabled || !set.Kota.PinImpact {
		return nil
	}
	ids, err := lastImpacts(ctx, c)
	if err != nil || len(ids) == 0 {
		return err
	}
	b, err := s.Prune.branch(ctx, c)
	if err != nil {
		return err
	}
	said, err := saidOfPins(ctx, c, b)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(said, func(p prune.Pin) bool { return p.Target == id && !p.IsPath }) {
			s.Prune.keepPin(c, prune.Pin{Target: id, Reason: pinReason})
		}
	}
	return nil
}

// lastImpacts are the entries with results of kota_impact since the model answered
// last.
func lastImpacts(ctx context.Context, c *Call) ([]string, error) {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	tree := sess.Entries()
	path := tree.Path(c.Leaf(tree))
	var ids []string
	for i := len(path) - 1; i >= 0 && path[i].Message.Role != message.RoleAssistant; i-- {
		if h := &path[i].Message; h.Role == message.RoleToolResult && h.ToolName == code.ToolImpact && !h.IsError {
			ids = append(ids, path[i].ID)
		}
	}
	slices.Reverse(ids)
	return ids, nil
}
