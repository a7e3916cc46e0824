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
	if err == nil {
		answerObjects(c, &answer)
	}
	return err
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

// answerObjects adds an answer to the reply.
func answerObjects(c *Call, a *object.Answer) {
	c.Result().Text = a.Text
	carryStates(c, a.Changes)
	carryPins(c, a.Pins)
	if a.Note != "" {
		c.Note(a.Note)
	}
}

// open reads the session and captures its new objects, so that tools see them.
func (s Objects) open(ctx context.Context, c *Call) (*object.Control, error) {
	b, err := branchOf(ctx, c)
	if err != nil {
		return nil, err
	}
	st, err := c.Project.Store(ctx)
	if err != nil {
		return nil, err
	}
	objects := s.control(c, st, b)
	if objects.View, err = s.view(ctx, c, b); err != nil || !objects.Keep {
		return objects, err
	}
	work, sess, err := s.capture(ctx, c)
	if err == nil {
		_, err = work.Turn(ctx, sess.Entries(), c.Session.LeafID, sess.Line)
	}
	return objects, err
}

// control returns the Control for the session of a call, without its View.
func (s Objects) control(c *Call, st Stores, b *prune.Branch) *object.Control {
	return &object.Control{
		Store: st.Objects, Files: s.Files(c), Branch: b,
		Pins:    func(ctx context.Context) []prune.Pin { return storedPins(ctx, c) },
		Session: c.Session.ID, Leaf: c.Session.LeafID, CWD: c.CWD,
		Keep: s.captures(c), Pools: inPools(c), Now: s.Now,
	}
}

// view returns which objects the model sees now. State changes that the session lacks are added
// to the reply.
func (s Objects) view(ctx context.Context, c *Call, b *prune.Branch) (*object.View, error) {
	files := s.Files(c)
	v, carry, err := object.See(b, object.Sight{
		CWD: c.CWD, Pools: inPools(c), Changes: storedStates(ctx, c, b), Pins: storedPins(ctx, c),
		Canonical: func(path string) string { return files.Look(path).Path },
	})
	carryStates(c, carry)
	return v, err
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
	_, carry, err := b.States(storedStates(ctx, c, b))
	if err != nil {
		return err
	}
	objects := s.control(c, st, b)
	objects.View = &object.View{Shown: b.Shown(c.CWD)}
	if objects.View.States, _, err = b.States(nil); err != nil {
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
