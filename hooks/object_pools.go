package hooks

import (
	"context"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/pool"
	"github.com/coctostan/pictx/core/prune"
)

// windowOf is the window of the settings in the layout pools.
func windowOf(c *Call) prune.Window {
	w := c.Project.Config().Config.Objects.Window
	if w.Calls <= 0 {
		return prune.SeedWindow()
	}
	return prune.Window{Calls: w.Calls, Turns: w.Turns}
}

// pools lays out the coming context in pools.
func (s Objects) pools(ctx context.Context, c *Call) error {
	var p ContextKeys
	if err := c.Read(&p); err != nil {
		return err
	}
	c.Reply.Next = &Next{Context: ContextAsk}
	b, _, err := s.Prune.branch(ctx, c)
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
	items := s.catalogue(ctx, c, b)
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

// catalogue lists what the session met: its tool calls and files in the order in which
// they came, and after each call the files that its result named.
func (s Objects) catalogue(ctx context.Context, c *Call, b *prune.Branch) []pool.Item {
	items := pool.Items(c.Session.ID, b.Messages, c.CWD)
	named := s.discovered(ctx, c)
	if len(named) == 0 {
		return items
	}
	known := make(map[string]bool)
	for _, i := range items {
		known[i.Path] = i.Kind == object.KindFile
	}
	var out []pool.Item
	for _, i := range items {
		out = append(out, i)
		for _, found := range named[i.ID] {
			if !known[found.Path] {
				known[found.Path] = true
				out = append(out, found)
			}
		}
	}
	return out
}

// discovered are the files that results named, by the objects of the results.
func (Objects) discovered(ctx context.Context, c *Call) map[string][]pool.Item {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return nil
	}
	events, err := st.Events(ctx, c.Session.ID)
	if err != nil {
		return nil
	}
	calls := make(map[string]bool)
	for _, e := range events {
		if _, known := calls[e.Object]; !known {
			o, err := st.Resolve(ctx, e.Object)
			calls[e.Object] = err == nil && o.Key.Kind == object.KindToolcall
		}
	}
	out := make(map[string][]pool.Item)
	for call, named := range object.Named(events, func(id string) bool { return calls[id] }) {
		for _, id := range named {
			v, err := st.Get(ctx, id, object.At{})
			if err != nil || v.Doc.File == nil || v.Doc.Deleted {
				continue
			}
			f := v.Doc.File
			out[call] = append(out[call], pool.Item{ID: id, Kind: object.KindFile, Path: f.Path, FileType: f.FileType, Chars: f.Chars})
		}
	}
	return out
}
