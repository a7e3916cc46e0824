package decision

import (
	"bytes"
	"encoding/json"
	"regexp"
)

// Record is what a decision record had that a decision has no member for.
type Record struct {
	// Number is that of the record, 0 for none.
	Number int `json:"n,omitzero"`
	// Facts are names with their values, such as those of front matter.
	Facts [][2]string `json:"f,omitempty"`
	// Sections are headings, with their signs, and the texts below them.
	Sections [][2]string `json:"s,omitempty"`
}

// The members that records bring along, which other readers pass over.
const (
	extraConsequences = "co"
	extraDecided      = "on"
	extraRecord       = "rc"
)

// RecordMembers are the members that only records have; empty ones are left out.
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
		return out // numbers and texts can be encoded
	}
	return append(out, Member{extraRecord, bytes.TrimSpace(b.Bytes())})
}

// record is the value of a member that is a record, nil of any other.
func (m Member) record() *Record {
	var r Record
	if json.Unmarshal(m.Value, &r) != nil {
		return nil
	}
	return &r
}

// validID reports whether an id has the form of those that NewID makes, or of those of
// the original extension.
func validID(id string) bool {
	return regexp.MustCompile(`^D-\d{4}-\d{2}-\d{2}-[0-9A-HJKMNP-TV-Z]{4}$`).MatchString(id)
}

// Link notes that a decision that this change adds takes the place of another, of the log
// or of this change, once it is active.
func (e *Editor) Link(id, old string) {
	for i := range e.events {
		if d := &e.events[i].Data; e.events[i].ID == id && e.events[i].Op == OpAdd && value(d.Supersedes) == "" {
			d.Supersedes = &old
		}
	}
}

// Place gives a decision of the log or of this change a status that it had elsewhere, why,
// and the id of the one that took its place, "" for none.
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
