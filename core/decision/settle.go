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
		if note, err = Clean(note); err != nil {
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

// Settlement says which side of a conflict is picked.
type Settlement struct {
	// To is the new status. With Removed the decision stays removed instead.
	To      Status
	Removed bool
	Reason  string
	// Text is the new text, nil to keep the present one.
	Text *string
}

// Resolve settles the conflicts of a decision. It sets the status and deletes the conflict
// marks on it and on the other decisions. A concurrently changed text keeps its present
// value, unless Settlement.Text replaces it. The error is a RefusedError when the
// decision was removed and nobody changed it, or when several decisions replaced it: then
// one of those has to go.
func (e *Editor) Resolve(d *Decision, how Settlement) error {
	if !d.Contested() {
		if err := present(d, "resolve"); err != nil {
			return err
		}
	}
	if r := e.State.rivalsFor(d); len(r) > 0 {
		return &RefusedError{fmt.Sprintf("resolve %s: %s and %s replaced it; reject one of them", d.ID, r[0].ID, r[1].ID), "pictx decision reject " + r[0].ID}
	}
	if how.Removed {
		return e.emit(OpRemove, d, Data{Reason: optional(how.Reason)})
	}
	if err := e.unmark(d); err != nil {
		return err
	}
	if err := e.turn(d, how.To, how.Reason, nil); err != nil {
		return err
	}
	data, err := settling(d, how.Text)
	if err != nil {
		return err
	}
	return e.emit(OpEdit, d, data)
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

// settling returns data that repeats a forked text. The event that carries it has seen both
// sides, so it ends the fork.
func settling(d *Decision, text *string) (Data, error) {
	data := Data{Conflicts: &[]string{}}
	if d.Note != "" {
		data.Note = new("")
	}
	if slices.ContainsFunc(d.forks, func(f Fork) bool { return f.Field == "text" }) {
		data.Title, data.Text = &d.Title, &d.Text
	}
	if text != nil {
		clean, err := Clean(*text)
		if err != nil {
			return data, err
		}
		data.Title, data.Text = new(TitleOf(clean)), &clean
	}
	return data, nil
}
