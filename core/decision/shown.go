package decision

import (
	"encoding/json"
	"fmt"

	"github.com/coctostan/pictx/core/message"
)

// Session is a recorded session of an agent.
type Session interface {
	// Entries is the tree of its entries, empty when it has no file yet.
	Entries() *message.Tree
	// Line returns the bytes of an entry, valid until the next call.
	Line(n *message.Node) ([]byte, error)
}

// ShownType is the type of the messages by which a model is shown decisions.
const ShownType = "pictx.decisions"

// ShownDetails are kept with such a message: what it shows, so that a later one can
// list what changed.
type ShownDetails struct {
	Kind  string      `json:"kind"` // snapshot, delta or governing
	Lines []ShownLine `json:"lines"`
	Gone  []string    `json:"gone,omitempty"`
	Told  []string    `json:"told,omitempty"` // ids of those that govern files of a turn
}

// The kinds of messages.
const (
	kindSnapshot = "snapshot"
	kindDelta    = "delta"
)

// ShownIn reads what the context of a session up to its leaf shows of the decisions,
// and whether it has a snapshot. Messages before a snapshot do not count.
func ShownIn(s Session, leaf string) (known Known, shown bool, err error) {
	known = Known{}
	for _, item := range s.Entries().Context(leaf) {
		if item.Head.CustomType != ShownType || item.Node == nil {
			continue
		}
		raw, err := s.Line(item.Node)
		if err != nil {
			return nil, false, fmt.Errorf("read entry %s: %w", item.Node.ID, err)
		}
		var d ShownDetails
		if json.Unmarshal(item.Node.Details.Of(raw), &d) != nil {
			continue
		}
		if d.Kind == kindSnapshot {
			known, shown = Known{}, true
		}
		Delta{Added: d.Lines, Gone: d.Gone}.Apply(known)
	}
	return known, shown, nil
}

// News is the text that a model has to be shown next, "" for nothing: all of a projection when its
// context has no snapshot, else what changed.
func (s *State) News(p Projection, known Known, shown bool) (string, ShownDetails) {
	if !shown {
		return p.Text(), ShownDetails{Kind: kindSnapshot, Lines: p.Lines}
	}
	d := s.Since(known, p)
	if d.Empty() {
		return "", ShownDetails{}
	}
	return d.Text(), ShownDetails{Kind: kindDelta, Lines: d.Added, Gone: d.Gone}
}
