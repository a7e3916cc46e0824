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

// Finding is a problem with a log or its decisions.
type Finding struct {
	// Code identifies the kind of problem.
	Code string `json:"code"`
	// IDs are the decisions concerned, none when the problem is a line.
	IDs []string `json:"ids"`
	// Line is the line of the log, 0 for none. File is another file concerned.
	Line int    `json:"line"`
	File string `json:"file"`
	Text string `json:"message"`
	// Fix says how to solve the problem.
	Fix string `json:"hint"`
	// Fixable is set when audit --fix solves it.
	Fixable bool `json:"fixable"`
	// Level is error or warning. Warnings alone do not fail an audit unless it is strict.
	Level string `json:"level"`
}

// The levels of findings.
const (
	LevelError   = "error"
	LevelWarning = "warning"
)

// Lines returns the finding as two terminal lines: the problem and its fix.
func (f Finding) Lines() string {
	about := strings.Join(f.IDs, " ")
	if f.Line > 0 {
		about = strings.TrimSpace(fmt.Sprintf("line %d %s", f.Line, about))
	}
	said := f.Text
	if about != "" {
		said = about + ": " + said
	}
	code := f.Code
	if f.Level == LevelWarning {
		code = LevelWarning + ": " + code
	}
	return fmt.Sprintf("%s: %s\n  fix: %s", code, text.TerminalLine(said), text.TerminalLine(f.Fix))
}

// Annotation returns the finding as a GitHub workflow command.
func (f Finding) Annotation() string {
	where := "file=" + property(cmp.Or(f.File, ".pi/decision-memory/decisions.jsonl"))
	if f.Line > 0 {
		where += fmt.Sprintf(",line=%d", f.Line)
	}
	body := strings.TrimSpace(strings.Join(f.IDs, " ") + " " + f.Text + " (" + f.Fix + ")")
	return fmt.Sprintf("::%s %s,title=%s::%s", cmp.Or(f.Level, LevelError), where, property("decision "+f.Code), workflowText(text.Printable(body)))
}

// workflowText escapes the message of a workflow command.
func workflowText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a property of a workflow command.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(workflowText(text.Printable(s)))
}

// The codes of findings, in addition to those of Damage.
const (
	FindConflict  = "conflict"         // an unresolved conflict
	FindShared    = "shared-id"        // several decisions share an id
	FindOrphan    = "orphan"           // an event without its decision
	FindDraft     = "stale-draft"      // a draft has waited too long
	FindReview    = "review-past"      // its review day has passed
	FindPaths     = "paths-match-none" // a glob of governed files matches nothing
	FindGoverned  = "governed-change"  // a governed file changed without a mention
	FindReason    = "no-reason"        // an active decision has none
	FindFuture    = "future-time"      // the time of an event is more than a day ahead
	FindBOM       = "byte-order-mark"
	FindCRLF      = "crlf"
	FindRepeated  = "repeated-line"
	FindSecret    = "secret"         // a text looks like a key
	FindText      = "text-of-purged" // the log still has the text of a purged decision
	FindBack      = DamageBack       // a merge restored the text of a redacted decision
	FindDuplicate = "duplicate"      // two active decisions say the same
	FindDriver    = "driver-missing" // .gitattributes names a merge driver that git does not know
)

// Doctor lists the problems of a log at the time now.
func Doctor(l *Log, s *State, now time.Time) []Finding {
	var out []Finding
	for _, d := range l.Damage {
		if d.Code != DamageBack {
			out = append(out, damageFinding(d))
		}
	}
	if l.BOM {
		out = append(out, Finding{Code: FindBOM, Level: LevelWarning, Line: 1, Text: "the log begins with a byte order mark", Fix: "pictx decision audit --fix", Fixable: true})
	}
	if l.CRLF {
		out = append(out, Finding{Code: FindCRLF, Level: LevelWarning, Text: "lines end as on Windows", Fix: "pictx decision audit --fix, and pictx decision init", Fixable: true})
	}
	if l.Repeated > 0 {
		out = append(out, Finding{Code: FindRepeated, Level: LevelWarning, Text: fmt.Sprintf("%d lines occur twice", l.Repeated), Fix: "pictx decision audit --fix", Fixable: true})
	}
	out = append(out, returned(l, s)...)
	out = append(out, conflicts(s)...)
	for _, e := range s.Orphans {
		out = append(out, Finding{Code: FindOrphan, Level: LevelWarning, IDs: []string{e.ID}, Line: e.Line, Text: "it is about a decision that the log does not have", Fix: "merge the branch that has it"})
	}
	for i := range l.Events {
		if e := &l.Events[i]; e.When().After(now.Add(24 * time.Hour)) {
			out = append(out, Finding{Code: FindFuture, Level: LevelWarning, IDs: []string{e.ID}, Line: e.Line, Text: "it is stamped " + e.Time + ", more than a day ahead", Fix: "check the clock of who wrote it"})
		}
	}
	secrets := SecretFinder()
	for _, d := range s.Present() {
		if names := secrets(d.Text + "\n" + d.Reason); len(names) > 0 {
			out = append(out, Finding{
				Code: FindSecret, IDs: []string{d.ID}, Text: "it contains what looks like " + strings.Join(names, ", "),
				Fix: "pictx decision remove " + d.ID + ", then pictx decision purge --redact",
			})
		}
	}
	return out
}

// Damages reports whether the finding is a line that cannot be used.
func (f Finding) Damages() bool {
	return movable(f.Code) || f.Code == DamageMarker || f.Code == DamageNewer
}

// LeftTexts lists the purged decisions whose text is still in the bytes of a log. It lists
// nothing for a log that was never redacted: there texts stay by design.
func LeftTexts(l *Log, s *State, data []byte) []Finding {
	if !slices.ContainsFunc(l.Events, func(e Event) bool {
		return e.Op == OpAdd && e.Data.Text == nil && e.Data.Title == nil
	}) {
		return nil
	}
	purged := slices.DeleteFunc(s.Removed(), func(d *Decision) bool { return d.StatusReason != PurgeReason })
	var out []Finding
	for _, d := range s.StillThere(data, purged) {
		out = append(out, Finding{Code: FindText, IDs: []string{d.ID}, Text: "it was purged, and its text is still in the log", Fix: "pictx decision purge --yes --redact"})
	}
	return out
}

// returned lists redacted content that a merge restored.
func returned(l *Log, s *State) []Finding {
	back := Finding{Code: FindBack, Fix: "pictx decision purge --redact --yes"}
	var out []Finding
	for _, d := range l.Has(DamageBack) {
		back.Line, back.Text = d.Line, d.Cause
		out = append(out, back)
	}
	back.Line = 0
	for _, d := range s.Restored() {
		back.IDs, back.Text = []string{d.ID}, "it was redacted, and a merge brought texts of it back"
		out = append(out, back)
	}
	return out
}

// MissingDriver returns the finding for a clone that does not configure the merge driver
// named in .gitattributes. git then merges the log like any other text.
func MissingDriver() Finding {
	return Finding{
		Code: FindDriver, File: ".gitattributes", Level: LevelWarning,
		Text: "git should merge the log with pictx-decisions, which this clone does not configure, or git does not find", Fix: "pictx decision init --driver --yes",
	}
}

func damageFinding(d Damage) Finding {
	f := Finding{Code: d.Code, Line: d.Line, Text: d.Cause}
	switch {
	case d.Code == DamageMarker:
		f.Fix, f.Fixable = "pictx decision audit --fix", true
	case d.Code == DamageNewer:
		f.Fix = "update pictx"
	case d.Code == DamageUnknown:
		f.Fix, f.Level = "update pictx; the line is kept", LevelWarning
	case movable(d.Code):
		f.Fix, f.Fixable = "pictx decision audit --fix sets the line aside", true
	}
	return f
}

// movable reports whether damaged lines of a code may be moved to another file, because no
// version will ever be able to read them.
func movable(code string) bool {
	switch code {
	case DamageLine, DamageTorn, DamageNUL, DamageLong, DamageKey:
		return true
	}
	return false
}

// Mend returns a log without the problems that Doctor reports as fixable: git's conflict
// markers (both sides stay), a byte order mark, CR LF line ends and repeated lines. The
// unusable lines are returned apart, byte for byte.
func Mend(data []byte, l *Log) (rest, aside []byte) {
	bad := make(map[int]bool)
	for _, d := range l.Damage {
		bad[d.Line] = bad[d.Line] || movable(d.Code)
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

// conflicts returns the clashes as findings.
func conflicts(s *State) []Finding {
	var out []Finding
	for _, c := range s.Clashes() {
		f := Finding{Code: FindConflict, IDs: c.IDs, Text: c.Text, Fix: c.Fix}
		if c.Shared {
			f.Code = FindShared
		}
		out = append(out, f)
	}
	return out
}
