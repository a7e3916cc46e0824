package decision

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Version is the version of the log's format that is read and written.
const Version = 1

// Op is the operation of an event, as the log writes it.
type Op string

// The operations of version 1.
const (
	OpAdd       Op = "a"  // a decision begins
	OpEdit      Op = "ed" // some of its fields change
	OpStatus    Op = "st" // its status changes
	OpSupersede Op = "su" // another decision takes its place
	OpRemove    Op = "rm" // it is gone
)

// known reports whether an operation belongs to version 1.
func (o Op) known() bool {
	switch o {
	case OpAdd, OpEdit, OpStatus, OpSupersede, OpRemove:
		return true
	}
	return false
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

// Statuses lists them, the one that binds first.
func Statuses() []Status { return []Status{Active, Draft, Rejected, Superseded} }

// Valid reports whether the status is one of them.
func (s Status) Valid() bool {
	switch s {
	case Active, Draft, Rejected, Superseded:
		return true
	}
	return false
}

// Event is one line of a log.
type Event struct {
	// Time is when it happened, as in the line: RFC 3339, in UTC with milliseconds when
	// this program wrote it.
	Time string
	// Project is the id of the project; nothing here depends on it.
	Project string
	Op      Op
	// ID is the id of the decision.
	ID   string
	Data Data
	// Actor is who did it: user, agent, or another word from the line.
	Actor string

	// Key identifies the event. Lines of the original extension have none; theirs is
	// derived from their bytes.
	Key string
	// By is the author, "" when the line has none.
	By string
	// Seen are the keys of the latest events of the decision that the writer knew.
	// Two events are concurrent when neither follows from the other.
	Seen []string

	// derived is set when Key was derived from the line.
	derived bool
	// stamp is Time in Unix milliseconds, by which events are ordered; 0 when Time cannot
	// be read.
	stamp int64
	// Line is the number of the line, from 1; 0 for one that is not in a log yet.
	Line int
}

// When is the time of the event, the zero Time when it cannot be read.
func (e *Event) When() time.Time {
	if e.stamp == 0 {
		return time.Time{}
	}
	return time.UnixMilli(e.stamp).UTC()
}

// Data is the part of a decision that an event sets. What it does not set is nil.
type Data struct {
	Title, Text *string
	Tags        *[]string
	Status      *Status
	Reason      *string
	// Supersedes is the id of the decision that this one supersedes; it points to ""
	// when the line has null.
	Supersedes *string
	Conflicts  *[]string

	// Paths are globs of the files that the decision governs.
	Paths *[]string
	// Review is the day, as 2006-01-02, after which it should be reviewed.
	Review *string
	// Note belongs to a conflict.
	Note *string
	// Next is the id of the decision that supersedes this one.
	Next *string

	// Extra are members that this version does not know, in their order.
	Extra []Member
}

// Member is a member of a JSON object.
type Member struct {
	Name  string
	Value jsontext.Value
}

// text is the value of a member that is a string, "" of any other.
func (m Member) text() string {
	b, err := jsontext.AppendUnquote(nil, m.Value)
	if err != nil {
		return ""
	}
	return string(b)
}

// ptr is a pointer to a value.
func ptr[T any](v T) *T { return &v }

// value dereferences a pointer, with the zero value for nil.
func value[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}
