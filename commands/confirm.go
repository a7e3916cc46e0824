package commands

import (
	"context"
	"errors"
	"fmt"

	"charm.land/huh/v2"
)

// confirm asks a person before something that cannot be undone. yes is the
// command's --yes. Without a terminal there is nobody to ask, and an agent may
// not answer for its user.
func (a *app) confirm(ctx context.Context, yes bool, question, detail string) error {
	if a.env.agent() {
		return withHint(exitRefused, "ask the user to run it in a terminal", errors.New("this needs a person to confirm"))
	}
	if yes {
		return nil
	}
	if !a.env.InTerminal || !a.env.ErrTerminal {
		return withHint(exitRefused, "the same command with --yes", fmt.Errorf("not confirmed: %s", question))
	}
	ok := false
	form := huh.NewForm(huh.NewGroup(huh.NewConfirm().Title(question).Description(detail).Value(&ok))).
		WithInput(a.env.In).WithOutput(a.env.Err).WithAccessible(a.env.Getenv("ACCESSIBLE") != "")
	if err := form.RunWithContext(ctx); err != nil {
		if errors.Is(err, huh.ErrUserAborted) {
			return withHint(exitRefused, "", errors.New("not confirmed"))
		}
		return fmt.Errorf("ask for confirmation: %w", err)
	}
	if !ok {
		return withHint(exitRefused, "", errors.New("not confirmed"))
	}
	return nil
}
