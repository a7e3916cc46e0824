package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/decision/likeness"
	"github.com/coctostan/pictx/core/text"
)

// Checks says what to check of the decisions of a repository.
type Checks struct {
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
func (c Checks) CheckLog(l *decision.Log, s *decision.State) []Finding {
	return sortFindings(append(returned(l, s), c.Check(s)...))
}

// Check is CheckLog limited to what the state shows.
func (c Checks) Check(s *decision.State) []Finding {
	out := append(conflicts(s), c.alike(s)...)
	if c.NoDriver {
		out = append(out, MissingDriver(LevelWarning))
	}
	today := c.Now.UTC().Format(time.DateOnly)
	for _, d := range s.Present() {
		switch {
		case d.Status == decision.Draft && c.Now.Sub(d.Since) > time.Duration(c.DraftDays)*24*time.Hour:
			days := int(c.Now.Sub(d.Since).Hours() / 24)
			out = append(out, Finding{Code: FindDraft, IDs: []string{d.ID}, Text: fmt.Sprintf("it has been a draft for %d days", days), Fix: "pictx decision accept " + d.ID + ", or reject"})
		case d.Status == decision.Active:
			out = append(out, c.active(d, today)...)
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
func (c Checks) alike(s *decision.State) []Finding {
	active := s.With(decision.Active)
	active = active[max(0, len(active)-maxConsidered):]
	texts := make([]string, len(active))
	for i, d := range active {
		texts[i] = d.Text
	}
	isNew := func(i int) bool { return !c.Span || c.Touched[active[i].ID] }
	var out []Finding
	more := 0
	for _, p := range likeness.Pairs(texts, isNew) {
		one, two := active[p.A], active[p.B]
		if one.Related(two) || c.Span && (c.names(one) || c.names(two)) {
			continue
		}
		f := alikeFinding(one, two, p.Likeness)
		switch {
		case f.Code == "":
			continue
		case p.Score < 1 && !c.Span:
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
func alikeFinding(one, two *decision.Decision, l likeness.Likeness) Finding {
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
	f.Text = fmt.Sprintf("they %s: %q and %q", what, decision.CutWord(text.LogLine(one.Text), 80), decision.CutWord(text.LogLine(two.Text), 80))
	return f
}

// names reports whether a commit message of the range names a decision.
func (c Checks) names(d *decision.Decision) bool {
	return strings.Contains(strings.ToUpper(c.Messages), strings.ToUpper(d.ID))
}

// active checks an active decision.
func (c Checks) active(d *decision.Decision, today string) []Finding {
	var out []Finding
	if c.Reasons && d.Reason == "" {
		out = append(out, Finding{Code: FindReason, IDs: []string{d.ID}, Text: "it has no reason", Fix: "pictx decision reason " + d.ID + " WHY"})
	}
	if d.Review != "" && d.Review < today {
		out = append(out, Finding{Code: FindReview, IDs: []string{d.ID}, Text: "its review date was " + d.Review, Fix: "pictx decision edit " + d.ID + " --review DAY"})
	}
	if c.Files != nil {
		for _, g := range d.Paths {
			if !slices.ContainsFunc(c.Files, func(f string) bool { return decision.MatchGoverned(g, f) }) {
				out = append(out, Finding{Code: FindPaths, IDs: []string{d.ID}, Text: "no file matches " + g, Fix: "pictx decision edit " + d.ID + " --path GLOB"})
			}
		}
	}
	if c.Touched[d.ID] || c.names(d) {
		return out
	}
	for _, f := range c.Changed {
		if d.Governs(f) {
			out = append(out, Finding{
				Code: FindGoverned, IDs: []string{d.ID}, File: f,
				Text: f + " changed, which is governed by: " + decision.TitleOf(d.Text), Fix: "name " + d.ID + " in a commit message, or change the decision",
			})
		}
	}
	return out
}
