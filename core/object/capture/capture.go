package capture

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/text"
)

// Files are the files of the machine.
type Files interface {
	// Look tells what is at an absolute path.
	Look(path string) Look
	// Read returns the content of a regular file, at most limit bytes of it.
	Read(path string, limit int64) ([]byte, error)
	// Moved looks in the project for files that look like those which are gone: the
	// results are paths that may be theirs, by the position in stats.
	Moved(stats []object.Stat) map[int][]string
}

// Look is what is at a path.
type Look struct {
	// Path is canonical: links are followed.
	Path string
	// File is set on a regular file inside the project. What is anything else, or
	// outside, is no object.
	File bool
	// Gone is set when nothing is there.
	Gone bool
	// Ignored is set on a file that the project's .gitignore files exclude.
	Ignored bool
	Stat    object.Stat
}

// MaxContent is the size up to which the content of a file is kept, in bytes.
const MaxContent = 2 << 20

// Capture captures one session.
type Capture struct {
	Store   object.Store
	Files   Files
	Session string
	// CWD is where relative paths start from.
	CWD string

	tx  object.Tx
	met map[string]bool // objects whose event is in tx
	ids map[string]string
}

// Line returns the bytes of an entry, valid until the next call.
type Line func(*message.Node) ([]byte, error)

// Turn captures what a branch has beyond what was captured: the results of tools, and
// what they did to files. It returns how many results that were. The first time that
// is the whole branch.
func (c *Capture) Turn(ctx context.Context, t *message.Tree, leaf string, line Line) (int, error) {
	path := t.Path(leaf)
	from, err := c.pending(ctx, path)
	if err != nil || len(from) == 0 {
		return 0, err
	}
	c.begin()
	done := 0
	for _, i := range from {
		ok, err := c.result(ctx, path, i, line)
		if err != nil {
			return 0, err
		}
		if ok {
			done++
		}
	}
	return done, c.submit(ctx)
}

// pending are the positions of the results that are not captured, the first first.
func (c *Capture) pending(ctx context.Context, path []*message.Node) ([]int, error) {
	var out []int
	for i := len(path) - 1; i >= 0; i-- {
		if !isResult(path[i]) {
			continue
		}
		_, err := c.Store.ByKey(ctx, c.key(path[i]))
		if err == nil {
			break
		}
		if !errors.Is(err, object.ErrUnknown) {
			return nil, err
		}
		out = append(out, i)
	}
	slices.Reverse(out)
	return out, nil
}

func isResult(n *message.Node) bool {
	return n.Type == message.EntryMessage && n.Message.Role == message.RoleToolResult && !prune.Manages(n.Message.ToolName)
}

func (c *Capture) key(n *message.Node) object.Key {
	return object.ToolcallKey(c.Session, n.ID, n.Message.ToolCallID)
}

// begin starts a transaction.
func (c *Capture) begin() {
	c.tx = object.Tx{Actor: object.ActorCapture, Session: c.Session}
	c.ids, c.met = make(map[string]string), make(map[string]bool)
}

func (c *Capture) submit(ctx context.Context) error {
	if len(c.tx.Ops) == 0 {
		return nil
	}
	_, err := c.Store.Submit(ctx, c.tx)
	c.tx = object.Tx{}
	if err != nil {
		return fmt.Errorf("capture objects: %w", err)
	}
	return nil
}

// id is the id of the object with a key, also of one that is about to be made.
func (c *Capture) id(ctx context.Context, k object.Key) (id string, known bool, err error) {
	if id, ok := c.ids[k.String()]; ok {
		return id, true, nil
	}
	o, err := c.Store.ByKey(ctx, k)
	if errors.Is(err, object.ErrUnknown) {
		return object.NewID(k, 0), false, nil
	}
	return o.ID, err == nil, err
}

// put adds a version to the transaction, and the event that the session met the
// object at an entry.
func (c *Capture) put(id string, k object.Key, op object.Op, what object.EventKind, leaf string) {
	op.Do, op.Key = object.Put, k
	c.tx.Ops = append(c.tx.Ops, op)
	c.ids[k.String()] = id
	c.meet(id, k, what, leaf)
}

// meet adds the event, which counts if the session has none of the object yet. Without
// a session there is nobody who could meet it.
func (c *Capture) meet(id string, k object.Key, what object.EventKind, leaf string) {
	if c.met[id] || c.Session == "" {
		return
	}
	c.met[id] = true
	c.tx.Ops = append(c.tx.Ops, object.Op{Do: object.Record, Key: k, Event: what, Leaf: leaf, Once: true})
}

// result captures the tool result at a position of a branch. A result without its
// call is captured as what it is.
func (c *Capture) result(ctx context.Context, path []*message.Node, at int, line Line) (bool, error) {
	n := path[at]
	args, err := argumentsOf(path[:at], n.Message.ToolCallID, line)
	if err != nil {
		return false, err
	}
	raw, err := line(n)
	if err != nil {
		return false, fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	text := textOf(n, raw)
	h := &n.Message
	doc := &object.Document{
		Kind: object.KindToolcall, Content: text,
		Provenance: object.Provenance{Origin: "pi", Generator: object.ByTool},
		Toolcall:   &object.Toolcall{Tool: h.ToolName, Args: args, ArgsDisplay: display(args), Status: object.StatusOK},
	}
	if h.IsError {
		doc.Toolcall.Status = object.StatusFail
	} else if doc.Toolcall.Files, err = c.files(ctx, n, args, text); err != nil {
		return false, err
	}
	k := c.key(n)
	c.put(object.NewID(k, 0), k, object.Op{Doc: doc, Valid: object.Interval{From: timeOf(n)}, Once: true}, object.Activated, n.ID)
	return true, c.nested(n, raw)
}

// timeOf is when an entry was written.
func timeOf(n *message.Node) object.Time {
	ms := n.Message.Timestamp
	if ms == 0 {
		ms = n.Time
	}
	return object.Time(max(0, ms) * 1000)
}

// textOf is the text of a result, nil when it has none: an image alone is no text.
func textOf(n *message.Node, raw []byte) []byte {
	content := n.Message.Content
	if content.Kind == message.ContentBlocks && content.Images > 0 && content.Chars == 0 {
		return nil
	}
	if content.Kind != message.ContentBlocks && content.Kind != message.ContentText {
		return nil
	}
	return n.AppendBody([]byte{}, raw)
}

// argumentsOf are the whole arguments of the latest call with an id, nil when there is
// none: heads keep only the start of long ones.
func argumentsOf(path []*message.Node, id string, line Line) (jsontext.Value, error) {
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		if n.Type != message.EntryMessage || n.Message.Role != message.RoleAssistant {
			continue
		}
		for _, b := range n.Message.Content.Blocks {
			if b.Kind != message.BlockToolCall || b.Call >= len(n.Message.Calls) || n.Message.Calls[b.Call].ID != id {
				continue
			}
			raw, err := line(n)
			if err != nil {
				return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
			}
			return jsontext.Value(slices.Clone(b.Text.Of(n.Body.Of(raw)))), nil
		}
	}
	return nil, nil
}

// maxDisplay is how much of the arguments a catalogue shows, in bytes.
const maxDisplay = 80

// display is what a catalogue shows of arguments: what tells the call apart.
func display(args jsontext.Value) string {
	var p message.Parser
	for _, name := range [...]string{"path", "file_path", "command", "pattern", "query", "url"} {
		s, err := p.Member(args, name)
		if err != nil || s.End == 0 {
			continue
		}
		if said := message.Unquote(s.Of(args)); said != "" {
			line, _, _ := strings.Cut(said, "\n")
			return shortened(line)
		}
	}
	return ""
}

// shortened cuts a line to what a display takes.
func shortened(line string) string {
	const dots = "..."
	if len(line) <= maxDisplay {
		return line
	}
	return text.CutBytes(line, maxDisplay-len(dots)) + dots
}
