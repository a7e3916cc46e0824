package mcp

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/fence"
)

// maxMessage is how much of a foreign message is repeated, in characters.
const maxMessage = 300

// MissingError is a server whose program is not there.
type MissingError struct{ Command []string }

// Error says what was tried.
func (e *MissingError) Error() string {
	return fmt.Sprintf("start KotaDB: %s is not installed, tried %s", e.Command[0], strings.Join(e.Command, " "))
}

// StartError is a server that does not begin to serve.
type StartError struct {
	Command []string
	Cause   error
	Last    string // the last line it printed
}

// Error says what was tried and what it said.
func (e *StartError) Error() string {
	return fmt.Sprintf("start KotaDB with %s: %s", strings.Join(e.Command, " "), because(e.Cause, e.Last))
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Cause }

// StoppedError is a server that stopped so often that it rests.
type StoppedError struct {
	Times int           // in a row
	Rest  time.Duration // until it is started again
	Cause error
}

// Error says when it will be tried again.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("ask KotaDB: it stopped %d times and is started again in %s: %v", e.Times, e.Rest.Round(time.Second), e.Cause)
}

// Unwrap returns the last cause.
func (e *StoppedError) Unwrap() error { return e.Cause }

// TimeoutError is a tool that took longer than it may.
type TimeoutError struct {
	Tool  string
	Limit time.Duration
}

// Error says which tool, and how long it had.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("ask KotaDB: %s took longer than %s and was stopped", e.Tool, e.Limit)
}

// AnswerError is what a server says is wrong, or an answer that makes no sense.
type AnswerError struct{ Tool, Message string }

// Error repeats it.
func (e *AnswerError) Error() string {
	return fmt.Sprintf("ask KotaDB: %s: %s", e.Tool, fence.OneLine(e.Message, maxMessage))
}

// diedError is a connection that ended while an answer was awaited.
type diedError struct {
	tool string
	last string
}

func (e *diedError) Error() string {
	return fmt.Sprintf("ask KotaDB: it ended while it was to answer %s%s", e.tool, lastWords(e.last))
}

// because joins a cause with the last line that was printed.
func because(cause error, last string) string { return fmt.Sprint(cause) + lastWords(last) }

func lastWords(last string) string {
	if last == "" {
		return ""
	}
	return ": " + fence.OneLine(last, maxMessage)
}

// died reports whether asking again may help.
func died(err error) bool { return errors.As(err, new(*diedError)) }
