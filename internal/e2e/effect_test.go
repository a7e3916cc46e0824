//go:build unix

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
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

func TestEffectsAreDoneInOrder(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		h, _ := fakeHome(t, version, "effects", transportOf(version))
		p := h.start(t)
		p.ask("Hi.", say("ok"))
		from := p.mark()
		p.slash("/e2e")
		p.wait(from, "the last effect", func(r record) bool { return r.Method == "notify" && r.Message == "last" })
		p.ask("Again.", say("ok again"))
		p.close()
		if got, want := p.drawn(from), "notify first|setStatus busy|setWidget one,two|setStatus |setWidget |notify last"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		all := entries(t, h.session(t))
		contains(t, "the session", text(all), `"fake.state"`)
		if labels := ofType(all, "label"); len(labels) != 1 || labels[0].Label != "here" {
			t.Errorf("labels: %v", labels)
		}
		contains(t, "the last request", h.model.last(t).text(), "a word")
	})
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

func TestAnEffectCompactsAndAnotherStartsATurn(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version)
		h.keepRecent = 20
		h.fake(t, "effects", transport)
		p := h.start(t)
		p.ask("Hi.", say(strings.Repeat("long ", 100)))
		p.ask("More.", say(strings.Repeat("longer ", 100)))
		h.model.play(say("triggered"))
		from := p.mark()
		p.slash("/e2e compact")
		p.wait(from, "the end of the compaction", func(r record) bool { return r.Type == "compaction_end" })
		from = p.mark()
		p.slash("/e2e trigger")
		p.wait(from, "the end of the run", p.settled)
		p.finish()
		contains(t, "the last request", h.model.last(t).text(), "go on, please")
		wantCount(t, "compactions", len(ofType(entries(t, h.session(t)), "compaction")), 1)
		if !slices.ContainsFunc(h.model.all(), func(r request) bool { return r.Summary && strings.Contains(string(r.Raw), "by effect") }) {
			t.Error("no request for a summary has the instructions")
		}
	})
}

func TestAServingPictxCanPushEffects(t *testing.T) {
	t.Parallel()
	h, _ := fakeHome(t, newest, "pushes", "serve")
	p := h.start(t)
	p.wait(0, "the push at the start", func(r record) bool { return r.Message == "pushed at the start" })
	from := p.mark()
	p.slash("/e2e")
	p.wait(from, "the push after a command", func(r record) bool { return r.StatusText == "pushed later" })
	p.close()
}

func TestAbortEndsWhatPictxWasAskedFor(t *testing.T) {
	t.Parallel()
	bothWays(t, func(t *testing.T, version, transport string) {
		h, f := fakeHome(t, version, "hangs", transport)
		h.tools = ""
		p := h.start(t)
		h.model.play(use("e2e_echo", object{"text": "x"}))
		from := p.mark()
		p.do(object{"type": "prompt", "message": "Echo."})
		f.await(t, "tool", 1)
		p.do(object{"type": "abort"})
		p.wait(from, "the end of the run", p.settled)
		p.idle()
		h.model.play(say("never sent"))
		from = p.mark()
		p.do(object{"type": "prompt", "message": "Hang in the context."})
		f.await(t, "context", 2)
		p.do(object{"type": "abort"})
		p.wait(from, "the end of the second run", p.settled)
		p.close()
		f.gone(t)
	})
}

// await waits until a fake has got n requests of an event.
func (f *fake) await(t *testing.T, event string, n int) {
	t.Helper()
	for limit := time.Now().Add(patience); len(f.log(event)) < n; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waited in vain for %d requests of %s", n, event)
		}
	}
}
