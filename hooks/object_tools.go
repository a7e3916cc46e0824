package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/object/capture"
	"github.com/coctostan/pictx/core/object/visibility"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// maxActivated is how much content a call of activate brings back, in bytes: as much
// as a tool of pi returns.
const maxActivated = 50 << 10

// objectCall is a call of one of the tools.
type objectCall struct {
	Objects
	*Call
	*visibility.View
	call   ToolCall
	branch *prune.Branch
	store  ObjectStore
}

// refusal is an error that the model is told.
type refusal struct{ text string }

func (e refusal) Error() string { return e.text }

// tool runs a tool of the model.
func (s Objects) tool(ctx context.Context, c *Call) error {
	t := &objectCall{Objects: s, Call: c}
	if err := c.Read(&t.call); err != nil {
		return err
	}
	var params struct {
		ID     string `json:"id"`
		Filter string `json:"filter"`
	}
	if err := decode(t.call.Params, &params); err != nil {
		c.Result().Error = "the parameters make no sense"
		return nil
	}
	err := t.open(ctx)
	if err == nil {
		err = t.run(ctx, params.ID, params.Filter)
	}
	var no refusal
	if errors.As(err, &no) {
		c.Result().Error = no.text
		return nil
	}
	return err
}

// open reads the session, and captures what it has.
func (t *objectCall) open(ctx context.Context) error {
	var err error
	if t.branch, _, err = t.Prune.branch(ctx, t.Call); err != nil {
		return err
	}
	if t.store, err = t.Project.Store(ctx); err != nil {
		return err
	}
	if t.View, err = t.view(ctx); err != nil {
		return err
	}
	if !t.captures(t.Call) {
		return nil
	}
	work, sess, err := t.capture(ctx, t.Call)
	if err == nil {
		_, err = work.Turn(ctx, sess.Entries(), t.Session.LeafID, sess.Line)
	}
	return err
}

// view is what the model sees now.
func (t *objectCall) view(ctx context.Context) (*visibility.View, error) {
	states, err := statesOn(ctx, t.Call, t.branch)
	if err != nil {
		return nil, err
	}
	files := t.Files(t.Call)
	canonical := func(path string) string { return files.Look(path).Path }
	if !inPools(t.Call) {
		return visibility.Of(t.branch, t.CWD, states, canonical), nil
	}
	pins, _, err := t.branch.Pinned(storedPins(ctx, t.Call))
	if err != nil {
		return nil, err
	}
	sit := prune.Situation{CWD: t.CWD, Pins: prune.PinsOf(pins), States: states}
	return visibility.OfPools(t.branch, sit, windowOf(t.Call), canonical), nil
}

func (t *objectCall) run(ctx context.Context, id, filter string) error {
	switch t.call.Name {
	case "objects":
		return t.list(ctx, filter)
	case readTool:
		return t.read(ctx)
	}
	o, err := t.find(ctx, id)
	if err != nil {
		return err
	}
	switch t.call.Name {
	case "activate":
		return t.activate(ctx, o)
	case "deactivate":
		return t.deactivate(ctx, o)
	}
	return t.pin(o)
}

// find returns the object that a name means: a nickname, an id or its beginning, the
// entry in a marker, or the path of a file.
func (t *objectCall) find(ctx context.Context, name string) (object.Object, error) {
	name = strings.TrimSpace(name)
	if i := strings.LastIndex(name, "pictx expand "); i >= 0 {
		name = strings.TrimRight(name[i+len("pictx expand "):], "] .")
	}
	name = strings.TrimPrefix(name, "id=")
	if name == "" {
		return object.Object{}, refusal{"activate, deactivate and pin want an id; objects lists them"}
	}
	if o, err := t.ofEntry(ctx, name); err == nil {
		return o, nil
	}
	if o, err := t.store.ByKey(ctx, object.FileKey("", prune.AccessOf("read", pathArgument(name), t.CWD).Path)); err == nil {
		return o, nil
	}
	o, err := t.store.Resolve(ctx, name)
	var ambiguous *object.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return o, refusal{fmt.Sprintf("%s is ambiguous: %s", text.LogLine(name), strings.Join(ambiguous.Candidates, ", "))}
	case errors.Is(err, object.ErrUnknown):
		return o, refusal{fmt.Sprintf("there is no object %s; objects lists what there is", text.LogLine(name))}
	}
	return o, err
}

// ofEntry is the tool call whose result is in an entry of the context, by the
// beginning of its id.
func (t *objectCall) ofEntry(ctx context.Context, id string) (object.Object, error) {
	found := -1
	for i, r := range t.Shown {
		if len(id) < 6 || !strings.HasPrefix(r.Entry, id) {
			continue
		}
		if found >= 0 {
			return object.Object{}, object.ErrUnknown
		}
		found = i
	}
	if found < 0 {
		return object.Object{}, object.ErrUnknown
	}
	return t.store.ByKey(ctx, object.ToolcallKey(t.Session.ID, t.Shown[found].Entry, t.Shown[found].Call))
}

// label names an object in an answer.
func label(o object.Object, d *object.Document) string {
	body := o.ID
	if o.Nickname != "" {
		body += " (" + o.Nickname + ")"
	}
	if d != nil {
		body += " " + text.LogLine(d.Label(o.Key))
	}
	return body
}

// activate brings the content of an object back as the result of the call.
func (t *objectCall) activate(ctx context.Context, o object.Object) error {
	if o.Key.Kind.Locked() || !o.Key.Kind.Switchable() {
		return refusal{fmt.Sprintf("%s is a %s: it is always in the context as it is", o.ID, o.Key.Kind)}
	}
	if o.Key.Kind == object.KindFile && t.captures(t.Call) {
		work := &capture.Capture{Store: t.store, Files: t.Files(t.Call), Session: t.Session.ID, CWD: t.CWD}
		if _, err := work.Refresh(ctx, o.ID); err != nil {
			return err
		}
	}
	v, err := t.store.Get(ctx, o.ID, object.At{})
	if err != nil {
		return err
	}
	name := label(o, &v.Doc)
	switch {
	case v.Doc.Deleted:
		return refusal{name + " was deleted; its versions are kept: pictx object history " + o.ID}
	case v.Evicted:
		return refusal{name + ": its content was evicted"}
	case v.Size < 0 && o.Key.Kind == object.KindFile:
		return t.unread(name, v)
	case v.Size < 0:
		return refusal{name + ": content unavailable (it is no text)"}
	}
	content, err := t.store.Content(ctx, v)
	if err != nil {
		return err
	}
	return t.bringBack(ctx, o, v, name, content)
}

// unread says that there is no content of a file: it was only ever named, or it is no
// text.
func (t *objectCall) unread(name string, v *object.Version) error {
	if look := t.Files(t.Call).Look(v.Doc.File.Path); look.File && v.Doc.File.FileType != "binary" {
		return refusal{name + ": content unavailable (it was never read, or is no text): read it"}
	}
	return refusal{name + ": content unavailable (non-text file)"}
}

// bringBack answers with the content, unless the model can see it.
func (t *objectCall) bringBack(ctx context.Context, o object.Object, v *object.Version, name string, content []byte) error {
	entries := t.Entries(o)
	name += t.part(v)
	switch {
	case t.current(o, content, nil):
		if err := t.say(ctx, prune.OpActivate, o, entries, ""); err != nil {
			return err
		}
		t.Result().Text = name + " is already active: its content is above."
		return nil
	case t.current(o, content, entries): // it was to go, and has not gone yet
		if err := t.say(ctx, prune.OpActivate, o, entries, ""); err != nil {
			return err
		}
		t.Result().Text = name + " is active again: its content is still above."
		return nil
	case inPools(t.Call) && o.Key.Kind == object.KindToolcall:
		if err := t.say(ctx, prune.OpActivate, o, entries, ""); err != nil {
			return err
		}
		t.Result().Text = name + " is active: its content comes after the chat."
		return nil
	}
	if err := t.say(ctx, prune.OpActivate, o, entries, t.call.ToolCallID); err != nil {
		return err
	}
	head := name
	body := strings.ToValidUTF8(string(content), "\ufffd")
	if len(body) > maxActivated {
		whole := len(body)
		body = text.CutBytes(body, maxActivated)
		head += fmt.Sprintf(", the first %d of %d bytes (pictx object show %s has all)", len(body), whole, o.ID)
	}
	t.Result().Text = head + ":\n" + body
	t.Decision = join(t.Decision, "activated "+o.ID)
	return nil
}

// part says of a version that it has a part of a file only, and of a file that was
// changed since that it is not that of now: "" of all of a file.
func (t *objectCall) part(v *object.Version) string {
	l := v.Part()
	if l == nil {
		return ""
	}
	why := "the rest was never read"
	if look := t.Files(t.Call).Look(v.Doc.File.Path); look.File && v.OlderThan(look.Stat.ModTime) {
		why += ", and the file was changed since: read it to see it as it is"
	}
	return fmt.Sprintf(" lines %d-%d (%s)", l.First, l.Last, why)
}

// current reports whether a result that shows the object as it is now stands in the
// context. With entries, those that were to go count, too.
func (t *objectCall) current(o object.Object, content []byte, also []string) bool {
	for _, r := range t.Shown {
		if r.Pruned || !slices.Contains(t.Entries(o), r.Entry) || also == nil && slices.Contains(t.States.Inactive, r.Entry) {
			continue
		}
		if o.Key.Kind == object.KindToolcall && r.Entry == o.Key.Part(1) {
			return true
		}
		if strings.Contains(t.textOf(r.Entry), strings.TrimSpace(string(content))) {
			return true
		}
	}
	return false
}

// textOf is the text of the message of an entry.
func (t *objectCall) textOf(entry string) string {
	for i, m := range t.branch.Messages {
		if m.EntryID == entry {
			return t.branch.Text(i)
		}
	}
	return ""
}

// deactivate lets an object leave the context.
func (t *objectCall) deactivate(ctx context.Context, o object.Object) error {
	if !o.Key.Kind.Switchable() {
		return refusal{fmt.Sprintf("%s is locked: a %s stays in the context", o.ID, o.Key.Kind)}
	}
	entries := t.Entries(o)
	if !t.Sees(entries) {
		t.Result().Text = label(o, nil) + " is inactive already."
		return nil
	}
	if why := t.stays(ctx, entries); why != "" {
		return refusal{label(o, nil) + " stays: " + why}
	}
	if err := t.say(ctx, prune.OpDeactivate, o, entries, ""); err != nil {
		return err
	}
	when := "it leaves the context when rewriting the prompt costs less than it saves"
	if inPools(t.Call) {
		when = "a reference stays"
	}
	t.Result().Text = fmt.Sprintf("%s is inactive (%s tok): %s. activate brings it back.", label(o, nil), text.Tokens(t.tokens(entries)), when)
	t.Decision = join(t.Decision, "deactivated "+o.ID)
	return nil
}

// stays says why none of the results can go, whoever asks, "" when one can.
func (t *objectCall) stays(ctx context.Context, entries []string) string {
	pins, _, err := t.branch.Pinned(storedPins(ctx, t.Call))
	if err != nil {
		return ""
	}
	sit := prune.Situation{CWD: t.CWD, Pins: prune.PinsOf(pins), States: prune.States{Inactive: entries}}
	plan := prune.NewPools(prune.Window{}, func(*prune.Input, prune.Candidate) string { return "" }).PlanAt(sit, t.branch.Messages)
	why := ""
	for _, k := range plan.Kept {
		switch {
		case !slices.Contains(entries, k.EntryID), k.Reason.Code == prune.CodeMarked:
		case k.Reason.Code == prune.CodeUnanswered: // for now
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

// tokens is the size of the results that stand in the context.
func (t *objectCall) tokens(entries []string) token.Count {
	var sum token.Count
	for _, r := range t.Shown {
		if slices.Contains(entries, r.Entry) && !r.Pruned {
			sum += r.Tokens
		}
	}
	return sum
}

// say puts a change of state into the store and into the session.
func (t *objectCall) say(ctx context.Context, op prune.StateOp, o object.Object, entries []string, call string) error {
	change := prune.StateChange{Op: op, Object: o.ID, Entries: entries, Call: call, Time: t.Now().UnixMilli()}
	if t.captures(t.Call) {
		what := object.Activated
		if op == prune.OpDeactivate {
			what = object.Deactivated
		}
		tx := object.Tx{Actor: object.ActorAgent, Session: t.Session.ID, Ops: []object.Op{{Do: object.Record, ID: o.ID, Event: what, Leaf: t.Session.LeafID}}}
		r, err := t.store.Submit(ctx, tx)
		if err != nil {
			return err
		}
		change.Tx, change.Time = r.Tx, int64(r.At)/1000
	}
	t.Add(AppendEntry(prune.StatesEntry, prune.StatesData{States: []prune.StateChange{change}}))
	return nil
}

// pin keeps an object from every automatic policy: a tool call by its entry, a file by
// its path.
func (t *objectCall) pin(o object.Object) error {
	p := prune.Pin{Time: t.Now().UnixMilli()}
	switch o.Key.Kind {
	case object.KindToolcall:
		p.Target = o.Key.Part(1)
	case object.KindFile:
		p.Target, p.IsPath = prune.PathTarget(o.Key.Part(1)), true
	default:
		return refusal{fmt.Sprintf("%s is a %s: it always stays", o.ID, o.Key.Kind)}
	}
	t.Add(AppendEntry(prune.PinsEntry, prune.PinsData{Pins: []prune.Pin{p}}))
	t.Result().Text = label(o, nil) + " is pinned: it stays in the context once it is there."
	return nil
}
