// Package dialog asks a person about decisions: what a terminal and the dialogs of an agent
// have to ask, and in which order.
//
// It must not know how a question is drawn: whoever implements Asker draws it.
package dialog

import (
	"context"
	"errors"
)

// Asker asks a person: a form in a terminal, or the dialogs of an agent.
type Asker interface {
	// Ask returns the answers to questions, in their order.
	Ask(ctx context.Context, questions ...Question) ([]string, error)
}

// Question is a question to a person, as data.
type Question struct {
	// ID identifies the question within its dialog.
	ID   string
	Kind Kind
	// Title is the question, About an explanation shown next to it.
	Title, About string
	// Alone replaces Title where no explanation can be shown; "" keeps Title.
	Alone string
	// Placeholder is shown in an empty input.
	Placeholder string
	Choices     []Choice
	// Default is the initial answer.
	Default string
	// Required rejects an empty answer. Check rejects an invalid one; nil accepts any.
	Required bool
	Check    func(answer string) error
	// Optional questions are omitted where each question is a separate dialog; their answer is
	// then "".
	Optional bool
}

// Kind is how a question is answered.
type Kind int

// The kinds of questions.
const (
	ChooseOne Kind = iota
	ChooseSome
	WriteLine
	WriteText // of several lines
)

// Choice is one of the answers to choose from.
type Choice struct {
	// Value is the answer.
	Value string
	// Label is its text. Short, unless "", replaces it where space is limited. About is
	// shown next to it.
	Label, Short, About string
	// Selected preselects it in a question with several answers.
	Selected bool
}

// ErrNoChoice is returned when there is no active decision to offer.
var ErrNoChoice = errors.New("there is no active decision to choose")
