//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// echo is a tool of a fake.
func echo() object {
	return object{
		"name": "e2e_echo", "label": "Echo", "description": "Says what it is told.",
		"parameters": object{"type": "object", "properties": object{"text": object{"type": "string"}, "n": object{"type": "number"}}, "required": []string{"text"}},
	}
}

func declares() map[string]behaviour {
	hello := object{
		"wants":    events(),
		"tools":    []object{echo()},
		"commands": []object{{"name": "e2e", "description": "Does what a test wants."}},
	}
	return map[string]behaviour{
		"declares": {hello: hello, handle: echoes},
		"version":  {hello: hello},
	}
}

// echoes answers calls of the tool.
func echoes(_ *fake, e envelope) reply {
	if e.Event != "tool" {
		return nil
	}
	var p struct {
		Name, ToolCallID string
		Params           struct{ Text string }
	}
	e.payload(&p)
	switch p.Params.Text {
	case "fail":
		return reply{"result": object{"error": "nothing to echo"}}
	case "blocks":
		return reply{"result": object{"content": []object{{"type": "text", "text": "in blocks"}}, "details": object{"kept": true}}}
	case "broken":
		return reply{"error": "the handler failed"}
	}
	return reply{"result": object{"text": "echo: " + p.Params.Text, "details": object{"id": p.ToolCallID}}}
}

// text is all of a session file but its header.
func text(all []entry) string {
	var lines []string
	for _, e := range all {
		lines = append(lines, string(e.Raw))
	}
	return strings.Join(lines, "\n")
}

func TestToolsAreAvailableInEverySession(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h, f := fakeHome(t, version, "declares", transport)
		m := h.model
		h.tools = ""
		h.extensions = []string{helper(t)}
		p := h.start(t)
		ask := func(what string) {
			t.Helper()
			p.ask(what, say("ok"))
			if !slices.Contains(m.last(t).Tools, "e2e_echo") {
				t.Errorf("%s: tools %v", what, m.last(t).Tools)
			}
		}
		ask("first session")
		first := p.sessionFile()
		p.do(object{"type": "new_session"})
		ask("new session")
		p.do(object{"type": "switch_session", "sessionPath": first})
		ask("back in the first")
		p.do(object{"type": "clone"})
		ask("a clone")
		p.slash("/e2e-reload")
		ask("reloaded")
		p.close()
		reasons := []string{}
		for _, e := range f.log("session_start") {
			var s struct{ Reason string }
			e.payload(&s)
			reasons = append(reasons, s.Reason)
		}
		must.Match(t, reasons, []string{"startup", "new", "resume", "fork", "reload"}, "session_start")
		wantCount(t, "sessions were shut down", len(f.log("session_shutdown")), 5)
		f.gone(t)
	})
}

func (s *stage) declared() {
	s.ask("Hi.", say("hello"))
	commands := s.do(object{"type": "get_commands"})
	wantCount(s.t, "requests", len(s.h.model.all()), 1)
	first := s.h.model.last(s.t)
	if !slices.Contains(first.Tools, "e2e_echo") {
		s.t.Errorf("tools: %v", first.Tools)
	}
	contains(s.t, "the list of commands", string(commands.Data), `"e2e"`)
}

func (s *stage) toolsAnswer() {
	t := s.t
	s.ask("Echo.",
		use("e2e_echo", object{"text": "well"}), use("e2e_echo", object{"text": "blocks", "n": 2}),
		use("e2e_echo", object{"text": "fail"}), use("e2e_echo", object{"text": "broken"}), say("done"))
	got := s.h.model.last(t).results()
	if len(got) != 4 || got[0] != "echo: well" || got[1] != "in blocks" {
		t.Fatalf("results: %q", got)
	}
	contains(t, "the third result", got[2], "nothing to echo")
	if got[3] == "" {
		t.Error("a tool that pictx failed to run says nothing")
	}
	session := text(s.entries())
	wantCount(t, "results are errors", strings.Count(session, `"isError":true`), 2)
	contains(t, "the second call", string(s.f.log("tool")[1].Payload), `"n":2`)
	contains(t, "the session", session, `"kept":true`)
}
