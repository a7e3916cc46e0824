//go:build unix

package e2e

import (
	"testing"
)

func prompts() map[string]behaviour {
	return map[string]behaviour{"messages": {object{"wants": []string{"before_agent_start"}}, addMessage}}
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
		if p.Prompt != "Build it." || len(p.SystemPromptHash) != 64 {
			t.Errorf("request %d: prompt %q, hash %q", i, p.Prompt, p.SystemPromptHash)
		}
		if known[p.SystemPromptHash] == (p.SystemPrompt != "") {
			t.Errorf("request %d: hash known %v, but the prompt is sent: %v", i, known[p.SystemPromptHash], p.SystemPrompt != "")
		}
		known[p.SystemPromptHash] = true
	}
}

func (s *stage) addedMessage() {
	s.ask("Build it.", say("ok"))
	sent := s.h.model.last(s.t).Messages
	if n := len(sent); n != 2 || sent[1].Text != "note on: Build it." {
		s.t.Errorf("messages: %+v", sent)
	}
	wantCount(s.t, "custom messages in the session", len(ofType(s.entries(), "custom_message")), 1)
	s.ask("Build it.", say("ok"))
	s.f.checkPrompts(s.t)
}
