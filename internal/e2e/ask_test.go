//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

func asks() map[string]behaviour {
	hello := object{"wants": []string{"session_start"}, "commands": []object{{"name": "e2e", "description": "Asks."}}}
	onScreen := object{"wants": []string{"session_start"}, "commands": []object{{"name": "e2e", "description": "Asks.", "complete": true}}}
	return map[string]behaviour{
		"asks": {hello, askAll},
		"screen": {onScreen, func(f *fake, e envelope) reply {
			if e.Event != "complete" {
				return askAll(f, e)
			}
			var p struct{ Name, Prefix string }
			e.payload(&p)
			if p.Name != "e2e" || p.Prefix != "n" {
				return nil
			}
			return reply{"result": object{"items": []object{{"value": "nobody", "label": "nobody", "description": "a completion for n"}}}}
		}},
	}
}

// questions are what a person and a model are asked, by the command's argument.
func questions(what string) []object {
	options := []object{{"value": "a", "label": "Alpha", "description": "the first"}, {"value": "b", "label": "Beta", "selected": true}, {"value": "c", "label": "Gamma"}}
	switch what {
	case "models":
		var all []object
		for i := range 6 {
			all = append(all, object{"id": fmt.Sprint("m", i), "kind": "complete", "models": []string{"nobody/none", "session"}, "system": "e2e completes", "prompt": fmt.Sprint("Finish ", i), "maxTokens": 77})
		}
		return all
	case "boxes":
		return []object{{"id": "some", "kind": "multiselect", "title": "Which ones?", "options": options}}
	case "nobody":
		return []object{{"id": "m", "kind": "complete", "models": []string{"nobody/none"}, "prompt": "Finish"}}
	}
	return []object{
		{"id": "sure", "kind": "confirm", "title": "Sure?", "message": "Really?"},
		{"id": "one", "kind": "select", "title": "Which?", "options": options},
		{"id": "some", "kind": "multiselect", "title": "Which ones?", "options": options},
		{"id": "name", "kind": "input", "title": "Name?", "placeholder": "a name"},
		{"id": "story", "kind": "input", "title": "Story?", "initial": "once", "multiline": true},
	}
}

// askAll asks, and shows what came back.
func askAll(_ *fake, e envelope) reply {
	if e.Event != "command" {
		return nil
	}
	var p struct{ Args string }
	e.payload(&p)
	if e.Replies == nil {
		return reply{"ask": questions(p.Args), "state": object{"round": 1}}
	}
	var lines []string
	for _, a := range e.Replies {
		got := string(a.Value)
		if a.Cancelled {
			got = "cancelled"
		}
		if a.Error != "" {
			got = "error"
		}
		lines = append(lines, a.ID+"="+got)
	}
	return reply{"result": object{"text": "got " + strings.Join(lines, " ") + " state " + string(e.State)}}
}

// person answers every question, and takes the second option.
func person(r record) any {
	switch r.Method {
	case "confirm":
		return true
	case "select":
		return r.Options[1]
	case "editor":
		return r.Prefill + " upon a time"
	}
	return "Ada"
}

// choosing answers a choice among several: it takes Gamma out of or into the
// choice once, then says that it is done.
func choosing() dialog {
	toggled := false
	return func(r record) any {
		if r.Method != "select" || !strings.Contains(r.Title, "ones?") {
			return person(r)
		}
		want := "Gamma"
		if toggled {
			want = "one" // Done, in whatever words
		}
		toggled = true
		for _, o := range r.Options {
			if strings.Contains(o, want) && (want == "Gamma" || !strings.Contains(o, "[")) {
				return o
			}
		}
		return nil
	}
}

// checkCompletions looks for the answer of each call.
func checkCompletions(t *testing.T, notice string) {
	t.Helper()
	for i := range 6 {
		contains(t, "the notice", notice, fmt.Sprintf(`"text":"answer to Finish %d"`, i))
	}
	contains(t, "the notice", notice, `"model":"openai-local/scripted"`)
	_, rest, _ := strings.Cut(notice, "m0=")
	var first struct{ StopReason string }
	err := json.NewDecoder(strings.NewReader(rest)).Decode(&first)
	must.Not(t, err != nil || first.StopReason != "stop", "the first answer: %v %+v", err, first)
}

// busy is how many requests are being answered; busiest the most so far.
func (m *model) busy() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}

func (m *model) busiest() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.most
}

func (s *stage) personAnswers() {
	s.answers(choosing())
	got := s.tells("/e2e people")
	if want := `got sure=true one="b" some=["b","c"] name="Ada" story="once upon a time" state {"round":1}`; got != want {
		s.t.Errorf("got  %s\nwant %s", got, want)
	}
	sent := s.f.log("command")
	if len(sent) != 2 || string(sent[0].Payload) != string(sent[1].Payload) {
		s.t.Errorf("the second request has another payload: %v", sent)
	}
}

func (s *stage) dismissed() {
	s.answers(func(record) any { return nil })
	contains(s.t, "the notice", s.tells("/e2e people"), "one=cancelled some=cancelled name=cancelled story=cancelled")
}

func (s *stage) fourModels() {
	t, h := s.t, s.h
	go4 := make(chan struct{})
	h.model.answer(func(r request) *turn {
		if !strings.Contains(r.System, "e2e completes") {
			return nil
		}
		return &turn{Text: "answer to " + r.Messages[0].Text, Wait: go4}
	})
	go func() {
		for limit := time.Now().Add(patience); time.Now().Before(limit) && h.model.busy() < 4; {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(300 * time.Millisecond) // time for a fifth, if there were one
		close(go4)
	}()
	checkCompletions(t, s.tells("/e2e models"))
	wantCount(t, "models at a time", h.model.busiest(), 4)
	for _, r := range h.model.all() {
		wantCount(t, "tokens at most", r.MaxTok, 77)
	}
}

func (s *stage) noModel() { contains(s.t, "the notice", s.tells("/e2e nobody"), "m=error") }
