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

// kind is a kind of finding: its code, and how to solve it. ID stands for the first decision. A
// kind with a ! is a warning, and audit --fix solves those that name it.
type kind struct{ code, fix string }

const (
	auditFix = "pictx decision audit --fix"
	setAside = auditFix + " sets the line aside"
)

// The kinds of findings. Those before the blank line are lines that cannot be used.
var (
	damagedLine = kind{"damaged-line", setAside} // it cannot be parsed
	tornLine    = kind{"torn-line", setAside}    // the last line was cut short
	zeroed      = kind{"zeroed", setAside}       // zero bytes, as a crash leaves them
	longLine    = kind{"long-line", setAside}    // it exceeds the limit
	keyTwice    = kind{"key-twice", setAside}    // two different events share a key
	marker      = kind{"conflict-marker", auditFix}
	newer       = kind{"newer-version", "update pictx"}
	unknown     = kind{"unknown-event", "!update pictx; the line is kept"}
	textBack    = kind{"redacted-text-back", "pictx decision purge --redact --yes"} // a merge restored it

	conflict     = kind{"conflict", ""}
	sharedID     = kind{"shared-id", ""}
	duplicate    = kind{"duplicate", ""}
	orphan       = kind{"orphan", "!merge the branch that has it"}
	staleDraft   = kind{"stale-draft", "pictx decision accept ID, or reject"}
	reviewPast   = kind{"review-past", "pictx decision edit ID --review DAY"}
	pathsMatch   = kind{"paths-match-none", "pictx decision edit ID --path GLOB"}
	governed     = kind{"governed-change", "name ID in a commit message, or change the decision"}
	noReason     = kind{"no-reason", "pictx decision edit ID --reason WHY"}
	futureTime   = kind{"future-time", "!check the clock of who wrote it"}
	byteOrder    = kind{"byte-order-mark", "!" + auditFix}
	crlf         = kind{"crlf", "!" + auditFix + ", and pictx decision init"}
	repeatedLine = kind{"repeated-line", "!" + auditFix}
	secretText   = kind{"secret", "pictx decision remove ID, then pictx decision purge --redact"}
	purgedText   = kind{"text-of-purged", "pictx decision purge --yes --redact"}
	noDriver     = kind{"driver-missing", "!pictx decision init --driver --yes"}
)

// found returns a finding about decisions, with its solution.
func found(k kind, said string, ids ...string) Finding {
	fix, warns := strings.CutPrefix(k.fix, "!")
	f := Finding{Code: k.code, IDs: append([]string{}, ids...), Text: said, Level: LevelError, Fixable: strings.HasPrefix(fix, auditFix)}
	if warns {
		f.Level = LevelWarning
	}
	f.Fix = strings.Replace(fix, "ID", strings.Join(ids[:min(1, len(ids))], ""), 1)
	return f
}

// Damages reports whether the finding is a line that cannot be used.
func (f Finding) Damages() bool {
	return f.Fixable && f.Level == LevelError || f.Code == newer.code
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
