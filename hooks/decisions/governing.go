package decisions

import (
	"context"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/hooks"
)

// governing tells the model which decisions govern the files of the turn that just ended.
// The message comes after the results of the turn, so that the cached prefix stays the
// same.
func (s System) governing(ctx context.Context, c *hooks.Call) error {
	when := c.Project.Config().Config.Decisions.Context.Governing
	var p hooks.TurnEnd
	if err := c.Read(&p); err != nil || when == config.GoverningOff || c.Nested || len(p.ToolResultEntryIDs) == 0 {
		return err // this version of pi would deliver the message only after the next request
	}
	log, err := s.use(c)
	if err != nil || log == nil {
		return err
	}
	state, err := log.Load()
	if err != nil || !state.Governs() {
		return err
	}
	session, err := c.Project.Session(ctx)
	if err != nil {
		return err
	}
	body, details, err := state.Governing(session, decision.Turn{
		Leaf: c.Leaf(session.Entries()), Root: c.Project.Root, CWD: c.CWD, Reads: when == config.GoverningAll,
	})
	if err != nil || body == "" {
		return err
	}
	shown := false
	c.Result().Entries = append(c.Result().Entries, hooks.Entry{
		Type: "custom_message", CustomType: decision.ShownType, Content: message.AppendQuote(nil, body), Display: &shown, Details: details,
	})
	c.Note("told of the decisions that govern a file")
	return nil
}
