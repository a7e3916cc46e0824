package object

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/tool"
)

// find returns the object that a name means: the entry in a marker, or whatever Find finds.
func (c *Control) find(ctx context.Context, name string) (Object, error) {
	name = strings.TrimSpace(name)
	if i := strings.LastIndex(name, "pictx expand "); i >= 0 {
		name = strings.TrimRight(name[i+len("pictx expand "):], "] .")
	}
	name = strings.TrimPrefix(name, "id=")
	if name == "" {
		return Object{}, refuse("activate, deactivate and pin want an id; objects lists them")
	}
	o, err := c.ofEntry(ctx, name)
	if errors.Is(err, ErrUnknown) {
		argument := append(message.AppendQuote([]byte(`{"path":`), name), '}')
		o, err = Find(ctx, c.Store, name, tool.AccessOf("read", argument, c.CWD).Path)
	}
	var ambiguous *AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return o, refuse("%s is ambiguous: %s", text.LogLine(name), strings.Join(ambiguous.Candidates, ", "))
	case errors.Is(err, ErrUnknown):
		return o, refuse("there is no object %s; objects lists what there is", text.LogLine(name))
	}
	return o, err
}

// ofEntry returns the tool call whose result is in an entry of the context, by a prefix of
// the entry's id.
func (c *Control) ofEntry(ctx context.Context, id string) (Object, error) {
	var found []Key
	for _, r := range c.View.Shown {
		if len(id) >= 6 && strings.HasPrefix(r.Entry, id) {
			found = append(found, ToolcallKey(c.Session, r.Entry, r.Call))
		}
	}
	if len(found) != 1 {
		return Object{}, ErrUnknown
	}
	return c.Store.ByKey(ctx, found[0])
}

// maxListed is how many objects one call lists.
const maxListed = 50

// List answers with the objects of the session that match a query, latest last.
func (c *Control) List(ctx context.Context, filter string) (Answer, error) {
	q, err := ParseQuery(filter, c.Now())
	if err != nil {
		return Answer{}, refuse("%s", text.LogLine(err.Error()))
	}
	if !q.Asks("session") {
		q.Session = c.Session
	}
	found, err := c.Store.FindObjects(ctx, q)
	if err != nil {
		return Answer{}, err
	}
	found = slices.DeleteFunc(found, func(v Version) bool { return !q.InState(c.View.State(v.Object)) })
	if len(found) == 0 {
		return Answer{Text: "no matching objects"}, nil
	}
	out := []string{text.CountPlain(len(found), "object") + ":"}
	if more := len(found) - maxListed; more > 0 {
		out = []string{fmt.Sprintf("%s, the last %d of them:", text.CountPlain(len(found), "object"), maxListed)}
		found = found[more:]
	}
	for i := range found {
		out = append(out, c.line(&found[i]))
	}
	return Answer{Text: strings.Join(out, "\n")}, nil
}

// line formats an object for the list: id, label, size and state.
func (c *Control) line(v *Version) string {
	size := "no text"
	switch {
	case v.Doc.Deleted || v.Purged:
		size = v.Condition()
	case v.Size >= 0:
		size = fmt.Sprintf("%d bytes", v.Size)
	}
	status, kind := "", ""
	if c := v.Doc.Toolcall; c != nil && c.Status != StatusOK {
		status = " " + string(c.Status)
	}
	if !v.Key.Kind.Switchable() { // the others are named after their session
		kind = string(v.Key.Kind) + " "
	}
	return fmt.Sprintf("%s %s%s%s, %s, %s", v.ID, kind, strings.TrimPrefix(c.label(v), v.ID+" "), status, size, c.View.State(v.Object))
}
