//go:build unix

package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

func impatient() map[string]behaviour {
	wants := []string{"before_agent_start", "context", "tool_result", "turn_end", "agent_end"}
	return map[string]behaviour{
		"impatient":   {object{"wants": wants}, firstResult},
		"protocol 0":  {object{"v": 0, "wants": wants, "tools": []object{echo()}}, nil},
		"protocol 2":  {object{"v": 2, "wants": wants, "tools": []object{echo()}}, nil},
		"protocol 3":  {object{"v": 3, "wants": wants, "tools": []object{echo()}}, nil},
		"protocol -1": {object{"v": -1, "wants": wants, "tools": []object{echo()}}, nil},
	}
}

// troubled is a fake with a fault. At the event of the fault it gets little time, so
// that tests do not wait long.
func troubled(bad fault) fakeSetup {
	s := fakeSetup{Behaviour: "impatient", Fault: bad, Short: []string{bad.Event}}
	if bad.Event == "" {
		s.Short = events()
	}
	return s
}

// notices are what a person was told in a session.
func (p *rpc) notices() []string {
	var all []string
	for _, r := range p.of("notify") {
		all = append(all, r.Message)
	}
	return all
}

// lookPlainly is what look sends without the extension.
func lookPlainly(t *testing.T, version string) [][]byte {
	t.Helper()
	return plainly(t, version, "look", func(t *testing.T, h *home) { look(t, h) })
}

// through plays look with pictx in trouble, and returns the bodies and notices.
func through(t *testing.T, h *home) ([][]byte, []string) {
	t.Helper()
	h.model = newModel(t)
	p := look(t, h)
	return h.sent(), p.notices()
}

func TestRequestsStayTheSameWithoutPictxAndOneNoticeSaysSo(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, _ string) {
		h := newHome(t, version)
		want := lookPlainly(t, version)
		h.bin, h.transport, h.env = "set", "serve", []string{"PICTX_BIN=" + filepath.Join(h.dir, "nowhere/pictx")}
		got, notices := through(t, h)
		same(t, want, got)
		if len(notices) != 1 || !strings.Contains(notices[0], "PICTX_BIN") {
			t.Errorf("notices: %q", notices)
		}
		h.model.play(say("printed"))
		r := h.run(t, "-p", "Hi.")
		if lines := strings.Split(strings.TrimSpace(r.stderr), "\n"); r.code != 0 || len(lines) != 1 || !strings.Contains(r.stderr, "pictx") || strings.TrimSpace(r.stdout) != "printed" {
			t.Errorf("exit %d\nstdout: %s\nstderr: %s", r.code, r.stdout, r.stderr)
		}
	})
}

// soonGivenUp is how long pi waits for a hello that does not come.
const soonGivenUp = "PICTX_HOOK_MS=5000"

// faults are what can be wrong with a pictx.
func faults() map[string]fault {
	return map[string]fault{
		"hangs before hello":   {Event: "hello", Kind: "hang"},
		"ends before hello":    {Event: "hello", Kind: "exit"},
		"dies in hello":        {Event: "hello", Kind: "cut", Bytes: 9},
		"says garbage first":   {Event: "hello", Kind: "garbage"},
		"hangs in context":     {Event: "context", Kind: "hang"},
		"is late in context":   {Event: "context", Delay: 1500},
		"ends in context":      {Event: "context", Kind: "exit"},
		"dies in context":      {Event: "context", Kind: "cut", Bytes: 12},
		"answers with garbage": {Event: "context", Kind: "garbage"},
		"fails always":         {Kind: "error"},
		"hangs always":         {Kind: "hang"},
		"dies before a start":  {Event: "before_agent_start", Kind: "cut"},
	}
}

// A pictx that hangs must not keep pi from ending, so each of those has a pi of its own. The
// others share one, with a session for each.
func TestRequestsStayTheSameWhenPictxFailsAndOneNoticeSaysSo(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, transport string) {
		h := newHome(t, newest)
		want := lookPlainly(t, newest)
		all := faults()
		for name, bad := range all {
			if bad.Kind != "hang" || (transport == "serve") == (bad.Event == "context") {
				continue
			}
			t.Run(name, func(t *testing.T) {
				h.env, h.model = nil, newModel(t)
				f := h.fake(t, "impatient", transport)
				h.env = append(h.env, soonGivenUp)
				f.set(t, troubled(bad))
				p := look(t, h)
				harmless(t, h, bad, want, h.sent(), p.notices())
				f.gone(t)
			})
		}
		h.env, h.model = nil, newModel(t)
		f := h.fake(t, "impatient", transport)
		h.env = append(h.env, soonGivenUp)
		p := h.start(t)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			if bad := all[name]; bad.Kind != "hang" {
				t.Run(name, func(t *testing.T) {
					defer p.within(t)()
					f.set(t, troubled(bad))
					before, told := len(f.starts()), len(p.notices())
					p.do(object{"type": "new_session"})
					h.model.forget()
					lookAgain(p)
					h.model.check(t)
					harmless(t, h, bad, want, h.sent(), p.notices()[told:])
					f.goneBefore(t, before)
				})
			}
		}
		p.finish()
		f.gone(t)
	})
}

// harmless wants what a session sent with pictx in trouble to be as it would be without,
// and a person to be told once.
func harmless(t *testing.T, h *home, bad fault, want, got [][]byte, notices []string) {
	t.Helper()
	if bad.Event != "turn_end" && bad.Event != "before_agent_start" {
		same(t, want, got)
	} else if last := h.model.last(t).results(); len(last) != 3 || last[0] != gone {
		t.Errorf("the context is not edited: %q", last) // though nothing is wrong with it
	}
	if len(notices) != 1 {
		t.Errorf("notices: %q", notices)
	}
}

func TestAnOlderPiContinuesWhenPictxFails(t *testing.T) {
	t.Parallel()
	h := newHome(t, pi073)
	want := lookPlainly(t, pi073)
	f := h.fake(t, "impatient", "serve")
	f.set(t, troubled(fault{Kind: "hang"}))
	got, notices := through(t, h)
	same(t, want, got)
	if len(notices) != 1 {
		t.Errorf("notices: %q", notices)
	}
}

// long plays a prompt with many tool calls.
func long(t *testing.T, h *home) *rpc {
	t.Helper()
	h.empty(t)
	h.write(t, "secret.txt", "the-content-of-a-file\n")
	h.model.play(use("read", object{"path": "secret.txt"}))
	for range 32 {
		h.model.play(use("ls", nil))
	}
	h.model.play(say("the end"))
	p := h.start(t)
	p.prompt("Look at everything.")
	return p
}

// longEdited is what long sends while nothing goes wrong.
func longEdited(t *testing.T, version string) [][]byte {
	t.Helper()
	return plainly(t, version, "long, edited", func(t *testing.T, h *home) {
		h.fake(t, "edits the first", "serve")
		long(t, h).close()
	})
}

func TestAReplyCutAtAnyByteLeavesTheLastGoodOne(t *testing.T) {
	t.Parallel()
	eachTransport(t, func(t *testing.T, transport string) {
		// Every second reply is cut, some bytes later than the one before: within each name, value
		// and bracket of it.
		want := longEdited(t, newest)
		h, f := fakeHome(t, newest, "edits the first", transport)
		f.set(t, fakeSetup{Behaviour: "edits the first", Fault: fault{Event: "context", Kind: "saw"}})
		p := long(t, h)
		p.close()
		same(t, want, h.sent())
		if n := len(p.notices()); n != 1 {
			t.Errorf("notices: %q", p.notices())
		}
		// Deaths with replies between them are no reason to stop asking.
		if asked, calls := len(f.log("context")), len(want); asked != calls {
			t.Errorf("it was asked %d times, with %d calls of the model", asked, calls)
		}
		must.Equal(t, h.model.last(t).results()[0], gone, "the first result")
		f.cutEverywhere(t)
	})
}

// cutEverywhere checks that replies were cut at every multiple of sawStep bytes.
func (f *fake) cutEverywhere(t *testing.T) {
	t.Helper()
	cut, size := make(map[int]bool), 0
	for _, l := range f.lines() {
		var at int
		if n, _ := fmt.Sscanf(l.Note, "cut %d of %d", &at, &size); n == 2 {
			cut[at] = true
		}
	}
	for at := 0; at < size; at += sawStep {
		if !cut[at] {
			t.Errorf("no reply of %d bytes was cut at byte %d", size, at)
		}
	}
	if size == 0 {
		t.Error("no reply was cut")
	}
}

func TestRequestsStayTheSameWhenPictxIsKilled(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, _ string) {
		want := longEdited(t, version)
		h, f := fakeHome(t, version, "edits the first", "serve")
		stop, killed := make(chan struct{}), make(chan int)
		go func() { killed <- f.murder(stop) }()
		p := long(t, h)
		close(stop)
		n := <-killed
		p.close()
		if n == 0 {
			t.Fatal("nothing was killed")
		}
		// The first reply with an edit may be among those that were lost; from the
		// first good one on nothing may differ.
		got := h.sent()
		if len(got) != len(want) {
			t.Fatalf("%d requests, want %d", len(got), len(want))
		}
		i := 0
		for i < len(got) && !strings.Contains(string(got[i]), gone) {
			i++
		}
		if i > len(got)-10 {
			t.Errorf("%d of %d requests had no edit (%d kills)", i, len(got), n)
		}
		same(t, want[i:], got[i:])
	})
}

// murder kills processes of a fake at random moments until it is stopped, and
// returns how many.
func (f *fake) murder(stop <-chan struct{}) int {
	killed := 0
	for {
		select {
		case <-stop:
			return killed
		case <-time.After(time.Duration(60+rand.IntN(120)) * time.Millisecond):
		}
		for _, pid := range f.alive() {
			if len(f.log("context")) > 2 && syscall.Kill(pid, syscall.SIGKILL) == nil {
				killed++
			}
		}
	}
}

func (s *stage) reportedMiss() {
	s.f.set(s.t, troubled(fault{Event: "context", Kind: "exit"}))
	s.look()
	for _, e := range s.f.log("") {
		for _, m := range e.Missed {
			if m.Event == "context" && m.Why != "" {
				return
			}
		}
	}
	s.t.Errorf("no request reports the failure: %v", s.f.log(""))
}

func (s *stage) spoken()    { s.speaks(true) }
func (s *stage) notSpoken() { s.speaks(false) }

// speaks wants a protocol to be spoken, or a person to be told once that it is not.
func (s *stage) speaks(good bool) {
	s.ask("Hi.", say("ok"))
	s.ask("Again.", say("ok"))
	must.Equal(s.t, slices.Contains(s.h.model.last(s.t).Tools, "e2e_echo"), good, "its tool is there")
	must.Equal(s.t, len(s.f.log("context")) > 0, good, "it was asked")
	if n := len(s.notices()); (n == 0) != good || n > 1 {
		s.t.Errorf("notices: %q", s.notices())
	}
}
