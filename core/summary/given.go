package summary

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

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
