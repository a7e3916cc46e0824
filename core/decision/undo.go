package decision

import (
	"cmp"
	"fmt"
	"slices"
)

// Undo reverts the latest change of the log by adding opposite events. It returns a
// description of what it reverted.
func (e *Editor) Undo() (string, error) {
	batch := e.State.lastChange()
	if len(batch) == 0 {
		return "", &RefusedError{"undo: there is nothing to undo", ""}
	}
	first := batch[0]
	for i := len(batch) - 1; i >= 0; i-- {
		if err := e.undo(batch[i]); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%s %s", first.event.does(), first.decision.ID), nil
}

// step is an event with its decision.
type step struct {
	decision *Decision
	event    *Event
}

// lastChange returns the events of the latest change: those whose keys were counted up from
// one another.
func (s *State) lastChange() []step {
	var all []step
	for _, d := range s.Decisions {
		for _, e := range d.events {
			if e.Line > 0 {
				all = append(all, step{d, e})
			}
		}
	}
	var last *Event
	for _, st := range all {
		if last == nil || st.event.Line > last.Line {
			last = st.event
		}
	}
	if last == nil {
		return nil
	}
	var out []step
	for _, st := range all {
		if st.event == last || !last.derived && sameChange(st.event.Key, last.Key) {
			out = append(out, st)
		}
	}
	slices.SortStableFunc(out, func(a, b step) int { return cmp.Compare(a.event.Line, b.event.Line) })
	return out
}

// sameChange reports whether two keys belong to one change: they share the time and all but
// the end of the random part.
func sameChange(a, b string) bool {
	const counted = 3 // digits that counting up may change
	return len(a) == len(b) && len(a) > counted && a[:len(a)-counted] == b[:len(b)-counted]
}

// undo adds the events that reverse an event.
func (e *Editor) undo(st step) error {
	d := st.decision
	switch st.event.Op {
	case OpAdd:
		if d.Removed {
			return &RefusedError{fmt.Sprintf("undo: %s is removed already", d.ID), ""}
		}
		return e.emit(OpRemove, d, Data{Reason: new("undone")})
	case OpRemove:
		return e.again(d)
	}
	was := d.before(st.event)
	data := Data{}
	if st.event.Data.Text != nil || st.event.Data.Title != nil {
		data.Title, data.Text = &was.Title, &was.Text
	}
	if st.event.Data.Tags != nil {
		tags := append([]string{}, was.Tags...)
		data.Tags = &tags
	}
	if st.event.Data.Conflicts != nil {
		list := append([]string{}, was.Conflicts...)
		data.Conflicts = &list
	}
	if st.event.Data.Paths != nil {
		paths := append([]string{}, was.Paths...)
		data.Paths = &paths
	}
	if st.event.Data.Review != nil {
		data.Review = &was.Review
	}
	if st.event.Op == OpEdit {
		if st.event.Data.Reason != nil {
			data.Reason = &was.Reason
		}
		return e.emit(OpEdit, d, data)
	}
	data.Status = &was.Status
	data.Reason = new("undone")
	return e.emit(OpStatus, d, data)
}

// again adds a removed decision under a new id. The old one stays removed.
func (e *Editor) again(d *Decision) error {
	n := New{Text: d.Text, Title: d.Title, Reason: d.Reason, Tags: d.Tags, Paths: d.Paths, Status: d.Status, Review: d.Review}
	_, err := e.Add(n, true)
	return err
}

// before returns the decision as it was before one of its events.
func (d *Decision) before(e *Event) *Decision {
	was := &Decision{ID: d.ID, Bare: d.Bare, Status: Active, Since: d.Created}
	for _, known := range d.events {
		if known == e {
			break
		}
		was.change(known)
	}
	return was
}
