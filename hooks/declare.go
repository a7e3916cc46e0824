package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Declarer is a System whose tool declarations, which every request carries, cost more than
// they bring until there is something to ask about. The tools of any other System are part
// of the prompt from the first request on.
type Declarer interface {
	// Useful reports whether a tool of the system can be of use in the session of a call now.
	Useful(ctx context.Context, c *Call, tool string) (bool, error)
}

// activate names the tools that become part of the prompt. It does so only
// when the provider processes the whole prompt anyway: before the first request of a
// session, and when its cache is cold. At any other time a new tool would invalidate the
// cache. That includes the time after a compaction: system prompt and tools come before the
// messages and are still cached. It also includes the first request after a session is
// resumed while its cache is warm: the tools of its last request are declared again. So they
// are in all of a conversation that would not be valid with others.
func (d *Dispatcher) activate(ctx context.Context, c *Call) error {
	if !c.cacheCold && !c.opens() {
		return nil
	}
	held, kept, err := c.heldTools(ctx)
	if err != nil {
		return err
	}
	systems := d.Systems
	if c.Project.Config().Config.Declare == config.DeclareNever {
		systems = nil
	}
	c.Reply.Active = nil
	var size token.Count
	var failed error
	for _, s := range systems {
		lazy, isLazy := s.(Declarer)
		for _, t := range d.declared(s, c).Tools {
			useful := !kept || slices.Contains(held, t.Name)
			if isLazy && !kept {
				useful, err = lazy.Useful(ctx, c, t.Name)
				failed = errors.Join(failed, err)
			}
			if useful {
				c.Reply.Active = append(c.Reply.Active, t.Name)
				size += t.tokens()
			}
		}
	}
	slices.SortStableFunc(c.Reply.Active, func(a, b string) int { return slices.Index(held, a) - slices.Index(held, b) })
	changed, err := c.recordActive(ctx, c.Reply.Active, size)
	if err == nil && changed {
		err = d.clearThinking(ctx, c)
	}
	return errors.Join(failed, err)
}

// clearThinking removes the thinking from a session that has requests already: what is
// declared precedes the conversation, so none of it is valid any more.
func (d *Dispatcher) clearThinking(ctx context.Context, c *Call) error {
	session, err := c.Project.Session(ctx)
	if err != nil || !prune.Asked(session.Entries()) {
		return err
	}
	for _, s := range d.Systems {
		if p, ok := s.(Prune); ok {
			return p.clearThinking(ctx, c)
		}
	}
	return nil
}

// opens reports whether no request was made since the session was opened.
func (c *Call) opens() bool {
	var p BeforeAgent
	return c.Is(EventBeforeAgent) && c.Read(&p) == nil && p.First
}

// heldTools returns what the session's last request declared, in the order in which it was
// declared. It reports whether the next one has to declare the same: the provider's cache
// still holds that, or the thinking of the conversation is bound to it.
func (c *Call) heldTools(ctx context.Context) (names []string, kept bool, err error) {
	session, err := c.Project.Session(ctx)
	if err != nil || c.cacheCold && !c.fixesTools() || !prune.Asked(session.Entries()) {
		return nil, false, nil //nolint:nilerr // without a session nothing is known to be declared
	}
	var last tool.Declared
	err = eachCustomOf(session, session.Entries().Customs(), tool.DeclaredEntry, func(d tool.Declared, _ *message.Node) {
		last = d
		for _, n := range d.Names {
			if !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	})
	return slices.DeleteFunc(names, func(n string) bool { return !slices.Contains(last.Names, n) }), true, err
}

// recordActive records in the session which tools are declared from here on, and their
// size, unless the last record says the same; changed reports which. The bill needs it: older
// versions of pi do not record the tools of a request.
func (c *Call) recordActive(ctx context.Context, names []string, tokens token.Count) (changed bool, err error) {
	var known tool.Declared
	err = EachCustom(ctx, c, tool.DeclaredEntry, func(d tool.Declared, _ *message.Node) { known = d })
	changed = err == nil && (known.Tokens != tokens || !slices.Equal(known.Names, names))
	if changed {
		c.Add(AppendEntry(tool.DeclaredEntry, tool.Declared{Names: names, Tokens: tokens}))
	}
	return changed, err
}

// newHello returns an empty Hello that systems can declare into.
func newHello() Hello {
	return Hello{Timeouts: Timeouts{Events: map[string]int{}, Tool: map[string]int{}, Command: map[string]int{}}}
}

// declared returns what a system declares in the project of a call.
func (d *Dispatcher) declared(s System, c *Call) Hello {
	h := newHello()
	s.Declare(&c.Project.Config().Config, &h)
	return h
}

// tokens estimates what a tool adds to each request: its name, description and parameters,
// in the form in which providers receive them.
func (t *Tool) tokens() token.Count {
	var schema bytes.Buffer
	if json.Compact(&schema, t.Parameters) != nil {
		schema.Write(t.Parameters)
	}
	line := `{"type":"function","function":{"name":"` + t.Name + `","description":"` + t.Description + `","parameters":` + schema.String() + `}}`
	return token.OfText(line)
}

// Shortened reports whether part of the session is no longer in its context: pruned or
// compacted away.
func Shortened(ctx context.Context, c *Call) (bool, error) {
	if c.Is(EventCompact) {
		return true, nil
	}
	if c.shortened != nil {
		return *c.shortened, nil
	}
	_, path, err := c.Branch(ctx)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(path, func(n *message.Node) bool { return n.Type == message.EntryCompaction }) {
		return true, nil
	}
	b, unread, err := prune.ReadBranch(ctx, prunePorts(c), c.Session.ID, c.Session.LeafID)
	if err != nil || unread != nil {
		return false, errors.Join(err, unread)
	}
	c.shortened = new(b.Totals().Pruned > 0)
	return *c.shortened, nil
}
