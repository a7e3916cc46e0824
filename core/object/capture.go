package object

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/tool"
)

// Files provides access to the machine's files.
type Files interface {
	// Look describes the file at an absolute path.
	Look(path string) Look
	// Read returns the content of a regular file, at most limit bytes.
	Read(path string, limit int64) ([]byte, error)
	// Moved searches the project for files with the metadata of vanished ones. It returns
	// the possible new paths of each, by its index in stats.
	Moved(stats []Stat) map[int][]string
}

// Look is a path and what is there.
type Look struct {
	// Path is canonical: symbolic links are resolved.
	Path string
	// File is set for a regular file inside the project. Nothing else becomes an object.
	File bool
	// Gone is set when nothing is there. Outside is set for a path outside of the project,
	// as in a session recorded on another machine.
	Gone, Outside bool
	// Ignored is set for a file that the project's .gitignore files exclude.
	Ignored bool
	Stat    Stat
}

// MaxContent is the maximum size in bytes of a file whose content is kept.
const MaxContent = 2 << 20

// Capture captures one session.
type Capture struct {
	Store   Store
	Files   Files
	Session string
	// CWD is the directory of relative paths.
	CWD string
	// Unlisted is set to leave out files that are only named, by listings and commands.
	Unlisted bool
	// Release closes the session that lines are read from. It is called before writing to
	// the store, which may wait for other processes. It may be nil.
	Release func()

	tx       Tx
	recorded map[string]bool   // ids of objects whose event is in tx
	ids      map[string]string // ids of the objects that tx creates, by key
	// past is the last known content of files, by path, nil for unknown, while capturing a
	// session that is over. In a running session past itself is nil.
	past map[string]pastFile
}

// Line returns the bytes of an entry, valid until the next call, or ErrErased. When it
// masks bytes it also masks the node.
type Line func(*message.Node) ([]byte, error)

// ErrErased is returned for an entry that the user purged; there is nothing to capture.
var ErrErased = errors.New("the entry was purged")

// Turn captures the new part of a branch: the results of tools, and what they did to files.
// It returns the number of captured results.
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

// pending are the positions of the results that are not captured yet, in order.
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
		if !errors.Is(err, ErrUnknown) {
			return nil, err
		}
		out = append(out, i)
	}
	slices.Reverse(out)
	return out, nil
}

// isResult reports whether an entry is a tool result that becomes an object. Results of the
// tools that manage objects do not.
func isResult(n *message.Node) bool {
	return n.Type == message.EntryMessage && n.Message.Role == message.RoleToolResult && !policy.Manages(n.Message.ToolName)
}

// key returns the key of the call whose result an entry is.
func (c *Capture) key(n *message.Node) Key {
	return ToolcallKey(c.Session, n.ID, n.Message.ToolCallID)
}

// begin starts a transaction.
func (c *Capture) begin() {
	c.tx = Tx{Actor: ActorCapture, Session: c.Session}
	c.ids, c.recorded = make(map[string]string), make(map[string]bool)
}

// submit ends the transaction that begin started.
func (c *Capture) submit(ctx context.Context) error {
	if len(c.tx.Ops) == 0 {
		return nil
	}
	if c.Release != nil {
		c.Release()
	}
	_, err := c.Store.Submit(ctx, c.tx)
	c.tx = Tx{}
	if err != nil {
		return fmt.Errorf("capture objects: %w", err)
	}
	return nil
}

// id returns the id of the object with a key. known is set when the object exists or the
// transaction creates it.
func (c *Capture) id(ctx context.Context, k Key) (id string, known bool, err error) {
	if id, ok := c.ids[k.String()]; ok {
		return id, true, nil
	}
	o, err := c.Store.ByKey(ctx, k)
	if errors.Is(err, ErrUnknown) {
		return NewID(k, 0), false, nil
	}
	return o.ID, err == nil, err
}

// put adds a version to the transaction, and an event of the object at an entry.
func (c *Capture) put(id string, k Key, op Op, kind EventKind, leaf string) {
	op.Do, op.Key = Put, k
	c.tx.Ops = append(c.tx.Ops, op)
	c.ids[k.String()] = id
	c.record(id, k, kind, leaf)
}

// record adds an event of an object to the transaction, unless the session has one of that
// object. Without a session there are no events.
func (c *Capture) record(id string, k Key, kind EventKind, leaf string) {
	if c.recorded[id] || c.Session == "" {
		return
	}
	c.recorded[id] = true
	c.tx.Ops = append(c.tx.Ops, Op{Do: Record, Key: k, Event: kind, Leaf: leaf, Once: true})
}

// result captures the tool result at a position of a branch. A result without a call is
// captured without arguments.
func (c *Capture) result(ctx context.Context, path []*message.Node, at int, line Line) (bool, error) {
	n := path[at]
	args, err := argumentsOf(path[:at], n.Message.ToolCallID, line)
	if err != nil {
		return false, err
	}
	raw, err := line(n)
	if errors.Is(err, ErrErased) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read entry %s: %w", n.ID, err)
	}
	text := textOf(n, raw)
	h := &n.Message
	doc := &Document{
		Kind: KindToolcall, Content: text,
		Toolcall: &Toolcall{Tool: h.ToolName, ArgsDisplay: argsDisplay(args), Status: StatusOK},
	}
	if h.IsError {
		doc.Toolcall.Status = StatusFail
	} else if doc.Toolcall.Files, err = c.files(ctx, n, args, text); err != nil {
		return false, err
	}
	k := c.key(n)
	c.put(NewID(k, 0), k, Op{Doc: doc, At: timeOf(n), Once: true}, Activated, n.ID)
	return true, c.nested(n, raw)
}

// timeOf returns when an entry was written.
func timeOf(n *message.Node) Time {
	ms := n.Message.Timestamp
	if ms == 0 {
		ms = n.Time
	}
	return Time(max(0, ms) * 1000)
}

// textOf returns the text of a result, nil without text, for example when it has only
// images.
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

// argumentsOf returns the arguments of the latest call with an id, nil without one. It
// reads them from the entry, because heads keep only the beginning of long ones.
func argumentsOf(path []*message.Node, id string, line Line) (jsontext.Value, error) {
	for i := len(path) - 1; i >= 0; i-- {
		n := path[i]
		if callIn(n, id) == nil {
			continue
		}
		raw, err := line(n)
		if errors.Is(err, ErrErased) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		if b := callIn(n, id); b != nil { // its location in the line as masked
			return jsontext.Value(slices.Clone(b.Text.Of(n.Body.Of(raw)))), nil
		}
		return nil, nil
	}
	return nil, nil
}

// callIn returns the block of a message with the call of an id, nil without one.
func callIn(n *message.Node, id string) *message.Block {
	if n.Type != message.EntryMessage || n.Message.Role != message.RoleAssistant {
		return nil
	}
	for i := range n.Message.Content.Blocks {
		b := &n.Message.Content.Blocks[i]
		if b.Kind == message.BlockToolCall && b.Call < len(n.Message.Calls) && n.Message.Calls[b.Call].ID == id {
			return b
		}
	}
	return nil
}

// maxDisplay is how many bytes of the arguments a catalogue shows.
const maxDisplay = 80

// argsDisplay is the argument that identifies a call, for a catalogue.
func argsDisplay(args jsontext.Value) string {
	line, _, _ := strings.Cut(tool.MainArgument(args), "\n")
	return shortened(line)
}

// shortened cuts a line to maxDisplay bytes.
func shortened(line string) string {
	const dots = "..."
	if len(line) <= maxDisplay {
		return line
	}
	return text.CutBytes(line, maxDisplay-len(dots)) + dots
}
