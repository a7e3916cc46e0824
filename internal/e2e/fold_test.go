//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// Once the cache is lost the beginning of a conversation becomes an extract, in the request of the
// prompt that comes back: no model is asked, nothing is refused, and /tree goes back to before.
func TestALostCacheFoldsTheConversation(t *testing.T) {
	t.Parallel()
	b := newBound(t, refusing)
	b.h.keeps = 0.2
	b.h.configure(t, "prune.fold = \"auto\"\n")
	b.h.real(t, "serve")
	b.p = b.h.start(t)
	b.writes(28, slow)
	time.Sleep(time.Second)
	before := len(b.h.model.checks.verdicts())
	b.h.model.replay(say("Done."))
	b.p.prompt("Go on.")
	b.p.close()

	var fold []byte
	for _, line := range b.raw() {
		if bytes.Contains(line, []byte(`"type":"compaction"`)) {
			fold = line
		}
	}
	for _, want := range []string{`"fold":true`, "do not touch its prices"} {
		must.Not(t, !bytes.Contains(fold, []byte(want)), "the fold lacks %s: %.600s", want, fold)
	}
	v := b.h.model.checks.verdicts()
	last := v[len(v)-1]
	if n := len(v) - before; n != 1 || last.read+last.written > v[before-1].read+v[before-1].written {
		t.Errorf("%d requests after the pause; the last has %d tokens, the one before %d", n, last.read+last.written, v[before-1].read+v[before-1].written)
	}
	if out := b.h.ok(t, "replay", b.h.session(t)); !strings.Contains(out, "instead of") {
		t.Error(out)
	}
	b.p = b.h.start(t, "--continue")
	b.writes(24, "Now look at the bakery.")
	time.Sleep(time.Second)
	b.h.model.replay(say("Done."))
	b.p.prompt("Go on again.")
	folds := ofType(entries(t, b.h.session(t)), "compaction")
	if n := len(folds); n != 2 || !bytes.Contains(folds[1].Raw, []byte("why the shop is slow")) {
		t.Errorf("%d folds; the second does not say what the first was about", n)
	}
	b.p.moveTo("1") // before the first fold
	b.h.model.replay(say("Done."))
	b.p.prompt("Go on another way.")
	b.p.close()
	newTable(t).want(t, b.row("folds, and back to before them"))
}

// A prompt that comes back to a lost cache asks once what to do, with what it costs, and does what
// is chosen. An answer may hold for the rest of the session. Where nobody can be asked, or nothing is
// chosen, old output is pruned and nothing folded.
func TestAPromptThatComesBackToALostCacheAsks(t *testing.T) {
	t.Parallel()
	b := newBound(t, refusing)
	b.h.keeps = 0.2
	b.h.real(t, "serve")
	b.p = b.h.start(t)
	b.writes(28, slow)

	var asked []string
	choose := func(words ...string) {
		b.p.answers(func(r record) any {
			asked = append(asked, r.Title+"\n"+strings.Join(r.Options, "\n"))
			for _, o := range r.Options {
				if len(words) > 0 && strings.HasPrefix(o, words[0]) {
					words = words[1:]
					return o
				}
			}
			return nil
		})
	}
	next := func(prompt string) verdict {
		time.Sleep(time.Second)
		asked = nil
		b.h.model.replay(say("Done."))
		b.p.prompt(prompt)
		v := b.h.model.checks.verdicts()
		return v[len(v)-1]
	}
	folds := func() (n int) {
		for _, file := range b.h.sessions(t) {
			for _, e := range entries(t, file) {
				n += bytes.Count(e.Raw, []byte(`"fold":true`))
			}
		}
		return n
	}

	choose("Send it")
	sent := next("Go on.")
	if len(asked) != 1 || strings.Count(asked[0], "\n") != 4 { // there is nothing to prune
		t.Fatalf("asked %q", asked)
	}
	const dollars = 4 * 1.25 / 1e6 // Opus 5.5 writes a token for that
	var thousands, costs float64
	_, after, _ := strings.Cut(asked[0], "writes ")
	if _, err := fmt.Sscanf(after, "%fK tokens again, $%f", &thousands, &costs); err != nil {
		t.Fatal(err, asked[0])
	}
	if size := float64(sent.read + sent.written); math.Abs(1000*thousands-size) > size/20 || math.Abs(costs-dollars*size) > dollars*size/20 {
		t.Errorf("it says %gK tokens for $%g, the server counts %g", thousands, costs, size)
	}
	if n := bytes.Count(bytes.Join(b.raw(), nil), []byte(`"context_edit"`)); n > 28 || folds() != 0 {
		t.Errorf("%d edits and %d folds although it was to be sent as it is", n, folds())
	}
	choose("Choose for", "Fold first")
	folded := next("And now?")
	if len(asked) != 2 || folds() != 1 || folded.written+folded.read > (sent.written+sent.read)*3/4 {
		t.Errorf("asked %d times, %d folds, %d tokens instead of %d", len(asked), folds(), folded.written+folded.read, sent.written+sent.read)
	}
	next("And then?")
	must.Not(t, len(asked) != 0, "asked again: %q", asked)
	b.p.do(object{"type": "new_session"})
	choose() // as a client does that has no one to ask
	b.writes(28, slow)
	next("Go on.")
	if len(asked) != 1 || folds() != 1 {
		t.Errorf("asked %d times, %d folds", len(asked), folds())
	}
	next("Go on.")
	must.Not(t, len(asked) != 0, "asked again: %q", asked)
	b.p.close()
	newTable(t).want(t, b.row("asked"))
}

const slow = "Find out why the shop is slow, and do not touch its prices."

// writes prompts, and has the model write n files, of which nothing can be pruned.
func (b *bound) writes(n int, prompt string) {
	var turns []turn
	for i := range n {
		one := use("write", object{"path": fmt.Sprintf("part-%d.txt", i), "content": strings.Repeat(fmt.Sprintf("part %d of the shop: what it sells\n", i), 220)})
		one.Thinking = thought(i)
		turns = append(turns, one)
	}
	b.h.model.replay(append(turns, say("The cause is in checkout.go:7."))...)
	b.p.prompt(prompt)
}

// pi keeps the cache of a long prompt alive between runs. Of one that pictx made short it does so,
// too, when it would have without pictx.
func TestAPrunedPromptIsKeptWarmAsPiWould(t *testing.T) {
	t.Parallel()
	b := newBound(t, refusing)
	b.h.keeps = 12 // seconds: pi refreshes after two
	b.h.cost = object{"input": 50, "output": 250, "cacheRead": 2.5, "cacheWrite": 62.5}
	b.h.real(t, "serve")
	b.p = b.h.start(t)
	b.work(2)
	warmed := func() bool { return bytes.Contains(bytes.Join(b.raw(), nil), []byte(`"kind":"cache_warm"`)) }
	for limit := time.Now().Add(10 * time.Second); !warmed() && time.Now().Before(limit); time.Sleep(100 * time.Millisecond) {
	}
	b.p.close()
	raw := bytes.Join(b.raw(), nil)
	if !bytes.Contains(raw, []byte(`"extension override"`)) {
		t.Errorf("the cache was not kept alive by pictx; kept at all: %v\n%s", warmed(), b.h.ok(t, "log"))
	}
	n := bytes.Count(raw, []byte(`"context_edit"`))
	must.Not(t, n == 0, "nothing was shortened: there was nothing to show")
}

// A conversation whose next requests would cross a step of the price is folded before it, although
// its cache is alive.
func TestAFoldKeepsAConversationBelowAStepOfThePrice(t *testing.T) {
	t.Parallel()
	b := newBound(t, refusing)
	b.h.keeps = 3600
	b.h.cost = object{"input": 0.1, "output": 0.5, "cacheRead": 0.01, "cacheWrite": 0.125, "tiers": []object{
		{"inputTokensAbove": 70_000, "input": 0.5, "output": 2.5, "cacheRead": 0.05, "cacheWrite": 0.625},
	}}
	b.h.configure(t, "prune.fold = \"auto\"\n")
	b.h.real(t, "serve")
	b.p = b.h.start(t)
	b.writes(28, slow)
	b.h.model.replay(say("Done."))
	b.p.prompt("Go on.")
	b.p.close()
	n := bytes.Count(bytes.Join(b.raw(), nil), []byte(`"fold":true`))
	must.Not(t, n != 1, "%d folds", n)
	newTable(t).want(t, b.row("step"))
}
