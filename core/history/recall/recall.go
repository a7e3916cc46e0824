// Package recall implements lcm_grep and lcm_expand, the tools with which a model searches
// the history and brings entries back. It parses their arguments, which a model wrote, and
// words the replies, which are bounded and safe to show.
//
// The package must not know how history is stored or which agent asks.
package recall

import (
	"fmt"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/token"
)

// The tools with which a model recalls what its context no longer has.
const (
	GrepTool   = "lcm_grep"
	ExpandTool = "lcm_expand"
)

// MaxReply bounds the whole reply of a tool.
const MaxReply token.Count = 8000

// unitsPerToken converts tokens into UTF-16 units, as package token estimates them.
const unitsPerToken = 4

// Limits of the parts of a line, in characters. They come from session files and from the
// model, and a header must stay one line.
const (
	maxName  = 60 // a tool, a role, an id
	maxWords = 80 // a query, a command
	maxNote  = 200
)

// Answer is what a tool returns to the model.
type Answer struct {
	Text string
	// Details is for the session file and for whoever displays the call: a GrepDetails or
	// ExpandDetails, without the text.
	Details any
}

// BadCallError is a call with wrong arguments. Its text tells a model what to call instead.
type BadCallError struct {
	Tool    string
	Problem string
	Hint    string
	// Cause is ErrNotFound, an AmbiguousError or nil.
	Cause error
}

// Error returns the problem and the hint.
func (e *BadCallError) Error() string { return fmt.Sprintf("%s: %s\n%s", e.Tool, e.Problem, e.Hint) }

// Unwrap returns the cause.
func (e *BadCallError) Unwrap() error { return e.Cause }

// quoted formats foreign text on one line between quotes.
func quoted(s string) string { return `"` + fence.OneLine(s, maxWords) + `"` }

// speaker returns the author of a row.
func speaker(r history.Row) string { return fence.OneLine(r.ModelSpeaker(), maxName) }
