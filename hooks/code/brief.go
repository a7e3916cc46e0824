package code

import (
	"context"
	"fmt"
	"time"

	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// briefType is the custom type of messages that brief the model.
const briefType = "pictx.brief"

// briefDetails are stored with a briefing, so that later ones leave its files out.
type briefDetails struct {
	Files []string `json:"files"`
}

// brief adds a briefing on the files that a prompt names. It comes after the prompt and
// leaves earlier messages alone, so the prompt cache stays valid.
func (s System) brief(ctx context.Context, c *hooks.Call) error {
	if c.Nested {
		return nil
	}
	var event hooks.BeforeAgent
	if err := c.Read(&event); err != nil {
		return err
	}
	p, err := s.Open(c.Request, c.Project.Config())
	if err != nil {
		return err
	}
	quick := p
	quick.Engine = promptEngine{p.Engine}
	b := code.Briefer{Project: quick, Ready: func(ctx context.Context) (bool, error) { return s.ready(ctx, c, p) }}
	if c.Project.Config().Config.Kota.AutoContext == config.ContextOnPaths {
		b.Briefed = func(ctx context.Context) ([]string, error) { return s.briefed(ctx, c) }
	}
	briefing, err := b.Brief(ctx, event.Prompt)
	if err != nil || briefing.Text == "" {
		return err
	}
	s.addHidden(c, briefing.Text, briefDetails{briefing.Files})
	if n := len(briefing.Files); n > 0 {
		c.Note("briefed on " + text.CountPlain(n, "file"))
	}
	return nil
}

// ready reports whether there is an index. It makes the first one, if the user consents.
func (s System) ready(ctx context.Context, c *hooks.Call, p code.Project) (bool, error) {
	if p.Index.Exists() {
		return true, nil
	}
	if s.consent(ctx, c, p, false) != code.Allowed {
		return false, nil
	}
	err := s.makeIndex(ctx, c, p)
	return err == nil, err
}

// addHidden adds a message to the context that the user does not see. A reply carries one
// message after the prompt; when another system has taken that, this one is sent before the
// prompt.
func (System) addHidden(c *hooks.Call, text string, d briefDetails) {
	m := hooks.CustomMessage{CustomType: briefType, Content: message.AppendQuote(nil, text), Details: d}
	if c.Result().Message == nil {
		c.Result().Message = &m
		return
	}
	c.Add(hooks.SendMessage(m))
}

// briefed lists the files of the briefings that are in the context.
func (System) briefed(ctx context.Context, c *hooks.Call) ([]string, error) {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	tree := sess.Entries()
	var files []string
	for _, item := range tree.Context(c.Leaf(tree)) {
		if item.Head.CustomType != briefType || item.Node == nil {
			continue
		}
		raw, err := sess.Line(item.Node)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", item.Node.ID, err)
		}
		var d briefDetails
		if hooks.Decode(item.Node.Details.Of(raw), &d) == nil {
			files = append(files, d.Files...)
		}
	}
	return files, nil
}

// briefReserve is how much of an event's time a briefing leaves for the rest of the reply.
const briefReserve = 40 * time.Millisecond

// promptEngine is an engine whose calls return shortly before the deadline of the event,
// finished or not. The model then goes without a briefing.
type promptEngine struct{ code.Engine }

// Named implements code.Engine.
func (e promptEngine) Named(ctx context.Context, prompt string) ([]string, error) {
	ctx, cancel := early(ctx)
	defer cancel()
	return hooks.Await(ctx, func(ctx context.Context) ([]string, error) { return e.Engine.Named(ctx, prompt) })
}

// Brief implements code.Engine.
func (e promptEngine) Brief(ctx context.Context, files []string, budget int) (string, error) {
	ctx, cancel := early(ctx)
	defer cancel()
	return hooks.Await(ctx, func(ctx context.Context) (string, error) { return e.Engine.Brief(ctx, files, budget) })
}

// early returns a context that is done briefReserve before ctx.
func early(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, end.Add(-briefReserve))
}
