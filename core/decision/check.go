package decision

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/coctostan/pictx/core/glob"
	"github.com/coctostan/pictx/core/text"
)

// Finding is a problem of a log or of its decisions.
type Finding struct {
	// Code names the problem in a word.
	Code string `json:"code"`
	// IDs are the decisions that it is about, none for a line.
	IDs []string `json:"ids"`
	// Line is the line of the log, 0 for none. File is another file it is about.
	Line int    `json:"line"`
	File string `json:"file"`
	Text string `json:"message"`
	// Fix says what would settle it.
	Fix string `json:"hint"`
	// Fixable is set when doctor --fix settles it.
	Fixable bool `json:"fixable"`
}

// Lines is the finding in two lines of a terminal: the problem, and what settles it.
func (f Finding) Lines() string {
	about := strings.Join(f.IDs, " ")
	if f.Line > 0 {
		about = strings.TrimSpace(fmt.Sprintf("line %d %s", f.Line, about))
	}
	if about != "" {
		about += ": "
	}
	return fmt.Sprintf("%s: %s %s\n  fix: %s", f.Code, text.TerminalLine(about), text.TerminalLine(f.Text), text.TerminalLine(f.Fix))
}

// Annotation is the finding as a command of a GitHub workflow.
func (f Finding) Annotation() string {
	where := "file=" + property(cmp.Or(f.File, ".pi/decision-memory/decisions.jsonl"))
	if f.Line > 0 {
		where += fmt.Sprintf(",line=%d", f.Line)
	}
	body := strings.TrimSpace(strings.Join(f.IDs, " ") + " " + f.Text + " (" + f.Fix + ")")
	return fmt.Sprintf("::error %s,title=%s::%s", where, property("decision "+f.Code), workflowText(text.Printable(body)))
}

// workflowText escapes the text of a command of a workflow.
func workflowText(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// property escapes a property of a command of a workflow.
func property(s string) string {
	return strings.NewReplacer(":", "%3A", ",", "%2C").Replace(workflowText(text.Printable(s)))
}

// The codes of findings, besides those of damage.
const (
	FindConflict = "conflict"         // unresolved
	FindShared   = "shared-id"        // several decisions have one id
	FindOrphan   = "orphan"           // an event without its decision
	FindDraft    = "stale-draft"      // a draft waits for too long
	FindReview   = "review-past"      // its day of review is over
	FindPaths    = "paths-match-none" // a glob of governed files matches nothing
	FindGoverned = "governed-change"  // a governed file changed without a mention
	FindReason   = "no-reason"        // an active decision has none
	FindFuture   = "future-time"      // an event is stamped more than a day ahead
	FindBOM      = "byte-order-mark"
	FindCRLF     = "crlf"
	FindRepeated = "repeated-line"
	FindSecret   = "secret"         // a text looks like a key
	FindText     = "text-of-purged" // the text of a purged decision is still there
)

// Doctor lists the problems of a log at a time.
func Doctor(l *Log, s *State, now time.Time) []Finding {
	var out []Finding
	for _, d := range l.Damage {
		out = append(out, damageFinding(d))
	}
	if l.BOM {
		out = append(out, Finding{Code: FindBOM, Line: 1, Text: "the log begins with a byte order mark", Fix: "pictx decision doctor --fix", Fixable: true})
	}
	if l.CRLF {
		out = append(out, Finding{Code: FindCRLF, Text: "lines end as on Windows", Fix: "pictx decision doctor --fix, and pictx decision init", Fixable: true})
	}
	if l.Repeated > 0 {
		out = append(out, Finding{Code: FindRepeated, Text: fmt.Sprintf("%d lines are there twice", l.Repeated), Fix: "pictx decision doctor --fix", Fixable: true})
	}
	out = append(out, conflicts(s)...)
	for _, e := range s.Orphans {
		out = append(out, Finding{Code: FindOrphan, IDs: []string{e.ID}, Line: e.Line, Text: "it is about a decision that the log does not have", Fix: "merge the branch that has it"})
	}
	for i := range l.Events {
		if e := &l.Events[i]; e.When().After(now.Add(24 * time.Hour)) {
			out = append(out, Finding{Code: FindFuture, IDs: []string{e.ID}, Line: e.Line, Text: "it is stamped " + e.Time + ", more than a day ahead", Fix: "check the clock of who wrote it"})
		}
	}
	for _, d := range s.Present() {
		if names := Secrets(d.Text + "\n" + d.Reason); len(names) > 0 {
			out = append(out, Finding{
				Code: FindSecret, IDs: []string{d.ID}, Text: "it holds what looks like " + strings.Join(names, ", "),
				Fix: "pictx decision remove " + d.ID + ", then pictx decision purge --redact",
			})
		}
	}
	return out
}

// DamagedLines lists the lines of a log that cannot be used, except those of unknown
// events.
func DamagedLines(l *Log) []Finding {
	var out []Finding
	for _, d := range l.Damage {
		if d.Code != DamageUnknown {
			out = append(out, damageFinding(d))
		}
	}
	return out
}

// LeftTexts lists the purged decisions whose text is still in the bytes of a log. A log
// that was never redacted keeps texts by design, so nothing is listed.
func LeftTexts(l *Log, s *State, data []byte) []Finding {
	if !slices.ContainsFunc(l.Events, func(e Event) bool { return e.Op == OpAdd && e.Data.Text == nil && e.Data.Title == nil }) {
		return nil
	}
	purged := slices.DeleteFunc(s.Removed(), func(d *Decision) bool { return d.StatusReason != PurgeReason })
	var out []Finding
	for _, d := range s.StillThere(data, purged) {
		out = append(out, Finding{Code: FindText, IDs: []string{d.ID}, Text: "it was purged, and its text is still in the log", Fix: "pictx decision purge --yes --redact"})
	}
	return out
}

func damageFinding(d Damage) Finding {
	f := Finding{Code: d.Code, Line: d.Line, Text: d.Cause, Fix: "correct the line, or take it out"}
	switch d.Code {
	case DamageMarker:
		f.Fix, f.Fixable = "pictx decision doctor --fix", true
	case DamageNewer:
		f.Fix = "update pictx"
	case DamageUnknown:
		f.Fix = "update pictx; the line is kept"
	case DamageTorn:
		f.Fix = "the next change begins a new line after it"
	}
	return f
}

// conflicts returns the clashes as findings.
func conflicts(s *State) []Finding {
	var out []Finding
	for _, c := range s.Clashes() {
		f := Finding{Code: FindConflict, IDs: c.IDs, Text: c.Text, Fix: "pictx decision resolve " + c.IDs[0] + " active"}
		if c.Kind == ClashShared {
			f.Code, f.Fix = FindShared, "pictx decision supersede "+c.IDs[1]+" TEXT --reason 'an id of its own'"
		}
		out = append(out, f)
	}
	return out
}

// Fix returns a log without the problems that Doctor calls fixable: git's conflict
// markers (both sides stay), a byte order mark, Windows line ends and repeated lines.
func Fix(data []byte) []byte {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	seen := make(map[string]bool)
	var out []byte
	for line := range bytes.Lines(data) {
		whole := bytes.HasSuffix(line, []byte("\n"))
		text := bytes.TrimRight(line, "\r\n")
		key := string(bytes.TrimSpace(text))
		if marker(bytes.TrimSpace(text)) || key != "" && seen[key] {
			continue
		}
		seen[key] = true
		out = append(out, text...)
		if whole {
			out = append(out, '\n')
		}
	}
	return out
}

// Audit checks the decisions of a repository.
type Audit struct {
	Now time.Time
	// DraftDays is for how many days a draft may wait.
	DraftDays int
	// Reasons requires a reason of every active decision.
	Reasons bool
	// Files are those of the repository, from its root with /; nil leaves the globs
	// unchecked.
	Files []string
	// Changed are the files that a range of commits changed, Messages its commit
	// messages, Touched the ids of the decisions that it changed.
	Changed  []string
	Messages string
	Touched  map[string]bool
}

// Check lists the problems that a person has to look at.
func (a Audit) Check(s *State) []Finding {
	out := conflicts(s)
	today := a.Now.UTC().Format(time.DateOnly)
	for _, d := range s.Present() {
		switch {
		case d.Status == Draft && a.Now.Sub(d.Since) > time.Duration(a.DraftDays)*24*time.Hour:
			days := int(a.Now.Sub(d.Since).Hours() / 24)
			out = append(out, Finding{Code: FindDraft, IDs: []string{d.ID}, Text: fmt.Sprintf("it is a draft since %d days", days), Fix: "pictx decision accept " + d.ID + ", or reject"})
		case d.Status == Active:
			out = append(out, a.active(d, today)...)
		}
	}
	slices.SortStableFunc(out, func(x, y Finding) int { return cmp.Compare(x.Code, y.Code) })
	return out
}

// active checks an active decision.
func (a Audit) active(d *Decision, today string) []Finding {
	var out []Finding
	if a.Reasons && d.Reason == "" {
		out = append(out, Finding{Code: FindReason, IDs: []string{d.ID}, Text: "it has no reason", Fix: "pictx decision reason " + d.ID + " WHY"})
	}
	if d.Review != "" && d.Review < today {
		out = append(out, Finding{Code: FindReview, IDs: []string{d.ID}, Text: "its day of review was " + d.Review, Fix: "pictx decision edit " + d.ID + " --review DAY"})
	}
	if a.Files != nil {
		for _, g := range d.Paths {
			if !slices.ContainsFunc(a.Files, func(f string) bool { return governs(g, f) }) {
				out = append(out, Finding{Code: FindPaths, IDs: []string{d.ID}, Text: "no file matches " + g, Fix: "pictx decision edit " + d.ID + " --path GLOB"})
			}
		}
	}
	if a.Touched[d.ID] || strings.Contains(strings.ToUpper(a.Messages), strings.ToUpper(d.ID)) {
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

// governs reports whether a glob matches a file, or a directory that it is in.
// One that stands for too many others governs nothing.
func governs(pattern, file string) bool {
	if strings.Contains(pattern, "{") { // braces may stand for 2^n patterns
		for _, p := range []string{pattern, strings.TrimSuffix(pattern, "/") + "/**"} {
			if g, err := glob.Compile(p); err == nil && g.Match(file) {
				return true
			}
		}
		return false
	}
	return doublestar.MatchUnvalidated(pattern, file) || doublestar.MatchUnvalidated(strings.TrimSuffix(pattern, "/")+"/**", file)
}

// SecretError is a text that looks like a key and would be shared.
type SecretError struct {
	What  string   // the refused operation
	Kinds []string // of keys
}

// Error implements error.
func (e *SecretError) Error() string {
	return fmt.Sprintf("%s: it looks like %s, and the log is shared", e.What, strings.Join(e.Kinds, ", "))
}

// CheckSecrets refuses a text that looks like a key with a SecretError. what names the
// operation.
func CheckSecrets(what, body string) error {
	if kinds := Secrets(body); len(kinds) > 0 {
		return &SecretError{what, kinds}
	}
	return nil
}

// Secrets returns the kinds of keys that a text seems to hold.
func Secrets(text string) []string {
	var out []string
	for _, k := range [][2]string{
		{"a private key", `-----BEGIN [A-Z ]*PRIVATE KEY-----`},
		{"an AWS key", `\b(AKIA|ASIA)[0-9A-Z]{16}\b`},
		{"a GitHub token", `\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{40,})\b`},
		{"an API key", `\bsk-(ant-|proj-)?[A-Za-z0-9_-]{20,}\b`},
		{"a Slack token", `\bxox[abposr]-[A-Za-z0-9-]{10,}\b`},
		{"a Google key", `\bAIza[0-9A-Za-z_-]{35}\b`},
		{"a token", `\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\b`},
		{"a password", `(?i)\b(password|passwd|secret|api[_-]?key|access[_-]?token)\s*[=:]\s*['"]?[A-Za-z0-9+/_.~!@$%^&*-]{12,}`},
		{"a password in an address", `[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/:@]{6,}@`},
	} {
		if regexp.MustCompile(k[1]).MatchString(text) {
			out = append(out, k[0])
		}
	}
	return out
}
