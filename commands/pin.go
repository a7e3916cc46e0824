package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/prune"
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
pinned. In pi, /pictx pin does the same for the session at hand.`,
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
	return cmd
}

func (a *app) unpinCommand() *cobra.Command {
	var o pinOptions
	cmd := &cobra.Command{
		Use:         "unpin ID|GLOB",
		GroupID:     groupContext,
		Short:       "Let something be pruned again",
		Long:        "Takes back a pin. What was pinned may be pruned from the next decision on.",
		Example:     "  pictx unpin 3f9a2c1b --session 01a1fe4b",
		Annotations: exits("2 3 10 11 12"),
		Args:        someArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			st, id, err := a.pinStore(cmd.Context(), o.session)
			if err != nil {
				return err
			}
			defer st.Close()
			had, err := st.RemovePin(cmd.Context(), id, args[0])
			if err == nil && !had {
				err = withHint(exitNotFound, "pictx pin --session "+id, fmt.Errorf("unpin %s: it is not pinned", args[0]))
			}
			return err
		},
	}
	cmd.Flags().StringVar(&o.session, "session", "", "the session's `id` (default: the one this shell runs in)")
	return cmd
}

// pinStore opens the store and finds the session.
func (a *app) pinStore(ctx context.Context, session string) (*sqlite.Store, string, error) {
	if session == "" {
		if session = a.env.Getenv("PI_SESSION_ID"); session == "" {
			return nil, "", usageError("pictx pin --session ID 3f9a2c1b", "this shell runs in no session: PI_SESSION_ID is not set")
		}
	}
	st, _, err := a.store(ctx, sqlite.Write)
	if err != nil {
		return nil, "", err
	}
	row, err := findSession(ctx, st, session)
	if err != nil {
		return nil, "", errors.Join(err, st.Close())
	}
	return st, row.ID, nil
}

func (a *app) runPin(ctx context.Context, o pinOptions, args []string) error {
	st, id, err := a.pinStore(ctx, o.session)
	if err != nil {
		return err
	}
	defer st.Close()
	if len(args) == 0 {
		return a.listPins(ctx, st, id)
	}
	p := prune.Pin{Target: args[0], IsPath: prune.LooksLikePath(args[0]), Reason: o.reason, Time: a.env.Now().UnixMilli()}
	if !p.IsPath {
		x, err := history.Expand(ctx, st, args[0], []string{id})
		if err != nil {
			return fmt.Errorf("pin %s: %w", args[0], err)
		}
		p.Target = x.EntryID
	}
	return st.AddPin(ctx, id, p)
}

func (a *app) listPins(ctx context.Context, st *sqlite.Store, id string) error {
	pins, err := st.Pins(ctx, id)
	if err != nil {
		return err
	}
	var rows [][]string
	for _, p := range pins {
		if a.json {
			if err := a.out.line(p); err != nil {
				return err
			}
			continue
		}
		rows = append(rows, []string{oneLine(p.Target), oneLine(p.Reason)})
	}
	table(a.out, rows)
	return nil
}
