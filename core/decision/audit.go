package decision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/coctostan/pictx/core/decision/likeness"
	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/core/text"
)

// Audit checks the decisions of a repository.
type Audit struct {
	Now time.Time
	// DraftDays is the number of days that a draft may wait.
	DraftDays int
	// Reasons requires every active decision to have a reason.
	Reasons bool
	// Files are the files of the repository, slash-separated and relative to its root. nil
	// skips the check of globs.
	Files []string
	// Changed are the files that a range of commits changed, Messages its commit messages,
	// Touched the ids of the decisions that it changed.
	Changed  []string
	Messages string
	Touched  map[string]bool
	// Span is set when a range of commits is audited.
	Span bool
	// NoDriver is set when .gitattributes names a merge driver that git does not know.
	NoDriver bool
}

// CheckLog lists the problems that need a person, except damaged lines.
func (a Audit) CheckLog(l *Log, s *State) []Finding {
	return sortFindings(append(returned(l, s), a.Check(s)...))
}

// Check is CheckLog limited to what the state shows.
func (a Audit) Check(s *State) []Finding {
	out := append(conflicts(s), a.alike(s)...)
	if a.NoDriver {
		out = append(out, MissingDriver(LevelWarning))
	}
	today := a.Now.UTC().Format(time.DateOnly)
	for _, d := range s.Present() {
		switch {
		case d.Status == Draft && a.Now.Sub(d.Since) > time.Duration(a.DraftDays)*24*time.Hour:
			days := int(a.Now.Sub(d.Since).Hours() / 24)
			out = append(out, Finding{Code: FindDraft, IDs: []string{d.ID}, Text: fmt.Sprintf("it has been a draft for %d days", days), Fix: "pictx decision accept " + d.ID + ", or reject"})
		case d.Status == Active:
			out = append(out, a.active(d, today)...)
		}
	}
	return sortFindings(out)
}

// sortFindings sorts errors before warnings, then by code, and sets missing levels.
func sortFindings(all []Finding) []Finding {
	for i := range all {
		all[i].Level = cmp.Or(all[i].Level, LevelError)
	}
	slices.SortStableFunc(all, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.Level, y.Level), cmp.Compare(x.Code, y.Code))
	})
	return all
}

// The bounds of the search for related decisions: only the latest decisions of a very long
// log are considered, and only this many pairs are listed.
const (
	maxAlike      = 20
	maxConsidered = 2000
)

// alike lists the pairs of active decisions that say the same or contradict each other. For
// a range of commits it lists only pairs with a decision that the range added. Nobody is
// asked about such pairs when two branches each decide the same thing and are merged.
func (a Audit) alike(s *State) []Finding {
	active := s.With(Active)
	active = active[max(0, len(active)-maxConsidered):]
	texts := make([]string, len(active))
	for i, d := range active {
		texts[i] = d.Text
	}
	isNew := func(i int) bool { return !a.Span || a.Touched[active[i].ID] }
	var out []Finding
	more := 0
	for _, p := range likeness.Pairs(texts, isNew) {
		one, two := active[p.A], active[p.B]
		if one.related(two) || a.Span && (a.names(one) || a.names(two)) {
			continue
		}
		f := alikeFinding(one, two, p.Likeness)
		switch {
		case f.Code == "":
			continue
		case p.Score < 1 && !a.Span:
			f.Level = LevelWarning
		}
		if f.Level == LevelWarning && len(out) >= maxAlike {
			more++
			continue
		}
		out = append(out, f)
	}
	if more > 0 {
		out = append(out, Finding{
			Code: FindContradiction, Level: LevelWarning, Text: fmt.Sprintf("%d more pairs are alike", more), Fix: "settle those above first",
		})
	}
	return out
}

// alikeFinding returns the finding for a pair of related decisions, without a code when there is
// nothing to settle.
func alikeFinding(one, two *Decision, l likeness.Likeness) Finding {
	f := Finding{
		IDs: []string{one.ID, two.ID}, Level: LevelError,
		Fix: fmt.Sprintf("pictx decision remove %s --yes; to keep both, pictx decision conflict %s %s and resolve it", two.ID, one.ID, two.ID),
	}
	what := ""
	switch l.Class {
	case likeness.Duplicate:
		f.Code, what = FindDuplicate, "seem to say the same"
		if l.Score == 1 {
			what = "say the same"
		}
	case likeness.Conflict:
		f.Code, what, f.Level = FindContradiction, "seem to contradict each other", LevelWarning
	}
	if l.Score < 1 {
		what += " (" + l.Why + ")"
	}
	f.Text = fmt.Sprintf("they %s: %q and %q", what, CutWord(text.LogLine(one.Text), 80), CutWord(text.LogLine(two.Text), 80))
	return f
}

// related reports whether the relation between two decisions is already recorded: they are
// or were marked as conflicting, or they are rivals.
func (d *Decision) related(o *Decision) bool {
	marked := func(d, o *Decision) bool {
		return slices.ContainsFunc(d.events, func(e *Event) bool { return slices.Contains(value(e.Data.Conflicts), o.ID) })
	}
	return marked(d, o) || marked(o, d) || slices.Contains(d.Rivals, o.ID)
}

// names reports whether a commit message of the range names a decision.
func (a Audit) names(d *Decision) bool {
	return strings.Contains(strings.ToUpper(a.Messages), strings.ToUpper(d.ID))
}

// active checks an active decision.
func (a Audit) active(d *Decision, today string) []Finding {
	var out []Finding
	if a.Reasons && d.Reason == "" {
		out = append(out, Finding{Code: FindReason, IDs: []string{d.ID}, Text: "it has no reason", Fix: "pictx decision reason " + d.ID + " WHY"})
	}
	if d.Review != "" && d.Review < today {
		out = append(out, Finding{Code: FindReview, IDs: []string{d.ID}, Text: "its review date was " + d.Review, Fix: "pictx decision edit " + d.ID + " --review DAY"})
	}
	if a.Files != nil {
		for _, g := range d.Paths {
			if !slices.ContainsFunc(a.Files, func(f string) bool { return governs(g, f) }) {
				out = append(out, Finding{Code: FindPaths, IDs: []string{d.ID}, Text: "no file matches " + g, Fix: "pictx decision edit " + d.ID + " --path GLOB"})
			}
		}
	}
	if a.Touched[d.ID] || a.names(d) {
		return out
	}
	for _, f := range a.Changed {
		if d.Governs(f) {
			out = append(out, Finding{
				Code: FindGoverned, IDs: []string{d.ID}, File: f,
				Text: f + " changed, which is governed by: " + TitleOf(d.Text), Fix: "name " + d.ID + " in a commit message, or change the decision",
			})
		}
	}
	return out
}

// governs reports whether a glob matches a file or one of its directories. A pattern with
// braces that expands to too many others matches nothing.
func governs(pattern, file string) bool {
	if strings.Contains(pattern, "{") { // {a,b} may expand to 2^n patterns
		for _, p := range []string{pattern, strings.TrimSuffix(pattern, "/") + "/**"} {
			if g, err := glob.Compile(p); err == nil && g.Match(file) {
				return true
			}
		}
		return false
	}
	return doublestar.MatchUnvalidated(pattern, file) || doublestar.MatchUnvalidated(strings.TrimSuffix(pattern, "/")+"/**", file)
}
