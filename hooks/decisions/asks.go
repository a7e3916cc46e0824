package decisions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision/dialog"
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
func askOf(q dialog.Question) hooks.Ask {
	a := hooks.Ask{ID: q.ID, Title: cmp.Or(q.Alone, q.Title), Placeholder: q.Placeholder}
	switch q.Kind {
	case dialog.ChooseOne:
		a.Kind = hooks.AskSelect
	case dialog.ChooseSome:
		a.Kind = hooks.AskMultiselect
	default:
		a.Kind = hooks.AskInput
	}
	for _, c := range q.Choices[:min(len(q.Choices), maxChoices)] {
		a.Options = append(a.Options, hooks.Option{Value: c.Value, Label: cmp.Or(c.Short, c.Label), Description: c.About, Selected: c.Selected})
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
)

// Ask implements dialog.Asker. Its error is one of the above while an answer is missing.
func (t *talk) Ask(_ context.Context, questions ...dialog.Question) ([]string, error) {
	out := make([]string, len(questions))
	for i, q := range questions {
		if q.Optional {
			continue
		}
		var err error
		if out[i], err = t.answer(q); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// answer returns the answer to a question, or asks it.
func (t *talk) answer(q dialog.Question) (string, error) {
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

// end says why a dialog ended with an error: closed for one that was closed.
func (t *talk) end(err error, closed string) error {
	switch {
	case errors.Is(err, errClosed):
		t.Say(closed, "info")
	case errors.Is(err, errLong):
		t.Say("This is too long for a dialog. In a shell: pictx decision supersede ID TEXT --reason WHY", "warning")
	case errors.Is(err, dialog.ErrNoChoice):
		t.Say("There is no active decision to choose.", "info")
	case !errors.Is(err, errAsked):
		return err
	}
	return nil
}

// dialog asks for the missing arguments of supersede and conflict. With flags or with all
// arguments given, they run unchanged.
func (s System) dialog(ctx context.Context, t *talk, args []string) error {
	words := args[1:]
	flags := slices.ContainsFunc(words, func(w string) bool { return len(w) > 1 && strings.HasPrefix(w, "-") })
	if !t.HasUI || flags || args[0] == verbConflict && len(words) > 1 {
		s.run(ctx, t.Call, args)
		return nil
	}
	if why, err := s.Off(t.Request); err != nil || why != "" {
		if err == nil {
			t.Say("Decisions are off ("+why+"). /decision enable switches them on.", "warning")
		}
		return err
	}
	state, err := s.state(t.Call)
	if err != nil {
		return err
	}
	var ids []string
	if len(words) > 0 {
		d, err := state.Find(words[0])
		if err != nil {
			t.Say(text.LogLine(err.Error()), "error")
			return nil
		}
		ids, words = []string{d.ID}, words[1:]
	}
	if args[0] == verbConflict {
		if ids, _, err = dialog.Conflicting(ctx, t, state, ids...); err != nil {
			return t.end(err, nothingChanged)
		}
		s.run(ctx, t.Call, append([]string{verbConflict, "--"}, ids...))
		return nil
	}
	said := dialog.Supersession{ID: strings.Join(ids, ""), Text: strings.Join(words, " ")}
	if err := said.Complete(ctx, t, state); err != nil {
		return t.end(err, nothingChanged)
	}
	s.run(ctx, t.Call, []string{verbSupersede, "--reason=" + said.Reason, "--", said.ID, said.Text})
	return nil
}

// nothingChanged is said when a dialog was closed.
const nothingChanged = "Nothing was changed."
