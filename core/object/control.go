package object

import (
	"context"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/text"
)

// maxBrought is how many bytes of a content are brought back: as much as a tool of pi
// returns.
const maxBrought = 50 << 10

// Control answers for one session at one of its leaves.
type Control struct {
	Store  Store
	Files  Files
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
func (c *Control) label(o Object, d *Document) string {
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
