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

// mark marks the decision that this change adds under an id and another one as conflicting.
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

// Settlement says how the conflicts of a decision are settled.
type Settlement struct {
	// To is its new status. With Removed it stays removed instead.
	To      Status
	Removed bool
	Reason  string
	// Text is its new text, nil to keep the present one.
	Text *string
	// Stands is the id of the decision that replaces it, when several superseded it.
	Stands string
}

// Resolve settles the conflicts of a decision. It sets the status and deletes the conflict
// marks on it and on the other decisions. Concurrently changed fields keep their present
// value, except that Settlement.Text replaces the text. A decision that one side removed
// and the other changed is restored or stays removed. The error is a RefusedError when
// there is no such conflict, or when several decisions could stand and none is named.
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

// resolveRemoved settles a removed decision that was changed concurrently.
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
	return e.emit(OpEdit, d, Data{Title: new(TitleOf(clean)), Text: &clean})
}

func optional(s string) *string {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return &s
}

// unmark deletes the conflict marks and notes that other decisions have about this one.
func (e *Editor) unmark(d *Decision) error {
	for _, id := range d.Conflicts {
		other := e.State.lookup(id)
		if other == nil || other.Removed || !slices.Contains(other.Conflicts, d.ID) {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(other.Conflicts), func(c string) bool { return c == d.ID })
		data := Data{Conflicts: &rest}
		if len(rest) == 0 && other.Note != "" {
			data.Note = new("")
		}
		if err := e.emit(OpEdit, other, data); err != nil {
			return err
		}
	}
	return nil
}

// settleStatus sets the status of a decision and settles which of several successors
// stands: one of them when the decision is superseded, the decision itself when it becomes
// active.
func (e *Editor) settleStatus(d *Decision, how Settlement) error {
	rivals := e.State.activeSuccessors(d)
	if len(rivals) > 1 && e.State.successors(d) == nil {
		rivals = nil // all were meant to be in force together
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

// replace marks a decision as superseded by another.
func (e *Editor) replace(d, by *Decision, reason string) error {
	return e.emit(OpSupersede, d, Data{Status: new(Superseded), Reason: optional(reason), Next: new(by.Bare)})
}

// settling returns data that repeats the values of the forked fields. The event that
// carries it has seen both sides, so it ends the fork.
func (e *Editor) settling(d *Decision, text *string) (Data, error) {
	data := Data{Conflicts: &[]string{}}
	if d.Note != "" {
		data.Note = new("")
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
		data.Title, data.Text = new(TitleOf(clean)), &clean
	}
	return data, nil
}
