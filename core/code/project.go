package code

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/fence"
)

// Project is the code of one project.
type Project struct {
	Name   string // short, for people
	Index  Index
	Engine Engine
}

// Index is the index that answers come from.
type Index interface {
	// Exists reports whether there is an index to answer from.
	Exists() bool
	// Process is what the process that answers is doing: stopped, starting or
	// running; "" when there is none.
	Process() string
	// Update makes the index, or brings it up to date. progress is called with how
	// far it is, in percent; it may be nil.
	Update(ctx context.Context, progress func(percent int)) error
	// Status says what the index holds.
	Status(ctx context.Context) (Status, error)
	// Restart ends the process that answers, so that the next question starts
	// another, and says what it did.
	Restart(ctx context.Context) (string, error)
}

// Engine answers from the index.
type Engine interface {
	// Contains reports whether a path, relative to the working directory or
	// absolute, is in the project.
	Contains(path string) bool
	// Ask answers a question in at most budget bytes. keep is handed the whole of a
	// longer answer and says how to get it.
	Ask(ctx context.Context, q Question, budget int, keep func(whole string) string) (string, error)
	// Named lists the files of the project that a prompt names.
	Named(ctx context.Context, prompt string) ([]string, error)
	// Brief says in at most budget bytes what there is to know about files.
	Brief(ctx context.Context, files []string, budget int) (string, error)
}

// Status is what is known of an index.
type Status struct {
	Engine  string // and what it runs, if anything
	Root    string
	Index   string // its file, "" when it is elsewhere
	Updated int64  // when it was last written, in Unix milliseconds, 0 for unknown
	Lines   []string
}

// minAnswer is how many bytes an answer may have at least, whatever the settings
// say.
const minAnswer = 400

// Answer answers a question in at most budget bytes, with what was capped in its
// last line. keep is that of Engine.Ask.
func (p Project) Answer(ctx context.Context, q Question, budget int, keep func(whole string) string) (string, error) {
	note := q.note()
	text, err := p.Engine.Ask(ctx, q, max(budget, minAnswer)-len(note), keep)
	if err != nil {
		return "", err
	}
	return text + note, nil
}

// progressStep is how many percent lie between two reports of progress.
const progressStep = 5

// Update makes the index, or brings it up to date, and reports how far it is every
// few percent. It returns whether it reported anything.
func (p Project) Update(ctx context.Context, report func(percent int)) (reported bool, err error) {
	last := 0
	err = p.Index.Update(ctx, func(percent int) {
		if percent >= last+progressStep {
			last = percent
			report(min(percent, 100))
		}
	})
	return last > 0, err
}

// note says in a line what was capped, "" when nothing was.
func (q Question) note() string {
	if len(q.capped) == 0 {
		return ""
	}
	return strings.Join(q.capped, "; ") + "\n"
}

// Consent is what is known about whether the first index of a project may be made.
type Consent struct {
	Required bool // the settings ask for it
	CanAsk   bool // a person can be asked
	Explicit bool // the index is what was asked for
	// Answered is set when a person was asked now, Agreed when they agreed.
	Answered, Agreed bool
	// Declined reports whether a person said no earlier in this session.
	Declined func() bool
}

// Decision is what follows from a Consent.
type Decision uint8

// The decisions.
const (
	Allowed Decision = iota
	Ask              // a person is to be asked
	Refused          // a person said no, now or earlier
	Unasked          // no person can be asked, and none asked for an index
)

// Decide says whether the index may be made.
func (c Consent) Decide() Decision {
	switch {
	case !c.Required, !c.CanAsk && c.Explicit: // as at a shell without a terminal
		return Allowed
	case !c.CanAsk:
		return Unasked
	case c.Answered && c.Agreed:
		return Allowed
	case c.Answered, c.Declined():
		return Refused
	}
	return Ask
}

// Reason is what a model is told when an index may not be made, "" otherwise.
func (d Decision) Reason() string {
	switch d {
	case Refused:
		return "the user does not want this project indexed in this session; use other tools (/kota index is theirs to type)"
	case Unasked:
		return "this project is not indexed: call kota_index first"
	}
	return ""
}

// maxName is how many characters of a project's name a question shows.
const maxName = 60

// ConsentQuestion is what a person is asked before the first index.
func (p Project) ConsentQuestion() (title, text string) {
	return "Index " + fence.OneLine(p.Name, maxName) + "?",
		"Reads every TypeScript, JavaScript and Go file of the project. The index is kept outside of it, keeps itself up to date, and never leaves this machine."
}
