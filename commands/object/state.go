package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// stateResult is the result of a command that changes an object.
type stateResult struct {
	ID      string `json:"id"`
	Session string `json:"session,omitempty"`
	State   string `json:"state,omitempty"`
	Changed bool   `json:"changed"`
	Note    string `json:"note"`
}

// changeState records that the object is to have a state in the session.
func (c *call) changeState(ctx context.Context, what object.EventKind, to object.State) error {
	done := stateResult{ID: c.now.ID, Session: c.in.Id}
	if what == object.Activated {
		work, err := workspace.CaptureFiles(ctx, c.app.Workspace, c.st)
		if err != nil {
			return err
		}
		if c.now, err = work.Latest(ctx, c.now.ID); err != nil {
			return err
		}
	}
	if err := allowed(c.now, what); err != nil {
		return exit.WithHint(exit.Refused, "pictx object show "+c.now.ID, fmt.Errorf("%s %s: %w", what, c.now.ID, err))
	}
	state, _ := c.in.Where(c.now)
	if state == to || state == object.Absent && to == object.Inactive {
		done.State, done.Note = string(state), fmt.Sprintf("it is %s already", state)
		return done.emit(c.app)
	}
	_, err := c.st.Objects.Submit(ctx, object.Tx{
		Actor: c.app.Actor(), Session: c.in.Id, Reason: c.reason,
		Ops: []object.Op{{Do: object.Record, ID: c.now.ID, Event: what}},
	})
	if err != nil {
		return err
	}
	when := "pi brings it with the next prompt"
	if to == object.Inactive {
		when = "it leaves the context when rewriting the prompt costs less than it saves"
	}
	done.Changed, done.State, done.Note = true, string(to), workspace.Past(what)+"; "+when
	return done.emit(c.app)
}

func (d stateResult) emit(a *cli.Run) error {
	return a.Out.Emit(d, func(w *cli.Out) { w.Printf("%s: %s\n", d.ID, d.Note) })
}

// allowed returns why an object cannot be activated or deactivated, nil if it can.
func allowed(v *object.Version, what object.EventKind) error {
	switch {
	case v.Doc.Kind.Locked() && what == object.Deactivated:
		return object.ErrLocked
	case v.Doc.Kind.Locked():
		return nil
	case !v.Doc.Kind.Switchable():
		return fmt.Errorf("a %s has no content that could be in the context", v.Doc.Kind)
	case what == object.Activated && v.Missing() != "", v.Purged:
		return errors.New(v.Missing())
	}
	return nil
}

// nameObject sets or deletes the nickname of an object.
func nameObject(ctx context.Context, c *call) error {
	if c.remove == (len(c.args) == 2) {
		return exit.UsageError("pictx object nickname ID plan", "give a nickname, or --remove")
	}
	name := append(c.args, "")[1]
	r, err := c.st.Objects.Submit(ctx, object.Tx{Actor: c.app.Actor(), Reason: "nickname", Ops: []object.Op{{Do: object.Name, ID: c.obj.ID, Nickname: name}}})
	if err != nil {
		return err
	}
	done := stateResult{ID: c.obj.ID, Changed: r.Results[0].Changed, Note: "its nickname is " + name}
	if name == "" {
		done.Note = "it has no nickname"
	}
	return done.emit(c.app)
}

// whyView is what object why prints as JSON.
type whyView struct {
	ID      string        `json:"id"`
	Session string        `json:"session,omitempty"`
	State   string        `json:"state,omitempty"`
	Why     string        `json:"why,omitempty"`
	Pinned  bool          `json:"pinned"`
	Locked  bool          `json:"locked"`
	Lines   *object.Lines `json:"lines,omitempty"` // for a file that was read in part
	Events  []eventView   `json:"events"`
}

// eventView is an event of an object as JSON.
type eventView struct {
	Time    string `json:"time"`
	Session string `json:"session"`
	Leaf    string `json:"leaf,omitempty"`
	What    string `json:"what"`
	Actor   string `json:"actor"`
	Reason  string `json:"reason,omitempty"`
}

// explainObject explains the state of an object in a session, and lists its events.
func explainObject(ctx context.Context, c *call) error {
	v, err := c.st.Objects.Get(ctx, c.obj.ID, 0)
	if err != nil {
		return err
	}
	j := whyView{ID: v.ID, Locked: v.Doc.Kind.Locked(), Lines: v.Part(), Events: []eventView{}}
	if name := cmp.Or(c.app.SessionName(c.session), v.Key.Session()); name != "" {
		s, err := c.app.OpenObjectSession(ctx, c.st, name)
		if err != nil {
			return err
		}
		state, why := s.Where(v)
		j.Session, j.State, j.Why, j.Pinned = s.Id, string(state), why, s.Pinned(v)
	}
	events, err := c.st.Objects.EventsOf(ctx, v.ID)
	if err != nil {
		return err
	}
	for _, e := range events {
		j.Events = append(j.Events, eventView{timeJSON(e.Time), e.Session, e.Leaf, string(e.Kind), string(e.Actor), e.Reason})
	}
	return c.app.Out.Emit(j, func(w *cli.Out) { printWhy(w, v, j, events) })
}

func printWhy(w *cli.Out, v *object.Version, j whyView, events []object.Event) {
	w.Printf("%s  %s\n", w.Style(cli.StyleBold, j.ID), text.TerminalLine(v.Label()))
	if j.Session != "" {
		w.Printf("%s in session %s: %s\n", j.State, history.ShortSession(j.Session), text.TerminalLine(j.Why))
	} else {
		w.Printf("state: give --session ID to see it in a session\n")
	}
	if j.Pinned {
		w.Printf("pinned: automatic rules leave it alone\n")
	}
	if v.Missing() != "" {
		w.Printf("%s\n", v.Missing())
	} else if part := partText(v, true); part != "" {
		w.Printf("%s\n", part)
	}
	var rows [][]string
	for _, e := range events {
		rows = append(rows, []string{workspace.TimeText(e.Time), history.ShortSession(e.Session), string(e.Kind), "by " + string(e.Actor), text.TerminalLine(e.Reason)})
	}
	cli.Table(w, rows)
}
