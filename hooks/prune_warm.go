package hooks

import (
	"context"

	"github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/token"
)

// keepWarm has the agent keep the cache of a prompt alive that is too short for its own rule only
// because it was pruned: for plain pi's prompt it would have.
func keepWarm(ctx context.Context, c *Call, of session.Costs) error {
	var p CacheWarming
	if err := c.Read(&p); err != nil || p.Action == ActionWarm || disabled(c) {
		return err
	}
	expected := p.Probability*p.MissCost - p.WarmCost
	if expected <= 0 {
		return nil
	}
	ses, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	requests, err := session.Load(ses.Entries(), ses.Line)
	if err != nil {
		return err
	}
	if expected*requests.Bill(of, nil).Shrunk() >= token.WarmSavings {
		c.Result().Action = ActionWarm
		c.Note("keeps the cache warm, as pi would without pruning")
	}
	return nil
}
