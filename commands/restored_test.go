package commands

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// prunedNow is what the views of a person say is pruned: usage, the export of the session with
// its markers, and the report.
type prunedNow struct {
	results  int
	tokens   int64
	markers  int
	reported bool
}

// pruned asks for it.
func (p *piAgent) pruned() (v prunedNow) {
	p.t.Helper()
	p.must("import", p.file)
	var usage struct {
		Pruned struct {
			Results int   `json:"results"`
			Tokens  int64 `json:"tokens"`
		} `json:"pruned"`
	}
	_, out := p.shell("usage", "--json")
	if err := json.Unmarshal([]byte(out), &usage); err != nil {
		p.t.Fatal(err, out)
	}
	v.results, v.tokens = usage.Pruned.Results, usage.Pruned.Tokens
	page := func(args ...string) string {
		file := filepath.Join(p.t.TempDir(), "page.html")
		p.must(append(args, "--html", file)...)
		html := must.Get(os.ReadFile(file))(p.t)
		return string(html)
	}
	v.markers = strings.Count(page("export", p.id), `class="marker"`)
	v.reported = strings.Contains(page("report"), "pictx pruned ")
	return v
}

// A result that /pictx pin brought back is sent again: nothing may say that it is pruned.
func TestWhatWasRestoredIsShownAsPrunedNowhere(t *testing.T) {
	t.Parallel()
	p := newAgent(t)
	p.config(lowLimits)
	leaf := p.wholeSession("shop-fork.jsonl")
	was := p.pruned()
	ids, r := p.forced(leaf)
	leaf = p.keepEdits(r, p.keep(r, leaf))
	before := p.pruned()
	must.Stop(t, before.results != was.results+len(ids) || before.tokens == 0 || before.markers == 0 || !before.reported, "pruned %d: %+v", len(ids), before)
	leaf = p.answered(leaf)
	left := len(ids)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		r = p.command(leaf, "pictx", "pin "+id)
		leaf = p.keepEdits(r, p.keep(r, leaf))
		if left--; left%10 == 0 {
			p.agrees(leaf, r)
		}
		if left == len(ids)-1 {
			one := p.pruned()
			must.Not(t, one.results != was.results+left || one.tokens == before.tokens || one.markers != before.markers-1, "one of %+v was restored: %+v", before, one)
		}
	}
	after := p.pruned()
	if after.tokens = was.tokens; after != was { // thinking that became invalid stays away
		t.Errorf("all were restored: %+v", after)
	}
}

// agrees fails unless /pictx says of the session what the footer says after a command that
// restored an output.
func (p *piAgent) agrees(leaf string, r reply) {
	p.t.Helper()
	footer, set := r.status()
	want := "The footer now: " + cmp.Or(footer, "nothing yet: pictx has not changed a request of this session")
	if said, _, _ := strings.Cut(p.command(leaf, "pictx", "").Result.Text, "\n"); !set || said != want {
		p.t.Errorf("the footer is %q, and /pictx says %q", footer, said)
	}
}
