package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/jsonl"
	"github.com/coctostan/pictx/sqlite"
)

type pinOptions struct {
	session string
	reason  string
}

func (a *app) pinCommand() *cobra.Command {
	var o pinOptions
	cmd := &cobra.Command{
		Use:     "pin [ID|GLOB]",
		GroupID: groupContext,
		Short:   "Keep something in a session's context",
		Long: `Pins a tool output, by the id of its entry, or the text of every path that a glob
matches: whatever is pruned, that stays. Without an argument it lists what is
pinned. In pi, /pictx pin does the same for the session at hand.

Pins are part of the session, as it stands at each of its entries, and go with it
to a fork and to another machine. Only pi writes into a session: what is pinned
here is remembered, counts at once, and is in the session from its next prompt on.`,
		Example: `  pictx pin 3f9a2c1b --session 01a1fe4b
  pictx pin 'docs/**' --reason 'the plan'
  pictx pin`,
		Annotations: exits("2 3 10 11 12"),
		Args:        someArgs(0, 1),
		RunE:        func(cmd *cobra.Command, args []string) error { return a.runPin(cmd.Context(), o, args) },
	}
	cmd.Flags().StringVar(&o.session, "session", "", "the session's `id` (default: the one this shell runs in)")
	cmd.Flags().StringVar(&o.reason, "reason", "", "a `text` to remember why")
	a.jsonFlag(cmd)
	a.completeSession(cmd)
	return cmd
}

func (a *app) unpinCommand() *cobra.Command {
	var o pinOptions
	cmd := &cobra.Command{
		Use:         "unpin ID|GLOB",
		GroupID:     groupContext,
		Short:       "Let something be pruned again",
		Long:        "Takes back a pin. What was pinned may be pruned from the next decision on; also a\nresult of kota_impact, which prune.kota.pin_impact keeps.",
		Example:     "  pictx unpin 3f9a2c1b --session 01a1fe4b",
		Annotations: exits("2 3 10 11 12"),
		Args:        someArgs(1, 1),
		RunE:        func(cmd *cobra.Command, args []string) error { return a.runUnpin(cmd.Context(), o, args[0]) },
	}
	cmd.Flags().StringVar(&o.session, "session", "", "the session's `id` (default: the one this shell runs in)")
	a.completeSession(cmd)
	return cmd
}

// pinSession is a session whose pins are changed or listed.
type pinSession struct {
	*sqlite.Store
	row  sqlite.SessionRow
	said []prune.Pin // the last word on each target
}

// pinSession opens the store, finds the session and reads its pins.
func (a *app) pinSession(ctx context.Context, session string) (*pinSession, error) {
	if session == "" {
		if session = a.env.Getenv("PI_SESSION_ID"); session == "" {
			return nil, usageError("pictx pin --session ID 3f9a2c1b", "this shell runs in no session: PI_SESSION_ID is not set")
		}
	}
	st, _, err := a.store(ctx, sqlite.Write)
	if err != nil {
		return nil, err
	}
	s := &pinSession{Store: st}
	if s.row, err = findSession(ctx, st, session); err == nil {
		s.said, err = pinsOfFile(ctx, st, s.row.ID, s.row.File)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return s, nil
}

// pinsOfFile returns what was said of pins at the end of a session: in its file, when
// that is there, and what only the store has.
func pinsOfFile(ctx context.Context, st *sqlite.Store, id, file string) ([]prune.Pin, error) {
	stored, err := st.Pins(ctx, id)
	if err != nil {
		return nil, err
	}
	b := &prune.Branch{}
	if regularFile(file) {
		s, err := jsonl.Open(file)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		if b, err = prune.NewBranch(id, s.Tree, s.Leaf(), s.Line, nil); err != nil {
			return nil, fmt.Errorf("read session: %w", err)
		}
	}
	said, _, err := b.SaidOfPins(stored)
	return said, err
}

// add remembers a pin, later than anything that is known of its target: clocks
// differ between machines.
func (s *pinSession) add(ctx context.Context, p prune.Pin, now int64) error {
	for _, known := range s.said {
		if known.Target == p.Target && known.IsPath == p.IsPath {
			now = max(now, known.Time+1)
		}
	}
	p.Time = now
	return s.AddPin(ctx, s.row.ID, p)
}

func (a *app) runPin(ctx context.Context, o pinOptions, args []string) error {
	s, err := a.pinSession(ctx, o.session)
	if err != nil {
		return err
	}
	defer s.Close()
	if len(args) == 0 {
		return a.listPins(prune.InForce(s.said))
	}
	p := prune.Pin{Target: args[0], IsPath: prune.LooksLikePath(args[0]), Reason: o.reason}
	if !p.IsPath {
		x, err := history.Expand(ctx, s, markerID(args), []string{s.row.ID})
		if err != nil {
			return fmt.Errorf("pin %s: %w", args[0], err)
		}
		p.Target = x.EntryID
	}
	return s.add(ctx, p, a.env.Now().UnixMilli())
}

func (a *app) runUnpin(ctx context.Context, o pinOptions, target string) error {
	s, err := a.pinSession(ctx, o.session)
	if err != nil {
		return err
	}
	defer s.Close()
	pins := prune.InForce(s.said)
	if p, ok := s.keptByName(ctx, target); ok {
		pins = append(pins, p)
	}
	for _, p := range pins {
		if p.Target == target || !p.IsPath && strings.HasPrefix(p.Target, target) {
			return s.add(ctx, prune.Pin{Target: p.Target, IsPath: p.IsPath, Removed: true}, a.env.Now().UnixMilli())
		}
	}
	return withHint(exitNotFound, "pictx pin --session "+s.row.ID, fmt.Errorf("unpin %s: it is not pinned", target))
}

// keptByName is a result that stays for the name of its tool and that was neither
// pinned nor unpinned, as a pin.
func (s *pinSession) keptByName(ctx context.Context, target string) (prune.Pin, bool) {
	x, err := history.Expand(ctx, s, target, []string{s.row.ID})
	if err != nil || !prune.KeptByName(x.Entry.Message.ToolName) {
		return prune.Pin{}, false
	}
	spoken := slices.ContainsFunc(s.said, func(p prune.Pin) bool { return p.Target == x.EntryID && !p.IsPath })
	return prune.Pin{Target: x.EntryID}, !spoken
}

func (a *app) listPins(pins []prune.Pin) error {
	var rows [][]string
	for _, p := range pins {
		if a.json {
			if err := a.out.line(p); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{text.TerminalLine(p.Target), text.TerminalLine(p.Reason)})
	}
	table(a.out, rows)
	return nil
}
