// Package dialog holds the dialogs about decisions as data: questions with
// their choices and checks, and in which order they are asked.
//
// It must not know how a question is drawn, or what happens with an answer: a form on
// a terminal and the dialogs of an agent draw the same questions.
package dialog

import "errors"

// Question is something that a person is asked, as data. A form on a terminal and the
// dialogs of an agent each draw it in their own way.
type Question struct {
	// ID names it among the questions of its dialog.
	ID   string
	Kind Kind
	// Title is the question, About an explanation beside it.
	Title, About string
	// Alone is the question where nothing can be shown beside it, "" for Title.
	Alone string
	// Spoken is printed first where forms are read aloud: those have no About.
	Spoken string
	// Placeholder is shown in an empty line.
	Placeholder string
	Choices     []Choice
	// Default is the initial answer.
	Default string
	// Lines is how many lines a text shows, 0 for as many as usual.
	Lines int
	// Required refuses an empty answer, Check an invalid one; nil accepts any.
	Required bool
	Check    func(answer string) error
	// Optional questions are left out where each one is a dialog of its own.
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

// Choice is something that may be chosen.
type Choice struct {
	// Value is the answer.
	Value string
	// Label is the text of the choice. Short is shown instead where there is little room,
	// unless it is "". About is shown beside it.
	Label, Short, About string
	// Selected is set when it is chosen at first, where several may be chosen.
	Selected bool
}

// ErrNoChoice says that there is no active decision that a question could offer.
var ErrNoChoice = errors.New("there is no active decision to choose")
