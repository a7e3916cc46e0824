package control

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/tool"
)

// find returns the object that a name means: a nickname, an id or its beginning, the
// entry in a marker, or the path of a file.
func (c *Control) find(ctx context.Context, name string) (object.Object, error) {
	name = strings.TrimSpace(name)
	if i := strings.LastIndex(name, "pictx expand "); i >= 0 {
		name = strings.TrimRight(name[i+len("pictx expand "):], "] .")
	}
	name = strings.TrimPrefix(name, "id=")
	if name == "" {
		return object.Object{}, refuse("activate, deactivate and pin want an id; objects lists them")
	}
	if o, err := c.ofEntry(ctx, name); err == nil {
		return o, nil
	}
	if o, err := c.Store.ByKey(ctx, object.FileKey("", tool.AccessOf("read", pathArgument(name), c.CWD).Path)); err == nil {
		return o, nil
	}
	o, err := c.Store.Resolve(ctx, name)
	var ambiguous *object.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return o, refuse(fmt.Sprintf("%s is ambiguous: %s", text.LogLine(name), strings.Join(ambiguous.Candidates, ", ")))
	case errors.Is(err, object.ErrUnknown):
		return o, refuse(fmt.Sprintf("there is no object %s; objects lists what there is", text.LogLine(name)))
	}
	return o, err
}

// ofEntry is the tool call whose result is in an entry of the context, by the
// beginning of its id.
func (c *Control) ofEntry(ctx context.Context, id string) (object.Object, error) {
	found := -1
	for i, r := range c.View.Shown {
		if len(id) < 6 || !strings.HasPrefix(r.Entry, id) {
			continue
		}
		if found >= 0 {
			return object.Object{}, object.ErrUnknown
		}
		found = i
	}
	if found < 0 {
		return object.Object{}, object.ErrUnknown
	}
	return c.Store.ByKey(ctx, object.ToolcallKey(c.Session, c.View.Shown[found].Entry, c.View.Shown[found].Call))
}

// pathArgument are the arguments of a call that names a path.
func pathArgument(path string) []byte {
	return append(message.AppendQuote([]byte(`{"path":`), path), '}')
}

// current reports whether a result in the context shows the object as it is now. With
// entries, deactivated results count too.
func (c *Control) current(o object.Object, content []byte, also []string) bool {
	for _, r := range c.View.Shown {
		if r.Pruned || !slices.Contains(c.View.Entries(o), r.Entry) || also == nil && slices.Contains(c.View.States.Inactive, r.Entry) {
			continue
		}
		if o.Key.Kind == object.KindToolcall && r.Entry == o.Key.Part(1) {
			return true
		}
		if strings.Contains(c.textOf(r.Entry), strings.TrimSpace(string(content))) {
			return true
		}
	}
	return false
}

// textOf is the text of the message of an entry.
func (c *Control) textOf(entry string) string {
	for i, m := range c.Branch.Messages {
		if m.EntryID == entry {
			return c.Branch.Text(i)
		}
	}
	return ""
}

// tokens is the size of those results that are in the context.
func (c *Control) tokens(entries []string) token.Count {
	var sum token.Count
	for _, r := range c.View.Shown {
		if slices.Contains(entries, r.Entry) && !r.Pruned {
			sum += r.Tokens
		}
	}
	return sum
}
