package hooks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
)

// maxListed is how many objects a call of objects lists.
const maxListed = 50

// list answers with the objects that the session met, the latest last.
func (t *objectCall) list(ctx context.Context, filter string) error {
	q, err := object.ParseQuery(filter, t.Now())
	if errors.Is(err, object.ErrQuery) {
		return refusal{text.LogLine(err.Error())}
	}
	if err != nil {
		return err
	}
	found, err := t.store.FindObjects(ctx, q)
	if err != nil {
		return err
	}
	if !asksSession(q) {
		if found, err = t.met(ctx, found); err != nil {
			return err
		}
	}
	out := []string{fmt.Sprintf("%s:", text.CountPlain(len(found), "object"))}
	if more := len(found) - maxListed; more > 0 {
		out = []string{fmt.Sprintf("%s, the last %d of them:", text.CountPlain(len(found), "object"), maxListed)}
		found = found[more:]
	}
	for i := range found {
		out = append(out, t.line(&found[i]))
	}
	t.Result().Text = lines(out...)
	return nil
}

// asksSession reports whether a query names a session itself.
func asksSession(q object.Query) bool {
	return slices.ContainsFunc(q.Terms, func(t object.Term) bool { return t.Field == "session" })
}

// met leaves those that this session met.
func (t *objectCall) met(ctx context.Context, found []object.Version) ([]object.Version, error) {
	events, err := t.store.Events(ctx, t.Session.ID)
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
func (t *objectCall) line(v *object.Version) string {
	o := object.Object{ID: v.ID, Key: v.Key, Nickname: v.Doc.Nickname}
	size := "no text"
	switch {
	case v.Doc.Deleted:
		size = "deleted"
	case v.Evicted:
		size = "evicted"
	case v.Size >= 0:
		size = fmt.Sprintf("%d bytes", v.Size)
	}
	status := ""
	if c := v.Doc.Toolcall; c != nil && c.Status != object.StatusOK {
		status = " " + string(c.Status)
	}
	return fmt.Sprintf("%s %s%s, %s, %s", v.ID, strings.TrimPrefix(label(o, &v.Doc), v.ID+" "), status, size, t.State(o))
}

// pathArgument are the arguments of a call that names a path.
func pathArgument(path string) []byte {
	return append(message.AppendQuote([]byte(`{"path":`), path), '}')
}
