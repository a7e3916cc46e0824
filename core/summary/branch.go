package summary

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/token"
)

// Unit is a message of a branch.
type Unit struct {
	*message.Node
	// Hash is the hash of the entry's line.
	Hash [sha256.Size]byte
	// Tokens is the estimated size of the text that a summarizer reads: a quarter of its
	// bytes. For non-Latin alphabets that is more than pi's estimate, and closer to real
	// models.
	Tokens token.Count
	// Pieces is set when a summarizer reads only pieces of the message: see Limits.
	Pieces bool
}

// Branch is the part of a session's path to be covered: the messages to and from the model,
// in order, without compactions and the system prompt.
type Branch struct {
	Session string
	Units   []Unit
	line    func(*message.Node) ([]byte, error)
	limits  Limits
	dir     string // the session's directory
	index   map[string]int
	// keptFrom is the first unit that the last compaction on the path kept, 0 without one;
	// earlier units were summarized then. given is the last summary on the path that
	// another program wrote.
	keptFrom int
	given    *given
	signs    *signs
	kept     []*message.Node // the messages after Units, which the agent keeps
	text     []byte          // a buffer
}

// at returns message i of Units and, after them, of what is kept; nil after the last.
func (b *Branch) at(i int) *message.Node {
	switch n := i - len(b.Units); {
	case n < 0:
		return b.Units[i].Node
	case n < len(b.kept):
		return b.kept[n]
	}
	return nil
}

// Limits are the sizes up to which a summarizer reads messages in full; of longer ones it
// reads pieces. 0 is no limit.
type Limits struct {
	// Message is the limit for any message.
	Message token.Count
	// Output is the limit for the output of a tool.
	Output token.Count
}

// outputShown is how much of a tool's output pi itself shows to the model that writes a
// summary, in tokens.
const outputShown token.Count = 500

// LimitsFor returns the limits for a run. large is the maximum size of a message by the
// settings, 0 for no limit. If a model writes one summary of everything that a compaction
// drops, it sees as much of outputs as pi would show. If it writes every leaf, no message
// is larger than a leaf.
func LimitsFor(o Options, large token.Count) Limits {
	if !o.Leaves {
		return Limits{Message: large, Output: outputShown}
	}
	leaf := o.withDefaults().LeafTokens
	return Limits{Message: min(leaf, cmp.Or(large, leaf))}
}

// ReadBranch reads the path to leaf up to the entry cut, which is the first that is not
// covered; "" covers everything. It is an error when cut is not on the path.
func ReadBranch(t *message.Tree, leaf, cut string, l Limits, line func(*message.Node) ([]byte, error)) (*Branch, error) {
	b := &Branch{
		Session: t.Header.ID, line: line, limits: l, dir: strings.TrimRight(t.Header.CWD, "/"),
		index: make(map[string]int), signs: newSigns(),
	}
	kept := false
	path := t.Path(leaf)
	for _, n := range path {
		kept = kept || n.ID == cut && cut != ""
		if !isCovered(n) {
			continue
		}
		if kept {
			b.kept = append(b.kept, n)
			continue
		}
		u := Unit{Node: n}
		raw, err := line(n)
		if err != nil {
			return nil, fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		if history.IsEmptied(raw) {
			continue // purged: the store has no such entry
		}
		u.Hash = sha256.Sum256(raw)
		u.Tokens = token.OfChars(len(b.rendered(n, raw))) + headTokens
		u.Pieces = !isOwn(n) && l.Message > 0 && len(b.text) > int(l.Message)*charsPerToken
		b.index[n.ID] = len(b.Units)
		b.Units = append(b.Units, u)
	}
	if cut != "" && !kept {
		return nil, fmt.Errorf("read branch: entry %s is not on it", cut)
	}
	return b, b.compactions(path)
}

// headTokens is the approximate size of the line before a message in a prompt.
const headTokens = 16

// isCovered reports whether an entry is a message that summaries cover.
func isCovered(n *message.Node) bool {
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

// rangeHash hashes the ids and bytes of a span of messages.
func (b *Branch) rangeHash(from, to int) string {
	return HashOf(func(yield func(id string, line []byte) bool) {
		for _, u := range b.Units[from:to] {
			if !yield(u.ID, u.Hash[:]) {
				return
			}
		}
	})
}

// HashOf hashes the sources of a leaf: their ids, each with the hash of its line.
func HashOf(sources iter.Seq2[string, []byte]) string {
	h := sha256.New()
	for id, line := range sources {
		fmt.Fprintf(h, "%d %s\n", len(id), id)
		h.Write(line)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// tokens is the size of a span as a summarizer reads it.
func (b *Branch) tokens(from, to int) token.Count {
	var n token.Count
	for _, u := range b.Units[from:to] {
		n += u.Tokens
	}
	return n
}

// Tree reads the stored lines of a session into a tree, and returns a function for the
// bytes of an entry. It keeps all lines in memory.
func Tree(ctx context.Context, st Reader, session string) (*message.Tree, func(*message.Node) ([]byte, error), error) {
	var t message.Tree
	var p message.Parser
	lines := make(map[string][]byte)
	err := st.Lines(ctx, session, func(raw []byte) error {
		raw = append([]byte(nil), raw...)
		e, err := p.ParseEntry(raw)
		if err != nil {
			return nil // not an entry, so not on any path
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

// Cut returns the first entry that an agent keeps when it compacts at leaf, as pi chooses
// it: roughly keep tokens of messages are kept, and the first is not a tool result. It is
// "" when nothing would precede it.
func Cut(t *message.Tree, leaf string, keep token.Count) string {
	path := t.Path(leaf)
	start, places := 0, make(map[string]int)
	for i, n := range path {
		places[n.ID] = i
		if n.Type == message.EntryCompaction {
			start = i + 1
			if kept, ok := places[n.FirstKept]; ok {
				start = kept
			}
		}
	}
	at, sum := len(path), token.Count(0)
	for sum < keep {
		if at--; at < start {
			return ""
		}
		if path[at].Type == message.EntryMessage {
			sum += token.Estimate(&path[at].Message)
		}
	}
	if next := slices.IndexFunc(path[at:], cuttable); next >= 0 {
		return path[at+next].ID
	}
	return ""
}

// cuttable reports whether an entry may be the first that is kept.
func cuttable(n *message.Node) bool {
	switch n.Type {
	case message.EntryMessage:
		return n.Message.Role != message.RoleToolResult && n.Message.Role != message.RoleSystem
	case message.EntryCustomMessage, message.EntryBranchSummary:
		return true
	}
	return false
}

// given is the summary that a compaction on the path left in the agent's session.
type given struct {
	entry string
	text  string
	// end is the first unit that it does not cover.
	end int
}

// hash identifies the node that represents the summary.
func (g *given) hash() string { return keyOf("given", g.entry) }

// GivenName is the author's name of a summary found in the agent's session.
const GivenName = "a compaction of the agent"

// compactions finds the last compaction on the path: where it began to keep messages, and
// its summary.
func (b *Branch) compactions(path []*message.Node) error {
	covered := make([]int, len(path)+1) // number of units before an entry
	at := make(map[string]int, len(path))
	for i, n := range path {
		covered[i+1] = covered[i]
		if _, unit := b.index[n.ID]; unit {
			covered[i+1]++
		}
		at[n.ID] = i
		if n.Type != message.EntryCompaction {
			continue
		}
		b.keptFrom = covered[i]
		if kept, ok := at[n.FirstKept]; ok {
			b.keptFrom = covered[kept]
		}
		raw, err := b.line(n)
		if err != nil {
			return fmt.Errorf("read entry %s: %w", n.ID, err)
		}
		b.given = &given{entry: n.ID, text: withoutFiles(string(n.AppendBody(nil, raw))), end: b.keptFrom}
	}
	return nil
}

// withoutFiles removes the file lists that end a summary of the agent.
func withoutFiles(text string) string {
	for _, tag := range []string{"<read-files>", "<modified-files>"} {
		if at := strings.LastIndex(text, "\n"+tag); at >= 0 {
			text = text[:at]
		}
	}
	return strings.TrimSpace(text)
}

// has reports whether the nodes already represent a summary of the session.
func (c *Cover) has(g *given) bool {
	if Assembled(g.text) {
		key := regexp.MustCompile(KeyPrefix + `[0-9a-f]{12}`).FindString(g.text)
		_, known := c.States[key]
		if key == "" || known {
			return true
		}
	}
	return holds(c.Roots, g.hash())
}

// holds reports whether a node with a hash is among nodes or below them.
func holds(nodes []*PlacedNode, hash string) bool {
	for _, p := range nodes {
		if p.Hash == hash || holds(p.Children, hash) {
			return true
		}
	}
	return false
}
