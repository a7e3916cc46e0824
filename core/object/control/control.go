// Package control says which objects a model sees at the end of a branch (See), carries out its
// requests about them (Control: to list, activate, deactivate and pin), adds objects that were
// activated at a shell to the next prompt, and lays a context out in pools (Arrange).
//
// The layout "pools" is that of self-context-manager: first a catalogue of every object of the
// session; then the chat, in which each tool result is a reference; then the content of the
// active objects, each in its own message. It exists for completeness: its catalogue grows in
// front of the chat with every call, so prompt caches hold almost none of it.
//
// An answer is a text, and the records that the session has to keep. The package must not
// know how an agent gets either, nor where sessions and objects are stored.
package control

import (
	"context"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/capture"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/text"
)

// maxContent is how many bytes of a content are brought back: as much as a tool of pi
// returns.
const maxContent = 50 << 10

// Control answers for one session at one of its leaves.
type Control struct {
	Store  object.Store
	Files  capture.Files
	Branch *prune.Branch
	// View is what the model sees on the branch.
	View *View
	// Pins returns the pins of the session that are known outside it.
	Pins func(ctx context.Context) []prune.Pin
	// Session and Leaf are the position, CWD is the directory of relative paths.
	Session, Leaf, CWD string
	// Keep is set when changes may be stored.
	Keep bool
	// Pools is set in the layout "pools".
	Pools bool
	Now   func() time.Time
}

// Answer is the result of a request.
type Answer struct {
	// Text is what the model reads.
	Text string
	// Changes and Pins are for the session to keep.
	Changes []state.Change
	Pins    []prune.Pin
	// Note is a line for a log, "" for none.
	Note string
}

// Refusal is an error for the model: its request cannot be carried out.
type Refusal struct{ Text string }

// Error implements error.
func (e *Refusal) Error() string { return e.Text }

func refuse(why string) error { return &Refusal{why} }

// label names an object in an answer. A file inside the working directory has its relative
// path, as the tools take it.
func (c *Control) label(o object.Object, d *object.Document) string {
	body := o.ID
	if o.Nickname != "" {
		body += " (" + o.Nickname + ")"
	}
	if d != nil {
		name, _ := strings.CutPrefix(d.Label(o.Key), strings.TrimSuffix(c.CWD, "/")+"/")
		body += " " + text.LogLine(name)
	}
	return body
}
