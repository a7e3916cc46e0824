package decision

import (
	"bytes"
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
	all := append([]Finding{}, slices.Concat(c.lines(l, s), returned(s, data), s.Clashes(), c.duplicates(s))...)
	if c.NoDriver {
		f := found(noDriver, "git should merge the log with pictx-decisions, which this clone does not configure, or git does not find")
		f.File = ".gitattributes"
		all = append(all, f)
	}
	secrets := SecretFinder()
	for _, d := range s.Present() {
		if names := secrets(d.Text + "\n" + d.Reason); len(names) > 0 {
			all = append(all, found(secretText, "it contains what looks like "+strings.Join(names, ", "), d.ID))
		}
		if age := c.Now.Sub(Moment(d.Since)); d.Status == Draft && age > time.Duration(c.DraftDays)*24*time.Hour {
			all = append(all, found(staleDraft, fmt.Sprintf("it has been a draft for %d days", int(age.Hours()/24)), d.ID))
		}
		if d.Status == Active {
			all = append(all, c.active(d)...)
		}
	}
	slices.SortStableFunc(all, func(x, y Finding) int {
		return cmp.Or(cmp.Compare(x.Level, y.Level), cmp.Compare(x.Code, y.Code))
	})
	return all
}

// lines lists what is wrong with the lines of a log.
func (c Checks) lines(l *Log, s *State) []Finding {
	out := slices.Clone(l.Damage)
	at := func(f Finding, line int) {
		f.Line = line
		out = append(out, f)
	}
	if l.BOM {
		at(found(byteOrder, "the log begins with a byte order mark"), 1)
	}
	if l.CRLF {
		at(found(crlf, "lines end as on Windows"), 0)
	}
	if l.Repeated > 0 {
		at(found(repeatedLine, fmt.Sprintf("%d lines occur twice", l.Repeated)), 0)
	}
	for _, e := range s.Orphans {
		at(found(orphan, "it is about a decision that the log does not have", e.ID), e.Line)
	}
	for i := range l.Events {
		if e := &l.Events[i]; e.When().After(c.Now.Add(24 * time.Hour)) {
			at(found(futureTime, "it is stamped "+e.Time+", more than a day ahead", e.ID), e.Line)
		}
	}
	return out
}

// returned lists the decisions whose redacted text a merge restored, and the purged ones whose
// text is still in the bytes of the log. In a log that was never redacted texts stay by design.
func returned(s *State, data []byte) []Finding {
	var out []Finding
	for _, d := range s.Restored() {
		out = append(out, found(textBack, "it was redacted, and a merge brought texts of it back", d.ID))
	}
	if !slices.ContainsFunc(s.Decisions, (*Decision).silenced) {
		return out
	}
	purged := slices.DeleteFunc(s.Removed(), func(d *Decision) bool { return d.StatusReason != PurgeReason })
	for _, d := range s.StillThere(data, purged) {
		out = append(out, found(purgedText, "it was purged, and its text is still in the log", d.ID))
	}
	return out
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
		case one.Related(d), c.Span && (!c.Touched[d.Bare] && !c.Touched[one.Bare] || c.names(one) || c.names(d)):
		default:
			f := found(duplicate, fmt.Sprintf("they say the same: %q and %q", CutWord(text.LogLine(one.Text), 80), CutWord(text.LogLine(d.Text), 80)), one.ID, d.ID)
			f.Fix = fmt.Sprintf("pictx decision remove %s --yes; to keep both, pictx decision conflict %s %s and resolve it", d.ID, one.ID, d.ID)
			out = append(out, f)
		}
	}
	return out
}

// names reports whether a commit message of the range names a decision.
func (c Checks) names(d *Decision) bool {
	return strings.Contains(strings.ToUpper(c.Messages), strings.ToUpper(d.ID))
}

// active checks an active decision.
func (c Checks) active(d *Decision) []Finding {
	var out []Finding
	if c.Reasons && d.Reason == "" {
		out = append(out, found(noReason, "it has no reason", d.ID))
	}
	if d.Review != "" && d.Review < c.Now.UTC().Format(time.DateOnly) {
		out = append(out, found(reviewPast, "its review date was "+d.Review, d.ID))
	}
	for _, g := range d.Paths {
		if c.Files != nil && !slices.ContainsFunc(c.Files, func(f string) bool { return MatchGoverned(g, f) }) {
			out = append(out, found(pathsMatch, "no file matches "+g, d.ID))
		}
	}
	for _, file := range c.Changed {
		if d.Governs(file) && !c.Touched[d.Bare] && !c.names(d) {
			f := found(governed, file+" changed, which is governed by: "+TitleOf(d.Text), d.ID)
			f.File = file
			out = append(out, f)
		}
	}
	return out
}

// Mend returns a log without the problems that CheckLog reports as fixable: git's conflict
// markers (both sides stay), a byte order mark, CR LF line ends and repeated lines. The
// unusable lines are returned apart, byte for byte.
func Mend(data []byte, l *Log) (rest, aside []byte) {
	bad := make(map[int]bool)
	for _, d := range l.Damage {
		bad[d.Line] = bad[d.Line] || d.Fixable && d.Code != marker.code
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	seen := make(map[string]bool)
	n := 0
	for line := range bytes.Lines(data) {
		text := bytes.TrimRight(line, "\r\n")
		key := string(bytes.TrimSpace(text))
		switch n++; {
		case bad[n]:
			aside = append(append(aside, bytes.TrimSuffix(line, []byte("\n"))...), '\n')
		case IsMarker([]byte(key)) || key != "" && seen[key]:
		default:
			rest = append(rest, text...)
			if bytes.HasSuffix(line, []byte("\n")) {
				rest = append(rest, '\n')
			}
			seen[key] = true
		}
	}
	return rest, aside
}

// MendPlan describes what a repair would do, line by line, and counts the findings that it
// fixes.
func MendPlan(all []Finding, data []byte, l *Log) (plan []string, fixable int) {
	for _, f := range all {
		if f.Fixable {
			fixable++
			problem, _, _ := strings.Cut(f.Lines(), "\n")
			plan = append(plan, "would mend "+problem)
		}
	}
	_, aside := Mend(data, l)
	for line := range bytes.Lines(aside) {
		plan = append(plan, "would mend set aside: "+CutWord(text.TerminalLine(string(line)), 120))
	}
	return plan, fixable
}
