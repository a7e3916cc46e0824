// Package decisiontest keeps a log of decisions in memory, for tests of what is made of it.
package decisiontest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
)

// Log is a log in memory with its writer.
type Log struct {
	Events []decision.Event
	Now    time.Time // of the last change
	Random *rand.ChaCha8

	t testing.TB
}

// New returns an empty log. The same changes give the same ids, keys and times each time.
func New(t testing.TB) *Log {
	return &Log{t: t, Now: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Random: rand.NewChaCha8([32]byte{1})}
}

// State replays the log.
func (l *Log) State() *decision.State { return decision.Replay(l.Events) }

// Text returns the lines of the log.
func (l *Log) Text() string { return string(decision.Lines(true, l.Events)) }

// Branch returns a copy of the log with randomness of its own.
func (l *Log) Branch() *Log {
	return &Log{Events: slices.Clone(l.Events), t: l.t, Now: l.Now, Random: rand.NewChaCha8([32]byte{3})}
}

// Change changes the log a minute after the last change.
func (l *Log) Change(edit func(e *decision.Editor) error) {
	l.t.Helper()
	l.Now = l.Now.Add(time.Minute)
	e := &decision.Editor{State: l.State(), Now: l.Now, Random: l.Random, Actor: "user", By: "Ada", Project: "p1"}
	if err := edit(e); err != nil {
		l.t.Fatal(err)
	}
	l.Events = append(l.Events, e.Events()...)
}

// Add adds a decision.
func (l *Log) Add(n decision.New) {
	l.t.Helper()
	l.Change(func(e *decision.Editor) error {
		_, err := e.Add(n, true)
		return err
	})
}
