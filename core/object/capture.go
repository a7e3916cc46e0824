package object

import (
	"bytes"
	"context"
	"encoding/json"
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
	// Moved searches the project for files with the metadata of vanished ones, and returns their
	// paths, the likeliest first.
	Moved(stats []Stat) []string
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

	tx  Tx
	ids map[string]string // ids of the objects in tx, by key
	// past is the last known content of files, by path, while capturing a session that is over. In
	// a running session past itself is nil.
	past map[string]shownFile
}

// Line returns the bytes of an entry, valid until the next call, or ErrErased. When it
// masks bytes it also masks the node.
type Line func(*message.Node) ([]byte, error)

// ErrErased is returned for an entry that the user purged; there is nothing to capture.
var ErrErased = errors.New("the entry was purged")

// Turn captures the new part of a branch: the results of tools, and what they did to files.
// It returns the number of captured results.
func (c *Capture) Turn(ctx context.Context, t *message.Tree, leaf string, line Line) (int, error) {
	var pending []*message.Node
	for _, n := range slices.Backward(t.Path(leaf)) {
		known, err := c.captured(ctx, n)
		if err != nil {
			return 0, err
		}
		if known {
			break
		}
		pending = append(pending, n)
	}
	slices.Reverse(pending)
	return c.results(ctx, t, pending, line)
}

// Past captures all branches of a recorded session, and returns the number of captured
// results. Contents of files come from the session alone, because the disk has only the
// present ones; Files says which paths belong to the project. Files that a listing or
// command names are left out, because nothing shows that they were files.
//
// Versions have the times of their entries. Capturing a session again adds only what is
// new; a session that was captured while it ran gains nothing.
func (c *Capture) Past(ctx context.Context, t *message.Tree, line Line) (int, error) {
	c.past, c.Unlisted = make(map[string]shownFile), true
	all := make([]*message.Node, len(t.Nodes)) // in the order of the file, which is that of time
	for i := range t.Nodes {
		all[i] = &t.Nodes[i]
	}
	done, err := c.results(ctx, t, all, line)
	if err != nil {
		return done, err
	}
	_, err = c.Store.ByKey(ctx, ChatKey(c.Session))
	if err != nil && !errors.Is(err, ErrUnknown) || err == nil && done == 0 {
		return done, err
	}
	return done, c.Chat(ctx, t, t.Leaf(), line)
}

// captured reports whether an entry is a result that was captured.
func (c *Capture) captured(ctx context.Context, n *message.Node) (bool, error) {
	if !isResult(n) {
		return false, nil
	}
	_, err := c.byKey(ctx, c.key(n))
	return err == nil, ignoreUnknown(err)
}

// results captures those of some entries that are results and were not captured.
func (c *Capture) results(ctx context.Context, t *message.Tree, nodes []*message.Node, line Line) (int, error) {
	c.begin()
	done := 0
	for _, n := range nodes {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		known, err := c.captured(ctx, n)
		if err != nil {
			return 0, err
		}
		if known || !isResult(n) {
			continue
		}
		path := t.Path(n.ID)
		if len(path) == 0 || path[len(path)-1] != n { // another entry has its id
			continue
		}
		ok, err := c.result(ctx, path, line)
		if err != nil {
			return 0, err
		}
		if ok {
			done++
		}
	}
	return done, c.submit(ctx)
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
	c.ids = make(map[string]string)
}

// submit ends the transaction that begin started.
func (c *Capture) submit(ctx context.Context) error {
	if len(c.tx.Ops) == 0 {
		return nil
	}
	if c.Release != nil {
		c.Release()
	}
	for i := range c.tx.Ops {
		op := &c.tx.Ops[i]
		if op.Key = c.masked(op.Key); op.Doc != nil {
			c.mask(op.Doc)
		}
	}
	_, err := c.Store.Submit(ctx, c.tx)
	c.tx = Tx{}
	if err != nil {
		return fmt.Errorf("capture objects: %w", err)
	}
	return nil
}

// mask masks what the lines of a session, which are masked when they are read, do not have.
func (c *Capture) mask(d *Document) {
	if c.Store.Mask == nil {
		return
	}
	if d.Content != nil {
		d.Content = append([]byte{}, c.Store.Mask(string(d.Content))...)
	}
	if d.File != nil {
		d.File.Path = c.Store.Mask(d.File.Path)
	}
}

// masked masks the last part of a key. The session and entry of a call are kept, because they
// connect the object with them.
func (c *Capture) masked(k Key) Key {
	if last := len(k.parts) - 1; last > 0 && c.Store.Mask != nil {
		k.parts = slices.Clone(k.parts)
		k.parts[last] = c.Store.Mask(k.parts[last])
	}
	return k
}

// byKey finds an object by its key, else ErrUnknown.
func (c *Capture) byKey(ctx context.Context, k Key) (Object, error) {
	return c.Store.ByKey(ctx, c.masked(k))
}

// id returns the id of the object with a key. known is set when the object exists or the
// transaction creates it.
func (c *Capture) id(ctx context.Context, k Key) (id string, known bool, err error) {
	if id, ok := c.ids[k.String()]; ok {
		return id, true, nil
	}
	o, err := c.byKey(ctx, k)
	if errors.Is(err, ErrUnknown) {
		return NewID(k, 0), false, nil
	}
	return o.ID, err == nil, err
}

// put adds a version of the object with an id to the transaction, and an event at an entry.
func (c *Capture) put(id string, op Op, kind EventKind, leaf string) {
	op.Do = Put
	c.tx.Ops = append(c.tx.Ops, op)
	c.record(id, op.Key, kind, leaf)
}

// record adds an event of an object to the transaction, unless that has one already. The session
// keeps it if it is the first of the object. Without a session there are no events.
func (c *Capture) record(id string, k Key, kind EventKind, leaf string) {
	_, done := c.ids[k.String()]
	c.ids[k.String()] = id
	if !done && c.Session != "" {
		c.tx.Ops = append(c.tx.Ops, Op{Do: Record, Key: k, Event: kind, Leaf: leaf, Once: true})
	}
}

// result captures the tool result at the end of a branch. A result without a call is
// captured without arguments.
func (c *Capture) result(ctx context.Context, path []*message.Node, line Line) (bool, error) {
	n := path[len(path)-1]
	args, err := argumentsOf(path, n.Message.ToolCallID, line)
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
	doc := &Document{
		Kind: KindToolcall, Content: text,
		Toolcall: &Toolcall{Tool: n.Message.ToolName, ArgsDisplay: argsDisplay(args), Status: statusOf(n.Message.IsError)},
	}
	if !n.Message.IsError {
		if doc.Toolcall.Files, err = c.files(ctx, n, args, text); err != nil {
			return false, err
		}
	}
	k := c.key(n)
	c.put(NewID(k, 0), Op{Key: k, Doc: doc, At: timeOf(n), Once: true}, Activated, n.ID)
	return true, c.nested(n, raw)
}

// statusOf returns the status of a call that failed or did not.
func statusOf(failed bool) Status {
	if failed {
		return StatusFail
	}
	return StatusOK
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
	for _, n := range slices.Backward(path) {
		if callIn(n, id) == nil {
			continue
		}
		raw, err := line(n)
		b := callIn(n, id) // its location in the line as masked
		switch {
		case errors.Is(err, ErrErased):
			return nil, nil
		case err != nil:
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		case b == nil:
			return nil, nil
		}
		return jsontext.Value(slices.Clone(b.Text.Of(n.Body.Of(raw)))), nil
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
	const dots = "..."
	line, _, _ := strings.Cut(tool.MainArgument(args), "\n")
	if len(line) > maxDisplay {
		line = text.CutBytes(line, maxDisplay-len(dots)) + dots
	}
	return line
}

// nestedCall is the record that pi, from 0.99 on, keeps of a call that a tool made. The
// call has no message of its own, and its result is not kept.
type nestedCall struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Status    string         `json:"status"` // "ok", "error" or "unfinished"
	Arguments jsontext.Value `json:"arguments"`
}

// nested captures the calls that the tool of a result made, with a reference to the calling
// call: pi gives the nth call of a call the id "<its id>/<n>". They have no content, so
// they are discovered rather than activated.
func (c *Capture) nested(n *message.Node, raw []byte) error {
	body := n.Body.Of(raw)
	if !bytes.Contains(body, []byte(`"nestedCalls"`)) {
		return nil // parse only if necessary: few results have them
	}
	var p message.Parser
	at, err := p.Member(body, "nestedCalls")
	if err != nil || at.End == 0 {
		return err
	}
	var list struct {
		Calls []nestedCall `json:"calls"`
	}
	_ = json.Unmarshal(at.Of(body), &list) // of an unknown format: the result is captured without them
	for _, call := range list.Calls {
		caller := n.Message.ToolCallID
		if i := strings.LastIndexByte(call.ID, '/'); i > 0 {
			caller = call.ID[:i]
		}
		k := ToolcallKey(c.Session, n.ID, call.ID)
		doc := &Document{Kind: KindToolcall, Toolcall: &Toolcall{
			Tool: call.Name, ArgsDisplay: argsDisplay(call.Arguments), Status: statusOf(call.Status != "ok"),
			Parent: NewID(ToolcallKey(c.Session, n.ID, caller), 0),
		}}
		c.put(NewID(k, 0), Op{Key: k, Doc: doc, At: timeOf(n), Once: true}, Discovered, n.ID)
	}
	return nil
}
