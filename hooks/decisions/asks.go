package decisions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	if q.Sure {
		return hooks.Ask{ID: q.ID, Kind: hooks.AskConfirm, Title: q.Title, Message: q.About}
	}
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
	// ended says why the last question has no answer, nil where it has.
	ended error
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
	errNone   = errors.New("there is no decision to choose")
)

// Ask implements decision.Asker. Its error is one of the above while the answer is missing.
func (t *talk) Ask(_ context.Context, q decision.Question) (string, error) {
	said, ok := t.said[q.ID]
	if !ok {
		said, t.ended = t.answer(q)
	}
	return said, t.ended
}

// answer returns the answer that came with this request, and asks where there is none.
func (t *talk) answer(q decision.Question) (word string, err error) {
	a, ok := t.Answered(q.ID)
	yes := false
	switch {
	case !ok:
		t.Call.Ask(askOf(q))
		return "", cmp.Or(t.Keep(t.said), errAsked)
	case q.Sure && !a.Cancelled && hooks.Decode(a.Value, &yes) == nil && yes:
		word = "yes"
	case q.Sure || a.Cancelled || hooks.Decode(a.Value, &word) != nil || strings.TrimSpace(word) == "":
		return "", errClosed
	case len(message.AppendQuote(nil, word)) > maxTyped:
		return "", errLong
	}
	t.said[q.ID] = word
	return word, nil
}

// end says why a dialog ended.
func (t *talk) end(err error) {
	switch {
	case errors.Is(err, errAsked):
	case errors.Is(err, errClosed):
		t.Say("Nothing was changed.", "info")
	case errors.Is(err, errLong):
		t.Say("This is too long for a dialog. In a shell: pictx decision supersede ID TEXT --reason WHY", "warning")
	case errors.Is(err, errNone):
		t.Say("There is no decision to choose.", "info")
	default:
		t.Say(text.LogLine(err.Error()), "error")
	}
}

// complete asks for the words of a command that are missing: decisions to choose from, and a
// text.
func (t *talk) complete(ctx context.Context, v verb, s *decision.State, args []string) ([]string, error) {
	q := decision.Question{Title: "/decision " + v.name + ": which decision?"}
	var found []*decision.Decision
	var err error
	for i, what := range v.words() {
		q.ID = fmt.Sprint("word ", i+1)
		word := ""
		switch {
		case i+1 < len(args):
			word = args[i+1]
		case what == "ID":
			word, err = t.choose(ctx, q, v.about(s), found)
			args = append(args, word)
		default:
			q.Title = "/decision " + v.name + ": the new text"
			word, err = t.Ask(ctx, q)
			args = append(args, word)
		}
		if err == nil && what == "ID" {
			var d *decision.Decision
			if d, err = s.Find(word); err == nil {
				found, q.About = append(found, d), q.About+d.Brief()+"\n"
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return append([]string{v.name, "--"}, args[1:]...), nil
}

// choose asks for one of some decisions except others, offering the latest first.
func (t *talk) choose(ctx context.Context, q decision.Question, of, except []*decision.Decision) (string, error) {
	of = slices.DeleteFunc(slices.Clone(of), func(d *decision.Decision) bool { return slices.Contains(except, d) })
	if len(of) == 0 {
		return "", errNone
	}
	slices.Reverse(of)
	return t.Ask(ctx, decision.OneOf(q, of))
}
