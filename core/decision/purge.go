package decision

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/text"
)

// Retention maps statuses to the days for which decisions are kept.
type Retention map[Status]int

// Due is a decision that has exceeded its retention, in its JSON form.
type Due struct {
	ID     string `json:"id"`
	Status Status `json:"status"`
	// Age is for how long it has had its status, Over by how much that exceeds the
	// retention, both in whole days.
	Age      int       `json:"age_days"`
	Over     int       `json:"over_days"`
	Text     string    `json:"text"`
	Decision *Decision `json:"-"`
}

// Line returns the due decision as one terminal line.
func (d Due) Line() string {
	return fmt.Sprintf("%s, %s for %d days, %d over: %s", text.Printable(d.ID), d.Status, d.Age, d.Over, CutWord(text.TerminalLine(d.Text), 80))
}

// PurgeReason is the reason recorded for removals by a purge.
const PurgeReason = "retention"

// Due lists the decisions that have exceeded their retention. Active ones are always kept.
// The age counts from the last change of status. Without a retention every decision is due,
// whatever its status and age.
func (s *State) Due(keep Retention, now time.Time) []Due {
	const day = 24 * time.Hour
	out := []Due{}
	for _, d := range s.Present() {
		days, limited := keep[d.Status]
		age := now.Sub(Moment(d.Since))
		over := age - time.Duration(days)*day
		if keep == nil || d.Status != Active && limited && d.Since != "" && over > 0 {
			out = append(out, Due{d.ID, d.Status, int(age / day), int(over / day), d.Text, d})
		}
	}
	return out
}

// Redact removes texts, reasons, tags and notes of removed decisions from the lines of a
// log; ids, keys, times and authors stay. Other lines stay byte for byte. only limits it to
// some decisions; nil means all removed ones. The second result is the number of changed
// lines.
func Redact(data []byte, s *State, only []*Decision) ([]byte, int) {
	gone := make(map[string]bool) // keys of events to redact; a line may occur twice
	for _, d := range s.Decisions {
		if d.Removed && (only == nil || slices.Contains(only, d)) {
			for _, e := range d.events {
				gone[e.Key] = true
			}
		}
	}
	var out []byte
	changed := 0
	said := make(map[string]bool) // redacted lines already written
	for line := range bytes.Lines(data) {
		raw := bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		e, err := Parse(raw)
		if err != nil || !gone[e.Key] {
			out = append(out, line...)
			continue
		}
		silent := e.redacted() // the bytes change, the key must not
		switch {
		case said[string(silent)]:
			changed++ // a merge restored it next to the redacted line
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

// talks reports whether an event has content to redact.
func (e *Event) talks() bool {
	d := e.Data
	return d.Title != nil || d.Text != nil || len(value(d.Tags)) > 0 || value(d.Reason) != "" && e.Op != OpRemove ||
		value(d.Note) != "" || d.Paths != nil || d.Consequences != nil || d.Record != nil || len(d.Rest) > 0
}

// silenced reports whether the decision was redacted: its first event has no content.
func (d *Decision) silenced() bool {
	first := d.events[0].Data
	return first.Text == nil && first.Title == nil
}

// Restored returns the redacted decisions whose content a merge restored.
func (s *State) Restored() []*Decision {
	return s.filter(func(d *Decision) bool {
		return d.Removed && d.silenced() && slices.ContainsFunc(d.events, (*Event).talks)
	})
}

// silent returns the data after redaction.
func (d Data) silent() Data {
	return Data{Status: d.Status, Supersedes: d.Supersedes, Conflicts: d.Conflicts, Review: d.Review, Next: d.Next}
}

// StillThere returns the removed decisions whose text is still in the bytes of a log and is
// not also the text of a present decision.
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
