package session

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
)

// The types of the custom entries that say what is pruned in the session of an agent that
// records no context edits (pi before 0.87), and what is pinned and was restored.
const (
	MarksEntry = "pictx.marks"
	PinsEntry  = "pictx.pins"
)

// Noted is what such an entry says.
type Noted struct {
	// Marks are what stands in place of results from now on.
	Marks []NotedMark
	// Restored are the entries of results that are shown again.
	Restored []string
}

// NotedMark is the marker of a result.
type NotedMark struct {
	ID     string `json:"id"`
	Marker string `json:"marker"`
}

// ReadNoted reads an entry. Of any other entry it returns nothing.
func ReadNoted(p *message.Parser, n *message.Node, line Line) (Noted, error) {
	if kind := n.Message.CustomType; n.Type != message.EntryCustom || kind != MarksEntry && kind != PinsEntry {
		return Noted{}, nil
	}
	raw, err := line(n)
	if err != nil {
		return Noted{}, fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	return ParseNoted(p, raw), nil
}

// ParseNoted is ReadNoted for the bytes of an entry. It ignores what pictx would not write: a
// session file may hold anything.
func ParseNoted(p *message.Parser, entry []byte) (out Noted) {
	for _, one := range p.DataList(entry, "marks") {
		if m := (NotedMark{p.StringMember(one, "id"), p.StringMember(one, "marker")}); m.ID != "" && m.Marker != "" {
			out.Marks = append(out.Marks, m)
		}
	}
	for _, quoted := range p.DataList(entry, "restored") {
		out.Restored = append(out.Restored, message.Unquote(quoted))
	}
	return out
}

// marks follows the marks on a branch.
type marks struct {
	tree   *message.Tree
	line   Line
	parser message.Parser
	asides []*message.Node // those that were read
	inOne  map[string]string
}

// newMarks returns nil for a session without marks.
func newMarks(t *message.Tree, line Line) *marks {
	for _, n := range t.Customs() {
		if n.Message.CustomType == MarksEntry {
			return &marks{tree: t, line: line, inOne: make(map[string]string)}
		}
	}
	return nil
}

// on returns the markers in force at a leaf, by entry, and reports whether they may differ
// from those of the previous call.
func (m *marks) on(leaf string) (markers map[string]string, changed bool, err error) {
	if m == nil {
		return nil, false, nil
	}
	asides := m.tree.Asides(leaf)
	n := len(m.asides)
	if n > len(asides) || n > 0 && asides[n-1] != m.asides[n-1] {
		clear(m.inOne)
		n, changed = 0, true
	}
	for _, node := range asides[n:] {
		noted, err := ReadNoted(&m.parser, node, m.line)
		if err != nil {
			return nil, true, err
		}
		for _, one := range noted.Marks {
			if m.inOne[one.ID] == "" {
				m.inOne[one.ID] = one.Marker
			}
		}
		for _, id := range noted.Restored {
			delete(m.inOne, id)
		}
		changed = changed || len(noted.Marks)+len(noted.Restored) > 0
	}
	m.asides = asides
	return m.inOne, changed, nil
}
