package object

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// find returns the object that a name means: a nickname, an id or a prefix of it, the entry
// in a marker, or the path of a file.
func (c *Control) find(ctx context.Context, name string) (Object, error) {
	name = strings.TrimSpace(name)
	if i := strings.LastIndex(name, "pictx expand "); i >= 0 {
		name = strings.TrimRight(name[i+len("pictx expand "):], "] .")
	}
	name = strings.TrimPrefix(name, "id=")
	if name == "" {
		return Object{}, refuse("activate, deactivate and pin want an id; objects lists them")
	}
	if o, err := c.ofEntry(ctx, name); err == nil {
		return o, nil
	}
	if o, err := c.Store.ByKey(ctx, FileKey("", tool.AccessOf("read", pathArgument(name), c.CWD).Path)); err == nil {
		return o, nil
	}
	o, err := c.Store.Resolve(ctx, name)
	if errors.Is(err, ErrUnknown) {
		o, err = FileEnding(ctx, c.Store, name)
	}
	var ambiguous *AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return o, refuse(fmt.Sprintf("%s is ambiguous: %s", text.LogLine(name), strings.Join(ambiguous.Candidates, ", ")))
	case errors.Is(err, ErrUnknown):
		return o, refuse(fmt.Sprintf("there is no object %s; objects lists what there is", text.LogLine(name)))
	}
	return o, err
}

// ofEntry returns the tool call whose result is in an entry of the context, by a prefix of
// the entry's id.
func (c *Control) ofEntry(ctx context.Context, id string) (Object, error) {
	found := -1
	for i, r := range c.View.Shown {
		if len(id) < 6 || !strings.HasPrefix(r.Entry, id) {
			continue
		}
		if found >= 0 {
			return Object{}, ErrUnknown
		}
		found = i
	}
	if found < 0 {
		return Object{}, ErrUnknown
	}
	return c.Store.ByKey(ctx, ToolcallKey(c.Session, c.View.Shown[found].Entry, c.View.Shown[found].Call))
}

// pathArgument returns the arguments of a call that names a path.
func pathArgument(path string) []byte {
	return append(message.AppendQuote([]byte(`{"path":`), path), '}')
}

// current reports whether a result in the context shows the present content of the object.
// With also set, deactivated results count too.
func (c *Control) current(o Object, content []byte, also []string) bool {
	for _, r := range c.View.Shown {
		if r.Pruned || !slices.Contains(c.View.Entries(o), r.Entry) || also == nil && slices.Contains(c.View.States.Inactive, r.Entry) {
			continue
		}
		if o.Key.Kind == KindToolcall && r.Entry == o.Key.Part(1) {
			return true
		}
		if strings.Contains(c.textOf(r.Entry), strings.TrimSpace(string(content))) {
			return true
		}
	}
	return false
}

// textOf returns the text of the message of an entry.
func (c *Control) textOf(entry string) string {
	for i, m := range c.Branch.Messages {
		if m.EntryID == entry {
			return c.Branch.Text(i)
		}
	}
	return ""
}

// tokens is the size of those of the results that are in the context.
func (c *Control) tokens(entries []string) token.Count {
	var sum token.Count
	for _, r := range c.View.Shown {
		if slices.Contains(entries, r.Entry) && !r.Pruned {
			sum += r.Tokens
		}
	}
	return sum
}

// maxListed is how many objects one call lists.
const maxListed = 50

// List answers with the objects of the session that match a query, latest last.
func (c *Control) List(ctx context.Context, filter string) (Answer, error) {
	q, err := ParseQuery(filter, c.Now())
	if errors.Is(err, ErrQuery) {
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
	found = slices.DeleteFunc(found, func(v Version) bool { return !q.InState(c.View.State(objectOf(&v))) })
	if len(found) == 0 {
		return Answer{Text: "no matching objects"}, nil
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

// asksSession reports whether a query has a condition on the session.
func asksSession(q Query) bool {
	return slices.ContainsFunc(q.Terms, func(t Term) bool { return t.Field == "session" })
}

// ofSession returns those that occur in this session.
func (c *Control) ofSession(ctx context.Context, found []Version) ([]Version, error) {
	events, err := c.Store.Events(ctx, c.Session)
	if err != nil {
		return nil, err
	}
	here := make(map[string]bool)
	for _, e := range events {
		here[e.Object] = true
	}
	return slices.DeleteFunc(found, func(v Version) bool { return !here[v.ID] }), nil
}

// objectOf returns the object of a version.
func objectOf(v *Version) Object {
	return Object{ID: v.ID, Key: v.Key, Nickname: v.Nickname}
}

// line formats an object for the list: id, label, size and state.
func (c *Control) line(v *Version) string {
	o := objectOf(v)
	size := "no text"
	switch missing := v.Missing(); missing {
	case "":
		size = fmt.Sprintf("%d bytes", v.Size)
	case MissingDeleted, MissingPurged:
		size = string(missing)
	}
	status := ""
	if c := v.Doc.Toolcall; c != nil && c.Status != StatusOK {
		status = " " + string(c.Status)
	}
	kind := ""
	if k := v.Key.Kind; k != KindFile && k != KindToolcall { // those are named after a session
		kind = string(k) + " "
	}
	return fmt.Sprintf("%s %s%s%s, %s, %s", v.ID, kind, strings.TrimPrefix(c.label(o, &v.Doc), v.ID+" "), status, size, c.View.State(o))
}
