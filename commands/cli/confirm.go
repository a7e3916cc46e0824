package cli

import (
	"context"
	"errors"
	"fmt"

	"charm.land/bubbles/v2/key"
	"charm.land/huh/v2"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/text"
)

// ForPeople returns an error if an agent runs the command, for actions that only a person
// may take.
func (a *Run) ForPeople(what string) error {
	if !a.Env.Agent() {
		return nil
	}
	return exit.WithHint(exit.Refused, "ask the user to run it", fmt.Errorf("%s: only a person may do this", what))
}

// Interactive reports whether a person at a terminal can be asked.
func (a *Run) Interactive() bool { return a.Env.InTerminal && a.Env.ErrTerminal && !a.Env.Agent() }

// Ask shows the fields of a form on the terminal. On a narrow one each field gets a page of
// its own, since wrapped lines would push the first ones off the screen. It returns an
// error if the user aborts.
func (a *Run) Ask(ctx context.Context, fields ...huh.Field) error {
	groups := []*huh.Group{huh.NewGroup(fields...)}
	if a.Env.Width > 0 && a.Env.Width < 80 {
		groups = nil
		for _, f := range fields {
			groups = append(groups, huh.NewGroup(f))
		}
	}
	form := huh.NewForm(groups...).WithTheme(huh.ThemeFunc(formTheme)).WithKeyMap(formKeys(fields)).
		WithInput(a.Env.In).WithOutput(Unhushed(a.Env.Err)).WithAccessible(a.Env.Getenv("ACCESSIBLE") != "")
	err := form.RunWithContext(ctx)
	if errors.Is(err, huh.ErrUserAborted) {
		return exit.WithHint(exit.Refused, "", errors.New("not confirmed"))
	}
	if err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	return nil
}

// formKeys are the keys of a form. Escape cancels one in which nothing is typed that would be lost.
func formKeys(fields []huh.Field) *huh.KeyMap {
	k := huh.NewDefaultKeyMap()
	for _, f := range fields {
		switch f.(type) {
		case *huh.Input, *huh.Text:
			return k
		}
	}
	k.Quit.SetKeys("ctrl+c", "esc")
	for _, b := range []*key.Binding{&k.MultiSelect.Next, &k.MultiSelect.Submit, &k.Select.Next, &k.Select.Submit, &k.Confirm.Next, &k.Confirm.Submit} {
		b.SetHelp(b.Help().Key, b.Help().Desc+" • esc cancel")
	}
	return k
}

// formTheme is the theme of forms. It puts brackets around the focused button, because a
// terminal without colour shows no other difference.
func formTheme(dark bool) *huh.Styles {
	s := huh.ThemeCharm(dark)
	s.Focused.FocusedButton = s.Focused.FocusedButton.Transform(func(label string) string { return "[" + label + "]" })
	s.Focused.BlurredButton = s.Focused.BlurredButton.Transform(func(label string) string { return " " + label + " " })
	return s
}

// Confirm asks the user before an action that cannot be undone. yes is the command's --yes.
// It fails without a terminal, and for agents, which must not answer for their users.
func (a *Run) Confirm(ctx context.Context, yes bool, question, detail string) error {
	if a.Env.Agent() {
		return exit.WithHint(exit.Refused, "ask the user to run it in a terminal", errors.New("this needs a person to confirm"))
	}
	if yes {
		return nil
	}
	if !a.Env.InTerminal || !a.Env.ErrTerminal {
		return exit.WithHint(exit.Refused, a.Again("--yes"), fmt.Errorf("not confirmed: %s", question))
	}
	return a.ConfirmOr(ctx, false, question, detail)
}

// Again returns the command that was run with more flags, for a hint.
func (a *Run) Again(flags ...string) string {
	return text.ShellCommand("pictx", a.Env.Args, flags...)
}

// ConfirmOr asks the user at a terminal. ok is the default answer.
func (a *Run) ConfirmOr(ctx context.Context, ok bool, question, detail string) error {
	if err := a.Ask(ctx, huh.NewConfirm().Title(question).Description(detail).Value(&ok)); err != nil {
		return err
	}
	if !ok {
		return exit.WithHint(exit.Refused, "", errors.New("not confirmed"))
	}
	return nil
}
