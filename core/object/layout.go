package object

import (
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/tool"
)

// Item is a line of the catalogue.
type Item struct {
	ID string
	// Entry is the entry of the result of a tool call.
	Entry string
	Kind  Kind
	// Tool and Status are set for a tool call.
	Tool   string
	Status Status
	// Path, FileType and Chars are set for a file.
	Path, FileType string
	Chars          int
}

// Line formats an item as self-context-manager does.
func (i Item) Line() string {
	switch i.Kind {
	case KindToolcall:
		return "- id=" + value(i.ID) + " type=toolcall tool=" + value(i.Tool) + " status=" + value(string(i.Status))
	case KindFile:
		return "- id=" + value(i.ID) + " type=file path=" + value(i.Path) + " file_type=" + value(i.FileType) +
			" char_count=" + strconv.Itoa(i.Chars)
	}
	return "- id=" + value(i.ID) + " type=" + value(string(i.Kind))
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

// catalogueHead is the first line of a catalogue.
const catalogueHead = "METADATA_POOL"

// Catalogue writes the metadata pool, one line per item, "" without any.
func Catalogue(items []Item) string {
	if len(items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(catalogueHead)
	for _, i := range items {
		b.WriteString("\n" + i.Line())
	}
	return b.String()
}

// CallID returns the id of the object of a tool result in a session.
func CallID(session string, m policy.Message) string {
	return NewID(ToolcallKey(session, m.EntryID, m.Head.ToolCallID), 0)
}

// Reference returns the text that replaces a tool result in the chat.
func Reference(id string, h *message.Head) string {
	return "toolcall_ref id=" + value(id) + " tool=" + value(h.ToolName) + " status=" + string(statusOf(h))
}

// statusOf returns the status of the call of a tool result.
func statusOf(h *message.Head) Status {
	if h.IsError {
		return StatusFail
	}
	return StatusOK
}

// ActiveHead returns the line before the content of an active object.
func ActiveHead(id string) string { return "ACTIVE_CONTENT id=" + value(id) }

// Planner returns the planner that decides which results of a session are active.
func Planner(session string, w policy.Window) *policy.Planner {
	return policy.NewPools(w, func(_ *policy.Input, c *policy.Candidate) string {
		return Reference(CallID(session, c.Message), c.Message.Head)
	})
}

// Slot is the place of a tool result in the chat, or of its active content.
type Slot struct {
	// Index is the position of the result among the messages.
	Index int
	// ID is the id of its object.
	ID string
	// Text is the reference in the chat.
	Text string
	// Read is the path of the file that an active result shows, "" for any other.
	Read string
}

// Layout is a context laid out in pools.
type Layout struct {
	// Catalogue is the text of the first message, "" without a catalogue.
	Catalogue string
	// References are the tool results in order, with their references.
	References []Slot
	// Active are the results whose content follows the chat.
	Active []Slot
}

// Arrange lays out the messages of a session. plan is a Planner's plan for them; items are
// the objects of the catalogue; cwd is the directory of relative paths. Results of the tools
// that manage objects stay in place, because they report what was done.
func Arrange(session string, messages []policy.Message, plan policy.Plan, items []Item, cwd string) Layout {
	l := Layout{Catalogue: Catalogue(items)}
	in := policy.NewInput(messages, policy.Situation{})
	for i := range messages {
		m := &messages[i]
		if !isReference(m) {
			continue
		}
		id := CallID(session, *m)
		p := Slot{Index: i, ID: id, Text: Reference(id, m.Head)}
		l.References = append(l.References, p)
		if !m.Marked && !slices.ContainsFunc(plan.Edits, func(e policy.Edit) bool { return e.Index == i }) {
			if acc := accessOf(in, i, cwd); acc.Reads {
				p.Read = acc.Path
			}
			l.Active = append(l.Active, p)
		}
	}
	return l
}

// isReference reports whether a message is a tool result that becomes a reference. A result
// with content of an unknown version of pi stays as it is.
func isReference(m *policy.Message) bool {
	if m.Head == nil || m.Head.Role != message.RoleToolResult || policy.Manages(m.Head.ToolName) {
		return false
	}
	return !policy.UnknownContent(&m.Head.Content)
}

// WithNamed adds after each call the files that its result named and that no earlier item
// has. named has those by the entry of the result.
func WithNamed(items []Item, named map[string][]Version) []Item {
	known := make(map[string]bool)
	for _, i := range items {
		known[i.Path] = i.Kind == KindFile
	}
	var out []Item
	for _, i := range items {
		out = append(out, i)
		if i.Kind != KindToolcall {
			continue
		}
		for _, v := range named[i.Entry] {
			if f := v.Doc.File; !known[f.Path] {
				known[f.Path] = true
				out = append(out, Item{ID: v.ID, Kind: KindFile, Path: f.Path, FileType: f.FileType, Chars: f.Chars})
			}
		}
	}
	return out
}

// accessOf returns what the call of a result did to a file, nothing for a failed one.
func accessOf(in *policy.Input, i int, cwd string) tool.Access {
	call := in.Call(i)
	if call == nil || in.Messages[i].Head.IsError {
		return tool.Access{}
	}
	return tool.AccessOf(call.Name, call.Arguments, cwd)
}

// Items lists the objects in a context: its tool calls, and the files that they read and
// wrote, in order. cwd is the directory of relative paths.
func Items(session string, messages []policy.Message, cwd string) []Item {
	in := policy.NewInput(messages, policy.Situation{})
	var out []Item
	files := make(map[string]int)
	for i := range messages {
		m := &messages[i]
		if !isReference(m) {
			continue
		}
		out = append(out, Item{ID: CallID(session, *m), Entry: m.EntryID, Kind: KindToolcall, Tool: m.Head.ToolName, Status: statusOf(m.Head)})
		acc := accessOf(in, i, cwd)
		if acc.Path == "" || !acc.Reads && !acc.Writes {
			continue
		}
		at, known := files[acc.Path]
		if !known {
			at = len(out)
			files[acc.Path] = at
			id := NewID(FileKey("", acc.Path), 0)
			out = append(out, Item{ID: id, Kind: KindFile, Path: acc.Path, FileType: FileType(acc.Path)})
		}
		if acc.Reads && !m.Marked {
			out[at].Chars = max(out[at].Chars, m.Head.Content.Chars)
		}
	}
	return out
}
