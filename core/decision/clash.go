package decision

import (
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/text"
)

// Clash is an unresolved conflict in the log.
type Clash struct {
	// IDs are the decisions involved, Text describes the conflict without naming the first.
	IDs  []string
	Text string
	// Fix names the commands that pick a side.
	Fix string
	// Shared is set when two decisions share an id.
	Shared bool
}

// Clashes lists the conflicts that a person has to resolve.
func (s *State) Clashes() []Clash {
	out := s.marked()
	for _, f := range s.Forks() {
		out = append(out, s.forkClash(f))
	}
	for _, bare := range s.Shared() {
		all := s.byID[bare]
		c := Clash{Shared: true, Text: fmt.Sprintf("%d decisions have the id %s", len(all), bare)}
		for _, d := range all {
			c.IDs = append(c.IDs, d.suffixed())
		}
		c.Fix = "pictx decision supersede " + c.IDs[1] + " TEXT --reason 'a new id'"
		out = append(out, c)
	}
	return out
}

// ClashesOf lists the conflicts that one decision is part of.
func (s *State) ClashesOf(d *Decision) []Clash {
	return slices.DeleteFunc(s.Clashes(), func(c Clash) bool { return !slices.Contains(c.IDs, d.ID) })
}

// marked lists the active decisions that are marked as conflicting.
func (s *State) marked() []Clash {
	var out []Clash
	for _, d := range s.With(Active) {
		for _, other := range d.Conflicts {
			o := s.lookup(other)
			if o == nil || o == d || o.Removed || o.Status != Active || d.ID > o.ID && slices.Contains(o.Conflicts, d.ID) {
				continue
			}
			out = append(out, Clash{IDs: []string{d.ID, o.ID}, Text: "they are in conflict", Fix: sides(d.ID, o.ID) + "; to keep both, pictx decision resolve " + d.ID + " active"})
		}
	}
	return out
}

// forkClash returns a fork as a conflict, with the commands that pick a side.
func (s *State) forkClash(f Fork) Clash {
	d := f.Decision
	if all := s.rivalsFor(d); f.Field == "status" && len(all) > 0 {
		c := Clash{IDs: []string{d.ID}}
		var named []string
		for _, r := range all {
			c.IDs, named = append(c.IDs, r.ID), append(named, r.Brief())
		}
		c.Text = fmt.Sprintf("it was superseded side by side by %s; only one can stay", strings.Join(named, " and by "))
		c.Fix = sides(c.IDs[1:]...)
		return c
	}
	to := []string{string(d.Status)}
	a, b := f.Sides()
	for _, side := range []string{a, b} {
		word, _, _ := strings.Cut(side, " ")
		if f.Field == "status" && word != to[0] || f.Field == "removed" && word == "removed" {
			to = append(to, word)
		}
	}
	if f.Field == "text" { // the value in force is that of the other side
		to = append(to, to[0]+" --text "+text.ShellWord(a))
	}
	for i := range to {
		to[i] = "pictx decision resolve " + d.ID + " " + to[i]
	}
	return Clash{
		IDs: []string{d.ID}, Text: "it was changed in two ways side by side: " + f.sidesText(), Fix: strings.Join(to, ", or "),
	}
}

// sides names the commands that pick one of several decisions: each rejects one of them.
func sides(ids ...string) string {
	return "pictx decision reject " + strings.Join(ids, ", or pictx decision reject ")
}

// sidesText returns the field and both of its values on one line.
func (f Fork) sidesText() string {
	const limit = 80
	a, b := f.Sides()
	if f.Field == "removed" {
		return CutWord(text.LogLine(a), limit) + ", and " + b
	}
	quoted := func(s string) string { return `"` + CutWord(text.LogLine(s), limit) + `"` }
	return fmt.Sprintf("%s %s or %s", f.Field, quoted(a), quoted(b))
}

// Unsettled describes briefly which concurrent changes are unsettled, "" when none are.
func (d *Decision) Unsettled() string {
	var all []string
	for _, f := range d.forks {
		all = append(all, f.sidesText())
	}
	if len(d.Rivals) > 0 {
		all = append(all, strings.Join(append([]string{d.ID}, d.Rivals...), " or ")+" stands")
	}
	return strings.Join(all, "; ")
}

// Contested reports whether the decision was removed while somebody changed it who did not
// know about the removal.
func (d *Decision) Contested() bool {
	return d.Removed && slices.ContainsFunc(d.forks, func(f Fork) bool { return f.Field == "removed" })
}

// successor returns the id of the decision that supersedes d, the latest active one of
// several, "" for none.
func (s *State) successor(d *Decision) string {
	if all := s.activeSuccessors(d); len(all) > 0 {
		return all[len(all)-1].Bare
	}
	return d.SupersededBy
}

// rivalsFor returns the active decisions that concurrently superseded d, nil unless there
// are several.
func (s *State) rivalsFor(d *Decision) []*Decision {
	if !slices.ContainsFunc(d.forks, Fork.ofSuccessors) {
		return nil
	}
	return s.activeSuccessors(d)
}

// ofSuccessors reports whether both sides superseded the decision.
func (f Fork) ofSuccessors() bool {
	return f.Field == "status" && value(f.A.Data.Next) != "" && value(f.B.Data.Next) != ""
}

// activeSuccessors returns the active decisions that supersede d.
func (s *State) activeSuccessors(d *Decision) []*Decision {
	var out []*Decision
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

// maxRivals bounds the rivals of one decision. A log may be made to have thousands.
const maxRivals = 16

// findRivals sets Rivals of the decisions that concurrently superseded the same one. As
// soon as at most one of them is active, that is settled.
func (s *State) findRivals() {
	for _, d := range s.Decisions {
		all := s.rivalsFor(d)
		if len(all) < 2 {
			if d.forks = slices.DeleteFunc(d.forks, Fork.ofSuccessors); len(all) == 1 && d.Status == Superseded {
				d.SupersededBy = all[0].Bare
			}
			continue
		}
		for _, one := range all {
			for _, other := range all[:min(len(all), maxRivals+1)] {
				if other != one && len(one.Rivals) < maxRivals {
					one.Rivals = append(one.Rivals, other.ID)
				}
			}
		}
	}
}

// Related reports whether the relation between two decisions is already recorded: they are
// or were marked as conflicting, or they are rivals.
func (d *Decision) Related(o *Decision) bool {
	marked := func(d, o *Decision) bool {
		return slices.ContainsFunc(d.events, func(e *Event) bool { return slices.Contains(value(e.Data.Conflicts), o.ID) })
	}
	return marked(d, o) || marked(o, d) || slices.Contains(d.Rivals, o.ID)
}
