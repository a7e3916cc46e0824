package prune

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/workspace"
)

// PinCommand returns the command pictx pin.
func PinCommand(a *cli.Run) *cobra.Command {
	reason := ""
	cmd := pinning(a, "pin ID|GLOB", "Keep something in context", func(ctx context.Context, s *workspace.PinSession, args []string) error {
		p := prune.Pin{Target: args[0], IsPath: prune.LooksLikePath(args[0]), Reason: reason}
		if !p.IsPath {
			x, err := history.Expand(ctx, s.Store.Search, workspace.MarkerID(args), []string{s.Row.ID})
			if err != nil {
				return fmt.Errorf("pin %s: %w", args[0], err)
			}
			p.Target = x.EntryID
		}
		if err := s.Add(ctx, p, a.Env.Now().UnixMilli()); err != nil {
			return err
		}
		v := pinView{p.Target, p.IsPath, p.Reason, text.Time(a.Env.Now().UnixMilli())}
		return a.Out.Emit(v, func(w *cli.Out) { say(w, "pinned", p.Target, s) })
	})
	cmd.Flags().StringVar(&reason, "reason", "", "note this `text` as the reason")
	return a.JSONFlag(cmd)
}

// PinsCommand returns the command pictx pins.
func PinsCommand(a *cli.Run) *cobra.Command {
	cmd := pinning(a, "pins", "List what is pinned in a session", func(_ context.Context, s *workspace.PinSession, _ []string) error {
		pins := prune.InForce(s.Prior)
		if len(pins) == 0 && !a.JSON {
			a.Out.Printf("nothing is pinned in session %s\n", history.ShortSession(s.Row.ID))
			return nil
		}
		rows, err := cli.JSONOrRows(a.Out, pins,
			func(p *prune.Pin) any { return pinView{p.Target, p.IsPath, p.Reason, text.Time(p.Time)} },
			func(p *prune.Pin) []string { return []string{text.TerminalLine(p.Target), text.TerminalLine(p.Reason)} })
		cli.Table(a.Out, rows)
		return err
	})
	return a.JSONFlag(cmd)
}

// UnpinCommand returns the command pictx unpin.
func UnpinCommand(a *cli.Run) *cobra.Command {
	return pinning(a, "unpin ID|GLOB", "Remove a pin", func(ctx context.Context, s *workspace.PinSession, args []string) error {
		target, pins := args[0], prune.InForce(s.Prior)
		if p, ok := s.KeptByName(ctx, target); ok {
			pins = append(pins, p)
		}
		for _, p := range pins {
			if p.Target == target || !p.IsPath && strings.HasPrefix(p.Target, target) {
				err := s.Add(ctx, prune.Pin{Target: p.Target, IsPath: p.IsPath, Removed: true}, a.Env.Now().UnixMilli())
				if err == nil {
					say(a.Out, "unpinned", p.Target, s)
				}
				return err
			}
		}
		return exit.WithHint(exit.NotFound, "pictx pins --session "+s.Row.ID, fmt.Errorf("unpin %s: it is not pinned", target))
	})
}

// pinning returns a command for the pins of a session, which it opens with the store.
func pinning(a *cli.Run, use, short string, run func(context.Context, *workspace.PinSession, []string) error) *cobra.Command {
	session, args := "", cli.NoArgs
	if strings.Contains(use, " ") {
		args = cli.SomeArgs(1, 1)
	}
	cmd := cli.Command(use, short, "2 3 10 11 12", args, func(ctx context.Context, args []string) error {
		if session == "" {
			session = a.Env.Getenv("PI_SESSION_ID")
		}
		st, _, err := a.Store(ctx, sqlite.Write)
		if err != nil {
			return err
		}
		s, err := workspace.OpenPins(ctx, st, a.Sources(), session)
		if err == nil {
			err = run(ctx, s, args)
		}
		return errors.Join(err, st.Close())
	})
	cmd.Flags().StringVar(&session, "session", "", "the session's `id` (default: the one this shell runs in, else the latest)")
	a.CompleteSession(cmd)
	return cmd
}

// say tells what was done with a pin of a session.
func say(w *cli.Out, done, target string, s *workspace.PinSession) {
	w.Printf("%s %s in session %s\n", done, text.TerminalLine(target), history.ShortSession(s.Row.ID))
}

// pinView is a pin as JSON.
type pinView struct {
	Target string `json:"target"`
	IsPath bool   `json:"is_path"`
	Reason string `json:"reason,omitempty"`
	Time   string `json:"time"`
}
