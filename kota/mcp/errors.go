package mcp

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
)

// maxMessage is how much of KotaDB's messages is repeated, in characters.
const maxMessage = 300

// MissingError is returned when the server's program is not installed.
type MissingError struct{ Command []string }

// Error names the command.
func (e *MissingError) Error() string {
	return fmt.Sprintf("start KotaDB: %s is not installed, tried %s", e.Command[0], strings.Join(e.Command, " "))
}

// StartError is returned when the server does not start.
type StartError struct {
	Command []string
	Cause   error
	Last    string // the last line it printed
}

// Error names the command, the cause and the server's last line.
func (e *StartError) Error() string {
	return fmt.Sprintf("start KotaDB with %s: %s", strings.Join(e.Command, " "), because(e.Cause, e.Last))
}

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Cause }

// StoppedError is returned when the server stopped so often that it is not restarted yet.
type StoppedError struct {
	Times int           // consecutive stops
	Rest  time.Duration // time until the next start
	Cause error
}

// Error says when the server will be started again.
func (e *StoppedError) Error() string {
	return fmt.Sprintf("ask KotaDB: it stopped %s and is started again in %s: %v", text.CountPlain(e.Times, "time"), e.Rest.Round(time.Second), e.Cause)
}

// Unwrap returns the last cause.
func (e *StoppedError) Unwrap() error { return e.Cause }

// TimeoutError is returned when a tool exceeds its time limit.
type TimeoutError struct {
	Tool  string
	Limit time.Duration
}

// Error names the tool and its limit.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("ask KotaDB: %s took longer than %s and was stopped", e.Tool, e.Limit)
}

// AnswerError is an error that the server reports, or an invalid answer.
type AnswerError struct{ Tool, Message string }

// Error returns the message.
func (e *AnswerError) Error() string {
	return fmt.Sprintf("ask KotaDB: %s: %s", e.Tool, fence.OneLine(e.Message, maxMessage))
}

// diedError is returned when the server ends during a question.
type diedError struct {
	tool string
	last string
}

func (e *diedError) Error() string {
	return fmt.Sprintf("ask KotaDB: it ended while it was to answer %s%s", e.tool, lastWords(e.last))
}

// because joins a cause with the last line of output.
func because(cause error, last string) string { return fmt.Sprint(cause) + lastWords(last) }

func lastWords(last string) string {
	if last == "" {
		return ""
	}
	return ": " + fence.OneLine(last, maxMessage)
}

// died reports whether the server died, so that a restart may help.
func died(err error) bool { return errors.As(err, new(*diedError)) }
