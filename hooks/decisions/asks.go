package decisions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
)

// maxChoices is the maximum number of choices in a question.
const maxChoices = 100

// maxTyped is the maximum length, in bytes of JSON, of a text that the agent keeps while
// its reason is asked for. The state in a reply is limited.
const maxTyped = hooks.MaxState - 500

// askOf translates a question into a dialog of pi.
func askOf(q decision.Question) hooks.Ask {
	a := hooks.Ask{ID: q.ID, Kind: hooks.AskInput, Title: strings.TrimSpace(q.Title + "\n" + q.About)}
	for _, c := range q.Choices[:min(len(q.Choices), maxChoices)] {
		a.Kind, a.Options = hooks.AskSelect, append(a.Options, hooks.Option{Value: c.Value, Label: c.Label})
	}
	if older := len(q.Choices) - maxChoices; older > 0 {
		a.Title += "\n(" + text.CountPlain(older, "older one") + " can be named by id)"
	}
	return a
}

// talk is a dialog of the agent. Each answer comes in a request of its own, so the command
// runs from its beginning each time, with the answers so far.
type talk struct {
	*hooks.Call
	said map[string]string // by the ids of the questions
}

// talkOf returns the dialog that a request continues or may begin.
func talkOf(c *hooks.Call) *talk {
	t := &talk{Call: c}
	if !c.Kept(&t.said) || t.said == nil {
		t.said = map[string]string{}
	}
	return t
}

// How a dialog ends before all is answered.
var (
	errAsked  = errors.New("a question is open")
	errClosed = errors.New("the dialog was closed")
	errLong   = errors.New("the answer is too long for a dialog")
	errNone   = errors.New("there is no active decision to choose")
)

// Ask implements decision.Asker. Its error is one of the above while the answer is missing.
func (t *talk) Ask(_ context.Context, q decision.Question) (string, error) {
	if said, ok := t.said[q.ID]; ok {
		return said, nil
	}
	a, ok := t.Answered(q.ID)
	if !ok {
		t.Call.Ask(askOf(q))
		return "", cmp.Or(t.Keep(t.said), errAsked)
	}
	word := ""
	if a.Cancelled || hooks.Decode(a.Value, &word) != nil || strings.TrimSpace(word) == "" {
		return "", errClosed
	}
	if len(message.AppendQuote(nil, word)) > maxTyped {
		return "", errLong
	}
	t.said[q.ID] = word
	return word, nil
}

// end says why a dialog ended with an error.
func (t *talk) end(err error) {
	switch {
	case errors.Is(err, errAsked):
	case errors.Is(err, errClosed):
		t.Say(nothingChanged, "info")
	case errors.Is(err, errLong):
		t.Say("This is too long for a dialog. In a shell: pictx decision supersede ID TEXT --reason WHY", "warning")
	case errors.Is(err, errNone):
		t.Say("There is no active decision to choose.", "info")
	default:
		t.Say(text.LogLine(err.Error()), "error")
	}
}

// nothingChanged is said when a dialog was closed.
const nothingChanged = "Nothing was changed."

// dialog asks what add, accept, supersede and conflict need to know, and runs them. Given flags,
// they run unchanged.
func (s System) dialog(ctx context.Context, t *talk, args []string) error {
	flags := slices.ContainsFunc(args, func(w string) bool { return len(w) > 1 && strings.HasPrefix(w, "-") })
	off, err := s.Off(t.Request)
	if err != nil {
		return err
	}
	switch {
	case !t.HasUI || flags:
		s.run(ctx, t.Call, args)
		return nil
	case off != "":
		t.Say("Decisions are off ("+off+"). /decision enable switches them on.", "warning")
		return nil
	}
	state, err := s.state(t.Call)
	if err != nil {
		return err
	}
	switch args[0] {
	case verbAccept:
		return s.accepting(ctx, t, state, args[1:])
	case verbAdd:
		args, err = adding(ctx, t, state, args)
	case verbSupersede:
		args, err = superseding(ctx, t, state, args)
	default:
		args, err = conflicting(ctx, t, state, args)
	}
	if err != nil {
		t.end(err)
		return nil
	}
	s.run(ctx, t.Call, args)
	return nil
}

// adding asks what to do about the decisions closest to a new one. A text that is missing or
// exists already is refused by the command.
func adding(ctx context.Context, t *talk, state *decision.State, args []string) ([]string, error) {
	body := strings.Join(args[1:], " ")
	closest := state.Closest(body, nil)
	if len(closest) == 0 || state.Same(body) != nil {
		return args, nil
	}
	do, err := decision.AskClosest(ctx, t, decision.Entrant{Text: body, Closest: closest})
	if err != nil {
		return nil, err
	}
	switch do.Do {
	case decision.DoCancel:
		return nil, errClosed
	case decision.DoSupersede:
		return append(args, "--supersedes="+do.ID, "--reason="+do.Reason), nil
	case decision.DoMark:
		return append(args, "--conflicts="+do.ID), nil
	case decision.DoUpdate:
		return append([]string{"edit", do.ID}, args[1:]...), nil
	}
	return append(args, "--force"), nil
}

// accepting asks what to do about the active decisions closest to drafts, and accepts them.
func (s System) accepting(ctx context.Context, t *talk, state *decision.State, ids []string) error {
	drafts, err := state.FindAll(ids)
	var answers []decision.Answer
	if err == nil {
		answers, _, err = decision.Consider(state, drafts, "", func(n decision.Entrant, asks bool) (decision.Addition, error) {
			if !asks || len(n.Closest) == 0 {
				return decision.Addition{Do: decision.DoAdd}, nil
			}
			return decision.AskClosest(ctx, t, n)
		})
	}
	switch {
	case err == nil && len(answers) == 0:
		t.end(errClosed)
		return nil
	case err != nil:
		t.end(err)
		return nil
	}
	log, err := s.Open(t.CWD)
	if err != nil {
		return err
	}
	state, err = log.Change(ctx, "user", func(e *decision.Editor) (err error) {
		ids, err = e.Accept(answers)
		return err
	})
	if err != nil {
		t.end(err)
		return nil
	}
	var said []string
	for _, id := range ids {
		if d, err := state.Find(id); err == nil {
			said = append(said, decision.Entered(state, "accepted", d))
		}
	}
	t.Say(strings.Join(said, "\n"), "info")
	return nil
}

// superseding asks for the missing arguments of supersede.
func superseding(ctx context.Context, t *talk, state *decision.State, args []string) ([]string, error) {
	args = append(args, make([]string, max(0, 3-len(args)))...)
	old, body := args[1], strings.Join(args[2:], " ")
	var err error
	if old == "" {
		old, err = t.choose(ctx, state, decision.Question{ID: "which", Title: "Which decision is superseded?"})
	}
	if err != nil {
		return nil, err
	}
	d, err := state.Find(old)
	if err == nil && body == "" {
		body, err = t.Ask(ctx, decision.Question{ID: "text", Title: "New decision", About: "It replaces " + d.Brief()})
	}
	if err != nil {
		return nil, err
	}
	why, err := t.Ask(ctx, decision.Why(d.ID))
	return []string{verbSupersede, "--reason=" + why, "--", d.ID, body}, err
}

// conflicting asks for the missing ids of conflict.
func conflicting(ctx context.Context, t *talk, state *decision.State, args []string) ([]string, error) {
	found, err := state.FindAll(args[1:min(len(args), 3)])
	q := decision.Question{ID: "which", Title: "Which decision is in conflict with another?"}
	for len(args) < 3 && err == nil {
		if len(found) == 1 {
			q = decision.Question{ID: "other", Title: "With which one is it in conflict?", About: found[0].Brief()}
		}
		id := ""
		if id, err = t.choose(ctx, state, q, found...); err == nil {
			args = append(args, id)
			found, err = state.FindAll(args[1:])
		}
	}
	return args, err
}

// choose asks for an active decision except some, offering the latest first.
func (t *talk) choose(ctx context.Context, s *decision.State, q decision.Question, except ...*decision.Decision) (string, error) {
	active := slices.DeleteFunc(s.With(decision.Active), func(d *decision.Decision) bool { return slices.Contains(except, d) })
	if len(active) == 0 {
		return "", errNone
	}
	slices.Reverse(active)
	return t.Ask(ctx, decision.OneOf(q, active))
}
