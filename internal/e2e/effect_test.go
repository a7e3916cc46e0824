//go:build unix

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

func effects() map[string]behaviour {
	hello := object{
		"wants":    []string{"session_start", "turn_end", "context"},
		"tools":    []object{echo()},
		"commands": []object{{"name": "e2e", "description": "Has effects."}},
	}
	return map[string]behaviour{
		"effects": {hello, haveEffects},
		"pushes":  {hello, pushEffects},
		"hangs":   {hello, hangs},
	}
}

// haveEffects has every effect, in order.
func haveEffects(_ *fake, e envelope) reply {
	if e.Event != "command" {
		return nil
	}
	var p struct{ Args string }
	e.payload(&p)
	switch p.Args {
	case "compact":
		return reply{"effects": []object{{"type": "compact", "customInstructions": "by effect"}}}
	case "trigger":
		return reply{"effects": []object{{"type": "message", "message": object{"customType": "fake.go", "content": "go on, please", "display": true}, "triggerTurn": true}}}
	}
	return reply{"effects": []object{
		{"type": "notify", "text": "first", "level": "warning"},
		{"type": "status", "key": "fake", "text": "busy"},
		{"type": "widget", "key": "fake", "lines": []string{"one", "two"}, "placement": "belowEditor"},
		{"type": "appendEntry", "customType": "fake.state", "data": object{"n": 1}},
		{"type": "label", "entryId": e.Session.LeafID, "label": "here"},
		{"type": "message", "message": object{"customType": "fake.word", "content": "a word", "display": true}},
		{"type": "status", "key": "fake", "text": nil},
		{"type": "widget", "key": "fake", "lines": nil},
		{"type": "notify", "text": "last"},
	}}
}

// pushEffects says something that was not asked for, then answers.
func pushEffects(f *fake, e envelope) reply {
	if e.Event == "session_start" {
		f.print(object{"effects": []object{{"type": "notify", "text": "pushed at the start"}}})
	}
	if e.Event == "command" {
		go func() {
			time.Sleep(100 * time.Millisecond)
			f.print(object{"effects": []object{{"type": "status", "key": "fake", "text": "pushed later"}}})
		}()
	}
	return nil
}

// hangs never answers a call of the tool, and a context that follows it.
func hangs(f *fake, e envelope) reply {
	if e.Event == "tool" || e.Event == "context" && len(f.log("tool")) > 0 {
		select {}
	}
	return nil
}

// drawn is what went to the screen since a mark.
func (p *rpc) drawn(from int) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []string
	for _, r := range p.records[from:] {
		if r.Type == "extension_ui_request" {
			all = append(all, fmt.Sprintf("%s %s", r.Method, r.Message+r.StatusText+strings.Join(r.WidgetLines, ",")))
		}
	}
	return strings.Join(all, "|")
}

// await waits until a fake has got n requests of an event.
func (f *fake) await(t *testing.T, event string, n int) {
	t.Helper()
	waitFor(t, fmt.Sprintf("%d requests of %s", n, event), func() bool { return len(f.log(event)) >= n })
}

func (s *stage) effectsInOrder() {
	s.ask("Hi.", say("ok"))
	from := s.mark()
	s.slash("/e2e")
	s.wait(from, "the last effect", func(r record) bool { return r.Method == "notify" && r.Message == "last" })
	s.ask("Again.", say("ok again"))
	t := s.t
	must.Equal(t, s.drawn(from), "notify first|setStatus busy|setWidget one,two|setStatus |setWidget |notify last", "drawn")
	all := s.entries()
	contains(t, "the session", text(all), `"fake.state"`)
	labels := ofType(all, "label")
	must.Not(t, len(labels) != 1 || labels[0].Label != "here", "labels: %v", labels)
	contains(t, "the last request", s.h.model.last(t).text(), "a word")
}

func (s *stage) effectsAct() {
	s.twoLong()
	s.h.model.play(say("triggered"))
	from := s.mark()
	s.slash("/e2e compact")
	s.wait(from, "the end of the compaction", func(r record) bool { return r.Type == "compaction_end" })
	from = s.mark()
	s.slash("/e2e trigger")
	s.wait(from, "the end of the run", s.settled)
	s.idle()
	contains(s.t, "the last request", s.h.model.last(s.t).text(), "go on, please")
	wantCount(s.t, "compactions", len(ofType(s.entries(), "compaction")), 1)
	if !slices.ContainsFunc(s.h.model.all(), func(r request) bool { return r.Summary && strings.Contains(string(r.Raw), "by effect") }) {
		s.t.Error("no request for a summary has the instructions")
	}
}

func (s *stage) pushed() {
	s.wait(s.from, "the push at the start", func(r record) bool { return r.Message == "pushed at the start" })
	from := s.mark()
	s.slash("/e2e")
	s.wait(from, "the push after a command", func(r record) bool { return r.StatusText == "pushed later" })
}

func (s *stage) abortedWaiting() {
	for _, c := range []struct {
		event string
		nth   int
		turn  turn
	}{{"tool", 1, use("e2e_echo", object{"text": "x"})}, {"context", 2, turn{}}} {
		if len(c.turn.Tools) > 0 {
			s.h.model.play(c.turn)
		}
		from := s.mark()
		s.do(object{"type": "prompt", "message": "Hang in " + c.event + "."})
		s.f.await(s.t, c.event, c.nth)
		s.do(object{"type": "abort"})
		s.wait(from, "the end of the run", s.settled)
		s.idle()
	}
}
