//go:build unix

package e2e

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func prompts() map[string]behaviour {
	wants := object{"wants": []string{"before_agent_start"}, "sections": object{"fakepart": "Constant text."}}
	return map[string]behaviour{
		"sections":  {wants, changeSections},
		"messages":  {wants, addMessage},
		"ownprompt": {wants, func(*fake, envelope) reply { return reply{"result": object{"systemPrompt": "Only this."}} }},
	}
}

// changeSections adds a section with the first prompt, changes it with the
// second, and takes both out with the third.
func changeSections(f *fake, e envelope) reply {
	sections := []object{{"other": "One."}, {"other": "Two."}, {"other": nil, "fakepart": nil}, {}}
	return reply{"result": object{"sections": sections[min(3, f.count("before_agent_start"))]}}
}

// addMessage puts a message after the user's prompt.
func addMessage(_ *fake, e envelope) reply {
	var p struct{ Prompt string }
	e.payload(&p)
	return reply{"result": object{"message": object{"customType": "fake.note", "content": "note on: " + p.Prompt, "display": true, "details": object{"n": 1}}}}
}

// checkPrompts looks at what the requests say of the system prompt.
func (f *fake) checkPrompts(t *testing.T) {
	t.Helper()
	known := map[string]bool{}
	for i, e := range f.log("before_agent_start") {
		var p struct {
			Prompt, SystemPromptHash, SystemPrompt string
			Images                                 int
		}
		e.payload(&p)
		if p.Prompt != "Go on." || len(p.SystemPromptHash) != 64 {
			t.Errorf("request %d: prompt %q, hash %q", i, p.Prompt, p.SystemPromptHash)
		}
		if known[p.SystemPromptHash] == (p.SystemPrompt != "") {
			t.Errorf("request %d: hash known %v, but the prompt is sent: %v", i, known[p.SystemPromptHash], p.SystemPrompt != "")
		}
		known[p.SystemPromptHash] = true
	}
}

func (s *stage) sections() {
	t := s.t
	for _, c := range []struct{ has, lacks string }{
		{"<other>\nOne.\n</other>", "Two."},
		{"<other>\nTwo.\n</other>", "One."},
		{"", "<other>"},
		{"", "Constant text."},
	} {
		s.ask("Go on.", say("ok"))
		// A prompt made of sections tells the model later what has changed.
		got := s.h.model.last(t).text()
		contains(t, "the prompt", got, c.has)
		if s.h.version == pi073 {
			lacks(t, "the prompt still has it", got, c.lacks)
		}
	}
	s.f.checkPrompts(t)
}

func (s *stage) addedMessage() {
	s.ask("Build it.", say("ok"))
	sent := s.h.model.last(s.t).Messages
	if n := len(sent); n != 2 || sent[1].Text != "note on: Build it." {
		s.t.Errorf("messages: %+v", sent)
	}
	wantCount(s.t, "custom messages in the session", len(ofType(s.entries(), "custom_message")), 1)
}

func (s *stage) ownPrompt() {
	s.ask("Build it.", say("ok"))
	must.Equal(s.t, s.h.model.last(s.t).System, "Only this.", "the prompt")
}

// Sections are there whatever happens: a request without one that was there
// before would have to be paid for again.
func (s *stage) sectionsStay() {
	t, h := s.t, s.h
	for range 2 { // the second says Two.
		s.ask("Go on.", say("ok"))
	}
	before := h.model.last(t)
	failing := fakeSetup{Behaviour: "sections", Fault: fault{Event: "before_agent_start", Kind: "exit"}}
	s.f.set(t, failing)
	s.ask("Go on.", say("ok"))
	after := h.model.last(t)
	if after.System != before.System {
		t.Errorf("the prompt changed:\n%s", difference([]byte(before.System), []byte(after.System)))
	}
	same(t, messages([]request{before}), messages([]request{{Messages: after.Messages[:len(before.Messages)]}}))
	s.begin(failing)
	s.ask("Go on.", say("ok"))
	contains(t, "the prompt of a session that began with a failure", h.model.last(t).System, "Constant text.")
}
