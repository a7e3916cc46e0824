//go:build unix

package e2e

import (
	"slices"
	"strings"
	"testing"
)

// echo is a tool of a fake.
func echo() object {
	return object{
		"name": "e2e_echo", "label": "Echo", "description": "Says what it is told.", "promptSnippet": "e2e_echo: says it again", "promptGuidelines": []string{"Use e2e_echo with care."},
		"parameters": object{"type": "object", "properties": object{"text": object{"type": "string"}, "n": object{"type": "number"}}, "required": []string{"text"}},
	}
}

func declares() map[string]behaviour {
	hello := object{
		"wants":      events(),
		"tools":      []object{echo()},
		"commands":   []object{{"name": "e2e", "description": "Does what a test wants."}},
		"sections":   object{"fakepart": "Constant text."},
		"guidelines": []string{"A guideline of no tool."},
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

func TestTheFirstRequestHasWhatHelloDeclares(t *testing.T) {
	t.Parallel()
	everyWay(t, func(t *testing.T, version, transport string) {
		h, _ := fakeHome(t, version, "declares", transport)
		m := h.model
		h.tools = ""
		m.play(say("hello"))
		p := h.start(t)
		p.prompt("Hi.")
		commands := p.do(object{"type": "get_commands"})
		p.close()
		first := m.last(t)
		wantCount(t, "requests", len(m.all()), 1)
		if !slices.Contains(first.Tools, "e2e_echo") {
			t.Errorf("tools: %v", first.Tools)
		}
		contains(t, "the prompt", first.System, "<fakepart>\nConstant text.\n</fakepart>")
		contains(t, "the prompt", first.System, "says it again")
		contains(t, "the prompt", first.System, "Use e2e_echo with care.")
		contains(t, "the prompt", first.System, "A guideline of no tool.")
		contains(t, "the list of commands", string(commands.Data), `"e2e"`)
	})
}

func TestToolsAnswerAndFail(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		transport := map[string]string{newest: "serve", pi087: "oneshot", pi073: "serve"}[version]
		h, f := fakeHome(t, version, "declares", transport)
		m := h.model
		h.tools = ""
		m.play(
			use("e2e_echo", object{"text": "well"}), use("e2e_echo", object{"text": "blocks", "n": 2}),
			use("e2e_echo", object{"text": "fail"}), use("e2e_echo", object{"text": "broken"}), say("done"),
		)
		p := h.start(t)
		p.prompt("Echo.")
		p.finish()
		got := m.last(t).results()
		if len(got) != 4 || got[0] != "echo: well" || got[1] != "in blocks" {
			t.Fatalf("results: %q", got)
		}
		contains(t, "the third result", got[2], "nothing to echo")
		if got[3] == "" {
			t.Error("a tool that pictx failed to run says nothing")
		}
		failed := 0
		for _, e := range ofType(entries(t, h.session(t)), "message") {
			if strings.Contains(string(e.Raw), `"isError":true`) {
				failed++
			}
		}
		if failed != 2 {
			t.Errorf("%d results are errors, want 2", failed)
		}
		contains(t, "the second call", string(f.log("tool")[1].Payload), `"n":2`)
		contains(t, "the session", text(entries(t, h.session(t))), `"kept":true`)
	})
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
			contains(t, what, m.last(t).System, "Constant text.")
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
		if want := []string{"startup", "new", "resume", "fork", "reload"}; !slices.Equal(reasons, want) {
			t.Errorf("session_start: %v, want %v", reasons, want)
		}
		wantCount(t, "sessions were shut down", len(f.log("session_shutdown")), 5)
		f.gone(t)
	})
}

func TestDisabledPictxIsNotStarted(t *testing.T) {
	t.Parallel()
	oneTransport(t, func(t *testing.T, transport string) {
		h := newHome(t, newest)
		m := h.model
		f := h.fake(t, "declares", transport)
		h.env = append(h.env, "PICTX_DISABLE=1")
		m.play(say("ok"))
		p := h.start(t)
		p.prompt("Hi.")
		p.close()
		wantCount(t, "processes were started", len(f.starts()), 0)
		lacks(t, "the prompt has a section", m.last(t).System, "Constant text.")
	})
}
