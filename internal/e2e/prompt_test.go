//go:build unix

package e2e

import (
	"strings"
	"testing"
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

func TestPromptSectionsAreAddedChangedAndRemoved(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, f := fakeHome(t, version, "sections", transport)
		p := h.start(t)
		for _, c := range []struct{ has, lacks string }{
			{"<other>\nOne.\n</other>", "Two."},
			{"<other>\nTwo.\n</other>", "One."},
			{"", "<other>"},
			{"", "Constant text."},
		} {
			p.ask("Go on.", say("ok"))
			// A prompt made of sections tells the model later what has changed.
			got := h.model.last(t).text()
			if c.has != "" {
				contains(t, "the prompt", got, c.has)
			}
			if version == pi073 && strings.Contains(got, c.lacks) {
				t.Errorf("the prompt still has %q", c.lacks)
			}
		}
		p.close()
		f.checkPrompts(t)
	})
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

func TestAnAddedMessageFollowsThePrompt(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, _ := fakeHome(t, version, "messages", transport)
		h.once(t, "Build it.", say("ok"))
		sent := h.model.last(t).Messages
		if n := len(sent); n != 2 || sent[1].Text != "note on: Build it." {
			t.Errorf("messages: %+v", sent)
		}
		wantCount(t, "custom messages in the session", len(ofType(entries(t, h.session(t)), "custom_message")), 1)
	})
}

func TestASystemPromptCanBeReplaced(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, _ := fakeHome(t, version, "ownprompt", transport)
		h.once(t, "Build it.", say("ok"))
		if got := h.model.last(t).System; got != "Only this." {
			t.Errorf("the prompt is %.200q", got)
		}
	})
}

// Sections are there whatever happens: a request without one that was there
// before would have to be paid for again.
func TestPromptSectionsStayWhenPictxDoesNotReply(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, f := fakeHome(t, version, "sections", transport)
		p := h.start(t)
		for range 2 { // the second says Two.
			p.ask("Go on.", say("ok"))
		}
		before := h.model.last(t)
		f.set(t, fakeSetup{Behaviour: "sections", Fault: fault{Event: "before_agent_start", Kind: "exit"}})
		p.ask("Go on.", say("ok"))
		after := h.model.last(t)
		p.close()
		if after.System != before.System {
			t.Errorf("the prompt changed:\n%s", difference([]byte(before.System), []byte(after.System)))
		}
		same(t, messages([]request{before}), messages([]request{{Messages: after.Messages[:len(before.Messages)]}}))
		h.fake(t, "sections", transport).set(t, fakeSetup{Behaviour: "sections", Fault: fault{Event: "before_agent_start", Kind: "exit"}})
		h.once(t, "Go on.", say("ok"))
		contains(t, "the prompt of a session that began with a failure", h.model.last(t).System, "Constant text.")
	})
}
