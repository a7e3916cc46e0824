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

func compacts(_ *fake, e envelope) reply {
	if e.Event == "session_compact" {
		return reply{"effects": []object{{"type": "message", "message": object{"customType": "fake.after", "content": "said after compacting", "display": true}}}}
	}
	return reply{"result": object{"compaction": object{"summary": "The fake's own summary.", "details": object{"by": "fake"}}}}
}

func TestContextEditsAreKeptInTheSession(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		if version == pi073 {
			return // it keeps none
		}
		for _, behaviour := range []string{"edits at turn end", "edits before start"} {
			h, _ := fakeHome(t, version, behaviour, transport)
			look(t, h)
			contains(t, "the last request", strings.Join(h.model.last(t).results(), " "), gone)
			if n := len(ofType(entries(t, h.session(t)), "context_edit")); n < 2 {
				t.Errorf("%s: %d edits in the session", behaviour, n)
			}
			contains(t, "the session", text(entries(t, h.session(t))), "the-content-of-a-file")
			if behaviour != "edits before start" {
				continue
			}
			before := h.model.last(t).results()
			// Without the extension, pi itself knows them.
			h.bin = ""
			h.resume(t, "And now?", say("still here"))
			after := h.model.last(t).results()
			if len(after) != 3 || after[0] != before[0] || after[0] != gone {
				t.Errorf("%s: after resuming %q, before %q", behaviour, after, before)
			}
		}
	})
}

func (s *stage) offers() {
	s.look()
	want := []string{"complete"}
	if s.h.version != pi073 {
		want = s.f.log("")[0].Can
		if !slices.Contains(want, "contextEdit") {
			s.t.Errorf("pi offers %q", want)
		}
	}
	for _, e := range s.f.log("") {
		if !slices.Equal(e.Can, want) {
			s.t.Errorf("%s says %q", e.Event, e.Can)
		}
	}
	wantCount(s.t, "turns ended", len(s.f.log("turn_end")), s.turns())
}

// turns counts those of look that pictx hears of: a pi whose listeners can leave is not asked for those
// without calls.
func (s *stage) turns() int {
	if s.h.version != pi073 {
		return 3
	}
	return 5
}

func (s *stage) keptEntries() {
	s.look()
	session := text(s.entries())
	for _, name := range []string{"fake.session_start", "fake.turn_end", "fake.agent_end"} {
		contains(s.t, "the session", session, name)
	}
	wantCount(s.t, "entries of turns", strings.Count(session, `"fake.turn_end"`), s.turns())
}

// twoLong plays two prompts with long answers, of which a compaction keeps the last.
func (s *stage) twoLong() {
	s.t.Helper()
	s.ask("First.", say(strings.Repeat("a long answer ", 60)))
	s.ask("Second.", say(strings.Repeat("another ", 60)))
}

func (s *stage) ownCompaction() {
	s.twoLong()
	s.do(object{"type": "compact", "customInstructions": "keep the names"})
	s.ask("Third.", say("after"))
	t := s.t
	for _, r := range s.h.model.all() {
		if r.Summary {
			t.Error("pi asked a model for a summary")
		}
	}
	last := s.h.model.last(t)
	contains(t, "the last request", last.text(), "The fake's own summary.")
	contains(t, "the last request", last.text(), "said after compacting")
	lacks(t, "what was compacted is still there", last.text(), "a long answer")
	made := ofType(s.entries(), "compaction")
	if len(made) != 1 || made[0].Summary != "The fake's own summary." || !made[0].FromHook {
		t.Errorf("compactions: %+v", made)
	}
	sent := string(s.f.log("session_before_compact")[0].Payload)
	contains(t, "the request", sent, `"customInstructions":"keep the names"`)
	contains(t, "the request", sent, `"firstKeptEntryId":"`)
	lacks(t, "the request holds content", sent, "a long answer")
}

func (s *stage) refusedCompaction() {
	s.twoLong()
	if r := s.try(object{"type": "compact"}); r.Success {
		s.t.Error("the session was compacted")
	}
	wantCount(s.t, "compactions", len(ofType(s.entries(), "compaction")), 0)
}
