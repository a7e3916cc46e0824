// Package recall is lcm_grep and lcm_expand, the tools by which a model searches the
// history and brings entries back: it reads their arguments, which a model wrote, and
// words the replies, which are bounded and safe to show.
//
// The package must not know how history is stored or which agent asks.
package recall

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/token"
)

// The tools by which a model recalls what its context no longer holds.
const (
	GrepTool   = "lcm_grep"
	ExpandTool = "lcm_expand"
)

// MaxReply is how long the whole reply of a tool may be.
const MaxReply token.Count = 8000

// unitsPerToken turns tokens into UTF-16 units, as package token estimates them.
const unitsPerToken = 4

// How long the parts of a line may get, in characters. They come from session files and
// from the model, and a header must stay one line.
const (
	maxName  = 60 // a tool, a role, an id
	maxWords = 80 // a query, a command
	maxNote  = 200
)

// Answer is what a tool returns to the model.
type Answer struct {
	Text string
	// Details is for the session file and for whoever displays the call: a
	// struct with JSON names, GrepDetails or ExpandDetails, and no text.
	Details any
}

// BadCallError is a call with wrong arguments. Its text tells a model what to call
// instead.
type BadCallError struct {
	Tool    string
	Problem string
	Hint    string
	// Cause is ErrNotFound, an AmbiguousError or nil.
	Cause error
}

// Error says what is wrong and what to do.
func (e *BadCallError) Error() string { return fmt.Sprintf("%s: %s\n%s", e.Tool, e.Problem, e.Hint) }

// Unwrap returns the cause.
func (e *BadCallError) Unwrap() error { return e.Cause }

// quoted puts foreign text on one line between quotes.
func quoted(s string) string { return `"` + fence.OneLine(s, maxWords) + `"` }

// speaker says who said the text of a row.
func speaker(r history.Row) string { return fence.OneLine(r.ModelSpeaker(), maxName) }

// Ports are what a call of lcm_expand asks.
type Ports struct {
	// File is the session's own, nil when it is not to be stored. What it has beyond the
	// store is stored before anything is looked up.
	File  history.File
	Store history.Store
	// Busy reports whether storing failed only because another process was writing. What
	// is stored already is looked up all the same.
	Busy    func(error) bool
	Entries history.Expander
	// Elsewhere returns where an id is looked up that Entries does not have; nil when
	// that is nowhere.
	Elsewhere func(ctx context.Context) (history.Expander, error)
}

// Recall carries out a call of lcm_expand. The request gives what does not come from the
// model: First and Note. It returns also how many entries were stored. An error that the
// model can mend is a BadCallError.
func (p Ports) Recall(ctx context.Context, params []byte, r ExpandRequest) (a Answer, stored int, err error) {
	if p.File != nil {
		rep, err := history.Ingest(ctx, p.Store, p.File, history.Options{Small: true})
		stored = rep.Added
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !p.Busy(err) {
			return Answer{}, stored, err
		}
	}
	given, err := ParseExpand(params)
	if err != nil {
		return Answer{}, stored, err
	}
	given.First, given.Note = r.First, r.Note
	a, err = ExpandText(ctx, p.Entries, given)
	if p.Elsewhere == nil || !errors.As(err, new(*BadCallError)) {
		return a, stored, err
	}
	entries, err := p.Elsewhere(ctx)
	if err != nil {
		return Answer{}, stored, err
	}
	a, err = ExpandText(ctx, entries, given)
	return a, stored, err
}
