package decision

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"charm.land/huh/v2"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/exit"
)

// Ask implements decision.Asker with a form.
func (w *decisions) Ask(ctx context.Context, q decision.Question) (string, error) {
	env := w.app.Env
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

// closestForm asks what to do about the closest decisions.
func closestForm(ctx context.Context, w *decisions, o *addition) error {
	a, err := decision.AskClosest(ctx, w, o.closest, o.Reason)
	if err != nil {
		return err
	}
	switch a.Do {
	case decision.DoCancel:
		return exit.WithHint(exit.Refused, "", errors.New("not added"))
	case decision.DoMark:
		o.Conflicts = append(o.Conflicts, a.ID)
	case decision.DoUpdate:
		o.update = a.ID
	case decision.DoSupersede:
		o.Supersedes, o.Reason = a.ID, a.Reason
	}
	return nil
}
