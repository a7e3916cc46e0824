package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/token"
)

// The tools by which a model recalls what its context no longer holds.
const (
	GrepTool   = "lcm_grep"
	ExpandTool = "lcm_expand"
)

// MaxReply is the most that a tool answers with, everything counted.
const MaxReply token.Count = 8000

// unitsPerToken turns tokens into UTF-16 units, as package token estimates them.
const unitsPerToken = 4

// How long the parts of a line may get, in characters. They come from session
// files and from the model, and a header must stay one.
const (
	maxName  = 60 // of a tool, a role, an id
	maxWords = 80 // of a query, a command
	maxNote  = 200
)

// Answer is what a tool returns to the model.
type Answer struct {
	Text string
	// Details is for the session file and for whoever displays the call: a
	// struct with JSON names, GrepDetails or ExpandDetails, and no text.
	Details any
}

// BadCallError is a call that cannot be answered as it is. Its text tells a model
// what to call instead.
type BadCallError struct {
	Tool    string
	Problem string
	Hint    string
	// Cause is ErrNotFound, an AmbiguousError, or nil when there is no more to say.
	Cause error
}

// Error says what is wrong and what to do.
func (e *BadCallError) Error() string { return fmt.Sprintf("%s: %s\n%s", e.Tool, e.Problem, e.Hint) }

// Unwrap returns the cause.
func (e *BadCallError) Unwrap() error { return e.Cause }

// speaker says who said something, for a model: a role or the tool.
func speaker(r Row) string {
	who := string(r.Role)
	switch {
	case r.Tool != "":
		who = "tool/" + r.Tool
	case who == "":
		who = string(r.Type)
	}
	if r.IsError {
		who += " (error)"
	}
	return fence.OneLine(who, maxName)
}

// moment writes Unix milliseconds in a form that after and before accept, the same
// on every machine.
func moment(ms int64) string {
	if ms == 0 {
		return "at an unknown time"
	}
	return time.UnixMilli(ms).UTC().Format(shownTime)
}

// shownTime is how times are shown: to the minute, in UTC.
const shownTime = "2006-01-02 15:04Z07:00"

// shortSession is enough of pi's session ids to tell sessions apart, as a prefix.
func shortSession(id string) string {
	const uuid, short = 36, 13
	if len(id) == uuid {
		id = id[:short]
	}
	return fence.OneLine(id, maxName)
}

// quoted puts foreign words on one line between quotes.
func quoted(s string) string { return `"` + fence.OneLine(s, maxWords) + `"` }

// plural writes a number with its noun.
func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return token.Count(n).String() + " " + noun
}

// listed joins what is not empty.
func listed(sep string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}
