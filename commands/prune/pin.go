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

type pinOptions struct {
	session string
	reason  string
}

// PinCommand returns the command pictx pin.
func PinCommand(a *cli.Run) *cobra.Command {
	var o pinOptions
	cmd := cli.Command("pin ID|GLOB", "Keep something in context", "2 3 10 11 12", cli.SomeArgs(0, 1), func(ctx context.Context, args []string) error {
		return runPin(a, ctx, o, args)
	})
	cmd.Flags().StringVar(&o.session, "session", "", "the session's `id` (default: the one this shell runs in)")
	cmd.Flags().StringVar(&o.reason, "reason", "", "note this `text` as the reason")
	a.JSONFlag(cmd)
	a.CompleteSession(cmd)
	return cmd
}

// PinsCommand returns the command pictx pins.
func PinsCommand(a *cli.Run) *cobra.Command {
	session := ""
	cmd := cli.Command("pins", "List what is pinned in a session", "2 3 10 11 12", cli.NoArgs, func(ctx context.Context, _ []string) error {
		return runPins(a, ctx, session)
	})
	cmd.Flags().StringVar(&session, "session", "", "the session's `id` (default: the one this shell runs in)")
	a.JSONFlag(cmd)
	a.CompleteSession(cmd)
	return cmd
}

func runPins(a *cli.Run, ctx context.Context, session string) error {
	s, err := pinSession(a, ctx, session)
	if err != nil {
		return err
	}
	defer s.Store.Close()
	return listPins(a, prune.InForce(s.Prior), s)
}

// UnpinCommand returns the command pictx unpin.
func UnpinCommand(a *cli.Run) *cobra.Command {
	var o pinOptions
	cmd := cli.Command("unpin ID|GLOB", "Remove a pin", "2 3 10 11 12", cli.SomeArgs(1, 1), func(ctx context.Context, args []string) error {
		return runUnpin(a, ctx, o, args[0])
	})
	cmd.Flags().StringVar(&o.session, "session", "", "the session's `id` (default: the one this shell runs in)")
	a.CompleteSession(cmd)
	return cmd
}

// pinSession opens the store, finds the session and reads its pins.
func pinSession(a *cli.Run, ctx context.Context, session string) (*workspace.PinSession, error) {
	if session == "" {
		if session = a.Env.Getenv("PI_SESSION_ID"); session == "" {
			return nil, exit.UsageError(a.Again("--session", "ID"), "no session given: this shell was not started by an agent (PI_SESSION_ID is not set)")
		}
	}
	st, _, err := a.Store(ctx, sqlite.Write)
	if err != nil {
		return nil, err
	}
	s := &workspace.PinSession{Store: st}
	if s.Row, err = workspace.FindSession(ctx, st, session); err == nil {
		s.Prior, err = workspace.PinsOfFile(ctx, st, a.Sources(), s.Row.ID, s.Row.File)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return s, nil
}

func runPin(a *cli.Run, ctx context.Context, o pinOptions, args []string) error {
	if len(args) == 0 {
		list := "pictx pins"
		if o.session != "" {
			list += " --session " + text.ShellWord(o.session)
		}
		return exit.UsageError(list, "pin: nothing named: want the id of an entry or a glob of paths")
	}
	s, err := pinSession(a, ctx, o.session)
	if err != nil {
		return err
	}
	defer s.Store.Close()
	p := prune.Pin{Target: args[0], IsPath: prune.LooksLikePath(args[0]), Reason: o.reason}
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
}

// say tells what was done with a pin of a session.
func say(w *cli.Out, done, target string, s *workspace.PinSession) {
	w.Printf("%s %s in session %s\n", done, text.TerminalLine(target), history.ShortSession(s.Row.ID))
}

func runUnpin(a *cli.Run, ctx context.Context, o pinOptions, target string) error {
	s, err := pinSession(a, ctx, o.session)
	if err != nil {
		return err
	}
	defer s.Store.Close()
	pins := prune.InForce(s.Prior)
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
}

// pinView is a pin as JSON.
type pinView struct {
	Target string `json:"target"`
	IsPath bool   `json:"is_path"`
	Reason string `json:"reason,omitempty"`
	Time   string `json:"time"`
}

func listPins(a *cli.Run, pins []prune.Pin, s *workspace.PinSession) error {
	if len(pins) == 0 && !a.JSON {
		a.Out.Printf("nothing is pinned in session %s\n", history.ShortSession(s.Row.ID))
		return nil
	}
	rows, err := cli.JSONOrRows(a.Out, pins,
		func(p *prune.Pin) any { return pinView{p.Target, p.IsPath, p.Reason, text.Time(p.Time)} },
		func(p *prune.Pin) []string { return []string{text.TerminalLine(p.Target), text.TerminalLine(p.Reason)} })
	cli.Table(a.Out, rows)
	return err
}
