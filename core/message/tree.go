package message

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// Node is an entry's place in a session file.
type Node struct {
	Entry
	Offset int64 // where its line starts in the file
	Length int   // of its line, without the line end
	Line   int   // counted from 1

	// What follows is given by the Tree: numbers of ids instead of the ids
	// themselves, so that nothing is looked up by name for every node.
	own, parent, target ref
}

// ref is the number that a tree has given to an id. Entries with one id share
// it. An id that is only referred to has a number too. 0 means no id.
type ref int32

// Tree holds the entries of one session and knows which messages the model sees
// from any of them. It keeps heads only; text is fetched by offset when needed.
type Tree struct {
	Header Header
	// Nodes are the session's entries in file order, the header included.
	Nodes []Node

	refs map[string]ref // the number of every id that occurs
	at   []int32        // the position in Nodes by ref, -1 for no entry; the last one wins, as in pi
	last string         // id of the last entry, the default leaf
	tip  ref            // its number

	tangled bool    // an id occurred before its entry, or twice: paths may cross themselves
	customs []int32 // the positions in Nodes of custom entries
	walked  walked
}

// walked is the path that was asked for last.
type walked struct {
	leaf   string
	first  *Node // of Nodes: those of a path are elsewhere once Nodes has moved
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

// node returns the entry with the id of a number, nil when there is none.
func (t *Tree) node(r ref) *Node {
	if int(r) >= len(t.at) || t.at[r] < 0 {
		return nil
	}
	return &t.Nodes[t.at[r]]
}

// Expect makes room for so many entries more. A tree that grows on its own copies
// its nodes several times, which costs more than reading them.
func (t *Tree) Expect(entries int) {
	t.Nodes = slices.Grow(t.Nodes, entries)
	if t.refs == nil {
		t.refs, t.at = make(map[string]ref, entries), append(make([]int32, 0, entries+1), -1)
	}
}

// Add appends the next entry of the file. Entries of version 1 files have no
// ids: they get the ones EntryID derives and form a line, as pi's own migration
// makes them.
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
	if len(t.at) == ids { // entries refer to it already, or another one has it
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

// Identify gives an entry that has no id the one EntryID derives from its
// position among the file's entries, the header being 0, and in a version 1 file
// the entry before it as its parent.
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

// EntryID derives the id of an entry that has none from its session and its
// position among the file's entries, so that reading the file again gives the
// same ids. It has the form of pi's ids: eight hexadecimal digits.
func EntryID(session string, position int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", session, position))
	return hex.EncodeToString(sum[:4])
}

// Leaf is the id of the entry where the session is: the last appended one.
// It is "" in an empty session.
func (t *Tree) Leaf() string { return t.last }

// Lookup returns the entry with the given id, nil when there is none.
func (t *Tree) Lookup(id string) *Node {
	if r, ok := t.refs[id]; ok {
		return t.node(r)
	}
	return nil
}

// Path returns the entries from the root to leaf. It ends early at a parent that is not
// in the file and at a cycle, which an intact file never has.
// A path that continues the one that was asked for last costs what is new in it. It
// belongs to the tree.
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

// walk walks to leaf, from where the last walk ended if that is on the way.
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

// climb returns the entries after from up to leaf, in order, and whether it reached
// from; if not, the path begins at the root.
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

// withoutCycle cuts a path where it returns to an entry that it holds.
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
