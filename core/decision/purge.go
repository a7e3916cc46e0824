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

// Retention is how many days decisions of a status are kept.
type Retention map[Status]int

// Due is a decision whose retention is over.
type Due struct {
	Decision *Decision
	// Age is how long it has had its status, Over by how much that exceeds the
	// retention, in whole days.
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

// Line is the decision that is due, on one line of a terminal.
func (d Due) Line() string {
	x := d.Decision
	return fmt.Sprintf("%s, %s for %d days, %d over: %s", text.Printable(x.ID), x.Status, d.Age, d.Over, CutWord(text.TerminalLine(x.Text), 80))
}

// PurgeReason is the reason of a removal by a purge.
const PurgeReason = "retention"

// Due lists the decisions whose retention is over. Active ones are always kept; the age
// counts from when a decision got its status.
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

// Redact returns the lines of a log without the texts, reasons, tags and notes of
// removed decisions; their ids, keys, times and authors stay. Other lines stay byte for
// byte. only limits it to some decisions, nil is all removed ones. The second result is
// how many lines changed.
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
	said := make(map[string]bool) // redacted lines that are there already
	for line := range bytes.Lines(data) {
		raw := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		e, err := p.Parse(raw)
		if err != nil || !gone[e.Key] {
			out = append(out, line...)
			continue
		}
		silent := e.redacted() // its bytes change, its key must not
		switch {
		case said[string(silent)]:
			changed++ // a merge brought it back beside the redacted one
			continue
		case e.talks():
			out = append(append(out, silent...), '\n')
			changed++
		default:
			out = append(out, line...)
		}
		said[string(silent)] = true
	}
	return out, changed
}

// talks reports whether an event has something to redact.
func (e *Event) talks() bool {
	d := e.Data
	return d.Title != nil || d.Text != nil || len(value(d.Tags)) > 0 || value(d.Reason) != "" && e.Op != OpRemove ||
		value(d.Note) != "" || d.Paths != nil || len(d.Extra) > 0
}

// silenced reports whether the decision was redacted: the event that added it says nothing.
func (d *Decision) silenced() bool {
	first := d.events[0].Data
	return first.Text == nil && first.Title == nil
}

// spoken returns the redacted decisions that a merge brought texts of back.
func (s *State) spoken() []*Decision {
	return s.filter(func(d *Decision) bool {
		return d.Removed && d.silenced() && slices.ContainsFunc(d.events, (*Event).talks)
	})
}

// silent is the data after redaction.
func (d Data) silent() Data {
	return Data{Status: d.Status, Supersedes: d.Supersedes, Conflicts: d.Conflicts, Review: d.Review, Next: d.Next}
}

// StillThere returns the removed decisions whose text is still in the bytes of a log,
// unless a decision that is not removed says it too.
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

// CheckRetention returns an ErrRetention that names the first status without a
// retention.
func CheckRetention(keep Retention) error {
	for _, s := range []Status{Draft, Rejected, Superseded} {
		if _, ok := keep[s]; !ok {
			return fmt.Errorf("purge decisions: %w: decisions.retention_days.%s", ErrRetention, s)
		}
	}
	return nil
}

// ErrRetention says that a retention is not set.
var ErrRetention = errors.New("a setting is missing")
