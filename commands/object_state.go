package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

type objectStateOptions struct {
	session string
	reason  string
}

func (a *app) objectActivate() *cobra.Command {
	return a.objectState("activate ID", "Bring the content of an object back into a session",
		`Activates an object in a session: the model sees its content again, and no automatic
rule takes it out until it is deactivated. Only pi changes a session: it does from the
session's next prompt on.

What has no content cannot be activated: what was deleted or evicted, a file that is no
text, an object of another type than file or toolcall.`,
		"  pictx object activate o-3f9a --session 01a1fe4b", object.Activated)
}

func (a *app) objectDeactivate() *cobra.Command {
	return a.objectState("deactivate ID", "Leave only a reference to an object in a session",
		`Deactivates an object in a session: a reference of one line takes the place of its
content, when that pays, as with what is pruned. The content can always be had back.
A chat and a system prompt are locked: they stay.`,
		"  pictx object deactivate o-3f9a --reason 'read and done'", object.Deactivated)
}

// objectState makes a command that changes a state.
func (a *app) objectState(use, short, long, example string, what object.EventKind) *cobra.Command {
	var o objectStateOptions
	cmd := a.objectVerb(use, short, long, example, "3 5 10 11 12", func(ctx context.Context, id string) error {
		return a.runObjectState(ctx, o, id, what)
	})
	a.objectStateFlags(cmd, &o)
	return cmd
}

func (a *app) objectStateFlags(cmd *cobra.Command, o *objectStateOptions) {
	cmd.Flags().StringVar(&o.session, "session", "", "the session's `id` (default: the one this shell runs in)")
	cmd.Flags().StringVar(&o.reason, "reason", "", "a `text` to remember why")
	a.jsonFlag(cmd)
	a.completeSession(cmd)
}

// objectDone is what a command that changes an object did.
type objectDone struct {
	ID      string `json:"id"`
	Session string `json:"session,omitempty"`
	State   string `json:"state,omitempty"`
	Changed bool   `json:"changed"`
	Note    string `json:"note"`
}

// objectTarget is an object in a session, in an open store.
type objectTarget struct {
	*sqlite.Store
	version *object.Version
	session *objectSession
}

// objectIn opens the store and finds an object and the session that is meant.
func (a *app) objectIn(ctx context.Context, name, session string) (*objectTarget, error) {
	if session = a.sessionName(session); session == "" {
		return nil, usageError("pictx object activate ID --session ID", "this shell runs in no session: PI_SESSION_ID is not set")
	}
	st, err := a.existingStore(ctx)
	if err != nil {
		return nil, err
	}
	t := &objectTarget{Store: st}
	if _, t.version, err = a.objectVersion(ctx, st, name, 0, object.At{}); err == nil {
		t.session, err = a.openObjectSession(ctx, st, session)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return t, nil
}

// existingStore opens the store to write, if there is one.
func (a *app) existingStore(ctx context.Context) (*sqlite.Store, error) {
	if there, err := a.hasStore(); err != nil || !there {
		return nil, errors.Join(err, fmt.Errorf("open store: %w", sqlite.ErrNoStore))
	}
	st, _, err := a.store(ctx, sqlite.Write)
	return st, err
}

func (a *app) runObjectState(ctx context.Context, o objectStateOptions, name string, what object.EventKind) error {
	t, err := a.objectIn(ctx, name, o.session)
	if err != nil {
		return err
	}
	defer t.Close()
	done := objectDone{ID: t.version.ID, Session: t.session.id}
	state, _ := t.session.where(t.version)
	if err := allowed(t.version, what); err != nil {
		return withHint(exitRefused, "pictx object show "+t.version.ID, fmt.Errorf("%s %s: %w", what, t.version.ID, err))
	}
	to := object.Inactive
	if what == object.Activated {
		to = object.Active
	}
	if state == to || state == object.Absent && to == object.Inactive {
		done.State, done.Note = string(state), fmt.Sprintf("it is %s already", state)
		return a.emitDone(done)
	}
	_, err = t.Submit(ctx, object.Tx{
		Actor: a.actor(), Session: t.session.id, Reason: o.reason,
		Ops: []object.Op{{Do: object.Record, ID: t.version.ID, Event: what}},
	})
	if err != nil {
		return err
	}
	done.Changed, done.State, done.Note = true, string(to), past(what)+"; pi does it from the next prompt on"
	return a.emitDone(done)
}

func (a *app) emitDone(d objectDone) error {
	return a.out.emit(d, func(w *out) { w.printf("%s: %s\n", d.ID, d.Note) })
}

// allowed tells why an object cannot be activated or deactivated.
func allowed(v *object.Version, what object.EventKind) error {
	switch {
	case v.Doc.Kind.Locked() && what == object.Deactivated:
		return object.ErrLocked
	case v.Doc.Kind.Locked():
		return nil
	case !v.Doc.Kind.Holdable():
		return fmt.Errorf("a %s has no content that could be in the context", v.Doc.Kind)
	case what == object.Activated && v.Size < 0 || v.Evicted:
		return errors.New(unavailable(v))
	}
	return nil
}

func (a *app) objectPin() *cobra.Command {
	return a.objectPinned("pin ID", "Keep an object from every automatic rule", `Pins an object in a session: a tool call by its entry, a file by its path. It is the same
pin as that of pictx pin, which lists it.`, "  pictx object pin o-3f9a --reason 'the plan'", false)
}

func (a *app) objectUnpin() *cobra.Command {
	return a.objectPinned("unpin ID", "Let automatic rules have an object again", "Takes back the pin of an object.", "  pictx object unpin o-3f9a", true)
}

func (a *app) objectPinned(use, short, long, example string, remove bool) *cobra.Command {
	var o objectStateOptions
	cmd := a.objectVerb(use, short, long, example, "3 5 10 11 12", func(ctx context.Context, id string) error {
		return a.runObjectPin(ctx, o, id, remove)
	})
	a.objectStateFlags(cmd, &o)
	return cmd
}

func (a *app) runObjectPin(ctx context.Context, o objectStateOptions, name string, remove bool) error {
	t, err := a.objectIn(ctx, name, o.session)
	if err != nil {
		return err
	}
	defer t.Close()
	done := objectDone{ID: t.version.ID, Session: t.session.id, Note: "pinned"}
	if remove {
		done.Note = "not pinned any more"
	}
	pin := prune.Pin{Reason: o.reason, Removed: remove}
	switch v := t.version; v.Doc.Kind {
	case object.KindToolcall:
		if pin.Target = v.Key.Part(1); v.Key.Session() != t.session.id {
			return withHint(exitRefused, "pictx object pin "+v.ID+" --session "+v.Key.Session(), fmt.Errorf("pin %s: it is a call of another session", v.ID))
		}
	case object.KindFile:
		pin.Target, pin.IsPath = prune.PathTarget(v.Doc.Label(v.Key)), true
	default:
		return withHint(exitRefused, "", fmt.Errorf("pin %s: no automatic rule takes a %s out", v.ID, v.Doc.Kind))
	}
	there := t.session.has(pin, t.version)
	switch {
	case remove && !there && t.session.pinned(t.version):
		return withHint(exitRefused, "pictx pin", fmt.Errorf("unpin %s: a glob pins it", t.version.ID))
	case remove && !there:
		return withHint(exitNotFound, "pictx pin", fmt.Errorf("unpin %s: it is not pinned", t.version.ID))
	case !remove && there:
		done.Note = "it is pinned already"
		return a.emitDone(done)
	}
	p := &pinSession{Store: t.Store, row: sqlite.SessionRow{ID: t.session.id}, said: t.session.said}
	if err := p.add(ctx, pin, a.env.Now().UnixMilli()); err != nil {
		return err
	}
	done.Changed = true
	return a.emitDone(done)
}

// has reports whether a pin is in force, or what it would take back: a result may stay
// for the name of its tool, although nobody spoke of it.
func (s *objectSession) has(pin prune.Pin, v *object.Version) bool {
	i := slices.IndexFunc(s.said, func(p prune.Pin) bool { return p.Target == pin.Target && p.IsPath == pin.IsPath })
	if i >= 0 {
		return !s.said[i].Removed
	}
	return pin.Removed && v.Doc.Toolcall != nil && prune.KeptByName(v.Doc.Toolcall.Tool)
}

func (a *app) objectNickname() *cobra.Command {
	remove := false
	cmd := &cobra.Command{
		Use:   "nickname ID [NAME]",
		Short: "Give an object a name of your own",
		Long: `Gives an object a nickname, which can be used wherever an id can; --remove takes it
away. It is 1 to 64 letters a-z, digits and . _ - after a letter. The case of letters
makes no difference: no two objects have the same nickname.`,
		Example:           "  pictx object nickname o-3f9a plan\n  pictx object nickname plan --remove",
		Annotations:       exits("3 5 10 11 12"),
		Args:              someArgs(1, 2),
		ValidArgsFunction: a.objectWords,
		RunE: func(cmd *cobra.Command, args []string) error {
			if remove == (len(args) == 2) {
				return usageError("pictx object nickname ID plan", "give a nickname, or --remove")
			}
			return a.runObjectNickname(cmd.Context(), args[0], append(args, "")[1])
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "take the nickname away")
	a.jsonFlag(cmd)
	return cmd
}

func (a *app) runObjectNickname(ctx context.Context, id, name string) error {
	st, err := a.existingStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	obj, err := a.object(ctx, st, id)
	if err != nil {
		return err
	}
	r, err := st.Submit(ctx, object.Tx{Actor: a.actor(), Reason: "nickname", Ops: []object.Op{{Do: object.Name, ID: obj.ID, Nickname: name}}})
	if err != nil {
		return err
	}
	done := objectDone{ID: obj.ID, Changed: r.Results[0].Changed, Note: "it is called " + name}
	if name == "" {
		done.Note = "it has no nickname"
	}
	return a.emitDone(done)
}

func (a *app) objectWhy() *cobra.Command {
	var o objectStateOptions
	cmd := a.objectVerb("why ID", "Say why an object is active or not",
		`Says where an object is in a session and what brought it there, then everything that
happened to it, in any session.`,
		"  pictx object why o-3f9a --session 01a1fe4b", "3 10 11 12", func(ctx context.Context, id string) error { return a.runObjectWhy(ctx, o, id) })
	cmd.Flags().StringVar(&o.session, "session", "", "the session's `id` (default: the one this shell runs in)")
	a.jsonFlag(cmd)
	a.completeSession(cmd)
	return cmd
}

// whyJSON is what why says.
type whyJSON struct {
	ID      string            `json:"id"`
	Session string            `json:"session,omitempty"`
	State   string            `json:"state,omitempty"`
	Why     string            `json:"why,omitempty"`
	Pinned  bool              `json:"pinned"`
	Locked  bool              `json:"locked"`
	Lines   *object.Lines     `json:"lines,omitempty"` // of a file that was read in part
	Events  []objectEventJSON `json:"events"`
}

type objectEventJSON struct {
	Time    string `json:"time"`
	Session string `json:"session"`
	Leaf    string `json:"leaf,omitempty"`
	What    string `json:"what"`
	Actor   string `json:"actor"`
	Reason  string `json:"reason,omitempty"`
}

func (a *app) runObjectWhy(ctx context.Context, o objectStateOptions, id string) error {
	st, _, err := a.store(ctx, sqlite.Read)
	if err != nil {
		return err
	}
	defer st.Close()
	_, v, err := a.objectVersion(ctx, st, id, 0, object.At{})
	if err != nil {
		return err
	}
	j := whyJSON{ID: v.ID, Locked: v.Doc.Kind.Locked(), Lines: v.Part(), Events: []objectEventJSON{}}
	name := a.sessionName(o.session)
	if name == "" {
		name = v.Key.Session()
	}
	if name != "" {
		s, err := a.openObjectSession(ctx, st, name)
		if err != nil {
			return err
		}
		state, why := s.where(v)
		j.Session, j.State, j.Why, j.Pinned = s.id, string(state), why, s.pinned(v)
	}
	events, err := st.EventsOf(ctx, v.ID)
	if err != nil {
		return err
	}
	for _, e := range events {
		j.Events = append(j.Events, objectEventJSON{timeJSON(e.Time), e.Session, e.Leaf, string(e.Kind), string(e.Actor), e.Reason})
	}
	return a.out.emit(j, func(w *out) { printWhy(w, v, j, events) })
}

func printWhy(w *out, v *object.Version, j whyJSON, events []object.Event) {
	w.printf("%s  %s\n", w.style(styleBold, j.ID), text.TerminalLine(v.Doc.Label(v.Key)))
	if j.Session != "" {
		w.printf("%s in session %s: %s\n", j.State, history.ShortSession(j.Session), text.TerminalLine(j.Why))
	} else {
		w.printf("of no session: --session ID says of which\n")
	}
	if j.Pinned {
		w.printf("pinned: no automatic rule takes it out\n")
	}
	if v.Size < 0 || v.Evicted {
		w.printf("%s\n", unavailable(v))
	} else if part := partText(v, true); part != "" {
		w.printf("%s\n", part)
	}
	var rows [][]string
	for _, e := range events {
		rows = append(rows, []string{timeText(e.Time), history.ShortSession(e.Session), string(e.Kind), "by " + string(e.Actor), text.TerminalLine(e.Reason)})
	}
	table(w, rows)
}
