//go:build unix

package e2e

import (
	"slices"
	"strings"
)

func commands() map[string]behaviour {
	hello := object{
		"wants":    []string{"session_start"},
		"commands": []object{{"name": "e2e", "description": "Does what a test wants.", "complete": true}, {"name": "e2e-other", "description": "Another."}},
	}
	return map[string]behaviour{"commands": {hello, runCommand}}
}

// runCommand shows its argument in the way the argument names.
func runCommand(_ *fake, e envelope) reply {
	if e.Event != "command" {
		return nil
	}
	var p struct{ Name, Args string }
	e.payload(&p)
	text := p.Name + " was told " + p.Args
	switch kind, level, _ := strings.Cut(p.Args, " "); kind {
	case "notify":
		return reply{"result": object{"text": text, "show": "notify", "level": level}}
	case "message", "widget", "editor":
		return reply{"result": object{"text": text, "show": kind}}
	case "entries":
		return reply{"result": object{"entries": []object{
			{"type": "custom", "customType": "fake.kept", "data": object{"n": 7}},
			{"type": "custom_message", "customType": "fake.said", "content": "said by a command", "display": true},
		}}}
	case "fail":
		return reply{"error": "the command failed"}
	}
	return reply{"result": object{"text": text}}
}

func (s *stage) commands() {
	t := s.t
	s.ask("Hi.", say("hello"))
	for _, c := range []string{"/e2e", "/e2e notify warning", "/e2e message", "/e2e widget", "/e2e editor", "/e2e entries", "/e2e-other notify error", "/e2e fail"} {
		s.slash(c)
	}
	s.ask("Again.", say("again"))
	notes := s.of("notify")
	for _, n := range []struct{ text, level string }{{"e2e was told ", "info"}, {"e2e was told notify warning", "warning"}, {"e2e-other was told notify error", "error"}} {
		if !slices.ContainsFunc(notes, func(r record) bool { return r.Message == n.text && r.NotifyType == n.level }) {
			t.Errorf("no notice %q of level %s in %v", n.text, n.level, notes)
		}
	}
	if w := s.of("setWidget"); !slices.ContainsFunc(w, func(r record) bool { return strings.Join(r.WidgetLines, "\n") == "e2e was told widget" }) {
		t.Errorf("widgets: %v", w)
	}
	if w := s.of("set_editor_text"); len(w) != 1 || w[0].Text != "e2e was told editor" {
		t.Errorf("editor: %v", w)
	}
	session := text(s.entries())
	contains(t, "the session", session, "e2e was told message")
	contains(t, "the session", session, `"fake.kept"`)
	last := s.h.model.last(t).text()
	contains(t, "the last request", last, "said by a command")
	lacks(t, "a message for a person went to the model", last, "was told message")
	wantCount(t, "commands ran", len(s.f.log("command")), 8)
}
