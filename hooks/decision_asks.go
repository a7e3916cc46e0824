package hooks

import (
	"context"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
)

// replacing is what was answered so far while a decision is superseded, or two are marked
// as being in conflict.
type replacing struct {
	IDs    []string `json:"ids,omitempty"`
	Text   string   `json:"text,omitempty"`
	Reason string   `json:"reason,omitempty"`
}

// mostChoices is how many decisions a question lets choose from, the latest ones.
const mostChoices = 100

// mostTyped is how long a text may be that waits for its reason, in bytes of JSON: what
// a reply has the agent keep is small.
const mostTyped = maxState - 500

// dialog asks for what supersede and conflict were not told: with flags among the
// words, or with all they need, they are run as they are.
func (s Decisions) dialog(ctx context.Context, c *Call, args []string) error {
	words := args[1:]
	flags := slices.ContainsFunc(words, func(w string) bool { return len(w) > 1 && strings.HasPrefix(w, "-") })
	if !c.HasUI || flags || args[0] == verbConflict && len(words) > 1 {
		c.tell(s.Run(ctx, c.Request, args))
		return nil
	}
	if why, err := s.Off(c.Request); err != nil || why != "" {
		if err == nil {
			c.say("Decisions are off: "+why+" says so.", "warning")
		}
		return err
	}
	log, err := s.Open(c.CWD)
	if err != nil {
		return err
	}
	state, err := log.Load()
	if err != nil {
		return err
	}
	var done replacing
	if !c.Kept(&done) && len(words) > 0 {
		d, err := state.Find(words[0])
		if err != nil {
			c.say(text.LogLine(err.Error()), "error")
			return nil
		}
		done = replacing{IDs: []string{d.ID}, Text: strings.Join(words[1:], " ")}
	}
	if !done.answered(c) {
		c.say("Nothing was changed.", "info")
		return nil
	}
	if args[0] == verbConflict {
		return s.conflicting(ctx, c, state, done)
	}
	return s.superseding(ctx, c, state, done)
}

// answered takes what was answered last, false when that is nothing.
func (d *replacing) answered(c *Call) bool {
	for _, id := range [...]string{"which", "text", "why"} {
		a, ok := c.Answered(id)
		if !ok {
			continue
		}
		said := ""
		if a.Cancelled || decode(a.Value, &said) != nil || strings.TrimSpace(said) == "" {
			return false
		}
		switch id {
		case "which":
			d.IDs = append(d.IDs, said)
		case "text":
			d.Text = said
		default:
			d.Reason = said
		}
	}
	return true
}

// superseding asks which decision, what takes its place, and why.
func (s Decisions) superseding(ctx context.Context, c *Call, state *decision.State, done replacing) error {
	switch {
	case len(done.IDs) == 0:
		return c.choose(state, done, "Which decision is superseded?")
	case strings.TrimSpace(done.Text) == "":
		c.Ask(Ask{ID: "text", Kind: AskInput, Title: "New decision, in the place of " + nameOf(state, done.IDs[0])})
		return c.Keep(done)
	case strings.TrimSpace(done.Reason) == "" && len(message.AppendQuote(nil, done.Text)) > mostTyped:
		c.say("This is too long for a dialog: /decision supersede "+done.IDs[0]+" TEXT --reason=WHY takes it.", "warning")
		return nil
	case strings.TrimSpace(done.Reason) == "":
		c.Ask(Ask{ID: "why", Kind: AskInput, Title: "Why does it take the place of " + done.IDs[0] + "?", Placeholder: "reason"})
		return c.Keep(done)
	}
	c.tell(s.Run(ctx, c.Request, []string{verbSupersede, "--reason=" + done.Reason, "--", done.IDs[0], done.Text}))
	return nil
}

// conflicting asks which two decisions.
func (s Decisions) conflicting(ctx context.Context, c *Call, state *decision.State, done replacing) error {
	switch len(done.IDs) {
	case 0:
		return c.choose(state, done, "Which decision is in conflict with another?")
	case 1:
		return c.choose(state, done, "With which one is this in conflict: "+nameOf(state, done.IDs[0]))
	}
	c.tell(s.Run(ctx, c.Request, []string{verbConflict, "--", done.IDs[0], done.IDs[1]}))
	return nil
}

// choose asks for one of the active decisions that is none of those named, the latest
// first.
func (c *Call) choose(state *decision.State, done replacing, title string) error {
	var options []Option
	older := 0
	for _, d := range slices.Backward(state.With(decision.Active)) {
		switch {
		case slices.Contains(done.IDs, d.ID):
		case len(options) == mostChoices:
			older++
		default:
			options = append(options, Option{Value: d.ID, Label: nameOf(state, d.ID)})
		}
	}
	if len(options) == 0 {
		c.say("There is no active decision to choose.", "info")
		return nil
	}
	if older > 0 {
		title += "\n(" + text.CountPlain(older, "older one") + " can be named by id)"
	}
	c.Ask(Ask{ID: "which", Kind: AskSelect, Title: title, Options: options})
	return c.Keep(done)
}

// nameOf is a decision on a line.
func nameOf(state *decision.State, id string) string {
	d, err := state.Find(id)
	if err != nil {
		return id
	}
	return d.ID + " " + decision.CutWord(text.LogLine(d.Text), 80)
}
