package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// Declarer is a System whose tools cost more than they give until there is something
// that they can be asked about: every request carries their declarations. What a System
// declares that is not one is part of the prompt from the first request on.
type Declarer interface {
	// Useful reports whether what the system declares can be of use in the session of a
	// call now.
	Useful(ctx context.Context, c *Call) (bool, error)
}

// activate names what is part of the prompt from now on, when all of the prompt is written
// anyway: before the first request of a session, and with a cold cache. At any other time a
// new tool would have the prompt billed again: after a compaction, too, the system prompt
// and the tools, which stand before the messages, are still in the cache.
func (d *Dispatcher) activate(ctx context.Context, c *Call) error {
	if !c.writesPrompt() {
		return nil
	}
	set := &c.Project.Config().Config
	all := newHello()
	var active []string
	var failed error
	for _, s := range d.Systems {
		own := newHello()
		s.Declare(set, &own)
		names := own.names()
		if len(names) == 0 {
			continue
		}
		useful, err := isUseful(ctx, s, c, set.Declare)
		failed = errors.Join(failed, err)
		if useful && err == nil {
			active = append(active, names...)
			all.Tools = append(all.Tools, own.Tools...)
		}
	}
	c.Reply.Active = active
	return errors.Join(failed, c.recordActive(ctx, active, all.tokens()))
}

// writesPrompt reports whether the agent's coming request is written as a whole,
// whatever is declared.
func (c *Call) writesPrompt() bool {
	var p BeforeAgent
	return c.rewritten || c.Is(EventBeforeAgent) && c.Read(&p) == nil && p.First
}

// isUseful asks a system, unless the settings say it.
func isUseful(ctx context.Context, s System, c *Call, when config.Declare) (bool, error) {
	if when == config.DeclareNever {
		return false, nil
	}
	d, ok := s.(Declarer)
	if !ok {
		return true, nil
	}
	return d.Useful(ctx, c)
}

// recordActive has the session carry what is declared from here on, so that its cost
// can be counted: older agents do not write down which tools a request declared.
func (c *Call) recordActive(ctx context.Context, names []string, tokens token.Count) error {
	var known tool.Declared
	err := eachCustom(ctx, c, tool.DeclaredEntry, func(raw []byte, _ *message.Node) {
		var e struct {
			Data tool.Declared `json:"data"`
		}
		if Decode(raw, &e) == nil {
			known = e.Data
		}
	})
	if err == nil && (known.Tokens != tokens || !slices.Equal(known.Names, names)) {
		c.Add(AppendEntry(tool.DeclaredEntry, tool.Declared{Names: names, Tokens: tokens}))
	}
	return err
}

// newHello is a Hello that systems can declare into.
func newHello() Hello {
	return Hello{Timeouts: Timeouts{Events: map[string]int{}, Tool: map[string]int{}, Command: map[string]int{}}}
}

// names are those of the tools and sections of a hello.
func (h *Hello) names() []string {
	var out []string
	for _, t := range h.Tools {
		out = append(out, t.Name)
	}
	for name := range h.Sections {
		out = append(out, name)
	}
	return out
}

// tokens is the size of what a hello declares in each request, by pi's estimate.
func (h *Hello) tokens() token.Count {
	var n token.Count
	for _, t := range h.Tools {
		n += t.tokens()
	}
	for _, s := range h.Sections {
		n += token.OfText(s)
	}
	return n
}

// tokens is the size of a tool in each request: name, description and parameters, as
// providers are sent them.
func (t *Tool) tokens() token.Count {
	var schema bytes.Buffer
	if json.Compact(&schema, t.Parameters) != nil {
		schema.Write(t.Parameters)
	}
	line := `{"type":"function","function":{"name":"` + t.Name + `","description":"` + t.Description + `","parameters":` + schema.String() + `}}`
	return token.OfText(line)
}

// Shortened reports whether text of the session was left out of its context: pruned, or
// compacted.
func Shortened(ctx context.Context, c *Call) (bool, error) {
	if c.Is(EventCompact) {
		return true, nil
	}
	session, err := c.Project.Session(ctx)
	if err != nil {
		return false, err
	}
	tree := session.Entries()
	if slices.ContainsFunc(tree.Asides(c.Leaf(tree)), func(n *message.Node) bool { return n.Type == message.EntryCompaction }) {
		return true, nil
	}
	b, unread, err := prune.ReadBranch(ctx, prunePorts(c), c.Session.ID, c.Session.LeafID)
	if err != nil || unread != nil {
		return false, errors.Join(err, unread)
	}
	return b.Totals().Pruned > 0, nil
}

// declared is what the session says that pictx declares, in order.
func declared(ctx context.Context, c *Call) []bill.Declared {
	var out []bill.Declared
	_ = eachCustom(ctx, c, tool.DeclaredEntry, func(raw []byte, n *message.Node) { // what cannot be read is not counted
		var e struct {
			Data tool.Declared `json:"data"`
		}
		if Decode(raw, &e) == nil {
			out = append(out, bill.Declared{Since: n.Time, Tools: e.Data.Tokens})
		}
	})
	return out
}
