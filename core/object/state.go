package object

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/prune/state"
	"github.com/coctostan/pictx/core/text"
)

// Activate brings the content of an object back, as the result of a call of the model.
func (c *Control) Activate(ctx context.Context, name, call string) (Answer, error) {
	o, err := c.find(ctx, name)
	if err != nil {
		return Answer{}, err
	}
	v, label, content, err := c.content(ctx, o)
	if err != nil {
		return Answer{}, err
	}
	return c.bringBack(ctx, o, call, label+c.part(v), content)
}

// content returns the version of an object in force with its label and content, or why
// there is no content to bring back.
func (c *Control) content(ctx context.Context, o Object) (*Version, string, []byte, error) {
	if o.Key.Kind.Locked() || !o.Key.Kind.Switchable() {
		return nil, "", nil, refuse(fmt.Sprintf("%s is a %s: it is always in the context as it is", o.ID, o.Key.Kind))
	}
	v, err := c.latest(ctx, o)
	if err != nil {
		return nil, "", nil, err
	}
	name := c.label(o, &v.Doc)
	switch v.Missing() {
	case MissingDeleted:
		return nil, "", nil, refuse(name + " was deleted; its versions are kept: pictx object history " + o.ID)
	case MissingPurged:
		return nil, "", nil, refuse(name + ": its content was purged")
	case MissingUnread:
		return nil, "", nil, c.unread(name, v)
	case MissingText:
		return nil, "", nil, refuse(name + ": content unavailable (it is not text)")
	}
	content, err := c.Store.Content(ctx, v)
	return v, name, content, err
}

// latest returns the version of an object in force. It refreshes a file first, and reads
// one that was only named.
func (c *Control) latest(ctx context.Context, o Object) (*Version, error) {
	if o.Key.Kind != KindFile || !c.Keep {
		return c.Store.Get(ctx, o.ID, 0)
	}
	work := &Capture{Store: c.Store, Files: c.Files, Session: c.Session, CWD: c.CWD}
	if _, err := work.Refresh(ctx, o.ID); err != nil {
		return nil, err
	}
	v, err := c.Store.Get(ctx, o.ID, 0)
	if err != nil || v.Missing() != MissingUnread {
		return v, err
	}
	if err := work.Load(ctx, v); err != nil {
		return nil, err
	}
	return c.Store.Get(ctx, o.ID, 0)
}

// unread explains why a file has no content: it was only named, or is not text.
func (c *Control) unread(name string, v *Version) error {
	if look := c.Files.Look(v.Doc.File.Path); look.File && v.Doc.File.FileType != "binary" {
		return refuse(name + ": content unavailable (it was never read, or is not text): read it")
	}
	return refuse(name + ": content unavailable (non-text file)")
}

// bringBack answers with the content, unless the model can see it.
func (c *Control) bringBack(ctx context.Context, o Object, call, name string, content []byte) (Answer, error) {
	entries := c.View.Entries(o)
	visible := ""
	switch {
	case c.current(o, content, nil):
		visible = " is already active: its content is above."
	case c.current(o, content, entries): // it was to go, and has not gone yet
		visible = " is active again: its content is still above."
	case c.Pools && o.Key.Kind == KindToolcall:
		visible = " is active: its content comes after the chat."
	}
	if visible != "" {
		call = ""
	}
	change, err := c.change(ctx, state.Activate, o, entries, call)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Changes: []state.Change{change}}
	if visible != "" {
		answer.Text = name + visible
		return answer, nil
	}
	head := name
	body := strings.ToValidUTF8(string(content), "\ufffd")
	if len(body) > maxBrought {
		whole := len(body)
		body = text.CutBytes(body, maxBrought)
		head += fmt.Sprintf(", the first %d of %d bytes (pictx object show %s has all)", len(body), whole, o.ID)
	}
	answer.Text, answer.Note = head+":\n"+body, "activated "+o.ID
	return answer, nil
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
	if !o.Key.Kind.Switchable() {
		return Answer{}, refuse(fmt.Sprintf("%s is locked: a %s stays in the context", o.ID, o.Key.Kind))
	}
	entries := c.View.Entries(o)
	if !c.View.Sees(entries) {
		return Answer{Text: c.label(o, nil) + " is inactive already."}, nil
	}
	if why := c.keptBecause(ctx, entries); why != "" {
		return Answer{}, refuse(c.label(o, nil) + " stays: " + why)
	}
	change, err := c.change(ctx, state.Deactivate, o, entries, "")
	if err != nil {
		return Answer{}, err
	}
	when := "it leaves the context when rewriting the prompt costs less than it saves"
	if c.Pools {
		when = "a reference stays"
	}
	return Answer{
		Text: fmt.Sprintf("%s is inactive (%s tok): %s. activate brings it back.", c.label(o, nil), text.Tokens(c.tokens(entries)), when),
		Note: "deactivated " + o.ID, Changes: []state.Change{change},
	}, nil
}

// keptBecause returns why none of the results can leave the context, "" when one can.
func (c *Control) keptBecause(ctx context.Context, entries []string) string {
	pins, _, err := c.Branch.Pinned(c.Pins(ctx))
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
	for _, e := range plan.Edits {
		if slices.Contains(entries, e.EntryID) {
			return ""
		}
	}
	return why
}

// change stores a change of state if permitted, and returns the record for the session.
func (c *Control) change(ctx context.Context, op state.Op, o Object, entries []string, call string) (state.Change, error) {
	change := state.Change{Op: op, Object: o.ID, Entries: entries, Call: call, Time: c.Now().UnixMilli()}
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
	p := prune.Pin{Time: c.Now().UnixMilli()}
	switch o.Key.Kind {
	case KindToolcall:
		p.Target = o.Key.Part(1)
	case KindFile:
		p.Target, p.IsPath = prune.PathTarget(o.Key.Part(1)), true
	default:
		return Answer{}, refuse(fmt.Sprintf("%s is a %s: it always stays", o.ID, o.Key.Kind))
	}
	return Answer{Text: c.label(o, nil) + " is pinned: it stays in the context once it is there.", Pins: []prune.Pin{p}}, nil
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
		message, err := c.bring(ctx, change.Object)
		if err != nil {
			return out, err
		}
		if message != "" {
			out = append(out, message)
		}
	}
	return out, nil
}

// bring returns the message for one object, "" for none.
func (c *Control) bring(ctx context.Context, id string) (string, error) {
	o, err := c.Store.Resolve(ctx, id)
	if err != nil {
		return "", err
	}
	v, err := c.Store.Get(ctx, o.ID, 0)
	if err != nil || v.Missing() != "" {
		return "", err
	}
	content, err := c.Store.Content(ctx, v)
	if err != nil || c.current(o, content, nil) {
		return "", err
	}
	return fmt.Sprintf(BroughtHead+"%s:\n%s", c.label(o, &v.Doc), text.CutBytes(string(content), maxBrought)), nil
}
