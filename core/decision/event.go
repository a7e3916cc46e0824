package decision

import (
	"errors"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Version is the version of the log format that this package reads and writes.
const Version = 1

// Op is the operation of an event, as the log writes it.
type Op string

// The operations of version 1.
const (
	OpAdd       Op = "a"  // adds a decision
	OpEdit      Op = "ed" // changes some of its fields
	OpStatus    Op = "st" // changes its status
	OpSupersede Op = "su" // replaces it by another decision
	OpRemove    Op = "rm" // removes it
)

// known reports whether an operation belongs to version 1.
func (o Op) known() bool {
	return slices.Contains([]Op{OpAdd, OpEdit, OpStatus, OpSupersede, OpRemove}, o)
}

// Status is the status of a decision.
type Status string

// The statuses. Only active decisions bind, and only they are shown to a model.
const (
	Active     Status = "active"
	Draft      Status = "draft"
	Rejected   Status = "rejected"
	Superseded Status = "superseded"
)

// Statuses lists all statuses, the binding one first.
func Statuses() []Status { return []Status{Active, Draft, Rejected, Superseded} }

// Valid reports whether s is one of Statuses.
func (s Status) Valid() bool { return slices.Contains(Statuses(), s) }

// Event is one line of a log. The members that pictx adds to those of the original extension
// have names that it skips.
type Event struct {
	// V is the version of the format, 0 for an event that is not written yet.
	V int `json:"v"`
	// Time is when the event happened, as the line has it. pictx writes RFC 3339 in UTC
	// with milliseconds.
	Time string `json:"t"`
	// Project is the id of the project; nothing here depends on it.
	Project string `json:"p"`
	Op      Op     `json:"e"`
	// ID is the id of the decision.
	ID   string `json:"i"`
	Data Data   `json:"d"`
	// Actor is who made the change: user, agent, or another word found in the line.
	Actor string `json:"u,omitzero"`

	// Key identifies the event. Lines of the original extension have no key; theirs is
	// derived from their bytes.
	Key string `json:"k,omitzero"`
	// By is the author, "" when the line has none.
	By string `json:"by,omitzero"`
	// Seen are the keys of the latest events of the decision that the writer knew. Two
	// events are concurrent when neither is an ancestor of the other.
	Seen []string `json:"x,omitempty"`
	// Rest are members that this version does not know.
	Rest jsontext.Value `json:",embed"`

	// derived is set when Key was derived from the line.
	derived bool
	// stamp is Time in Unix milliseconds, the order of events; 0 when Time cannot be
	// parsed.
	stamp int64
	// Line is the line number, from 1; 0 for an event that is not in a log yet.
	Line int `json:"-"`
}

// When returns the time of the event, the zero Time when it cannot be parsed.
func (e *Event) When() time.Time {
	if e.stamp == 0 {
		return time.Time{}
	}
	return time.UnixMilli(e.stamp).UTC()
}

// stamped returns the time of the event as Stamp writes it, "" when it cannot be parsed.
func (e *Event) stamped() string {
	if e.stamp == 0 {
		return ""
	}
	return Stamp(e.When())
}

// Data holds the fields of a decision that an event sets. Fields that it leaves alone are
// nil.
type Data struct {
	Title  *string   `json:"ti,omitzero"`
	Text   *string   `json:"tx,omitzero"`
	Tags   *[]string `json:"tg,omitzero"`
	Status *Status   `json:"s,omitzero"`
	Reason *string   `json:"r,omitzero"`
	// Supersedes is the decision that this one supersedes.
	Supersedes Ref       `json:"sp,omitzero"`
	Conflicts  *[]string `json:"c,omitzero"`

	// Consequences, Decided (a day) and Record come from an imported record.
	Consequences *string `json:"co,omitzero"`
	Decided      *string `json:"on,omitzero"`
	Record       *Record `json:"rc,omitzero"`
	// Paths are globs of the files that the decision governs.
	Paths *[]string `json:"pa,omitzero"`
	// Review is the day, as 2006-01-02, after which the decision is due for review.
	Review *string `json:"rv,omitzero"`
	// Note explains a conflict.
	Note *string `json:"n,omitzero"`
	// Next is the id of the decision that supersedes this one.
	Next *string `json:"nx,omitzero"`

	// Rest are members that this version does not know.
	Rest jsontext.Value `json:",embed"`
}

// Record holds the parts of an imported decision record that no field of Decision can hold.
type Record struct {
	// Number is the number of the record, 0 for none.
	Number int `json:"n,omitzero"`
	// Facts are name-value pairs, such as those of front matter.
	Facts [][2]string `json:"f,omitempty"`
	// More is the text of all other sections, with their headings.
	More string `json:"m,omitzero"`
}

// Ref is the id of another decision. The log has null for none.
type Ref struct {
	ID    string
	Given bool // the event says which decision, or that there is none
}

// RefTo returns the Ref of an id, "" for none.
func RefTo(id string) Ref { return Ref{id, true} }

// MarshalJSONTo writes the id or null.
func (r Ref) MarshalJSONTo(enc *jsontext.Encoder) error {
	if r.ID == "" {
		return enc.WriteToken(jsontext.Null)
	}
	return enc.WriteToken(jsontext.String(r.ID))
}

// UnmarshalJSONFrom reads an id or null.
func (r *Ref) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	t, err := dec.ReadToken()
	if err != nil {
		return err
	}
	if k := t.Kind(); k != '"' && k != 'n' {
		return errors.New("want an id or null")
	}
	r.Given = true
	if t.Kind() == '"' {
		r.ID = t.String()
	}
	return nil
}

// value dereferences a pointer; nil yields the zero value.
func value[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}
