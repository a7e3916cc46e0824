package decision

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// Record holds the parts of an imported decision record that no field of Decision can hold.
type Record struct {
	// Number is the number of the record, 0 for none.
	Number int `json:"n,omitzero"`
	// Facts are name-value pairs, such as those of front matter.
	Facts [][2]string `json:"f,omitempty"`
	// Sections are pairs of a heading, with its # signs, and the text below it.
	Sections [][2]string `json:"s,omitempty"`
}

// The members that only imported records have. Other readers of the log skip them.
const (
	extraConsequences = "co"
	extraDecided      = "on"
	extraRecord       = "rc"
)

// RecordMembers returns the members of an imported record. Empty ones are omitted.
func RecordMembers(consequences, decided string, r Record) []Member {
	var out []Member
	for _, m := range [][2]string{{extraConsequences, consequences}, {extraDecided, decided}} {
		if m[1] != "" {
			out = append(out, Member{m[0], appendString(nil, m[1])})
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return out // encoding numbers and strings cannot fail
	}
	return append(out, Member{extraRecord, bytes.TrimSpace(b.Bytes())})
}

// record returns the value of a member that is a Record, nil for any other.
func (m Member) record() *Record {
	var r Record
	if json.Unmarshal(m.Value, &r) != nil {
		return nil
	}
	return &r
}

// validID reports whether an id has the form of NewID or of the original extension.
func validID(id string) bool {
	return regexp.MustCompile(`^D-\d{4}-\d{2}-\d{2}-[0-9A-HJKMNP-TV-Z]{4}$`).MatchString(id)
}

// Link records that a decision added by this change replaces an older one, which is in the
// log or part of this change, as soon as it is active.
func (e *Editor) Link(id, old string) {
	for i := range e.events {
		if d := &e.events[i].Data; e.events[i].ID == id && e.events[i].Op == OpAdd && value(d.Supersedes) == "" {
			d.Supersedes = &old
		}
	}
}

// Place gives a decision of the log or of this change the status that it had elsewhere,
// with the reason and the id of its successor, "" for none.
func (e *Editor) Place(id string, to Status, reason, next string) error {
	data, op := Data{Status: &to}, OpStatus
	if reason != "" {
		clean, err := e.clean(reason)
		if err != nil {
			return err
		}
		data.Reason = &clean
	}
	if next != "" {
		data.Next, op = &next, OpSupersede
	}
	if d := e.State.lookup(id); d != nil && !e.fresh[id] {
		return e.emit(op, d, data)
	}
	return e.append(op, nil, id, e.Now.UnixMilli(), data)
}
