package history_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/internal/historytest"
	"github.com/coctostan/pictx/internal/must"
)

// spilledHistory is a session with two outputs that were cut, one by pictx and one by its
// agent, and the cache that has the whole of them and of another session's.
func spilledHistory(t *testing.T) (*historytest.Memory, *blob.Store) {
	t.Helper()
	cache := blob.At(filepath.Join(t.TempDir(), "blobs"), func() time.Time { return time.Unix(1, 0) })
	var long strings.Builder
	for i := range 9000 {
		fmt.Fprintf(&long, "big line %d\n", i+1)
	}
	cut, _, err := cache.Excerpt(t.Context(), long.String(), 2000, "s.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	must.Get(cache.Put(t.Context(), []byte("an okapi of another project"), "other.jsonl"))(t)
	log := filepath.Join(t.TempDir(), "pi-bash-4711.log")
	must.Do(t, os.WriteFile(log, []byte(strings.Repeat("dots\n", 3000)+"the okapi\n"), 0o600))
	byAgent := historytest.Printed("e2", "e1", "c2", "dots\n[Full output: "+log+"]")
	must.Do(t, cache.KeepOutputs(t.Context(), [][]byte{[]byte(byAgent)}, filepath.Dir(log), "s.jsonl"))
	m := historytest.NewMemory(t)
	m.Session(t, "s", historytest.Printed("e1", "", "c1", cut), byAgent, historytest.Said("e3", "user", "a big line and a tiger", ""))
	return m, cache
}

func TestTheWholeOfACutOutputIsSearched(t *testing.T) {
	m, cache := spilledHistory(t)
	for _, c := range []struct {
		query  string
		regex  bool
		entry  string
		line   int
		nowise bool
	}{
		{query: "big line 4321", entry: "e1", line: 4321},
		{query: `"line 4321"`, entry: "e1", line: 4321},
		{query: "4321", entry: "e1", line: 4321},
		{query: `^big line 4321$`, regex: true, entry: "e1", line: 4321},
		{query: "okapi", entry: "e2", line: 3001},
		{query: "another project", nowise: true}, // no entry of this store has a part of it
	} {
		res := search(t, m, history.Query{Text: c.query, Regex: c.regex, Spills: history.InBlobs(cache)})
		if c.nowise {
			must.Equal(t, len(res.Hits), 0, "%s: %+v", c.query, res.Hits)
			continue
		}
		if len(res.Hits) == 0 {
			t.Errorf("%s: nothing found", c.query)
			continue
		}
		h := res.Hits[0]
		if h.EntryID != c.entry || h.Line != c.line || h.Spill == "" || !strings.Contains(h.Snippet, "line 4321") && !strings.Contains(h.Snippet, "okapi") {
			t.Errorf("%s: %+v", c.query, h)
		}
		if b, err := cache.Peek(h.Source()); err != nil || len(b.Text) < 15000 {
			t.Errorf("%s: the call that shows it: %v", c.query, err)
		}
		a, err := recall.GrepText(t.Context(), m, recall.GrepRequest{Query: c.query, Regex: c.regex, Spills: history.InBlobs(cache)})
		want := fmt.Sprintf(`in its whole output line %d: lcm_expand(id="%s"`, c.line, h.Spill)
		if err != nil || !strings.Contains(a.Text, want) {
			t.Errorf("%s: want %s, %v\n%s", c.query, want, err, a.Text)
		}
	}
}

func TestAnOutputAndItsPartAreOneResult(t *testing.T) {
	m, cache := spilledHistory(t)
	for _, query := range []string{"big line 1", "line", "dots"} {
		res := search(t, m, history.Query{Text: query, Spills: history.InBlobs(cache), Filter: history.Filter{Roles: []string{"toolResult"}}})
		seen := map[string]int{}
		for _, h := range res.Hits {
			seen[h.EntryID]++
		}
		if seen["e1"] > 1 || seen["e2"] > 1 || len(seen) == 0 {
			t.Errorf("%q: %v", query, seen)
		}
	}
}
