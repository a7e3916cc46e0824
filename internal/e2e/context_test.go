//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

const gone = "[gone]"

func edits() map[string]behaviour {
	wants := object{"wants": []string{"session_start", "context", "turn_end"}}
	return map[string]behaviour{
		"edits all": {wants, func(_ *fake, e envelope) reply { return everyResult(e, nil) }},
		"edits all and skips": {wants, func(_ *fake, e envelope) reply {
			return everyResult(e, object{"context": "skip"})
		}},
		"edits all and skips until idle": {wants, func(_ *fake, e envelope) reply {
			return everyResult(e, object{"context": "skip", "idleMs": 1})
		}},
		"edits by id": {wants, editByID},
		"inserts":     {wants, inserts},
		"skips from the start": {object{"wants": []string{"context"}, "context": "skip"}, func(_ *fake, e envelope) reply {
			return everyResult(e, nil)
		}},
		"edits the first": {wants, firstResult},
	}
}

// everyResult edits every tool result of a context.
func everyResult(e envelope, next any) reply {
	if e.Event != "context" {
		return nil
	}
	edits := []object{}
	for _, k := range e.keys() {
		if k.Role == "toolResult" {
			edits = append(edits, object{"index": k.I, "content": []object{{"type": "text", "text": gone}}})
		}
	}
	r := reply{"result": object{"edits": edits}}
	if next != nil && len(edits) > 0 {
		r["next"] = next
	}
	return r
}

// firstResult edits the first tool result, so that it is the same edit every time.
func firstResult(_ *fake, e envelope) reply {
	r := everyResult(e, nil)
	if r == nil {
		return nil
	}
	result := r["result"].(object)
	result["edits"] = result["edits"].([]object)[:min(1, len(result["edits"].([]object)))]
	return r
}

// editByID edits the tool results that the session file names.
func editByID(_ *fake, e envelope) reply {
	if e.Event != "context" {
		return nil
	}
	edits := []object{}
	file, err := os.Open(e.Session.File)
	if err != nil {
		return nil
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line entry
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message.Role == "toolResult" {
			edits = append(edits, object{"entryId": line.ID, "content": gone})
		}
	}
	return reply{"result": object{"edits": edits}}
}

// inserts puts a message at the start and at the end.
func inserts(_ *fake, e envelope) reply {
	if e.Event != "context" {
		return nil
	}
	user := func(text string) object {
		return object{"role": "user", "content": []object{{"type": "text", "text": text}}, "timestamp": 1}
	}
	return reply{"result": object{"insert": []object{
		{"before": 0, "message": user("inserted at the start")},
		{"before": "end", "message": user("inserted at the end")},
	}}}
}

// look plays a session with three tool results in two prompts.
func look(t *testing.T, h *home) *rpc {
	t.Helper()
	h.empty(t)
	h.write(t, "secret.txt", "the-content-of-a-file\n")
	p := h.start(t)
	lookAgain(p)
	p.finish()
	return p
}

// lookAgain plays what look does in a session that has just begun.
func lookAgain(p *rpc) {
	p.t.Helper()
	p.h.model.play(use("read", object{"path": "secret.txt"}), use("bash", object{"command": "cat secret.txt; echo more"}), say("seen"), use("ls", nil), say("the end"))
	p.prompt("Read the-words-of-a-person.")
	p.prompt("Once more.")
}

func (s *stage) keysAlone() {
	s.look()
	t, sent := s.t, s.f.log("context")
	must.Stop(t, len(sent) != 5, "%d context requests, want 5", len(sent))
	for _, e := range sent {
		lacks(t, "a context request holds content", string(e.Raw), "the-content-of-a-file")
		lacks(t, "a context request holds content", string(e.Raw), "the-words-of-a-person")
	}
	keys := sent[4].keys()
	roles := make([]string, len(keys))
	for i, k := range keys {
		roles[i] = k.Role
		must.Not(t, k.I != i || (k.Role == "toolResult") != (k.ToolCallID != ""), "key %d: %+v", i, k)
	}
	must.Equal(t, fmt.Sprint(roles), "[user assistant toolResult assistant toolResult assistant user assistant toolResult]", "roles")
}

func (s *stage) edited() {
	s.look()
	t := s.t
	for i, r := range s.h.model.turns() {
		for _, text := range r.results() {
			must.Equal(t, text, gone, "request %d has a result", i)
		}
	}
	wantCount(t, "results", len(s.h.model.last(t).results()), 3)
	contains(t, "the session", text(s.entries()), "the-content-of-a-file")
	lacks(t, "the session has the edit", text(s.entries()), gone)
}

func (s *stage) inserted() {
	s.look()
	for i, r := range s.h.model.turns() {
		if first := r.Messages[0].Text; !strings.HasPrefix(first, "inserted at the start") {
			s.t.Errorf("request %d begins with %q", i, first)
		}
		if last := r.Messages[len(r.Messages)-1].Text; !strings.HasSuffix(last, "inserted at the end") {
			s.t.Errorf("request %d ends with %q", i, last)
		}
	}
	lacks(s.t, "the session has what was inserted", text(s.entries()), "inserted at")
}

func (s *stage) skipped() {
	s.look()
	// The first request has no result to edit, the second asks and is told to skip.
	wantCount(s.t, "contexts were asked about", len(s.f.log("context")), 2)
	got := s.h.model.last(s.t).results()
	if len(got) != 3 || got[0] != gone || got[1] == gone || got[2] == gone {
		s.t.Errorf("results %q", got)
	}
}

func (s *stage) skippedUntilIdle() {
	s.look()
	wantCount(s.t, "contexts were asked about", len(s.f.log("context")), 5)
}

func (s *stage) neverAsked() {
	s.look()
	wantCount(s.t, "contexts were asked about", len(s.f.log("context")), 0)
}
