package object

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
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
	// Pins are the pins of the session that are known outside it.
	Pins []prune.Pin
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

func refuse(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// named names an object in an answer.
func named(o Object) string {
	if o.Nickname != "" {
		return o.ID + " (" + o.Nickname + ")"
	}
	return o.ID
}

// label names a version in an answer. A file inside the working directory has its relative
// path, as the tools take it.
func (c *Control) label(v *Version) string {
	name, _ := strings.CutPrefix(v.Label(), strings.TrimSuffix(c.CWD, "/")+"/")
	return named(v.Object) + " " + text.LogLine(name)
}

// Activate brings the content of an object back, as the result of a call of the model.
func (c *Control) Activate(ctx context.Context, name, call string) (Answer, error) {
	o, err := c.find(ctx, name)
	if err != nil {
		return Answer{}, err
	}
	if !o.Key.Kind.Switchable() {
		return Answer{}, refuse("%s is a %s: it is always in the context as it is", o.ID, o.Key.Kind)
	}
	v, err := c.latest(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	label := c.label(v)
	if why := v.Missing(); why != "" {
		return Answer{}, refuse("%s: %s", label, why)
	}
	content, err := c.Store.Content(ctx, v)
	if err != nil {
		return Answer{}, err
	}
	label += c.part(v)
	visible := c.visible(o, content)
	if visible != "" {
		call = ""
	}
	change, err := c.change(ctx, state.Activate, o, call)
	answer := Answer{Text: label + visible, Changes: []state.Change{change}}
	if err != nil || visible != "" {
		return answer, err
	}
	body := strings.ToValidUTF8(string(content), "\ufffd")
	if whole := len(body); whole > maxBrought {
		body = text.CutBytes(body, maxBrought)
		label += fmt.Sprintf(", the first %d of %d bytes (pictx object show %s has all)", len(body), whole, o.ID)
	}
	answer.Text, answer.Note = label+":\n"+body, "activated "+o.ID
	return answer, nil
}

// latest returns the version of an object in force: of a file, as it is on disk if that may be
// stored.
func (c *Control) latest(ctx context.Context, o Object) (*Version, error) {
	if !c.Keep {
		return c.Store.Get(ctx, o.ID, 0)
	}
	work := &Capture{Store: c.Store, Files: c.Files, Session: c.Session, CWD: c.CWD}
	return work.Latest(ctx, o.ID)
}

// visible says where the model can see the present content of an object, "" when it cannot.
func (c *Control) visible(o Object, content []byte) string {
	here, leaving := c.shows(o, content)
	switch {
	case here:
		return " is already active: its content is above."
	case leaving:
		return " is active again: its content is still above."
	case c.Pools && o.Key.Kind == KindToolcall:
		return " is active: its content comes after the chat."
	}
	return ""
}

// shows reports whether a result in the context shows the present content of an object, and
// whether one does that was deactivated and has not left the context yet.
func (c *Control) shows(o Object, content []byte) (here, leaving bool) {
	entries := c.View.Entries(o)
	for _, r := range c.View.Shown {
		if r.Pruned || !slices.Contains(entries, r.Entry) {
			continue
		}
		result := o.Key.Kind == KindToolcall && r.Entry == o.Key.Part(1)
		if !result && !strings.Contains(c.textOf(r.Entry), strings.TrimSpace(string(content))) {
			continue
		}
		off := slices.Contains(c.View.States.Inactive, r.Entry)
		here, leaving = here || !off, leaving || off
	}
	return here, leaving
}

// textOf returns the text of the message of an entry.
func (c *Control) textOf(entry string) string {
	i := slices.IndexFunc(c.Branch.Messages, func(m policy.Message) bool { return m.EntryID == entry })
	if i < 0 {
		return ""
	}
	return c.Branch.Text(i)
}

// part says, for a version with only a part of its file, which part, and whether the file
// changed since; "" for a whole file.
func (c *Control) part(v *Version) string {
	l := v.Part()
	if l == nil {
		return ""
	}
	why := "the rest was never read"
	if look := c.Files.Look(v.Doc.File.Path); look.File && v.OlderThan(look.Stat.ModTime) {
		why += ", and the file was changed since: read it to see it as it is"
	}
	return fmt.Sprintf(" lines %d-%d (%s)", l.First, l.Last, why)
}

// Deactivate lets an object leave the context.
func (c *Control) Deactivate(ctx context.Context, name string) (Answer, error) {
	o, err := c.find(ctx, name)
	if err != nil {
		return Answer{}, err
	}
	entries := c.View.Entries(o)
	switch {
	case !o.Key.Kind.Switchable():
		return Answer{}, refuse("%s is locked: a %s stays in the context", o.ID, o.Key.Kind)
	case !c.View.Sees(entries):
		return Answer{Text: named(o) + " is inactive already."}, nil
	}
	if why := c.keptBecause(entries); why != "" {
		return Answer{}, refuse("%s stays: %s", named(o), why)
	}
	change, err := c.change(ctx, state.Deactivate, o, "")
	if err != nil {
		return Answer{}, err
	}
	var size token.Count
	for _, r := range c.View.Shown {
		if slices.Contains(entries, r.Entry) && !r.Pruned {
			size += r.Tokens
		}
	}
	when := "it leaves the context when rewriting the prompt costs less than it saves"
	if c.Pools {
		when = "a reference stays"
	}
	return Answer{
		Text: fmt.Sprintf("%s is inactive (%s tok): %s. activate brings it back.", named(o), text.Tokens(size), when),
		Note: "deactivated " + o.ID, Changes: []state.Change{change},
	}, nil
}

// keptBecause returns why none of the results can leave the context, "" when one can.
func (c *Control) keptBecause(entries []string) string {
	pins, _, err := c.Branch.LatestPins(c.Pins)
	if err != nil {
		return ""
	}
	sit := policy.Situation{CWD: c.CWD, Pins: prune.PinsOf(pins), States: state.States{Inactive: entries}}
	plan := policy.NewPools(policy.Window{}, func(*policy.Input, *policy.Candidate) string { return "" }).PlanAt(sit, c.Branch.Messages)
	why := ""
	for _, k := range plan.Kept {
		switch {
		case !slices.Contains(entries, k.EntryID), k.Reason.Code == policy.CodeMarked:
		case k.Reason.Code == policy.CodeUnanswered: // for now
			return ""
		default:
			why = k.Reason.Text
		}
	}
	if slices.ContainsFunc(plan.Edits, func(e policy.Edit) bool { return slices.Contains(entries, e.EntryID) }) {
		return ""
	}
	return why
}

// change stores a change of state if permitted, and returns the record for the session.
func (c *Control) change(ctx context.Context, op state.Op, o Object, call string) (state.Change, error) {
	change := state.Change{Op: op, Object: o.ID, Entries: c.View.Entries(o), Call: call, Time: c.Now().UnixMilli()}
	if !c.Keep {
		return change, nil
	}
	kind := Activated
	if op == state.Deactivate {
		kind = Deactivated
	}
	tx := Tx{Actor: ActorAgent, Session: c.Session, Ops: []Op{{Do: Record, ID: o.ID, Event: kind, Leaf: c.Leaf}}}
	r, err := c.Store.Submit(ctx, tx)
	if err != nil {
		return change, err
	}
	change.Tx, change.Time = r.Tx, int64(r.At)/1000
	return change, nil
}

// Pin keeps an object from every automatic policy: a tool call by its entry, a file by its
// path.
func (c *Control) Pin(ctx context.Context, name string) (Answer, error) {
	o, err := c.find(ctx, name)
	if err != nil {
		return Answer{}, err
	}
	p := prune.Pin{Time: c.Now().UnixMilli(), Target: o.Key.Part(1)}
	switch o.Key.Kind {
	case KindToolcall:
	case KindFile:
		p.Target, p.IsPath = prune.PathTarget(p.Target), true
	default:
		return Answer{}, refuse("%s is a %s: it always stays", o.ID, o.Key.Kind)
	}
	return Answer{Text: named(o) + " is pinned: it stays in the context once it is there.", Pins: []prune.Pin{p}}, nil
}

// Bring returns messages with the contents of the objects that changes activate. The
// changes were made outside the session, so no call can return the content. Content that
// the model can see is left out. On an error it also returns the preceding messages.
func (c *Control) Bring(ctx context.Context, changes []state.Change) ([]string, error) {
	var out []string
	for _, change := range changes {
		if change.Op != state.Activate {
			continue
		}
		v, err := c.Store.Get(ctx, change.Object, 0)
		if err != nil {
			return out, err
		}
		if v.Missing() != "" {
			continue
		}
		content, err := c.Store.Content(ctx, v)
		if err != nil {
			return out, err
		}
		if here, _ := c.shows(v.Object, content); !here {
			out = append(out, fmt.Sprintf(BroughtHead+"%s:\n%s", c.label(v), text.CutBytes(string(content), maxBrought)))
		}
	}
	return out, nil
}
