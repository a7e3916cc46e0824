package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Clashes lists the conflicts that a person has to resolve. The fix of each names the
// commands that pick a side.
func (s *State) Clashes() []Finding {
	var out []Finding
	add := func(k kind, said, fix string, ids ...string) {
		f := found(k, said, ids...)
		f.Fix = fix
		out = append(out, f)
	}
	for _, d := range s.With(Active) {
		for _, other := range d.Conflicts {
			o := s.lookup(other)
			if o != nil && o != d && !o.Removed && o.Status == Active && (d.ID < o.ID || !slices.Contains(o.Conflicts, d.ID)) {
				add(conflict, "they are in conflict", rejectOne(d.ID, o.ID)+"; to keep both, pictx decision resolve "+d.ID+" active", d.ID, o.ID)
			}
		}
	}
	for _, d := range s.Decisions {
		ids, said := []string{d.ID}, "it was superseded side by side"
		for i, next := range d.successors {
			ids, said = append(ids, next.ID), said+[]string{" by ", " and by "}[min(i, 1)]+next.Brief()
		}
		if len(ids) > 1 {
			add(conflict, said+"; only one can stay", rejectOne(ids[1:]...), ids...)
			continue
		}
		for _, side := range d.Sides {
			add(conflict, "it was changed in two ways side by side: "+side.line(), side.fix(d), d.ID)
		}
	}
	for _, bare := range s.shared() {
		var ids []string
		for _, d := range s.byID[bare] {
			ids = append(ids, d.suffixed())
		}
		add(sharedID, fmt.Sprintf("%d decisions have the id %s", len(ids), bare), "pictx decision supersede "+ids[1]+" TEXT --reason 'a new id'", ids...)
	}
	return out
}

// rejectOne names the commands that pick one of several decisions: each rejects one of them.
func rejectOne(ids ...string) string {
	return "pictx decision reject " + strings.Join(ids, ", or pictx decision reject ")
}

// fix names the commands that pick one of the two values.
func (f Side) fix(d *Decision) string {
	pick := "pictx decision resolve " + d.ID + " "
	other, _, _ := strings.Cut(f.A, " ")
	switch {
	case f.Field == "text": // the value in force is that of the other side
		other = string(d.Status) + " --text " + text.ShellWord(f.A)
	case f.Field == "removed":
		other = f.Field
	case other == string(d.Status):
		other, _, _ = strings.Cut(f.B, " ")
	}
	return pick + string(d.Status) + ", or " + pick + other
}

// line returns the field and both of its values on one line.
func (f Side) line() string {
	const limit = 80
	a, b := CutWord(text.LogLine(f.A), limit), CutWord(text.LogLine(f.B), limit)
	if f.Field == "removed" {
		return a + ", and removed"
	}
	return f.Field + ` "` + a + `" or "` + b + `"`
}

// Unsettled describes briefly which concurrent changes are unsettled, "" when none are.
func (d *Decision) Unsettled() string {
	var all []string
	for _, f := range d.Sides {
		all = append(all, f.line())
	}
	if len(d.Rivals) > 0 {
		all = append(all, strings.Join(append([]string{d.ID}, d.Rivals...), " or ")+" stands")
	}
	return strings.Join(all, "; ")
}

// Contested reports whether the decision was removed while somebody changed it who did not
// know about the removal.
func (d *Decision) Contested() bool {
	return d.Removed && slices.ContainsFunc(d.Sides, func(f Side) bool { return f.Field == "removed" })
}

// maxRivals bounds the rivals of one decision. A log may be made to have thousands.
const maxRivals = 16

// findRivals finds the active decisions that concurrently superseded the same one. As soon
// as at most one of them is active, that is settled.
func (s *State) findRivals() {
	for _, d := range s.Decisions {
		i := slices.IndexFunc(d.Sides, func(f Side) bool {
			return strings.HasPrefix(f.A, string(Superseded)+" ") && strings.HasPrefix(f.B, string(Superseded)+" ")
		})
		if i < 0 || d.Sides[i].Field != "status" {
			continue
		}
		all := s.activeSuccessors(d)
		if len(all) < 2 {
			d.Sides = slices.Delete(d.Sides, i, i+1)
			if len(all) == 1 && d.Status == Superseded {
				d.SupersededBy = all[0].Bare
			}
			continue
		}
		d.successors = all
		for _, one := range all {
			for _, other := range all[:min(len(all), maxRivals+1)] {
				if other != one && len(one.Rivals) < maxRivals {
					one.Rivals = append(one.Rivals, other.ID)
				}
			}
		}
	}
}

// activeSuccessors returns the active decisions that supersede d.
func (s *State) activeSuccessors(d *Decision) (out []*Decision) {
	listed := make(map[*Decision]bool)
	for _, e := range d.events {
		next := s.lookup(value(e.Data.Next))
		if next != nil && !next.Removed && next.Status == Active && !listed[next] {
			listed[next] = true
			out = append(out, next)
		}
	}
	return out
}

// Related reports whether the relation between two decisions is already recorded: they are
// or were marked as conflicting, or they are rivals.
func (d *Decision) Related(o *Decision) bool {
	marked := func(d, o *Decision) bool {
		return slices.ContainsFunc(d.events, func(e *Event) bool { return slices.Contains(value(e.Data.Conflicts), o.ID) })
	}
	return marked(d, o) || marked(o, d) || slices.Contains(d.Rivals, o.ID)
}

// lookup finds a decision by its shown id or its id in the log, nil when there is none.
func (s *State) lookup(id string) *Decision {
	d, err := s.Find(id)
	if err == nil {
		return d
	}
	if all := s.byID[id]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// Clash marks two decisions as being in conflict, each with the other.
func (e *Editor) Clash(a, b *Decision, note string) error {
	if a.Key == b.Key {
		return &RefusedError{"mark conflict: that is one decision", ""}
	}
	said, err := cleaned(optional(note))
	for _, d := range []*Decision{a, b} {
		if err == nil {
			err = present(d, "mark conflict of")
		}
	}
	for _, pair := range [][2]*Decision{{a, b}, {b, a}} {
		d, other := pair[0], pair[1]
		if err == nil && !slices.Contains(d.Conflicts, other.ID) {
			list := append(slices.Clone(d.Conflicts), other.ID)
			err = e.emit(OpEdit, d, Data{Conflicts: &list, Note: said})
		}
	}
	return err
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
	if r := d.successors; len(r) > 0 {
		return &RefusedError{fmt.Sprintf("resolve %s: %s and %s replaced it; reject one of them", d.ID, r[0].ID, r[1].ID), "pictx decision reject " + r[0].ID}
	}
	if how.Removed {
		return e.emit(OpRemove, d, Data{Reason: optional(how.Reason)})
	}
	for _, id := range d.Conflicts {
		if other := e.State.lookup(id); other != nil && !other.Removed && slices.Contains(other.Conflicts, d.ID) {
			rest := without(other.Conflicts, []string{d.ID})
			data := Data{Conflicts: &rest}
			if len(rest) == 0 {
				data.Note = new("")
			}
			if err := e.emit(OpEdit, other, data); err != nil {
				return err
			}
		}
	}
	data := Data{Status: &how.To, Conflicts: &[]string{}, Note: new("")}
	switch clean, err := cleaned(how.Text); {
	case err != nil:
		return err
	case clean != nil:
		data.Title, data.Text = new(TitleOf(*clean)), clean
	case slices.ContainsFunc(d.Sides, func(f Side) bool { return f.Field == "text" }):
		data.Title, data.Text = &d.Title, &d.Text // the event has seen both sides
	}
	return e.turn(d, data, how.Reason, nil)
}
