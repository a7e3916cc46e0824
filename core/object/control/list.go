package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
)

// maxListed is how many objects a call of objects lists.
const maxListed = 50

// List answers with the objects that occur in the session and match a query, the latest
// last.
func (c *Control) List(ctx context.Context, filter string) (Answer, error) {
	q, err := object.ParseQuery(filter, c.Now())
	if errors.Is(err, object.ErrQuery) {
		return Answer{}, refuse(text.LogLine(err.Error()))
	}
	if err != nil {
		return Answer{}, err
	}
	found, err := c.Store.FindObjects(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	if !asksSession(q) {
		if found, err = c.ofSession(ctx, found); err != nil {
			return Answer{}, err
		}
	}
	out := []string{fmt.Sprintf("%s:", text.CountPlain(len(found), "object"))}
	if more := len(found) - maxListed; more > 0 {
		out = []string{fmt.Sprintf("%s, the last %d of them:", text.CountPlain(len(found), "object"), maxListed)}
		found = found[more:]
	}
	for i := range found {
		out = append(out, c.line(&found[i]))
	}
	return Answer{Text: strings.Join(out, "\n")}, nil
}

// asksSession reports whether a query names a session itself.
func asksSession(q object.Query) bool {
	return slices.ContainsFunc(q.Terms, func(t object.Term) bool { return t.Field == "session" })
}

// ofSession returns those that occur in this session.
func (c *Control) ofSession(ctx context.Context, found []object.Version) ([]object.Version, error) {
	events, err := c.Store.Events(ctx, c.Session)
	if err != nil {
		return nil, err
	}
	here := make(map[string]bool)
	for _, e := range events {
		here[e.Object] = true
	}
	return slices.DeleteFunc(found, func(v object.Version) bool { return !here[v.ID] }), nil
}

// line is a line of the list: the id, what it is, its size and its state.
func (c *Control) line(v *object.Version) string {
	o := object.Object{ID: v.ID, Key: v.Key, Nickname: v.Doc.Nickname}
	size := "no text"
	switch missing := v.Missing(); missing {
	case "":
		size = fmt.Sprintf("%d bytes", v.Size)
	case object.MissingDeleted, object.MissingEvicted:
		size = string(missing)
	}
	status := ""
	if c := v.Doc.Toolcall; c != nil && c.Status != object.StatusOK {
		status = " " + string(c.Status)
	}
	return fmt.Sprintf("%s %s%s, %s, %s", v.ID, strings.TrimPrefix(c.label(o, &v.Doc), v.ID+" "), status, size, c.View.State(o))
}
