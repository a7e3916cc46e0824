package decision

import (
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

// Statuses lists all statuses, the binding one first.
func Statuses() []Status { return []Status{Active, Draft, Rejected, Superseded} }

// Valid reports whether s is one of Statuses.
func (s Status) Valid() bool {
	switch s {
	case Active, Draft, Rejected, Superseded:
		return true
	}
	return false
}

// Event is one line of a log.
type Event struct {
	// Time is when the event happened, as the line has it. pictx writes RFC 3339 in UTC
	// with milliseconds.
	Time string
	// Project is the id of the project; nothing here depends on it.
	Project string
	Op      Op
	// ID is the id of the decision.
	ID   string
	Data Data
	// Actor is who made the change: user, agent, or another word found in the line.
	Actor string

	// Key identifies the event. Lines of the original extension have no key; theirs is
	// derived from their bytes.
	Key string
	// By is the author, "" when the line has none.
	By string
	// Seen are the keys of the latest events of the decision that the writer knew. Two
	// events are concurrent when neither is an ancestor of the other.
	Seen []string

	// derived is set when Key was derived from the line.
	derived bool
	// stamp is Time in Unix milliseconds, the order of events; 0 when Time cannot be
	// parsed.
	stamp int64
	// Line is the line number, from 1; 0 for an event that is not in a log yet.
	Line int
}

// When returns the time of the event, the zero Time when it cannot be parsed.
func (e *Event) When() time.Time {
	if e.stamp == 0 {
		return time.Time{}
	}
	return time.UnixMilli(e.stamp).UTC()
}

// Data holds the fields of a decision that an event sets. Fields that it leaves alone are
// nil.
type Data struct {
	Title, Text *string
	Tags        *[]string
	Status      *Status
	Reason      *string
	// Supersedes is the id of the decision that this one supersedes; it points to "" when
	// the line has null.
	Supersedes *string
	Conflicts  *[]string

	// Paths are globs of the files that the decision governs.
	Paths *[]string
	// Review is the day, as 2006-01-02, after which the decision is due for review.
	Review *string
	// Note explains a conflict.
	Note *string
	// Next is the id of the decision that supersedes this one.
	Next *string

	// Extra are members that this version does not know, in the order of the line.
	Extra []Member
}

// Member is a member of a JSON object.
type Member struct {
	Name  string
	Value jsontext.Value
}

// text returns the value of a string member, "" for any other type.
func (m Member) text() string {
	b, err := jsontext.AppendUnquote(nil, m.Value)
	if err != nil {
		return ""
	}
	return string(b)
}

// value dereferences a pointer; nil yields the zero value.
func value[T any](p *T) T {
	var zero T
	if p == nil {
		return zero
	}
	return *p
}
