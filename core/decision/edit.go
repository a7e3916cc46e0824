package decision

import (
	"errors"
	"fmt"
	"io"
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

	events []Event
	keys   keyMaker
	fresh  map[string]bool // ids assigned by this change
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

// emit adds an event about a decision. Its time is after every known event of the decision,
// whatever the clock says.
func (e *Editor) emit(op Op, d *Decision, data Data) error {
	ms := e.Now.UnixMilli()
	if d != nil {
		ms = max(ms, d.last()+1)
	}
	return e.append(op, d, "", ms, data)
}

func (e *Editor) append(op Op, d *Decision, id string, ms int64, data Data) error {
	if n := len(e.events); n > 0 {
		ms = max(ms, e.events[n-1].stamp)
	}
	e.keys.random = e.Random
	key, err := e.keys.next(ms)
	if err != nil {
		return err
	}
	ev := Event{
		Time: Stamp(time.UnixMilli(ms)), Project: e.Project, Op: op, ID: id, Data: data,
		Actor: e.Actor, Key: key, By: e.By, stamp: ms,
	}
	if d != nil {
		ev.ID, ev.Seen = d.Bare, d.heads()
		for _, key := range d.removals {
			if !slices.Contains(ev.Seen, key) {
				ev.Seen = append(ev.Seen, key)
			}
		}
	}
	for i := range e.events { // later events of this change follow its earlier ones
		if op != OpAdd && e.events[i].ID == ev.ID {
			ev.Seen = []string{e.events[i].Key}
		}
	}
	e.events = append(e.events, ev)
	return nil
}

// Add adds a decision and returns its id. When an active decision says the same and force
// is not set, the error is a RefusedError.
func (e *Editor) Add(n New, force bool) (string, error) {
	var err error
	if n.Text, err = Clean(n.Text); err != nil {
		return "", err
	}
	if n.Status == "" {
		n.Status = Active
	}
	if same := e.State.Same(n.Text); same != nil && !force && n.Supersedes == "" {
		return "", SaysTheSame(same)
	}
	data, err := n.data()
	if err != nil {
		return "", err
	}
	id, err := e.newID(n.ID)
	if err != nil {
		return "", err
	}
	var old *Decision
	ms := e.Now.UnixMilli()
	if n.Supersedes != "" {
		if old, err = e.old(n, force); err != nil {
			return "", err
		}
		data.Supersedes = RefTo(old.Bare)
		ms = max(ms, old.last()+1)
	}
	others, err := e.State.FindAll(n.Conflicts)
	if err != nil {
		return "", err
	}
	for _, d := range others {
		*data.Conflicts = append(*data.Conflicts, d.ID)
	}
	err = e.append(OpAdd, nil, id, ms, data)
	if err == nil && old != nil && n.Status == Active {
		err = e.emit(OpSupersede, old, Data{Status: new(Superseded), Reason: data.Reason, Next: new(id)})
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
func (e *Editor) newID(wanted string) (id string, err error) {
	taken := func(id string) bool { return e.State.has(id) || e.fresh[id] }
	if id = wanted; !validID(id) || taken(id) {
		id, err = NewID(e.Now, e.Random, taken)
	}
	if err == nil {
		if e.fresh == nil {
			e.fresh = make(map[string]bool)
		}
		e.fresh[id] = true
	}
	return id, err
}

// old returns the decision that the new one supersedes, or an error when it must not.
func (e *Editor) old(n New, force bool) (*Decision, error) {
	old, err := e.State.Find(n.Supersedes)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.TrimSpace(n.Reason) == "" && n.Status == Active:
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
	tags, err := cleanTags(n.Tags)
	if err != nil {
		return Data{}, err
	}
	title := n.Title
	if title == "" {
		title = TitleOf(n.Text)
	}
	d := Data{
		Title: new(title), Text: new(n.Text), Tags: &tags, Status: new(n.Status),
		Supersedes: RefTo(""), Conflicts: &[]string{}, Record: n.Record, Rest: n.Rest,
		Consequences: optional(n.Consequences), Decided: optional(n.Decided),
	}
	if reason := strings.TrimSpace(n.Reason); reason != "" {
		if reason, err = Clean(reason); err != nil {
			return d, err
		}
		d.Reason = new(reason)
	}
	if len(n.Paths) > 0 {
		if d.Paths, err = cleanPaths(n.Paths); err != nil {
			return d, err
		}
	}
	if n.Review != "" {
		if d.Review, err = cleanDay(n.Review); err != nil {
			return d, err
		}
	}
	return d, nil
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

func cleanDay(day string) (*string, error) {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return nil, &TextError{"text", fmt.Sprintf("invalid day %q: want one such as 2026-12-31", day)}
	}
	return &day, nil
}

// Change is an edit. Nil fields stay as they are.
type Change struct {
	Text, Reason, Review *string
	Paths                *[]string
	// Tag are tags to add, Untag those to delete.
	Tag, Untag []string
}

// Edit changes a decision. A change that changes nothing is not recorded.
func (e *Editor) Edit(d *Decision, c Change) error {
	if err := present(d, "edit"); err != nil {
		return err
	}
	var data Data
	var err error
	if data.Text, err = cleaned(c.Text); err != nil {
		return err
	}
	if data.Text != nil && d.OwnTitle() == "" {
		data.Title = new(TitleOf(*data.Text))
	}
	if data.Reason, err = cleaned(c.Reason); err != nil {
		return err
	}
	if c.Paths != nil {
		if data.Paths, err = cleanPaths(*c.Paths); err != nil {
			return err
		}
	}
	if data.Review = c.Review; c.Review != nil && *c.Review != "" {
		if data.Review, err = cleanDay(*c.Review); err != nil {
			return err
		}
	}
	tags, err := changedTags(d.Tags, c)
	if err != nil {
		return err
	}
	if !slices.Equal(tags, d.Tags) {
		data.Tags = &tags
	} else if len(c.Tag)+len(c.Untag) > 0 && c.Text == nil && c.Reason == nil && c.Review == nil && c.Paths == nil {
		return nil
	}
	return e.emit(OpEdit, d, data)
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

// changedTags returns the tags of a decision after a change.
func changedTags(tags []string, c Change) ([]string, error) {
	drop, err := cleanTags(c.Untag)
	if err != nil {
		return nil, err
	}
	tags, err = cleanTags(append(slices.Clone(tags), c.Tag...))
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(tags, func(t string) bool { return slices.Contains(drop, t) }), nil
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
