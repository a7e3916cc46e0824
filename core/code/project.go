package code

import (
	"context"
	"strings"

	"github.com/coctostan/pictx/core/fence"
)

// Project is the source code of one project, with the ports to its index and engine.
type Project struct {
	Name   string // short name for people
	Index  Index
	Engine Engine
}

// Index is the index that answers come from.
type Index interface {
	// Exists reports whether there is an index to answer from.
	Exists() bool
	// Process returns the state of the engine's process: "stopped", "starting" or "running";
	// "" when it has none.
	Process() string
	// Update makes the index or updates it. progress is called with the progress in percent;
	// it may be nil.
	Update(ctx context.Context, progress func(percent int)) error
	// Status describes the index.
	Status(ctx context.Context) (Status, error)
	// Restart stops the engine's process, so that the next question starts another, and
	// returns a message for the user.
	Restart(ctx context.Context) (string, error)
}

// Engine answers from the index.
type Engine interface {
	// Contains reports whether a path, relative to the working directory or
	// absolute, is in the project.
	Contains(path string) bool
	// Ask answers a question in at most budget bytes. keep stores the whole of a longer
	// answer and returns how to get it.
	Ask(ctx context.Context, q Question, budget int, keep func(whole string) string) (string, error)
	// Named lists the files of the project that a prompt names.
	Named(ctx context.Context, prompt string) ([]string, error)
	// Brief returns what to know about files, in at most budget bytes.
	Brief(ctx context.Context, files []string, budget int) (string, error)
}

// Status describes an index.
type Status struct {
	Engine  string // name of the engine, and its command if it has a process
	Root    string
	Index   string // path of its file, "" when it has none
	Updated int64  // time of the last write in Unix milliseconds, 0 for unknown
	Lines   []string
}

// minAnswer is the minimum budget of an answer in bytes, whatever the settings say.
const minAnswer = 400

// Answer answers a question in at most budget bytes. Its last line says which parameters were
// capped. keep is that of Engine.Ask.
func (p Project) Answer(ctx context.Context, q Question, budget int, keep func(whole string) string) (string, error) {
	note := q.note()
	text, err := p.Engine.Ask(ctx, q, max(budget, minAnswer)-len(note), keep)
	if err != nil {
		return "", err
	}
	return text + note, nil
}

// progressStep is the minimum difference, in percent, between two reports of progress.
const progressStep = 5

// Update makes the index or updates it, and reports progress every few percent. It returns
// whether it reported anything.
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

// note returns a line that says which parameters were capped, "" when none was.
func (q Question) note() string {
	if len(q.capped) == 0 {
		return ""
	}
	return strings.Join(q.capped, "; ") + "\n"
}

// Consent is what decides whether the first index of a project may be made.
type Consent struct {
	Required bool // the settings require consent
	CanAsk   bool // a person can be asked
	Explicit bool // the request was for an index
	// Answered is set when a person has now been asked, Agreed when they agreed.
	Answered, Agreed bool
	// Declined reports whether a person said no earlier in this session.
	Declined func() bool
}

// Decision is the outcome of a Consent.
type Decision uint8

// The decisions.
const (
	Allowed Decision = iota
	Ask              // ask a person
	Refused          // a person said no, now or earlier
	Unasked          // no person can be asked, and the request was not for an index
)

// Decide returns whether the index may be made.
func (c Consent) Decide() Decision {
	switch {
	case !c.Required, !c.CanAsk && c.Explicit: // for example in a shell without a terminal
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

// Reason returns what to tell a model when the index may not be made, "" otherwise.
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

// ConsentQuestion returns the question to a person before the first index.
func (p Project) ConsentQuestion() (title, text string) {
	return "Index " + fence.OneLine(p.Name, maxName) + "?",
		"Reads every TypeScript, JavaScript and Go file of the project. The index is kept outside of it, keeps itself up to date, and never leaves this machine."
}
