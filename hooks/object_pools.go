package hooks

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/pool"
	"github.com/coctostan/pictx/core/prune"
)

// WindowOf is the window of the settings in the layout pools.
func WindowOf(set config.Objects) prune.Window {
	if set.Window.Calls <= 0 {
		return prune.SeedWindow()
	}
	return prune.Window{Calls: set.Window.Calls, Turns: set.Window.Turns}
}

func windowOf(c *Call) prune.Window { return WindowOf(c.Project.Config().Config.Objects) }

// pools lays out the coming context in pools.
func (s Objects) pools(ctx context.Context, c *Call) error {
	var p ContextKeys
	if err := c.Read(&p); err != nil {
		return err
	}
	c.Reply.Next = &Next{Context: ContextAsk}
	b, err := s.Prune.branch(ctx, c)
	if err != nil {
		return err
	}
	b.Unmark()
	states, err := statesOn(ctx, c, b)
	if err != nil {
		return err
	}
	pins, err := pinsIn(ctx, c, b)
	if err != nil {
		return err
	}
	b.Align(keysOf(p.Keys))
	sit := prune.Situation{CWD: c.CWD, States: states, Pins: pins}
	plan := pool.Planner(c.Session.ID, windowOf(c)).PlanAt(sit, b.Messages)
	items := pool.WithNamed(pool.Items(c.Session.ID, b.Messages, c.CWD), s.named(ctx, c))
	return s.lay(c, b, pool.Arrange(c.Session.ID, b.Messages, plan, items))
}

// lay puts a layout into the reply.
func (Objects) lay(c *Call, b *prune.Branch, l pool.Layout) error {
	r := c.Result()
	for _, p := range l.References {
		index := p.Index
		r.Edits = append(r.Edits, ContextEdit{Index: &index, Content: message.TextContent(p.Text)})
	}
	if l.Catalogue != "" {
		r.Insert = append(r.Insert, Insert{Before: jsontext.Value("0"), Message: pool.CatalogueMessage(l.Catalogue)})
	}
	for _, a := range l.Active {
		h, raw, err := b.Original(b.Messages[a.Index].EntryID)
		if err != nil {
			return err
		}
		r.Insert = append(r.Insert, Insert{Before: jsontext.Value(strconv.Quote(atEnd)), Message: pool.ActiveMessage(a.ID, &h, raw)})
	}
	return nil
}

// atEnd is the place after all messages.
const atEnd = "end"

// named returns a function that returns the files which a result named, nil when that
// is unknown.
func (Objects) named(ctx context.Context, c *Call) func(call string) []object.Version {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return nil
	}
	named, err := st.Objects.Named(ctx, c.Session.ID)
	if err != nil {
		return nil
	}
	return named
}
