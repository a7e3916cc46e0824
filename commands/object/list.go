package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/workspace"
)

// listObjects lists the objects that match a query. Without a query it lists those of the
// session, if there is one.
func listObjects(ctx context.Context, c *call) error {
	q, err := object.ParseQuery(strings.Join(c.args, " "), c.app.Env.Now().Local())
	if err != nil {
		return err
	}
	in, err := workspace.ObjectsOf(ctx, c.app.Workspace, c.st, c.session, c.last)
	if err != nil {
		return err
	}
	asksState := q.Asks("state")
	if asksState && in == "" {
		return exit.UsageError("pictx sessions", "a state needs --session: PI_SESSION_ID is not set")
	}
	var s *workspace.ObjectSession
	if in != "" && (len(c.args) == 0 || c.session != "" || c.last || asksState) {
		if s, err = c.app.OpenObjectSession(ctx, c.st, in); err != nil {
			return err
		}
	}
	all, err := c.st.Objects.FindObjects(ctx, q)
	if err != nil {
		return err
	}
	sortForList(all)
	found := len(all)
	if len(c.args) == 0 && s == nil && !c.app.JSON { // programs take what they want
		all = slices.DeleteFunc(all, func(v object.Version) bool { return v.Doc.Kind == object.KindToolcall })
	}
	lines := objectLines(all, s, &q)
	if len(lines) == 0 {
		return c.nothing(found)
	}
	if calls := found - len(all); calls > 0 {
		fmt.Fprintf(c.app.Env.Err, "pictx: %s not shown: pictx object list type:toolcall\n", text.Count(calls, "tool call"))
	}
	left := 0
	if c.limit > 0 && len(lines) > c.limit {
		left, lines = len(lines)-c.limit, lines[:c.limit]
	}
	if err := c.printList(lines); err != nil {
		return err
	}
	if left > 0 {
		fmt.Fprintf(c.app.Env.Err, "pictx: %s not shown; without --limit all are\n", text.Count(left, "object"))
	}
	return nil
}

// sortForList sorts versions for a list: files, other objects, tool calls, and last the files of
// which only the name is known; the latest of each first.
func sortForList(all []object.Version) {
	slices.SortStableFunc(all, func(a, b object.Version) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), -cmp.Compare(a.From, b.From))
	})
}

// rank is the place of a version among the kinds of a list.
func rank(v *object.Version) int {
	switch {
	case v.Unread():
		return 3
	case v.Doc.Kind == object.KindToolcall:
		return 2
	case v.Doc.Kind != object.KindFile:
		return 1
	}
	return 0
}

// printList prints objects.
func (c *call) printList(lines []objectView) error {
	name := workspace.ObjectNames(c.app.Env.Dir)
	rows, err := cli.JSONOrRows(c.app.Out, lines, func(j *objectView) any { return j }, func(j *objectView) []string {
		state, what := cmp.Or(j.State, "-"), text.TerminalLine(name(j.of))
		if j.Pinned {
			state += ", pinned"
		}
		if j.Nickname != "" {
			what = j.Nickname + ": " + what
		}
		return []string{j.ID, j.Type, j.Status, state, fmt.Sprint(j.Version), contentSize(j.of), what + partName(j.Lines)}
	})
	if rows != nil {
		c.app.Out.FittedTable(append([][]string{{"OBJECT", "TYPE", "STATUS", "STATE", "V", "SIZE", "WHAT"}}, rows...), 4, 5)
	}
	return err
}

// nothing says that a list has no line, although some objects may match the query.
func (c *call) nothing(some int) error {
	if some > 0 || len(c.args) > 0 || c.session != "" || c.last {
		return exit.WithHint(exit.NotFound, "pictx object list type:toolcall", errors.New("there is no such object"))
	}
	return exit.WithHint(exit.NotFound, "pictx doctor", errors.New("no objects are stored yet: they come with sessions in pi"))
}

// objectLines returns the lines of a list. With a session it keeps the objects in the states
// that the query asks for, or all of the session, and adds their states.
func objectLines(all []object.Version, s *workspace.ObjectSession, q *object.Query) []objectView {
	var lines []objectView
	for i := range all {
		j := objectLine(&all[i])
		if s != nil {
			is, _ := s.Where(&all[i])
			j.State, j.Pinned = string(is), s.Pinned(&all[i])
			if is == object.Absent && !q.Asks("state") || !q.InState(is) {
				continue
			}
		}
		lines = append(lines, j)
	}
	return lines
}
