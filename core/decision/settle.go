package decision

import (
	"fmt"
	"slices"
	"strings"
)

// Clash marks two decisions as being in conflict, each with the other.
func (e *Editor) Clash(a, b *Decision, note string) error {
	if a.Key == b.Key {
		return &RefusedError{"mark conflict: that is one decision", ""}
	}
	for _, d := range []*Decision{a, b} {
		if err := present(d, "mark conflict of"); err != nil {
			return err
		}
	}
	if note = strings.TrimSpace(note); note != "" {
		var err error
		if note, err = e.clean(note); err != nil {
			return err
		}
	}
	for _, pair := range [][2]*Decision{{a, b}, {b, a}} {
		d, other := pair[0], pair[1]
		if slices.Contains(d.Conflicts, other.ID) {
			continue
		}
		list := append(slices.Clone(d.Conflicts), other.ID)
		data := Data{Conflicts: &list}
		if note != "" {
			data.Note = &note
		}
		if err := e.emit(OpEdit, d, data); err != nil {
			return err
		}
	}
	return nil
}

// mark marks a decision that this change adds as being in conflict with another.
func (e *Editor) mark(id string, other *Decision) error {
	list := append(slices.Clone(other.Conflicts), id)
	for i := range e.events {
		if e.events[i].ID == id && e.events[i].Op == OpAdd {
			mine := append(slices.Clone(value(e.events[i].Data.Conflicts)), other.ID)
			e.events[i].Data.Conflicts = &mine
		}
	}
	return e.emit(OpEdit, other, Data{Conflicts: &list})
}

// Settlement is how the conflicts of a decision are settled.
type Settlement struct {
	// To is the status that it gets. Removed settles that it stays removed.
	To      Status
	Removed bool
	Reason  string
	// Text is what it says from now on, nil for what it says already.
	Text *string
	// Stands is the id of the decision that takes its place, where several did.
	Stands string
}

// Resolve settles the conflicts of a decision: it gets a status, and the marks on it and
// on the other decisions are deleted. Fields that were changed concurrently keep their
// value, except that the text becomes the given one. A decision that one side removed and
// the other changed comes back, or stays removed. The error is a RefusedError when there
// is nothing of that kind to settle, or when several decisions could stand.
func (e *Editor) Resolve(d *Decision, how Settlement) error {
	if d.Removed {
		return e.resolveRemoved(d, how)
	}
	if how.Removed {
		return e.Remove(d, how.Reason)
	}
	if err := e.unmark(d); err != nil {
		return err
	}
	data, err := e.settling(d, how.Text)
	if err != nil {
		return err
	}
	if err := e.emit(OpEdit, d, data); err != nil {
		return err
	}
	return e.settleStatus(d, how)
}

// resolveRemoved settles a decision that is removed and was changed side by side.
func (e *Editor) resolveRemoved(d *Decision, how Settlement) error {
	switch {
	case !d.Contested():
		return present(d, "resolve")
	case how.Removed:
		return e.emit(OpRemove, d, Data{Reason: optional(how.Reason)})
	}
	data := Data{Status: &how.To, Reason: optional(how.Reason)}
	for _, l := range d.late {
		if how.To == Superseded && l.Data.Next != nil {
			data.Next = l.Data.Next
		}
	}
	if err := e.emit(OpStatus, d, data); err != nil || how.Text == nil {
		return err
	}
	clean, err := e.clean(*how.Text)
	if err != nil {
		return err
	}
	return e.emit(OpEdit, d, Data{Title: ptr(TitleOf(clean)), Text: &clean})
}

func optional(s string) *string {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return &s
}

// unmark deletes the marks of a conflict that other decisions have with this one, and the
// notes about it.
func (e *Editor) unmark(d *Decision) error {
	for _, id := range d.Conflicts {
		other := e.State.lookup(id)
		if other == nil || other.Removed || !slices.Contains(other.Conflicts, d.ID) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(other.Conflicts), func(c string) bool { return c == d.ID })
		data := Data{Conflicts: &rest}
		if len(rest) == 0 && other.Note != "" {
			data.Note = ptr("")
		}
		if err := e.emit(OpEdit, other, data); err != nil {
			return err
		}
	}
	return nil
}

// settleStatus gives a decision its status, and settles which of several decisions that
// took its place stands: one of them when it is superseded, itself when it becomes active.
func (e *Editor) settleStatus(d *Decision, how Settlement) error {
	rivals := e.State.activeSuccessors(d)
	if len(rivals) > 1 && e.State.successors(d) == nil {
		rivals = nil // each was meant to stand beside the others
	}
	stands := d
	if how.To == Superseded && len(rivals) > 0 {
		i := slices.Index(rivals, e.State.lookup(how.Stands))
		if len(rivals) == 1 {
			i = 0
		}
		if i < 0 {
			return &RefusedError{
				fmt.Sprintf("resolve %s: %s and %s took its place; say which one stands", d.ID, rivals[0].ID, rivals[1].ID),
				fmt.Sprintf("pictx decision resolve %s superseded --stands %s", d.ID, rivals[0].ID),
			}
		}
		stands = rivals[i]
		if err := e.replace(d, stands, how.Reason); err != nil {
			return err
		}
	} else if err := e.Turn(d, how.To, how.Reason); err != nil {
		return err
	}
	if how.To != Superseded && how.To != Active || e.State.successors(d) == nil {
		return nil
	}
	for _, r := range rivals {
		if r != stands {
			if err := e.replace(r, stands, how.Reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace makes a decision superseded by another.
func (e *Editor) replace(d, by *Decision, reason string) error {
	return e.emit(OpSupersede, d, Data{Status: ptr(Superseded), Reason: optional(reason), Next: ptr(by.Bare)})
}

// settling returns data that repeats the values of the forked fields, in an event that
// has seen both sides.
func (e *Editor) settling(d *Decision, text *string) (Data, error) {
	data := Data{Conflicts: &[]string{}}
	if d.Note != "" {
		data.Note = ptr("")
	}
	for _, f := range d.Forks() {
		switch f.Field {
		case "text":
			data.Title, data.Text = &d.Title, &d.Text
		case "reason":
			data.Reason = &d.Reason
		case "paths":
			data.Paths = &d.Paths
		case "review":
			data.Review = &d.Review
		}
	}
	if text != nil {
		clean, err := e.clean(*text)
		if err != nil {
			return data, err
		}
		data.Title, data.Text = ptr(TitleOf(clean)), &clean
	}
	return data, nil
}
