package summary

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Unit is a message of a branch.
type Unit struct {
	*message.Node
	// Hash is that of the entry's line.
	Hash [sha256.Size]byte
	// Tokens is the size of what a summariser reads of it, a quarter of its bytes:
	// more than pi's estimate for other alphabets, which models count higher too.
	Tokens token.Count
	// Pieces is set when that is only pieces of it, see ReadBranch.
	Pieces bool
}

// Branch is a session's path as far as it is to be covered: what a model was told
// and said, in order. Compactions and the system prompt are none of it.
type Branch struct {
	Session string
	Units   []Unit
	line    func(*message.Node) ([]byte, error)
	large   token.Count
	index   map[string]int
	signs   *signs
	text    []byte // reused
}

// ReadBranch reads the path to leaf up to the entry cut, which is the first that
// is not to be covered; "" covers everything. large is the size up to which a
// message is read in full. It is an error when cut is not on the path.
func ReadBranch(t *message.Tree, leaf, cut string, large token.Count, line func(*message.Node) ([]byte, error)) (*Branch, error) {
	b := &Branch{Session: t.Header.ID, line: line, large: large, index: make(map[string]int), signs: newSigns()}
	found := cut == ""
	for _, n := range t.Path(leaf) {
		if n.ID == cut && cut != "" {
			found = true
			break
		}
		if !covered(n) {
			continue
		}
		u := Unit{Node: n}
		raw, err := line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		u.Hash = sha256.Sum256(raw)
		u.Tokens = token.OfChars(len(b.rendered(n, raw))) + headTokens
		u.Pieces = b.inPieces(n)
		b.index[n.ID] = len(b.Units)
		b.Units = append(b.Units, u)
	}
	if !found {
		return nil, fmt.Errorf("read branch: entry %s is not on it", cut)
	}
	return b, nil
}

// headTokens is about what the line before a message takes in a prompt.
const headTokens = 16

// covered reports whether an entry is a message that summaries stand for.
func covered(n *message.Node) bool {
	switch n.Type {
	case message.EntryMessage:
		return n.Message.Role != message.RoleSystem && !n.Message.Excluded
	case message.EntryCustomMessage:
		return true
	case message.EntryBranchSummary:
		return n.Message.Body.End > 0
	}
	return false
}

// rangeHash identifies a span of messages: their ids and bytes.
func (b *Branch) rangeHash(from, to int) string {
	h := sha256.New()
	for _, u := range b.Units[from:to] {
		fmt.Fprintf(h, "%d %s\n", len(u.ID), u.ID)
		h.Write(u.Hash[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// tokens is the size of a span, as a summariser reads it.
func (b *Branch) tokens(from, to int) token.Count {
	var n token.Count
	for _, u := range b.Units[from:to] {
		n += u.Tokens
	}
	return n
}

// Tree reads the stored lines of a session as the tree they form, with a function
// that returns the bytes of an entry. All of them are in memory.
func Tree(ctx context.Context, st Reader, session string) (*message.Tree, func(*message.Node) ([]byte, error), error) {
	var t message.Tree
	var p message.Parser
	lines := make(map[string][]byte)
	err := st.Lines(ctx, session, func(raw []byte) error {
		raw = append([]byte(nil), raw...)
		e, err := p.ParseEntry(raw)
		if err != nil {
			return nil // what is no entry is on no path
		}
		if e.Header != nil && len(t.Nodes) > 0 {
			return nil
		}
		t.Add(message.Node{Entry: e, Length: len(raw)})
		lines[t.Nodes[len(t.Nodes)-1].ID] = raw
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if t.Header.ID == "" {
		t.Header.ID = session
	}
	return &t, func(n *message.Node) ([]byte, error) {
		raw, ok := lines[n.ID]
		if !ok {
			return nil, fmt.Errorf("entry %s is not stored", n.ID)
		}
		return raw, nil
	}, nil
}

// Cut returns the entry from which an agent keeps the messages of a path when it
// compacts at leaf, as pi finds it: messages of keep tokens, beginning with one
// that is no tool result. It is "" when there is nothing before it.
func Cut(t *message.Tree, leaf string, keep token.Count) string {
	path := t.Path(leaf)
	start := 0
	for i, n := range path {
		if n.Type == message.EntryCompaction {
			start = i + 1
			for k, m := range path[:i] {
				if m.ID == n.FirstKept {
					start = k
				}
			}
		}
	}
	at, sum := -1, token.Count(0)
	for i := len(path) - 1; i >= start && at < 0; i-- {
		if path[i].Type == message.EntryMessage {
			sum += token.Estimate(&path[i].Message)
		}
		if sum >= keep {
			at = i
		}
	}
	for ; at >= 0 && at < len(path) && !cuttable(path[at]); at++ { //nolint:revive // the loop is the work
	}
	if at < 0 || at >= len(path) {
		return ""
	}
	return path[at].ID
}

// cuttable reports whether the messages that are kept may begin with an entry.
func cuttable(n *message.Node) bool {
	switch n.Type {
	case message.EntryMessage:
		return n.Message.Role != message.RoleToolResult && n.Message.Role != message.RoleSystem
	case message.EntryCustomMessage, message.EntryBranchSummary:
		return true
	}
	return false
}
