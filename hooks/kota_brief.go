package hooks

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
)

// briefType is the type of the messages that brief a model.
const briefType = "pictx.brief"

// briefDetails are kept with a briefing, so that a later one leaves these files out.
type briefDetails struct {
	Files []string `json:"files"`
}

// brief puts a briefing on the files that a prompt names behind the prompt. Earlier
// messages stay as they are, so that the provider's cache keeps them.
func (s Kota) brief(ctx context.Context, c *Call) error {
	if c.Nested {
		return nil
	}
	var event BeforeAgent
	if err := c.Read(&event); err != nil {
		return err
	}
	p, err := s.Open(c.Request, c.Project.Config())
	if err != nil {
		return err
	}
	b := code.Briefer{Project: p, Ready: func(ctx context.Context) (bool, error) { return s.ready(ctx, c, p) }}
	if c.Project.Config().Config.Kota.AutoContext == config.ContextOnPaths {
		b.Briefed = func(ctx context.Context) ([]string, error) { return s.briefed(ctx, c) }
	}
	briefing, err := b.Brief(ctx, event.Prompt)
	if err != nil || briefing.Text == "" {
		return err
	}
	s.hidden(c, briefing.Text, briefDetails{briefing.Files})
	if n := len(briefing.Files); n > 0 {
		c.Decision = join(c.Decision, "briefed on "+plural(n, "file"))
	}
	return nil
}

// ready makes the first index, if it may be made, and reports whether there is an
// index.
func (s Kota) ready(ctx context.Context, c *Call, p code.Project) (bool, error) {
	if p.Index.Exists() {
		return true, nil
	}
	if s.consent(ctx, c, p, false) != code.Allowed {
		return false, nil
	}
	err := s.makeIndex(ctx, c, p)
	return err == nil, err
}

// hidden puts a message into the context that nobody is shown. The agent takes one
// with the prompt; when another system has it, this one comes before the prompt.
func (Kota) hidden(c *Call, text string, d briefDetails) {
	m := CustomMessage{CustomType: briefType, Content: message.AppendQuote(nil, text), Details: d}
	if c.Result().Message == nil {
		c.Result().Message = &m
		return
	}
	c.Add(SendMessage(m))
}

// briefed lists the files that the context holds a briefing on.
func (Kota) briefed(ctx context.Context, c *Call) ([]string, error) {
	sess, err := c.Project.Session(ctx)
	if err != nil {
		return nil, err
	}
	tree := sess.Entries()
	var files []string
	for _, item := range tree.Context(leafOf(c, tree)) {
		if item.Head.CustomType != briefType || item.Node == nil {
			continue
		}
		raw, err := sess.Line(item.Node)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", item.Node.ID, err)
		}
		var d briefDetails
		if decode(item.Node.Details.Of(raw), &d) == nil {
			files = append(files, d.Files...)
		}
	}
	return files, nil
}
