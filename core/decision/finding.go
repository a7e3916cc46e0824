package decision

import (
	"cmp"
	"fmt"
	"strings"

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

// The codes of lines that cannot be used.
const (
	DamageLine    = "damaged-line"       // it cannot be parsed
	DamageTorn    = "torn-line"          // the last line was cut short
	DamageNUL     = "zeroed"             // zero bytes, as a crash leaves them
	DamageLong    = "long-line"          // it exceeds the limit
	DamageMarker  = "conflict-marker"    // a conflict marker of git
	DamageNewer   = "newer-version"      // a later version wrote it
	DamageUnknown = "unknown-event"      // its operation is unknown
	DamageKey     = "key-twice"          // two different events share a key
	DamageBack    = "redacted-text-back" // the log also has the unredacted form of a redacted line
)

// The codes of other findings.
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

// solutions say how findings are solved, by their codes; ID stands for the first decision.
// audit --fix solves those that name it, and those with a ! are warnings.
var solutions = map[string]string{
	DamageLine:    setAside,
	DamageTorn:    setAside,
	DamageNUL:     setAside,
	DamageLong:    setAside,
	DamageKey:     setAside,
	DamageMarker:  auditFix,
	DamageNewer:   "update pictx",
	DamageUnknown: "!update pictx; the line is kept",
	DamageBack:    "pictx decision purge --redact --yes",
	FindOrphan:    "!merge the branch that has it",
	FindDraft:     "pictx decision accept ID, or reject",
	FindReview:    "pictx decision edit ID --review DAY",
	FindPaths:     "pictx decision edit ID --path GLOB",
	FindGoverned:  "name ID in a commit message, or change the decision",
	FindReason:    "pictx decision edit ID --reason WHY",
	FindFuture:    "!check the clock of who wrote it",
	FindBOM:       "!" + auditFix,
	FindCRLF:      "!" + auditFix + ", and pictx decision init",
	FindRepeated:  "!" + auditFix,
	FindSecret:    "pictx decision remove ID, then pictx decision purge --redact",
	FindText:      "pictx decision purge --yes --redact",
	FindDriver:    "!pictx decision init --driver --yes",
}

const (
	auditFix = "pictx decision audit --fix"
	setAside = auditFix + " sets the line aside"
)

// found returns a finding about decisions, with its solution.
func found(code, said string, ids ...string) Finding {
	fix, warns := strings.CutPrefix(solutions[code], "!")
	f := Finding{Code: code, IDs: append([]string{}, ids...), Text: said, Level: LevelError, Fixable: strings.HasPrefix(fix, auditFix)}
	if warns {
		f.Level = LevelWarning
	}
	f.Fix = strings.Replace(fix, "ID", strings.Join(ids[:min(1, len(ids))], ""), 1)
	return f
}

// Damages reports whether the finding is a line that cannot be used.
func (f Finding) Damages() bool {
	return f.Fixable && f.Level == LevelError || f.Code == DamageNewer
}

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
	escape := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace
	property := func(s string) string {
		return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(escape(text.Printable(s)))
	}
	where := "file=" + property(cmp.Or(f.File, ".pi/decision-memory/decisions.jsonl"))
	if f.Line > 0 {
		where += fmt.Sprintf(",line=%d", f.Line)
	}
	body := strings.TrimSpace(strings.Join(f.IDs, " ") + " " + f.Text + " (" + f.Fix + ")")
	return fmt.Sprintf("::%s %s,title=%s::%s", f.Level, where, property("decision "+f.Code), escape(text.Printable(body)))
}
