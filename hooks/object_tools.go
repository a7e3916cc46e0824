package hooks

import (
	"context"
	"errors"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/state"
)

// tool runs a tool call.
func (s Objects) tool(ctx context.Context, c *Call) error {
	var call ToolCall
	if err := c.Read(&call); err != nil {
		return err
	}
	var params struct {
		ID     string `json:"id"`
		Filter string `json:"filter"`
	}
	if err := Decode(call.Params, &params); err != nil {
		c.Result().Error = "the parameters cannot be understood"
		return nil
	}
	objects, err := s.open(ctx, c)
	if err != nil {
		return err
	}
	var answer object.Answer
	switch call.Name {
	case "objects":
		answer, err = objects.List(ctx, params.Filter)
	case "activate":
		answer, err = objects.Activate(ctx, params.ID, call.ToolCallID)
	case "deactivate":
		answer, err = objects.Deactivate(ctx, params.ID)
	default:
		answer, err = objects.Pin(ctx, params.ID)
	}
	var refused *object.Refusal
	if errors.As(err, &refused) {
		c.Result().Error = refused.Text
		return nil
	}
	if err != nil {
		return err
	}
	c.Result().Text = answer.Text
	carryStates(c, answer.Changes)
	carryPins(c, answer.Pins)
	if answer.Note != "" {
		c.Note(answer.Note)
	}
	return nil
}

// List lists the objects of a session that match a query, as text.
func (s Objects) List(ctx context.Context, c *Call, query string) (string, error) {
	objects, err := s.open(ctx, c)
	if err != nil {
		return "", err
	}
	answer, err := objects.List(ctx, query)
	if refused := (*object.Refusal)(nil); errors.As(err, &refused) {
		return refused.Text, nil
	}
	return answer.Text, err
}

// open reads the session and captures its new objects, so that tools see them.
func (s Objects) open(ctx context.Context, c *Call) (*object.Control, error) {
	b, err := branchOf(ctx, c)
	if err != nil {
		return nil, err
	}
	objects, carry, err := s.control(ctx, c, b, storedStates(ctx, c, b))
	if err != nil {
		return nil, err
	}
	if carryStates(c, carry); objects.Keep {
		_, err = s.turn(ctx, c, nil)
	}
	return objects, err
}

// control returns the Control for the session of a call, and those of some changes that the session
// does not have yet.
func (s Objects) control(ctx context.Context, c *Call, b *prune.Branch, changes []state.Change) (*object.Control, []state.Change, error) {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return nil, nil, err
	}
	files, pins := s.Files(c), storedPins(ctx, c)
	view, carry, err := object.See(b, object.Sight{
		CWD: c.CWD, Pools: inPools(c), Changes: changes, Pins: pins,
		Canonical: func(path string) string { return files.Look(path).Path },
	})
	return &object.Control{
		Store: st.Objects, Files: files, Branch: b, View: view, Pins: pins,
		Session: c.Session.ID, Leaf: c.Session.LeafID, CWD: c.CWD,
		Keep: captures(c), Pools: inPools(c), Now: s.Now,
	}, carry, err
}

// bringActivated adds to the user's prompt the objects that were activated in a shell.
func (s Objects) bringActivated(ctx context.Context, c *Call) error {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	events, err := st.Objects.StateEvents(ctx, c.Session.ID)
	if err != nil || len(events) == 0 { // the usual case
		return err
	}
	b, err := branchOf(ctx, c)
	if err != nil {
		return err
	}
	_, carry, err := b.States(object.Changes(events, b.Shown(c.CWD)))
	if err != nil {
		return err
	}
	objects, _, err := s.control(ctx, c, b, nil) // what the model saw before
	if err != nil {
		return err
	}
	if state.Activates(carry) {
		carryStates(c, carry)
	}
	messages, err := objects.Bring(ctx, carry)
	for _, m := range messages {
		shown := true
		c.Result().Entries = append(c.Result().Entries, Entry{
			Type: "custom_message", CustomType: object.CustomType, Content: message.AppendQuote(nil, m), Display: &shown,
		})
	}
	return err
}
