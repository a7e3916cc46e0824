package hooks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/internal/must"
)

// reads is a session that reads two files and is compacted, up to the second read.
var reads = strings.Join([]string{
	`{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}`,
	`{"type":"message","id":"u0","parentId":null,"timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"go on"}],"timestamp":1}}`,
	`{"type":"message","id":"a0","parentId":"u0","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c0","name":"read","arguments":{"path":"f0"}}],"stopReason":"toolUse","timestamp":2}}`,
	`{"type":"message","id":"r0","parentId":"a0","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"toolResult","toolCallId":"c0","toolName":"read","content":[{"type":"text","text":"first"}],"isError":false,"timestamp":3}}`,
	`{"type":"message","id":"a1","parentId":"r0","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"f1"}}],"stopReason":"toolUse","timestamp":4}}`,
	`{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"second"}],"isError":false,"timestamp":5}}`,
	`{"type":"compaction","id":"k","parentId":"r1","timestamp":"2026-03-02T09:00:00.000Z","summary":"so far","firstKeptEntryId":"a1","tokensBefore":9}`,
}, "\n") + "\n"

// branchAt opens reads at an entry with both results pruned, and a mark of a branch that
// is not there.
func branchAt(t *testing.T, leaf string) *prune.Branch {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	must.Do(t, os.WriteFile(path, []byte(reads), 0o600))
	s := must.Get(pi.Open(path))(t)
	t.Cleanup(func() { s.Close() })
	mark := func(id, leaf string) prune.Mark {
		return prune.Mark{EntryID: id, Leaf: leaf, Marker: `[output pruned — ~1,000 tokens | read path="f0"]`, Tokens: 1000, MarkerTokens: 12}
	}
	return must.Get(prune.NewBranch("s", s.Entries(), leaf, s.Line, []prune.Mark{mark("r0", "a1"), mark("r1", "r1"), mark("u0", "elsewhere")}))(t)
}

func TestWhatIsLeftOutCountsAcrossCompactions(t *testing.T) {
	t.Parallel()
	for leaf, want := range map[string]int{"a1": 988, "r1": 2 * 988, "k": 2 * 988} {
		b := branchAt(t, leaf)
		must.Not(t, int(b.LeftOut()) != want, "%s: %d tokens are left out, want %d", leaf, b.LeftOut(), want)
	}
}

func TestAPinNamesThePrunedResultsThatItBringsBack(t *testing.T) {
	t.Parallel()
	b := branchAt(t, "r1")
	for _, c := range []struct {
		pin  prune.Pin
		want string
	}{
		{prune.Pin{Target: "r0"}, `r0 [{"type":"text","text":"first"}] `},
		{prune.Pin{Target: "f1", IsPath: true}, `r1 [{"type":"text","text":"second"}] `},
		{prune.Pin{Target: "f*", IsPath: true}, `r0 [{"type":"text","text":"first"}] r1 [{"type":"text","text":"second"}] `},
		{prune.Pin{Target: "a1"}, ""},
	} {
		back, err := restore(b, "/w", c.pin)
		got := ""
		for _, r := range back {
			got += r.entry + " " + string(r.content) + " "
		}
		must.Not(t, err != nil || got != c.want, "%+v brings back %q, want %q: %v", c.pin, got, c.want, err)
	}
}
