package decision

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
)

// ShownType is the custom type of the session messages that show decisions to a model.
const ShownType = "pictx.decisions"

// Shown are the details of a message of ShownType. They record what it shows, so that a later
// message can list only the changes.
type Shown struct {
	Kind string `json:"kind"` // snapshot, delta or governing
	// Lines are the new and changed lines, Gone the ids of decisions no longer in force.
	Lines []ShownLine `json:"lines"`
	Gone  []string    `json:"gone,omitempty"`
	Told  []string    `json:"told,omitempty"` // ids of decisions that govern files of a turn
	// Left counts the active decisions that did not fit into a snapshot.
	Left int `json:"-"`
}

// The kinds of messages.
const (
	kindSnapshot  = "snapshot"
	kindDelta     = "delta"
	kindGoverning = "governing"
)

// ShownLine is the line that shows a decision to a model.
type ShownLine struct {
	ID   string `json:"id"`
	Line string `json:"line"`
}

// Known maps the ids of decisions to the lines that a model has been shown.
type Known map[string]string

// Take takes in what a message shows. A snapshot replaces everything before it.
func (k *Known) Take(s Shown) {
	if *k == nil || s.Kind == kindSnapshot {
		*k = Known{}
	}
	for _, l := range s.Lines {
		(*k)[l.ID] = l.Line
	}
	for _, id := range s.Gone {
		delete(*k, id)
	}
}

// ShownIn returns what the context at a leaf shows a model of the decisions, nil when it has no
// snapshot.
func ShownIn(s message.Session, leaf string) (Known, error) {
	var known, whole Known
	for _, item := range s.Entries().Context(leaf) {
		d, ok, err := shownBy(s, item.Node, item.Head.CustomType)
		if err != nil {
			return nil, err
		}
		if known.Take(d); ok && d.Kind == kindSnapshot {
			whole = known // what comes later is taken in, too
		}
	}
	return whole, nil
}

// shownBy returns the details of an entry of a type, and whether it has any.
func shownBy(s message.Session, n *message.Node, customType string) (d Shown, ok bool, err error) {
	if n == nil || customType != ShownType {
		return d, false, nil
	}
	raw, err := s.Line(n)
	if err != nil {
		return d, false, fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	if json.Unmarshal(n.Details.Of(raw), &d) != nil {
		return Shown{}, false, nil
	}
	return d, true, nil
}

// News returns what to show a model next: all that there is room for when it was shown nothing,
// otherwise the changes.
func (s *State) News(known Known, limit int) Shown {
	if known == nil {
		return s.Project(limit)
	}
	return s.Since(known, limit)
}

// Since returns what changed since a model was shown some decisions. One that is still active
// but no longer fits counts as unchanged.
func (s *State) Since(k Known, limit int) Shown {
	d := Shown{Kind: kindDelta}
	for _, l := range s.Project(limit).Lines {
		if k[l.ID] != l.Line {
			d.Lines = append(d.Lines, l)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(k)) {
		now := s.lookup(id)
		if now == nil || !now.shown() {
			d.Gone = append(d.Gone, id)
		} else if line := now.Line(); line != k[id] && !slices.ContainsFunc(d.Lines, func(a ShownLine) bool { return a.ID == id }) {
			d.Lines = append(d.Lines, ShownLine{id, line})
		}
	}
	return d
}

// Text returns the message for the model, "" when there is nothing to show. A log yields the
// same text on every machine.
func (d Shown) Text() string {
	lines := []string{contextHead}
	if d.Kind == kindDelta {
		lines[0] = "Project decisions changed:"
	}
	for _, l := range d.Lines {
		lines = append(lines, l.Line)
	}
	for _, id := range d.Gone {
		lines = append(lines, fence.OneLine(id, maxShownID)+" is no longer in force")
	}
	if d.Left > 0 {
		lines = append(lines, foot(d.Left))
	}
	if len(lines) == 1 {
		return ""
	}
	return framed(lines...)
}

// framed returns lines in the frame around decisions.
func framed(lines ...string) string {
	return contextOpen + "\n" + strings.Join(lines, "\n") + "\n" + contextClose
}
