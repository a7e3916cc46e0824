package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
)

type objectListOptions struct {
	session string
	state   string
	limit   int
}

func (a *app) objectList() *cobra.Command {
	var o objectListOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the objects",
		Long: `Lists the objects in the order in which they became known: the id, the type, how it
stands, the size of its content, and what it is. With --session, or in a shell that
runs in one, these are the objects that the session met, with their state in it.`,
		Example:     "  pictx object list\n  pictx object list --session 01a1fe4b --state active\n  pictx object list --json | jq -r .label",
		Annotations: exits("3 10 11 12"),
		Args:        noArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return a.runObjectList(cmd.Context(), o, "") },
	}
	cmd.Flags().StringVar(&o.state, "state", "", "only those of a `state`: active, inactive or absent")
	a.completeWords(cmd, "state", []string{"active", "inactive", "absent"})
	a.objectListFlags(cmd, &o)
	return cmd
}

func (a *app) objectListFlags(cmd *cobra.Command, o *objectListOptions) {
	cmd.Flags().StringVar(&o.session, "session", "", "the session's `id` (default: the one this shell runs in)")
	cmd.Flags().IntVar(&o.limit, "limit", 0, "list at most `n` of them (default: all)")
	a.jsonFlag(cmd)
	a.completeSession(cmd)
}

func (a *app) objectQuery() *cobra.Command {
	var o objectListOptions
	var fields strings.Builder
	for _, f := range object.Fields() {
		fmt.Fprintf(&fields, "\n  %-9s %s", f[0]+":", f[1])
	}
	cmd := &cobra.Command{
		Use:   "query QUERY...",
		Short: "Find objects",
		Long: `Lists the objects that a query asks for. It is made of words and "phrases" that must be
in the content, or in what list shows, and of conditions; all must hold, and - before
one turns it round:
` + fields.String() + `

A word that ends in * goes on. A time is 2026-11-20T14:00, 2026-11-20, or 2h for two
hours ago. After -- a query may begin with -.`,
		Example: `  pictx object query type:file 'path:src/**' retry
  pictx object query 'tool:bash status:fail size:>10k'
  pictx object query -- '-type:file "rounding error" at:2026-11-20'`,
		Annotations: exits("3 10 11 12"),
		Args:        someArgs(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.runObjectList(cmd.Context(), o, strings.Join(args, " "))
		},
	}
	a.objectListFlags(cmd, &o)
	return cmd
}

func (a *app) runObjectList(ctx context.Context, o objectListOptions, query string) error {
	switch o.state {
	case "", "active", "inactive", "absent":
	default:
		return usageError("pictx object list --state active", "unknown --state %q: want active, inactive or absent", o.state)
	}
	q, err := object.ParseQuery(query, a.env.Now().Local())
	if err != nil {
		return err
	}
	st, err := a.objectStore(ctx, query != "")
	if err != nil {
		return err
	}
	defer st.Close()
	var s *objectSession
	name := a.sessionName(o.session)
	if o.state != "" && name == "" {
		return usageError("pictx object list --session ID --state "+o.state, "a state is one in a session: PI_SESSION_ID is not set")
	}
	if name != "" && (query == "" || o.session != "") {
		if s, err = a.openObjectSession(ctx, st, name); err != nil {
			return err
		}
	}
	all, err := st.FindObjects(ctx, q)
	if err != nil {
		return err
	}
	return a.printObjects(all, s, o)
}

// objectStore opens the store: to write where a search may complete the index first,
// else, and where that is not possible, to read.
func (a *app) objectStore(ctx context.Context, search bool) (*sqlite.Store, error) {
	if search {
		if ok, err := a.hasStore(); err == nil && ok {
			if st, _, err := a.store(ctx, sqlite.Write); err == nil {
				return st, nil
			}
		}
	}
	st, _, err := a.store(ctx, sqlite.Read)
	return st, err
}

// hasStore reports whether the project's store is there: looking makes none.
func (a *app) hasStore() (bool, error) {
	pl, err := a.place()
	if err != nil {
		return false, err
	}
	return regularFile(pl.StorePath(pl.agentDir)), nil
}

// printObjects prints a list, with states in a session if one is given.
func (a *app) printObjects(all []object.Version, s *objectSession, o objectListOptions) error {
	var lines []objectJSON
	for i := range all {
		j := objectLine(&all[i])
		if s != nil {
			state, _ := s.where(&all[i])
			j.State, j.Pinned = string(state), s.pinned(&all[i])
			if o.state == "" && state == object.Absent || o.state != "" && j.State != o.state {
				continue
			}
		}
		lines = append(lines, j)
	}
	if len(lines) == 0 {
		return withHint(exitNotFound, "pictx object list", errors.New("there is no such object"))
	}
	left := 0
	if o.limit > 0 && len(lines) > o.limit {
		left, lines = len(lines)-o.limit, lines[:o.limit]
	}
	cells := [][]string{{"OBJECT", "TYPE", "STATUS", "STATE", "V", "SIZE", "WHAT"}}
	for _, j := range lines {
		if a.json {
			if err := a.out.line(j); err != nil {
				return err
			}
			continue
		}
		cells = append(cells, objectCells(j))
	}
	if !a.json {
		a.out.fittedTable(cells, 4, 5)
	}
	if left > 0 {
		fmt.Fprintf(a.env.Err, "pictx: %s not shown; without --limit all are\n", text.Count(left, "object"))
	}
	return nil
}

func objectCells(j objectJSON) []string {
	state, what, size := j.State, text.TerminalLine(j.Label), "-"
	if state == "" {
		state = "-"
	}
	if j.Pinned {
		state += ", pinned"
	}
	if j.Nickname != "" {
		what = j.Nickname + ": " + what
	}
	if j.Size >= 0 {
		size = text.Bytes(j.Size)
	}
	what += partName(j.Lines)
	return []string{j.ID, j.Type, j.Status, state, fmt.Sprint(j.Version), size, what}
}
