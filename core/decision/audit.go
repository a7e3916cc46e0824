package decision

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

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

// CheckLog lists what is wrong with a log, whose bytes are data, and what a person has to
// settle in it, errors first.
func (c Checks) CheckLog(l *Log, s *State, data []byte) []Finding {
	return sortFindings(append(append(Doctor(l, s, c.Now), LeftTexts(l, s, data)...), c.check(s)...))
}

// check lists what the decisions say, besides conflicts.
func (c Checks) check(s *State) []Finding {
	out := c.duplicates(s)
	if c.NoDriver {
		out = append(out, MissingDriver())
	}
	today := c.Now.UTC().Format(time.DateOnly)
	for _, d := range s.Present() {
		switch {
		case d.Status == Draft && c.Now.Sub(Moment(d.Since)) > time.Duration(c.DraftDays)*24*time.Hour:
			days := int(c.Now.Sub(Moment(d.Since)).Hours() / 24)
			out = append(out, Finding{Code: FindDraft, IDs: []string{d.ID}, Text: fmt.Sprintf("it has been a draft for %d days", days), Fix: "pictx decision accept " + d.ID + ", or reject"})
		case d.Status == Active:
			out = append(out, c.active(d, today)...)
		}
	}
	return out
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

// duplicates lists the pairs of active decisions that say the same, each with the first that
// does. For a range of commits it lists only those that the range added. Nobody is asked
// about them when two branches each decide the same thing and are merged.
func (c Checks) duplicates(s *State) []Finding {
	first := make(map[string]*Decision)
	var out []Finding
	for _, d := range s.With(Active) {
		key := TextKey(d.Text)
		one := first[key]
		switch {
		case one == nil:
			first[key] = d
		case one.Related(d), c.Span && (!c.Touched[d.ID] && !c.Touched[one.ID] || c.names(one) || c.names(d)):
		default:
			out = append(out, Finding{
				Code: FindDuplicate, IDs: []string{one.ID, d.ID},
				Text: fmt.Sprintf("they say the same: %q and %q", CutWord(text.LogLine(one.Text), 80), CutWord(text.LogLine(d.Text), 80)),
				Fix:  fmt.Sprintf("pictx decision remove %s --yes; to keep both, pictx decision conflict %s %s and resolve it", d.ID, one.ID, d.ID),
			})
		}
	}
	return out
}

// names reports whether a commit message of the range names a decision.
func (c Checks) names(d *Decision) bool {
	return strings.Contains(strings.ToUpper(c.Messages), strings.ToUpper(d.ID))
}

// active checks an active decision.
func (c Checks) active(d *Decision, today string) []Finding {
	var out []Finding
	if c.Reasons && d.Reason == "" {
		out = append(out, Finding{Code: FindReason, IDs: []string{d.ID}, Text: "it has no reason", Fix: "pictx decision edit " + d.ID + " --reason WHY"})
	}
	if d.Review != "" && d.Review < today {
		out = append(out, Finding{Code: FindReview, IDs: []string{d.ID}, Text: "its review date was " + d.Review, Fix: "pictx decision edit " + d.ID + " --review DAY"})
	}
	if c.Files != nil {
		for _, g := range d.Paths {
			if !slices.ContainsFunc(c.Files, func(f string) bool { return MatchGoverned(g, f) }) {
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
				Text: f + " changed, which is governed by: " + TitleOf(d.Text), Fix: "name " + d.ID + " in a commit message, or change the decision",
			})
		}
	}
	return out
}
