package decision

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"charm.land/huh/v2"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
)

// asks reports whether somebody can be asked: the user of an agent in its dialogs, or a
// person at a terminal.
func (w *decisions) asks() bool {
	return !w.app.JSON && (w.app.Env.Asker != nil || w.app.Interactive())
}

// Ask implements decision.Asker with the dialogs of an agent, or with a form.
func (w *decisions) Ask(ctx context.Context, q decision.Question) (string, error) {
	env := w.app.Env
	if env.Asker != nil {
		return env.Asker.Ask(ctx, q)
	}
	if q.About != "" && env.Getenv("ACCESSIBLE") != "" { // such a form does not show it
		fmt.Fprintln(env.Err, strings.TrimSpace(q.About))
	}
	said := ""
	if len(q.Choices) == 0 {
		err := w.app.Ask(ctx, huh.NewInput().Title(q.Title).Value(&said).Validate(huh.ValidateNotEmpty()))
		return said, err
	}
	options := make([]huh.Option[string], len(q.Choices))
	for i, c := range q.Choices {
		options[i] = huh.NewOption(c.Label, c.Value)
	}
	err := w.app.Ask(ctx, huh.NewSelect[string]().Title(q.Title).Description(q.About).Value(&said).Options(options...))
	return said, err
}

// errCancelled is returned when a person wants nothing to become active.
var errCancelled = exit.WithHint(exit.Refused, "", errors.New("nothing was changed"))

// confirm asks a person before an action that cannot be undone. yes is the command's --yes.
// about says line by line what would be done.
func (w *decisions) confirm(ctx context.Context, yes bool, question string, about ...string) error {
	if !yes && w.app.Env.Asker != nil {
		_, err := w.Ask(ctx, decision.Question{ID: "sure", Title: question, About: strings.Join(about, "\n"), Sure: true})
		return err
	}
	w.sayAll(about)
	return w.app.Confirm(ctx, yes, question, "")
}

// consider asks a person about the active decisions closest to a text, where asks is set
// and there is one to ask. Otherwise it lists them: whoever reads them judges whether one
// contradicts the text.
func (w *decisions) consider(ctx context.Context, n decision.Entrant, asks bool) (decision.Addition, error) {
	switch {
	case len(n.Closest) == 0 || w.app.JSON:
	case asks && w.asks():
		return decision.AskClosest(ctx, w, n)
	default:
		sayClosest(w.app, "it", n.Closest)
	}
	return decision.Addition{Do: decision.DoAdd, Reason: n.Reason}, nil
}

// sayClosest lists the decisions to compare a text with. it names the text.
func sayClosest(a *cli.Run, it string, closest []*decision.Decision) {
	what := "check whether"
	if a.Env.Agent() {
		what = "tell the user if"
	}
	fmt.Fprintf(a.Env.Err, "pictx: closest active decisions; %s one contradicts %s or says the same:\n", what, it)
	for _, d := range closest {
		fmt.Fprintf(a.Env.Err, "  %s\n", d.Summary())
	}
}
