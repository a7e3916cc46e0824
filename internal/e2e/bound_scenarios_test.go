//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// scenario is a session in which something happens to what stands before the thinking.
type scenario struct {
	name     string
	prepare  func(b *bound)
	play     func(b *bound)
	happened func(b *bound) bool // whether what the scenario is about took place
	// split is true where pi may compact within a turn: what it keeps of that turn stands behind a
	// summary from then on, so that its thinking is lost however it is done.
	split bool
	both  bool // pictx does not do the same with both models
	// together is true where one pi may play this and others, each in a session.
	together bool
}

// models are those that a scenario is played with: all requests are judged by the stricter
// reading with either, so that one is enough where pictx treats them alike.
func (s scenario) models(i int) []string {
	both := []string{dropping, refusing}
	if s.both || everything() {
		return both
	}
	return both[i%2 : i%2+1]
}

// scenarios are those in which a session has to stay valid.
func scenarios() []scenario {
	compacts := func(b *bound) { b.h.keepRecent = 2_500 }
	own := func(b *bound) {
		compacts(b)
		b.h.configure(b.t, "history.enabled = false\n")
	}
	threshold := func(b *bound) {
		compacts(b)
		b.h.compaction, b.h.window, b.h.keeps = true, 27_000, 3600 // with a warm cache little is pruned, and the context grows
	}
	compacted := func(b *bound) bool { return len(b.h.compactions(b.t)) > 0 }
	says := func(text string) func(b *bound) bool {
		return func(b *bound) bool { return bytes.Contains(slices.Concat(b.raw()...), []byte(text)) }
	}
	twice := func(what func(b *bound)) func(b *bound) {
		return func(b *bound) {
			for range 2 {
				b.parts(1)
				what(b)
			}
			b.parts(1)
		}
	}
	return []scenario{
		{name: "prune by hand", together: true, play: twice(func(b *bound) { b.p.slash("/prune") })},
		{name: "compact by hand", both: true, prepare: compacts, play: twice(func(b *bound) { b.p.compact() }), happened: compacted},
		{name: "compact by hand with pi itself", prepare: own, play: twice(func(b *bound) { b.p.compact() }), happened: compacted},
		{name: "compaction at the threshold", prepare: threshold, play: func(b *bound) { b.parts(4) }, happened: compacted, split: true},
		{name: "compaction at the threshold by pi itself", prepare: func(b *bound) { own(b); threshold(b) }, play: func(b *bound) { b.parts(4) }, happened: compacted, split: true},
		{name: "going to another branch", together: true, play: func(b *bound) {
			b.parts(2)
			b.p.moveTo("1")
			b.parts(1)
			b.p.moveTo("2 summarize")
			b.parts(1)
		}},
		{name: "a fork", together: true, play: func(b *bound) {
			b.parts(1)
			twice(func(b *bound) { fork(b.t, b.p) })(b)
		}},
		{name: "resumed", play: twice(func(b *bound) { b.restart() })},
		{name: "another model and back", together: true, play: twice(func(b *bound) {
			b.to("openai-local/scripted")
			b.parts(1)
			b.to(b.h.catalogue)
		})},
		{name: "another bound model and back", together: true, play: twice(func(b *bound) {
			b.to(map[bool]string{true: refusing, false: dropping}[b.h.catalogue == dropping])
			b.parts(1)
			b.to(b.h.catalogue)
		})},
		{name: "tools declared late", both: true, prepare: func(b *bound) { b.h.keepRecent = 500 }, play: func(b *bound) {
			b.parts(2)
			b.p.compact()
			b.parts(2)
		}, happened: func(b *bound) bool { // only where they can stand behind the thinking
			return says(`"name":"lcm_grep"`)(b) == (b.h.catalogue == dropping)
		}},
		{name: "decisions", prepare: func(b *bound) { b.h.configure(b.t, fmt.Sprintf("trust = [%q]\n", b.h.cwd)) }, play: twice(func(b *bound) {
			b.h.decide(b.t, "add", fmt.Sprintf("Part %d stays as it is", b.steps))
		}), happened: says("stays as it is")},
		{name: "pin and restore", together: true, play: func(b *bound) {
			b.parts(2)
			id := b.pruned()
			b.p.slash("/pictx pin " + id)
			b.parts(1)
			b.p.slash("/pictx unpin " + id)
			b.parts(1)
			b.p.slash("/pictx restore all")
			b.parts(1)
		}},
		{name: "PICTX_DISABLE afterwards", play: func(b *bound) {
			b.parts(2)
			b.p.slash("/prune")
			b.p.close()
			b.h.env = append(b.h.env, "PICTX_DISABLE=1")
			b.p = b.h.start(b.t, "--continue")
			b.parts(2)
		}},
		{name: "uninstalled afterwards", prepare: func(b *bound) {
			b.h.ok(b.t, "setup", "pi")
			b.h.bin = "" // as installed
		}, play: func(b *bound) {
			b.parts(2)
			b.p.slash("/prune")
			b.p.close()
			b.h.ok(b.t, "uninstall", "--yes")
			b.p = b.h.start(b.t, "--continue")
			b.parts(2)
		}},
		{name: "kill -9", play: func(b *bound) {
			b.parts(2)
			n := 0
			b.h.model.answer(func(request) *turn {
				if n++; n%5 == 0 {
					b.killPictx()
				}
				return nil
			})
			b.parts(2)
		}, happened: func(b *bound) bool { return b.killed > 0 }},
	}
}

// restart ends pi and goes on in the same session.
func (b *bound) restart() {
	b.t.Helper()
	b.p.close()
	b.p = b.h.start(b.t, "--continue")
}

// to switches the model, "provider/model".
func (b *bound) to(name string) {
	b.t.Helper()
	provider, model, _ := strings.Cut(name, "/")
	b.p.do(object{"type": "set_model", "provider": provider, "modelId": model})
}

var markerID = regexp.MustCompile(`pictx expand ([0-9a-f-]+)\]`)

// pruned is the id of an output that was pruned.
func (b *bound) pruned() string {
	b.t.Helper()
	for _, e := range ofType(entries(b.t, b.h.session(b.t)), "context_edit") {
		if m := markerID.FindSubmatch(e.Raw); m != nil {
			return string(m[1])
		}
	}
	b.t.Fatal("nothing was pruned")
	return ""
}

// killPictx ends the pictx of this pi as a crash would.
func (b *bound) killPictx() {
	out, _ := exec.Command("pgrep", "-P", strconv.Itoa(b.p.cmd.Process.Pid), "pictx").Output()
	for field := range strings.FieldsSeq(string(out)) {
		if pid, err := strconv.Atoi(field); err == nil {
			syscall.Kill(pid, syscall.SIGKILL)
			b.killed++
		}
	}
}

// A session stays valid in all that may happen to it, whether pi asks for invalid thinking to
// be dropped or not, by both readings: nothing is refused, and no thinking of a running turn is lost.
func TestASessionStaysValidWhateverHappensToIt(t *testing.T) {
	t.Parallel()
	rows := newTable(t)
	t.Run("in", func(t *testing.T) {
		together := map[string][]scenario{}
		for i, s := range scenarios() {
			for _, model := range s.models(i) {
				if s.together {
					together[model] = append(together[model], s)
					continue
				}
				t.Run(s.name+", "+vendor(model), func(t *testing.T) {
					t.Parallel()
					b := begun(t, model, s.prepare)
					rows.plays(b, s)
					b.p.close()
				})
			}
		}
		for model, all := range together {
			t.Run("one pi, "+vendor(model), func(t *testing.T) {
				t.Parallel()
				b := begun(t, model, nil)
				for _, s := range all {
					rows.plays(b, s)
					b.anew()
				}
				b.p.close()
			})
		}
	})
}

func vendor(model string) string { return strings.SplitN(model, "/", 2)[0] }

// begun starts a pi for scenarios.
func begun(t *testing.T, model string, prepare func(b *bound)) *bound {
	t.Helper()
	b := newBound(t, model)
	b.h.keeps = 0.1 // the cache is cold at every prompt, so that there is much to prune
	b.h.real(t, "serve")
	if prepare != nil {
		prepare(b)
	}
	b.p = b.h.start(t)
	return b
}

// plays plays a scenario and judges its session.
func (a *table) plays(b *bound, s scenario) {
	b.t.Helper()
	s.play(b)
	r := b.row(s.name + ", " + vendor(b.h.catalogue))
	if s.split {
		r.missing = 0
	}
	a.want(b.t, r)
	if r.edits == 0 || s.happened != nil && !s.happened(b) {
		b.t.Errorf("%s: nothing was tried: %d edits", s.name, r.edits)
	}
}

// anew begins a session as if there had been none.
func (b *bound) anew() {
	b.t.Helper()
	b.p.do(object{"type": "new_session"})
	for _, file := range b.h.sessions(b.t) {
		must.Do(b.t, os.Remove(file))
	}
	b.h.model.checks, b.steps = newPrefixes(), 0
}
