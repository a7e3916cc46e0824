package decision

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/text"
)

// Editor changes a log. Each method checks a change against the state of the log and
// collects the events that make it. Nothing is written until the caller appends Events, so
// a failed method leaves the log untouched.
type Editor struct {
	// State is the state of the log before the change.
	State *State
	// Now is the time of the change.
	Now time.Time
	// Random is the source of randomness for ids and keys.
	Random io.Reader
	// Actor is "user" or "agent", By the author, Project the id of the project.
	Actor, By, Project string

	events  []Event
	lastKey int64 // the time of the last key
}

// New describes a decision to add.
type New struct {
	// ID is the preferred id, "" for any. A taken or malformed one is replaced.
	ID           string
	Text, Reason string
	Title        string // "" derives it from the text
	Tags, Paths  []string
	Status       Status // "" means Active
	Review       string
	Supersedes   string
	Conflicts    []string // the ids of decisions to mark as conflicting with it
	// Consequences, Decided (a day) and Record come from an imported record.
	Consequences, Decided string
	Record                *Record
	// Rest are further members of the line, as a JSON object.
	Rest jsontext.Value
}

// RefusedError is returned for a change that the state of the log forbids.
type RefusedError struct {
	Cause string
	// How says what to do instead, "" when nothing helps.
	How string
}

// Error implements error.
func (e *RefusedError) Error() string { return e.Cause }

// SaysTheSame refuses to add what an existing decision says already.
func SaysTheSame(d *Decision) error {
	return &RefusedError{"add decision: " + d.ID + " says the same", "--force adds it all the same, pictx decision edit " + d.ID + " TEXT changes that one"}
}

// ErrReason is returned when a reason is required and missing.
var ErrReason = errors.New("a reason is required")

// Events returns the events of the change, in order.
func (e *Editor) Events() []Event { return e.events }

// emit adds an event about a decision, of which only Bare is set where the event adds it. Its
// time is after every known event of the decision and of others, whatever the clock says.
func (e *Editor) emit(op Op, d *Decision, data Data, others ...*Decision) error {
	ms := e.Now.UnixMilli()
	for _, o := range append(others, d) {
		ms = max(ms, o.last()+1)
	}
	seen := d.heads()
	for _, key := range d.removals {
		if !slices.Contains(seen, key) {
			seen = append(seen, key)
		}
	}
	for i := range e.events { // later events of this change follow its earlier ones
		ms = max(ms, e.events[i].stamp)
		if e.events[i].ID == d.Bare {
			seen = []string{e.events[i].Key}
		}
	}
	e.lastKey = max(ms, e.lastKey+1)
	key, err := newKey(e.lastKey, e.Random)
	e.events = append(e.events, Event{
		Time: Stamp(time.UnixMilli(ms)), Project: e.Project, Op: op, ID: d.Bare, Data: data, Seen: seen,
		Actor: e.Actor, Key: key, By: e.By, stamp: ms,
	})
	return err
}

// Add adds a decision and returns its id. When an active decision says the same and force
// is not set, the error is a RefusedError.
func (e *Editor) Add(n New, force bool) (string, error) {
	data, err := n.data()
	if err != nil {
		return "", err
	}
	if same := e.State.Same(*data.Text, Active); same != nil && !force && n.Supersedes == "" {
		return "", SaysTheSame(same)
	}
	id, err := e.newID(n.ID)
	if err != nil {
		return "", err
	}
	var old []*Decision
	if n.Supersedes != "" {
		was, err := e.old(n, force)
		if err != nil {
			return "", err
		}
		old, data.Supersedes = []*Decision{was}, RefTo(was.Bare)
	}
	others, err := e.State.FindAll(n.Conflicts)
	for _, d := range others {
		*data.Conflicts = append(*data.Conflicts, d.ID)
	}
	if err == nil {
		err = e.emit(OpAdd, &Decision{Bare: id}, data, old...)
	}
	for _, was := range old {
		if err == nil && *data.Status == Active {
			err = e.emit(OpSupersede, was, Data{Status: new(Superseded), Reason: data.Reason, Next: new(id)})
		}
	}
	for _, d := range others {
		if err == nil {
			list := append(slices.Clone(d.Conflicts), id)
			err = e.emit(OpEdit, d, Data{Conflicts: &list})
		}
	}
	return id, err
}

// newID returns an id that neither the log nor this change has: wanted, if possible.
func (e *Editor) newID(wanted string) (string, error) {
	taken := func(id string) bool {
		return e.State.has(id) || slices.ContainsFunc(e.events, func(ev Event) bool { return ev.ID == id })
	}
	if validID(wanted) && !taken(wanted) {
		return wanted, nil
	}
	return NewID(e.Now, e.Random, taken)
}

// old returns the decision that the new one supersedes, or an error when it must not.
func (e *Editor) old(n New, force bool) (*Decision, error) {
	old, err := e.State.Find(n.Supersedes)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.TrimSpace(n.Reason) == "" && cmp.Or(n.Status, Active) == Active:
		return nil, fmt.Errorf("supersede %s: %w", old.ID, ErrReason)
	case old.Removed:
		return nil, &RefusedError{fmt.Sprintf("supersede %s: it is removed", old.ID), ""}
	case old.Status != Active && !force:
		how := "--force"
		if last := e.State.Latest(old); last != old {
			how = "pictx decision supersede " + last.ID + " " + text.ShellWord(n.Text)
			if n.Reason != "" {
				how += " --reason " + text.ShellWord(n.Reason)
			}
		}
		return nil, &RefusedError{fmt.Sprintf("supersede %s: it is %s", old.ID, old.Status), how}
	}
	return old, nil
}

// data returns the data of the event that adds the decision.
func (n New) data() (Data, error) {
	c := Change{Text: &n.Text, Reason: optional(n.Reason), Review: optional(n.Review), Tag: n.Tags}
	if len(n.Paths) > 0 {
		c.Paths = &n.Paths
	}
	d, err := c.data(&Decision{})
	if err != nil {
		return d, err
	}
	if d.Tags == nil {
		d.Tags = &[]string{}
	}
	if n.Title != "" {
		d.Title = &n.Title
	}
	d.Status, d.Supersedes, d.Conflicts = new(cmp.Or(n.Status, Active)), RefTo(""), &[]string{}
	d.Consequences, d.Decided, d.Record, d.Rest = optional(n.Consequences), optional(n.Decided), n.Record, n.Rest
	return d, nil
}

// Change is an edit. Nil fields stay as they are.
type Change struct {
	Text, Reason, Review *string
	Paths                *[]string
	// Tag are tags to add, Untag those to delete.
	Tag, Untag []string
}

// Edit changes a decision. A change of tags that changes nothing is not recorded.
func (e *Editor) Edit(d *Decision, c Change) error {
	if err := present(d, "edit"); err != nil {
		return err
	}
	data, err := c.data(d)
	if err != nil || data.Text == nil && data.Reason == nil && data.Review == nil && data.Paths == nil && data.Tags == nil {
		return err
	}
	return e.emit(OpEdit, d, data)
}

// data returns the data of an event that changes a decision.
func (c Change) data(d *Decision) (Data, error) {
	body, e1 := cleaned(c.Text)
	reason, e2 := cleaned(c.Reason)
	paths, e3 := cleanPaths(c.Paths)
	review, e4 := cleanDay(c.Review)
	tags, e5 := cleanTags(append(slices.Clone(d.Tags), c.Tag...))
	drop, e6 := cleanTags(c.Untag)
	if err := cmp.Or(e1, e2, e3, e4, e5, e6); err != nil {
		return Data{}, err
	}
	data := Data{Text: body, Reason: reason, Paths: paths, Review: review}
	if body != nil && d.OwnTitle() == "" {
		data.Title = new(TitleOf(*body))
	}
	if tags = without(tags, drop); !slices.Equal(tags, d.Tags) {
		data.Tags = &tags
	}
	return data, nil
}

// optional returns nil for an empty text.
func optional(s string) *string {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return &s
}

// cleaned cleans a text that is given.
func cleaned(text *string) (*string, error) {
	if text == nil {
		return nil, nil
	}
	clean, err := Clean(*text)
	return &clean, err
}

func cleanTags(tags []string) ([]string, error) {
	out := []string{}
	for _, t := range tags {
		c, err := CleanTag(t)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	if len(out) > MaxTags {
		return nil, &TextError{"text", fmt.Sprintf("%d tags, at most %d", len(out), MaxTags)}
	}
	return out, nil
}

// cleanDay checks a day that is given; "" is none.
func cleanDay(day *string) (*string, error) {
	if day == nil || *day == "" {
		return day, nil
	}
	if _, err := time.Parse(time.DateOnly, *day); err != nil {
		return nil, &TextError{"text", fmt.Sprintf("invalid day %q: want one such as 2026-12-31", *day)}
	}
	return day, nil
}

// present rejects a change of a removed decision.
func present(d *Decision, what string) error {
	if d.Removed {
		return &RefusedError{fmt.Sprintf("%s %s: it is removed", what, d.ID), ""}
	}
	return nil
}

// Turn sets the status of a decision. When a draft that supersedes another decision becomes
// active, the other becomes superseded.
func (e *Editor) Turn(d *Decision, to Status, reason string) error {
	if err := present(d, "change"); err != nil {
		return err
	}
	return e.turn(d, Data{Status: &to}, reason, nil)
}

// turn is Turn for a decision that may be removed, which a status restores, with more data. The
// decision supersedes old; without one, that which it was a draft to supersede if that is active.
func (e *Editor) turn(d *Decision, data Data, reason string, old *Decision) (err error) {
	if data.Reason, err = cleaned(optional(reason)); err != nil {
		return err
	}
	if *data.Status == Superseded {
		data.Next = optional(d.SupersededBy)
	}
	if old != nil {
		data.Supersedes = RefTo(old.Bare)
	} else if o := e.State.lookup(d.Supersedes); d.Status == Draft && o != nil && o.Status == Active {
		old = o
	}
	if err := e.emit(OpStatus, d, data); err != nil {
		return err
	}
	if *data.Status == Active && old != nil && !old.Removed {
		return e.emit(OpSupersede, old, Data{Status: new(Superseded), Reason: data.Reason, Next: new(d.Bare)})
	}
	return nil
}

// Remove removes a decision.
func (e *Editor) Remove(d *Decision, reason string) error {
	if err := present(d, "remove"); err != nil {
		return err
	}
	var data Data
	if reason != "" {
		data.Reason = &reason
	}
	return e.emit(OpRemove, d, data)
}

// Latest follows the chain of superseding decisions to its end. A cycle, which only a
// foreign log can have, ends where it began.
func (s *State) Latest(d *Decision) *Decision {
	seen := map[*Decision]bool{}
	for d.SupersededBy != "" && !seen[d] {
		seen[d] = true
		next := s.lookup(d.SupersededBy)
		if next == nil {
			break
		}
		d = next
	}
	return d
}

// validID reports whether an id has the form of NewID or of the original extension.
func validID(id string) bool {
	return regexp.MustCompile(`^D-\d{4}-\d{2}-\d{2}-[0-9A-HJKMNP-TV-Z]{4}$`).MatchString(id)
}

// Link records that a decision added by this change replaces an older one, which is in the
// log or part of this change, as soon as it is active.
func (e *Editor) Link(id, old string) {
	for i := range e.events {
		if d := &e.events[i].Data; e.events[i].ID == id && e.events[i].Op == OpAdd && d.Supersedes.ID == "" {
			d.Supersedes = RefTo(old)
		}
	}
}

// Place gives a decision of the log or of this change the status that it had elsewhere,
// with the reason and the id of its successor, "" for none.
func (e *Editor) Place(id string, to Status, reason, next string) error {
	clean, err := cleaned(optional(reason))
	if err != nil {
		return err
	}
	data, op := Data{Status: &to, Reason: clean}, OpStatus
	if next != "" {
		data.Next, op = &next, OpSupersede
	}
	d := e.State.lookup(id)
	if d == nil {
		d = &Decision{Bare: id}
	}
	return e.emit(op, d, data)
}
