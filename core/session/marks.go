package session

import (
	"fmt"

	"github.com/coctostan/pictx/core/message"
)

// The types of the custom entries that say what is pruned in the session of an agent that
// records no context edits, and what was restored.
const (
	MarksEntry = "pictx.marks"
	PinsEntry  = "pictx.pins"
)

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
		if kind := node.Message.CustomType; node.Type != message.EntryCustom || kind != MarksEntry && kind != PinsEntry {
			continue
		}
		raw, err := m.line(node)
		if err != nil {
			return nil, true, fmt.Errorf("read entry %s: %w", node.ID, err)
		}
		changed = true
		for _, one := range m.parser.DataList(raw, "marks") {
			if id := m.parser.StringMember(one, "id"); m.inOne[id] == "" {
				m.inOne[id] = m.parser.StringMember(one, "marker")
			}
		}
		for _, id := range m.parser.DataList(raw, "restored") {
			delete(m.inOne, message.Unquote(id))
		}
	}
	m.asides = asides
	return m.inOne, changed, nil
}
