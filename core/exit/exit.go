package exit

import (
	"fmt"
	"strings"
)

// The exit codes of every command.
const (
	OK          = 0
	Failed      = 1
	Usage       = 2
	NotFound    = 3
	Partly      = 4
	Refused     = 5
	NoProject   = 10
	Busy        = 11
	Damaged     = 12
	Interrupted = 130
)

// Meanings explains the codes, in the order they are listed.
func Meanings() []Meaning {
	return []Meaning{
		{OK, "done"},
		{Failed, "it failed, or a check found something"},
		{Usage, "wrong usage, bad configuration, ambiguous id"},
		{NotFound, "nothing was found, or the id is unknown"},
		{Partly, "partly done: some items were left out"},
		{Refused, "refused: disabled, not confirmed, or not for an agent"},
		{NoProject, "there is no store yet"},
		{Busy, "the store is in use by another process"},
		{Damaged, "the store is damaged, or of another version"},
		{Interrupted, "interrupted"},
	}
}

// Meaning is an exit code and what it means.
type Meaning struct {
	Code int
	Text string
}

// Error is an error with what the user needs beside its text. err may be
// nil when everything was said already.
type Error struct {
	Code int
	err  error
	Hint string
}

// Error implements error. It is empty when everything was said already.
func (e *Error) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap returns the error that has the code and the hint.
func (e *Error) Unwrap() error { return e.err }

// UsageError is a mistake in the command line.
func UsageError(hint, format string, args ...any) error {
	return &Error{Usage, fmt.Errorf(format, args...), hint}
}

// FlagError is an unknown flag, or a number below 0, which looks like one: the hint then has
// it after what was given before.
func FlagError(command string, args []string, err error) error {
	if _, value, ok := strings.Cut(err.Error(), " in -"); ok && value != "" && value[0] >= '0' && value[0] <= '9' {
		return UsageError(strings.Join(append(append([]string{command}, args...), "--", "-"+value), " "), "%w: a value that begins with - comes after --", err)
	}
	return UsageError(command+" --help", "%w", err)
}

// WithHint adds a command that helps to an error, and a code.
func WithHint(code int, hint string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{code, err, hint}
}

// Silent ends a command with a code when everything was said already.
func Silent(code int) error { return &Error{Code: code} }
