package decision

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// newChance returns a deterministic source of randomness.
func newChance(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// book is a log in memory, together with its writers.
type book struct {
	t      *testing.T
	events []Event
	now    time.Time
	random *rand.ChaCha8
	line   int
}

func newBook(t *testing.T) *book {
	t.Helper()
	return &book{t: t, now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), random: newChance(1)}
}

// state replays the log.
func (b *book) state() *State { return Replay(b.events) }

// editor returns an editor of the whole log, one minute later than the previous one.
func (b *book) editor() *Editor {
	b.now = b.now.Add(time.Minute)
	return &Editor{State: b.state(), Now: b.now, Random: b.random, Actor: "user", By: "Ada <ada@example.org>", Project: "p1"}
}

// commit appends the events of an editor.
func (b *book) commit(e *Editor) {
	for _, ev := range e.Events() {
		b.line++
		ev.Line = b.line
		b.events = append(b.events, ev)
	}
}

// add adds a decision and returns its id.
func (b *book) add(n New) (id string) {
	b.t.Helper()
	e := b.editor()
	id = must.Get(e.Add(n, true))(b.t)
	b.commit(e)
	return id
}

// do changes a decision.
func (b *book) do(id string, change func(e *Editor, d *Decision) error) {
	b.t.Helper()
	e := b.editor()
	must.Do(b.t, change(e, b.find(id)))
	b.commit(e)
}

// find returns a decision by its id.
func (b *book) find(id string) *Decision {
	b.t.Helper()
	return must.Get(b.state().Find(id))(b.t)
}

// branch returns a copy of the log with its own randomness.
func (b *book) branch(seed byte) *book {
	return &book{t: b.t, events: append([]Event(nil), b.events...), now: b.now, random: newChance(seed), line: b.line}
}

// text returns the lines of the log.
func (b *book) text() string { return string(Lines(true, b.events)) }

// merge merges two branches of a log as git's union driver does.
func merge(base, ours, theirs *book) string {
	tail := strings.TrimPrefix(theirs.text(), base.text())
	return ours.text() + tail
}
