//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"
)

func boundaries() map[string]behaviour {
	return map[string]behaviour{
		"edits at turn end":  {object{"wants": []string{"turn_end"}}, editAtTurnEnd},
		"edits before start": {object{"wants": []string{"turn_end", "before_agent_start"}}, editBeforeStart},
		"keeps at turn end": {object{"wants": []string{"turn_end", "session_start", "agent_end"}}, func(_ *fake, e envelope) reply {
			return reply{"result": object{"entries": []object{{"type": "custom", "customType": "fake." + e.Event, "data": object{"event": e.Event}}}}}
		}},
		"goes on":  {object{"wants": []string{"agent_before_settle"}}, goOn},
		"compacts": {object{"wants": []string{"session_before_compact", "session_compact"}}, compacts},
		"refuses to compact": {object{"wants": []string{"session_before_compact"}}, func(*fake, envelope) reply {
			return reply{"result": object{"cancel": true}}
		}},
	}
}

// resultIDs are the entries of a turn's tool results.
func resultIDs(e envelope) []string {
	var p struct{ ToolResultEntryIDs []string }
	e.payload(&p)
	return p.ToolResultEntryIDs
}

func editAtTurnEnd(_ *fake, e envelope) reply {
	made := []object{}
	for _, id := range resultIDs(e) {
		made = append(made, object{"type": "context_edit", "targetId": id, "replacement": object{"content": []object{{"type": "text", "text": gone}}}})
	}
	return reply{"result": object{"entries": made}}
}

// editBeforeStart edits the results of earlier turns when a prompt comes.
func editBeforeStart(f *fake, e envelope) reply {
	if e.Event != "before_agent_start" {
		return nil
	}
	made := []object{}
	for _, before := range f.log("turn_end") {
		made = append(made, editAtTurnEnd(f, before)["result"].(object)["entries"].([]object)...)
	}
	return reply{"result": object{"entries": made}}
}

// goOn sends the agent on once.
func goOn(f *fake, _ envelope) reply {
	if f.count("agent_before_settle") > 0 {
		return nil
	}
	return reply{"result": object{"continue": true, "entries": []object{{"type": "custom_message", "customType": "fake.more", "content": "one more thing", "display": true}}}}
}

func compacts(_ *fake, e envelope) reply {
	if e.Event == "session_compact" {
		return reply{"effects": []object{{"type": "message", "message": object{"customType": "fake.after", "content": "said after compacting", "display": true}}}}
	}
	return reply{"result": object{"compaction": object{"summary": "The fake's own summary.", "details": object{"by": "fake"}}}}
}

func TestContextEditsAreKeptInTheSession(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		for _, version := range []string{newest, pi087} {
			for _, behaviour := range []string{"edits at turn end", "edits before start"} {
				t.Run(version+" "+behaviour, func(t *testing.T) {
					t.Parallel()
					h, _ := fakeHome(t, version, behaviour, transport)
					look(t, h)
					contains(t, "the last request", strings.Join(h.model.last(t).results(), " "), gone)
					if n := len(ofType(entries(t, h.session(t)), "context_edit")); n < 2 {
						t.Errorf("%d edits in the session", n)
					}
					contains(t, "the session", text(entries(t, h.session(t))), "the-content-of-a-file")
					before := h.model.last(t).results()
					// Without the extension, pi itself knows them.
					h.bin = ""
					h.resume(t, "And now?", say("still here"))
					after := h.model.last(t).results()
					if len(after) != 3 || after[0] != before[0] || after[0] != gone {
						t.Errorf("after resuming %q, before %q", after, before)
					}
				})
			}
		}
	})
}

func TestPi073OffersNoContextEdits(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		h, f := fakeHome(t, pi073, "edits at turn end", transport)
		look(t, h)
		for _, e := range f.log("") {
			if !slices.Equal(e.Can, []string{"complete"}) {
				t.Errorf("%s says %q", e.Event, e.Can)
			}
		}
		wantCount(t, "turns ended", len(f.log("turn_end")), 5)
	})
}

func TestEntriesOfABoundaryAreInTheSession(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, _ := fakeHome(t, version, "keeps at turn end", transport)
		look(t, h)
		session := text(entries(t, h.session(t)))
		for _, name := range []string{"fake.session_start", "fake.turn_end", "fake.agent_end"} {
			contains(t, "the session", session, name)
		}
		if n := strings.Count(session, `"fake.turn_end"`); n != 5 {
			t.Errorf("%d entries of turns, want 5", n)
		}
	})
}

func TestABoundaryReplyCanContinueTheRun(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		for _, version := range []string{newest, pi087} {
			t.Run(version, func(t *testing.T) {
				t.Parallel()
				h, _ := fakeHome(t, version, "goes on", transport)
				h.once(t, "Do it.", say("done"), say("more"))
				h.model.check(t)
				contains(t, "the last request", h.model.last(t).text(), "one more thing")
			})
		}
	})
}

func TestPictxCanWriteTheCompactionItself(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := newHome(t, version)
		h.keepRecent = 20
		f := h.fake(t, "compacts", transport)
		h.model.play(say(strings.Repeat("a long answer ", 60)), say(strings.Repeat("another ", 60)), say("after"))
		p := h.start(t)
		p.prompt("First.")
		p.prompt("Second.")
		p.do(object{"type": "compact", "customInstructions": "keep the names"})
		p.prompt("Third.")
		p.finish()
		for _, r := range h.model.all() {
			if r.Summary {
				t.Error("pi asked a model for a summary")
			}
		}
		last := h.model.last(t)
		contains(t, "the last request", last.text(), "The fake's own summary.")
		contains(t, "the last request", last.text(), "said after compacting")
		lacks(t, "what was compacted is still there", last.text(), "a long answer")
		made := ofType(entries(t, h.session(t)), "compaction")
		if len(made) != 1 || made[0].Summary != "The fake's own summary." || !made[0].FromHook {
			t.Errorf("compactions: %+v", made)
		}
		sent := string(f.log("session_before_compact")[0].Payload)
		contains(t, "the request", sent, `"customInstructions":"keep the names"`)
		contains(t, "the request", sent, `"firstKeptEntryId":"`)
		if strings.Contains(sent, "a long answer") {
			t.Errorf("the request holds content: %.500s", sent)
		}
	})
}

func TestACompactionCanBeRefused(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		h := newHome(t, newest)
		h.keepRecent = 20
		h.fake(t, "refuses to compact", transport)
		h.model.play(say(strings.Repeat("a long answer ", 60)), say(strings.Repeat("another ", 60)))
		p := h.start(t)
		p.prompt("First.")
		p.prompt("Second.")
		if r := p.try(object{"type": "compact"}); r.Success {
			t.Error("the session was compacted")
		}
		p.close()
		wantCount(t, "compactions", len(ofType(entries(t, h.session(t)), "compaction")), 0)
	})
}
