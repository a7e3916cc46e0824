package hooks

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/pool"
	"github.com/coctostan/pictx/core/object/sight"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
)

// bring brings back, with the user's prompt, what was activated at the shell: there is
// no call whose result it could be.
func (s Objects) bring(ctx context.Context, c *Call) error {
	st, err := c.Project.Store(ctx)
	if err != nil {
		return err
	}
	said, err := st.Objects.Said(ctx, c.Session.ID)
	if err != nil || len(said) == 0 { // as almost always
		return err
	}
	b, err := s.Prune.branch(ctx, c)
	if err != nil {
		return err
	}
	_, carry, err := b.States(storedStates(ctx, c, b))
	if err != nil {
		return err
	}
	t := &objectCall{Objects: s, Call: c, branch: b, store: st.Objects, View: &sight.View{Shown: b.Shown(c.CWD)}}
	if t.States, _, err = b.States(nil); err != nil {
		return err
	}
	for _, change := range carry {
		if change.Op == prune.OpActivate {
			if err := t.append(ctx, change.Object); err != nil {
				return err
			}
		}
	}
	return nil
}

// append puts the content of an object into the session, unless the model can see it.
func (t *objectCall) append(ctx context.Context, id string) error {
	o, err := t.store.Resolve(ctx, id)
	if err != nil {
		return err
	}
	v, err := t.store.Get(ctx, o.ID, object.At{})
	if err != nil || v.Doc.Deleted || v.Evicted || v.Size < 0 {
		return err
	}
	content, err := t.store.Content(ctx, v)
	if err != nil || t.current(o, content, nil) {
		return err
	}
	text := fmt.Sprintf(sight.BroughtHead+"%s:\n%s", label(o, &v.Doc), text.CutBytes(string(content), maxActivated))
	shown := true
	t.Result().Entries = append(t.Result().Entries, Entry{
		Type: "custom_message", CustomType: pool.CustomType, Content: message.AppendQuote(nil, text), Display: &shown,
	})
	return nil
}
