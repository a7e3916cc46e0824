package code

import "github.com/coctostan/pictx/core/fence"

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
