package message

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// Node is an entry with its location in a session file.
type Node struct {
	Entry
	Offset int64 // where its line starts in the file
	Length int   // of its line, without the line end
	Line   int   // counted from 1

	// Set by the Tree: numbers in place of ids, to avoid a lookup by name per node.
	own, parent, target ref
}

// ref is the number that a tree assigned to an id. An id that is only referred to has one
// too, and entries with the same id share one. 0 means no id.
type ref int32

// Session is a recorded session of an agent.
type Session interface {
	// Entries returns the tree of its entries, empty when the session has no file yet.
	Entries() *Tree
	// Line returns the bytes of an entry, valid until the next call.
	Line(n *Node) ([]byte, error)
}

// Tree holds the entries of one session and knows which messages the model sees from any of
// them. It keeps heads only; the text is read by offset when needed.
type Tree struct {
	Header Header
	// Nodes are the session's entries in file order, the header included.
	Nodes []Node

	refs map[string]ref // the number of every id
	at   []int32        // index in Nodes by ref, -1 for none; the last entry wins, as in pi
	last string         // id of the last entry, the default leaf
	tip  ref            // its number

	tangled bool    // an id occurred before its entry, or twice: there may be cycles
	customs []int32 // indexes in Nodes of the custom entries
	walked  walked
}

// walked is the path of the most recent walk.
type walked struct {
	leaf   string
	first  *Node // &Nodes[0]; a path is stale once Nodes was reallocated
	path   []*Node
	asides []*Node
}

// ref returns the number of an id.
func (t *Tree) ref(id string) ref {
	if id == "" {
		return 0
	}
	r, ok := t.refs[id]
	if !ok {
		if t.refs == nil {
			t.refs, t.at = make(map[string]ref), []int32{-1}
		}
		r = ref(len(t.at))
		t.refs[id] = r
		t.at = append(t.at, -1)
	}
	return r
}

// node returns the entry with a number, nil when there is none.
func (t *Tree) node(r ref) *Node {
	if int(r) >= len(t.at) || t.at[r] < 0 {
		return nil
	}
	return &t.Nodes[t.at[r]]
}

// Expect reserves room for more entries. Growing on demand copies the nodes several times,
// which takes longer than reading them.
func (t *Tree) Expect(entries int) {
	t.Nodes = slices.Grow(t.Nodes, entries)
	if t.refs == nil {
		t.refs, t.at = make(map[string]ref, entries), append(make([]int32, 0, entries+1), -1)
	}
}

// Add appends the next entry of the file. Entries of version 1 have no ids: they get those
// that EntryID derives and form a list, as in pi's own migration.
func (t *Tree) Add(n Node) {
	if n.Header != nil && len(t.Nodes) == 0 {
		t.Header = *n.Header
		t.Nodes = append(t.Nodes, n)
		return
	}
	if n.Type == EntrySession {
		t.Nodes = append(t.Nodes, n)
		return
	}
	if n.ID == "" {
		t.Header.Identify(&n.Entry, len(t.Nodes))
		if t.Header.Version < 2 { // a second header is not part of the line
			n.ParentID = t.last
		}
	}
	if i := n.FirstKeptIndex; t.Header.Version < 2 && i >= 0 && i < len(t.Nodes) && t.Nodes[i].Type != EntrySession {
		n.FirstKept = t.Nodes[i].ID
	}
	ids := len(t.at)
	n.own = t.ref(n.ID)
	if len(t.at) == ids { // an earlier entry has the id or refers to it
		t.tangled = true
	}
	if n.Type == EntryCustom {
		t.customs = append(t.customs, int32(len(t.Nodes)))
	}
	if n.parent = t.tip; n.ParentID != t.last {
		n.parent = t.ref(n.ParentID)
	}
	n.target = t.ref(n.Target)
	if n.own > 0 {
		t.at[n.own] = int32(len(t.Nodes))
	}
	t.last, t.tip = n.ID, n.own
	t.Nodes = append(t.Nodes, n)
}

// Identify gives an entry without an id the one that EntryID derives from its index among
// the file's entries, the header being 0. In a version 1 file its parent becomes the
// preceding entry.
func (h *Header) Identify(e *Entry, ordinal int) {
	if e.ID != "" || e.Type == EntrySession {
		return
	}
	e.ID = EntryID(h.ID, ordinal)
	first := 1
	if h.Version == 0 { // the file has no header
		first = 0
	}
	if h.Version < 2 && ordinal > first {
		e.ParentID = EntryID(h.ID, ordinal-1)
	}
}

// EntryID derives the id of an entry that has none from its session and its index among the
// file's entries, so that every reading yields the same ids. Like pi's own ids it has eight
// hexadecimal digits.
func EntryID(session string, position int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", session, position))
	return hex.EncodeToString(sum[:4])
}

// Leaf returns the id of the entry at which the session stands: the last one appended, ""
// in an empty session.
func (t *Tree) Leaf() string { return t.last }

// Lookup returns the entry with the given id, nil when there is none.
func (t *Tree) Lookup(id string) *Node {
	if r, ok := t.refs[id]; ok {
		return t.node(r)
	}
	return nil
}

// Path returns the entries from the root to leaf. It stops at a parent that is not in the
// file and at a cycle, neither of which an intact file has. The time that a call takes
// depends on what is new since the previous call's path. The slice belongs to the tree.
func (t *Tree) Path(leaf string) []*Node {
	w := t.walk(leaf)
	return w.path[:len(w.path):len(w.path)]
}

// Asides returns the entries of Path that are neither messages nor edits of messages.
func (t *Tree) Asides(leaf string) []*Node {
	w := t.walk(leaf)
	return w.asides[:len(w.asides):len(w.asides)]
}

// Customs returns the custom entries of all branches, in file order.
func (t *Tree) Customs() []*Node {
	out := make([]*Node, len(t.customs))
	for i, at := range t.customs {
		out[i] = &t.Nodes[at]
	}
	return out
}

// walk walks to leaf, starting from the end of the previous walk if that is on the way.
func (t *Tree) walk(leaf string) *walked {
	w := &t.walked
	if len(t.Nodes) == 0 {
		return &walked{}
	}
	same := w.first == &t.Nodes[0] && len(w.path) > 0 && !t.tangled
	if same && leaf == w.leaf {
		return w
	}
	from := ""
	if same {
		from = w.leaf
	}
	added, reached := t.climb(leaf, from)
	if !reached {
		*w = walked{first: &t.Nodes[0]}
	}
	w.leaf = leaf
	w.path = append(w.path, added...)
	for _, n := range added {
		switch n.Type {
		case EntryMessage, EntryCustomMessage, EntryContextEdit:
		default:
			w.asides = append(w.asides, n)
		}
	}
	return w
}

// Follows reports whether an earlier entry is on the branch of n. In an intact session it is
// a few entries away.
func (t *Tree) Follows(n, earlier *Node) bool {
	at := t.Lookup(n.ParentID)
	for steps := 0; at != nil && steps < len(t.Nodes); steps++ {
		if at == earlier {
			return true
		}
		at = t.Lookup(at.ParentID)
	}
	return false
}

// climb returns the entries after from up to leaf, in order, and whether it reached from;
// if not, the path begins at the root.
func (t *Tree) climb(leaf, from string) (path []*Node, reached bool) {
	n := t.Lookup(leaf)
	if n != nil && from == "" {
		path = make([]*Node, 0, len(t.Nodes))
	}
	for n != nil && len(path) <= len(t.Nodes) && !reached {
		path = append(path, n)
		n = t.node(n.parent)
		reached = n != nil && n.ID == from
	}
	if len(path) > len(t.Nodes) {
		path = withoutCycle(path)
	}
	slices.Reverse(path)
	return path, reached
}

// withoutCycle cuts a path at the first entry that occurs for the second time.
func withoutCycle(path []*Node) []*Node {
	seen := make(map[*Node]bool)
	for i, n := range path {
		if seen[n] {
			return path[:i]
		}
		seen[n] = true
	}
	return path
}
