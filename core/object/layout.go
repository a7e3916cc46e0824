package object

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/tool"
)

// CustomType is the type of the messages that the layout adds.
const CustomType = "pictx.objects"

// Layout is a context laid out in pools.
type Layout struct {
	// Catalogue is the text of the first message, "" without a catalogue.
	Catalogue string
	// References are the tool results in order, with their references.
	References []Slot
	// Active are the results whose content follows the chat.
	Active []Slot
}

// Slot is the place of a tool result in the chat, or of its active content.
type Slot struct {
	// Index is the position of the result among the messages.
	Index int
	// ID is the id of its object.
	ID string
	// Text is the reference in the chat.
	Text string
	// Read is the path of the file that the result shows, "" for any other.
	Read string
}

// Arrange lays out the messages of a session. plan is a Planner's plan for them; cwd is the directory
// of relative paths. The catalogue has every call, and after it the files that it read or wrote or
// that its result named; named has the latter by the entry of the result. Results of the tools
// that manage objects stay in place, because they report what was done.
func Arrange(session string, messages []policy.Message, plan policy.Plan, named map[string][]Version, cwd string) Layout {
	var l Layout
	pool := catalogue{files: make(map[string]int)}
	in := policy.NewInput(messages, policy.Situation{})
	for i := range messages {
		m := &messages[i]
		if !isReference(m) {
			continue
		}
		id := callID(session, m)
		p := Slot{Index: i, ID: id, Text: reference(id, m.Head)}
		l.References = append(l.References, p)
		pool.call(id, m.Head)
		acc := accessOf(in, i, cwd)
		if acc.Path != "" && (acc.Reads || acc.Writes) {
			f := File{Path: acc.Path, FileType: FileType(acc.Path)}
			if acc.Reads && !m.Marked {
				f.Chars = m.Head.Content.Chars
			}
			pool.file(NewID(FileKey("", acc.Path), 0), &f)
		}
		for _, v := range named[m.EntryID] {
			pool.file(v.ID, v.Doc.File)
		}
		if !m.Marked && !slices.ContainsFunc(plan.Edits, func(e policy.Edit) bool { return e.Index == i }) {
			if acc.Reads {
				p.Read = acc.Path
			}
			l.Active = append(l.Active, p)
		}
	}
	l.Catalogue = pool.text()
	return l
}

// catalogue is the metadata pool, in the form of self-context-manager.
type catalogue struct {
	items []item
	files map[string]int // their places among items, by path
}

// item is a line of a catalogue. chars is -1 for a call.
type item struct {
	line  string
	chars int
}

// call adds the call of a result.
func (c *catalogue) call(id string, h *message.Head) {
	line := "- id=" + value(id) + " type=toolcall tool=" + value(h.ToolName) + " status=" + string(statusOf(h.IsError))
	c.items = append(c.items, item{line, -1})
}

// file adds a file, or what is known of it.
func (c *catalogue) file(id string, f *File) {
	at, known := c.files[f.Path]
	if !known {
		at = len(c.items)
		c.files[f.Path] = at
		c.items = append(c.items, item{line: "- id=" + value(id) + " type=file path=" + value(f.Path) + " file_type=" + value(f.FileType)})
	}
	c.items[at].chars = max(c.items[at].chars, f.Chars)
}

// text returns the catalogue, one line per item, "" without any.
func (c *catalogue) text() string {
	if len(c.items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("METADATA_POOL")
	for _, i := range c.items {
		if b.WriteString("\n" + i.line); i.chars >= 0 {
			b.WriteString(" char_count=" + strconv.Itoa(i.chars))
		}
	}
	return b.String()
}

// value quotes a value if it could be mistaken for something else: names of files and tools
// may contain anything.
func value(text string) string {
	plain := func(r rune) bool { return r > ' ' && r < 0x7f && r != '"' && r != '\\' }
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !plain(r) }) {
		return text
	}
	return strconv.QuoteToASCII(text)
}

// callID returns the id of the object of a tool result in a session.
func callID(session string, m *policy.Message) string {
	return NewID(ToolcallKey(session, m.EntryID, m.Head.ToolCallID), 0)
}

// reference returns the text that replaces a tool result in the chat.
func reference(id string, h *message.Head) string {
	return "toolcall_ref id=" + value(id) + " tool=" + value(h.ToolName) + " status=" + string(statusOf(h.IsError))
}

// Planner returns the planner that decides which results of a session are active.
func Planner(session string, w policy.Window) *policy.Planner {
	return policy.NewPools(w, func(_ *policy.Input, c *policy.Candidate) string {
		return reference(callID(session, &c.Message), c.Message.Head)
	})
}

// isReference reports whether a message is a tool result that becomes a reference. A result
// with content of an unknown version of pi stays as it is.
func isReference(m *policy.Message) bool {
	if m.Head == nil || m.Head.Role != message.RoleToolResult || policy.Manages(m.Head.ToolName) {
		return false
	}
	return !policy.UnknownContent(&m.Head.Content)
}

// accessOf returns what the call of a result did to a file, nothing for a failed one.
func accessOf(in *policy.Input, i int, cwd string) tool.Access {
	call := in.Call(i)
	if call == nil || in.Messages[i].Head.IsError {
		return tool.Access{}
	}
	return tool.AccessOf(call.Name, call.Arguments, cwd)
}

// Contents returns the messages with the contents of the active objects, as JSON. What
// several reads of one file show alike stands once, as the newest of them. result returns
// a tool result and its head.
func (l Layout) Contents(result func(Slot) (*message.Head, []byte, error)) ([][]byte, error) {
	type shown struct{ path, content string }
	later := make(map[shown]bool)
	var out [][]byte
	for _, a := range slices.Backward(l.Active) {
		h, raw, err := result(a)
		if err != nil {
			return nil, err
		}
		s := shown{a.Read, string(h.Content.Span.Of(raw))}
		if a.Read != "" && later[s] {
			continue
		}
		later[s] = true
		out = append(out, activeMessage(a.ID, h, raw))
	}
	slices.Reverse(out)
	return out, nil
}

// activeMessage returns the message with the content of an active object, as JSON. raw is
// the tool result, h its head. The texts follow a line that names the object; images come
// last.
func activeMessage(id string, h *message.Head, raw []byte) []byte {
	var texts []string
	var images []byte
	switch h.Content.Kind {
	case message.ContentText:
		texts = append(texts, message.Unquote(h.Content.Span.Of(raw)))
	case message.ContentBlocks:
		var p message.Parser
		list := p.List(h.Content.Span.Of(raw))
		for i, b := range h.Content.Blocks {
			switch {
			case b.Kind == message.BlockText:
				texts = append(texts, message.Unquote(b.Text.Of(raw)))
			case b.Kind == message.BlockImage && i < len(list):
				images = append(append(images, ','), list[i]...)
			}
		}
	}
	content := message.TextContent("ACTIVE_CONTENT id=" + value(id) + "\n" + strings.Join(texts, "\n"))
	return customMessage(append(append(content[:len(content)-1], images...), ']'))
}

// CatalogueMessage returns the message of a catalogue, as JSON.
func CatalogueMessage(text string) []byte { return customMessage(message.TextContent(text)) }

// customMessage returns a message of an extension, which pi passes to the model as a user
// message.
func customMessage(content []byte) []byte {
	return fmt.Appendf(nil, `{"role":"custom","customType":%q,"content":%s,"display":false,"timestamp":0}`, CustomType, content)
}
