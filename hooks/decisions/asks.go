package decisions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
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

// dialog asks for the missing arguments of supersede and conflict. With flags or with all
// arguments given, they run unchanged.
func (s System) dialog(ctx context.Context, c *hooks.Call, args []string) error {
	words := args[1:]
	flags := slices.ContainsFunc(words, func(w string) bool { return len(w) > 1 && strings.HasPrefix(w, "-") })
	if !c.HasUI || flags || args[0] == verbConflict && len(words) > 1 {
		s.run(ctx, c, args)
		return nil
	}
	if why, err := s.Off(c.Request); err != nil || why != "" {
		if err == nil {
			c.Say("Decisions are off ("+why+"). /decision enable switches them on.", "warning")
		}
		return err
	}
	state, err := s.state(c)
	if err != nil {
		return err
	}
	var said dialog.Answers
	if !c.Kept(&said) && len(words) > 0 {
		d, err := state.Find(words[0])
		if err != nil {
			c.Say(text.LogLine(err.Error()), "error")
			return nil
		}
		said = dialog.Answers{IDs: []string{d.ID}, Text: strings.Join(words[1:], " ")}
	}
	if !takeAnswer(c, &said) {
		c.Say("Nothing was changed.", "info")
		return nil
	}
	if args[0] == verbConflict {
		return s.conflicting(ctx, c, state, said)
	}
	return s.superseding(ctx, c, state, said)
}

// takeAnswer stores the latest answer. It reports false when that is empty or cancelled.
func takeAnswer(c *hooks.Call, said *dialog.Answers) bool {
	for _, id := range dialog.IDs() {
		a, ok := c.Answered(id)
		if !ok {
			continue
		}
		word, ok := word(a)
		if !ok {
			return false
		}
		said.Take(id, word)
	}
	return true
}

// word returns the text of an answer, false when it is empty or cancelled.
func word(a hooks.Answer) (string, bool) {
	word := ""
	ok := !a.Cancelled && hooks.Decode(a.Value, &word) == nil && strings.TrimSpace(word) != ""
	return word, ok
}

// askNext asks the first open question and reports whether none is left.
func askNext(c *hooks.Call, open []dialog.Question, err error, said dialog.Answers) (bool, error) {
	switch {
	case errors.Is(err, dialog.ErrNoChoice):
		c.Say("There is no active decision to choose.", "info")
		return false, nil
	case err != nil:
		return false, err
	case len(open) == 0 || open[0].Optional:
		return true, nil
	}
	c.Ask(askOf(open[0]))
	return false, c.Keep(said)
}

// superseding asks which decision is superseded, by what and why, and then does it.
func (s System) superseding(ctx context.Context, c *hooks.Call, state *decision.State, said dialog.Answers) error {
	if said.Text != "" && len(message.AppendQuote(nil, said.Text)) > maxTyped {
		c.Say("This is too long for a dialog. In a shell: pictx decision supersede "+said.IDs[0]+" TEXT --reason WHY", "warning")
		return nil
	}
	open, err := said.Superseding(state, 0)
	if done, err := askNext(c, open, err, said); !done {
		return err
	}
	s.run(ctx, c, []string{verbSupersede, "--reason=" + said.Reason, "--", said.IDs[0], said.Text})
	return nil
}

// conflicting asks which two decisions conflict, and then marks them.
func (s System) conflicting(ctx context.Context, c *hooks.Call, state *decision.State, said dialog.Answers) error {
	open, err := said.Conflicting(state)
	if done, err := askNext(c, open, err, said); !done {
		return err
	}
	s.run(ctx, c, []string{verbConflict, "--", said.IDs[0], said.IDs[1]})
	return nil
}
