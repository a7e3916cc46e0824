package cli

import (
	"context"
	"errors"
	"fmt"

	"charm.land/huh/v2"

	"github.com/coctostan/pictx/core/exit"
)

// Confirm asks a person before something that cannot be undone. yes is the
// command's --yes. Without a terminal there is nobody to ask, and an agent may
// not answer for its user.
func (a *Run) Confirm(ctx context.Context, yes bool, question, detail string) error {
	if a.Env.Agent() {
		return exit.WithHint(exit.Refused, "ask the user to run it in a terminal", errors.New("this needs a person to confirm"))
	}
	if yes {
		return nil
	}
	if !a.Env.InTerminal || !a.Env.ErrTerminal {
		return exit.WithHint(exit.Refused, "the same command with --yes", fmt.Errorf("not confirmed: %s", question))
	}
	ok := false
	form := huh.NewForm(huh.NewGroup(huh.NewConfirm().Title(question).Description(detail).Value(&ok))).
		WithInput(a.Env.In).WithOutput(a.Env.Err).WithAccessible(a.Env.Getenv("ACCESSIBLE") != "")
	if err := form.RunWithContext(ctx); err != nil {
		if errors.Is(err, huh.ErrUserAborted) {
			return exit.WithHint(exit.Refused, "", errors.New("not confirmed"))
		}
		return fmt.Errorf("ask for confirmation: %w", err)
	}
	if !ok {
		return exit.WithHint(exit.Refused, "", errors.New("not confirmed"))
	}
	return nil
}
