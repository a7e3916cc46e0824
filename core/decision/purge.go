package decision

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/text"
)

// Retention says for how many days decisions that do not bind are kept.
type Retention map[Status]int

// Due is a decision whose time is over.
type Due struct {
	Decision *Decision
	// Age is how long it has had its status, Over how much of that is too long, in
	// whole days.
	Age, Over int
}

// Purge removes the decisions whose retention is over and returns them.
func (e *Editor) Purge(keep Retention) ([]Due, error) {
	due := e.State.Due(keep, e.Now)
	for _, d := range due {
		if err := e.Remove(d.Decision, PurgeReason); err != nil {
			return nil, err
		}
	}
	return due, nil
}

// Line is what is due on one line of a terminal.
func (d Due) Line() string {
	x := d.Decision
	return fmt.Sprintf("%s, %s for %d days, %d over: %s", text.Printable(x.ID), x.Status, d.Age, d.Over, CutWord(text.TerminalLine(x.Text), 80))
}

// PurgeReason is why a decision was removed by a purge.
const PurgeReason = "retention"

// Due lists the decisions that were kept for longer than they have to be. Active
// ones are always kept; the age counts from when a decision got its status.
func (s *State) Due(keep Retention, now time.Time) []Due {
	const day = 24 * time.Hour
	var out []Due
	for _, d := range s.Decisions {
		days, limited := keep[d.Status]
		if d.Removed || d.Status == Active || !limited || d.Since.IsZero() {
			continue
		}
		age := now.Sub(d.Since)
		if limit := time.Duration(days) * day; age > limit {
			out = append(out, Due{d, int(age / day), int((age - limit) / day)})
		}
	}
	return out
}

// Redact returns the lines of a log without what was said in the events of removed
// decisions: ids, keys, times and names stay, texts, reasons, tags and notes go.
// Other lines stay byte for byte. only limits it to some decisions, nil is all
// removed ones. The second result counts the lines that changed.
func Redact(data []byte, s *State, only []*Decision) ([]byte, int) {
	gone := make(map[string]bool) // keys of events to redact: a line may be there twice
	for _, d := range s.Decisions {
		if d.Removed && (only == nil || slices.Contains(only, d)) {
			for _, e := range d.events {
				gone[e.Key] = true
			}
		}
	}
	var out []byte
	var p Parser
	changed := 0
	for line := range bytes.Lines(data) {
		raw := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		e, err := p.Parse(raw)
		if err != nil || !gone[e.Key] || !e.talks() {
			out = append(out, line...)
			continue
		}
		e.derived = false // its bytes change, its key must not
		e.Data = e.Data.silent()
		out = append(Append(out, &e), '\n')
		changed++
	}
	return out, changed
}

// talks reports whether an event says something that redacting takes away.
func (e *Event) talks() bool {
	d := e.Data
	return d.Title != nil || d.Text != nil || len(value(d.Tags)) > 0 || value(d.Reason) != "" && e.Op != OpRemove ||
		d.Note != nil || d.Paths != nil || len(d.Extra) > 0
}

// silent is the data without what was said.
func (d Data) silent() Data {
	return Data{Status: d.Status, Supersedes: d.Supersedes, Conflicts: d.Conflicts, Review: d.Review, Next: d.Next}
}

// StillThere returns the removed decisions whose text a log still holds, though no
// decision that is left says it.
func (s *State) StillThere(data []byte, gone []*Decision) []*Decision {
	var out []*Decision
	for _, d := range gone {
		quoted := appendString(nil, d.Text)
		said := slices.ContainsFunc(s.Decisions, func(o *Decision) bool { return !o.Removed && strings.Contains(o.Text+o.Reason, d.Text) })
		if d.Text != "" && !said && bytes.Contains(data, quoted[1:len(quoted)-1]) {
			out = append(out, d)
		}
	}
	return out
}

// CheckRetention says which setting a purge lacks.
func CheckRetention(keep Retention) error {
	for _, s := range []Status{Draft, Rejected, Superseded} {
		if _, ok := keep[s]; !ok {
			return fmt.Errorf("purge decisions: %w: decisions.retention_days.%s", ErrRetention, s)
		}
	}
	return nil
}

// ErrRetention is a retention that is not set.
var ErrRetention = errors.New("a setting is missing")
