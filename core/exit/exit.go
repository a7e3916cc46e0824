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

// Meanings explains the exit codes, in the order in which they are listed.
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

// Meaning explains an exit code.
type Meaning struct {
	Code int
	Text string
}

// Error is an error with an exit code and a hint. err may be nil when everything has been
// printed already.
type Error struct {
	Code int
	err  error
	Hint string
}

// Error implements error. It returns "" when everything has been printed already.
func (e *Error) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

// Unwrap returns the underlying error.
func (e *Error) Unwrap() error { return e.err }

// UsageError returns an error for a mistake in the command line.
func UsageError(hint, format string, args ...any) error {
	return &Error{Usage, fmt.Errorf(format, args...), hint}
}

// FlagError returns an error for an unknown flag. A negative number looks like a flag; its
// hint repeats the command with the number after the previous arguments.
func FlagError(command string, args []string, err error) error {
	if _, value, ok := strings.Cut(err.Error(), " in -"); ok && value != "" && value[0] >= '0' && value[0] <= '9' {
		return UsageError(strings.Join(append(append([]string{command}, args...), "--", "-"+value), " "), "%w: a value that begins with - comes after --", err)
	}
	return UsageError(command+" --help", "%w", err)
}

// WithHint adds an exit code, and a command that helps, to an error.
func WithHint(code int, hint string, err error) error {
	if err == nil {
		return nil
	}
	return &Error{code, err, hint}
}

// Silent returns an error for a code when everything has been printed already.
func Silent(code int) error { return &Error{Code: code} }
