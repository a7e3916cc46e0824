package commands

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
)

// checkList refuses a state that there is none of, and reads the query.
func checkList(c *objectCall) (err error) {
	switch c.state {
	case "", "active", "inactive", "absent":
	default:
		return usageError("pictx object list --state active", "unknown --state %q: want active, inactive or absent", c.state)
	}
	c.query, err = object.ParseQuery(strings.Join(c.args, " "), c.app.env.Now().Local())
	return err
}

// listObjects lists the objects of a query; without one those that a session met, if
// there is one.
func listObjects(ctx context.Context, c *objectCall) error {
	name := c.app.sessionName(c.session)
	if c.state != "" && name == "" {
		return usageError("pictx object list --session ID --state "+c.state, "a state is one in a session: PI_SESSION_ID is not set")
	}
	var s *objectSession
	if name != "" && (len(c.args) == 0 || c.session != "") {
		var err error
		if s, err = c.app.openObjectSession(ctx, c.st, name); err != nil {
			return err
		}
	}
	all, err := c.st.FindObjects(ctx, c.query)
	if err != nil {
		return err
	}
	lines := objectLines(all, s, c.state)
	if len(lines) == 0 {
		return withHint(exitNotFound, "pictx object list", errors.New("there is no such object"))
	}
	left := 0
	if c.limit > 0 && len(lines) > c.limit {
		left, lines = len(lines)-c.limit, lines[:c.limit]
	}
	rows, err := jsonOrRows(c.app.out, lines, func(j *objectJSON) any { return j }, objectCells)
	if err != nil {
		return err
	}
	if rows != nil {
		c.app.out.fittedTable(append([][]string{{"OBJECT", "TYPE", "STATUS", "STATE", "V", "SIZE", "WHAT"}}, rows...), 4, 5)
	}
	if left > 0 {
		fmt.Fprintf(c.app.env.Err, "pictx: %s not shown; without --limit all are\n", text.Count(left, "object"))
	}
	return nil
}

// objectLines are objects as they are listed, with their states in a session if one is
// given: those of a state, or all that the session met.
func objectLines(all []object.Version, s *objectSession, state string) []objectJSON {
	var lines []objectJSON
	for i := range all {
		j := objectLine(&all[i])
		if s != nil {
			is, _ := s.where(&all[i])
			j.State, j.Pinned = string(is), s.pinned(&all[i])
			if state == "" && is == object.Absent || state != "" && j.State != state {
				continue
			}
		}
		lines = append(lines, j)
	}
	return lines
}

// jsonOrRows prints a list as JSON, an element a line, or returns it as rows of a
// table: nil when it was printed.
func jsonOrRows[T any](w *out, all []T, line func(*T) any, cells func(*T) []string) ([][]string, error) {
	var rows [][]string
	for i := range all {
		if !w.json {
			rows = append(rows, cells(&all[i]))
		} else if err := w.line(line(&all[i])); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

func objectCells(j *objectJSON) []string {
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
