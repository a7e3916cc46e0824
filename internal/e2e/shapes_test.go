//go:build unix

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// asked is a call of the model in a request, as the provider gets it back.
type asked struct {
	id        string
	arguments map[string]any
}

// calls are the calls in a request, in order, and the ids of the results in it.
func (r request) calls(t *testing.T) (calls []asked, results []string) {
	t.Helper()
	add := func(id string, arguments []byte) {
		c := asked{id: id}
		if err := json.Unmarshal(arguments, &c.arguments); err != nil {
			t.Fatalf("arguments of %s: %v: %s", id, err, arguments)
		}
		calls = append(calls, c)
	}
	for _, m := range r.Messages {
		var body struct {
			Type       string
			CallID     string `json:"call_id"`
			ToolCallID string `json:"tool_call_id"`
			Arguments  string
			ToolCalls  []struct {
				ID       string
				Function struct{ Arguments string }
			} `json:"tool_calls"`
			Content json.RawMessage
		}
		must.Do(t, json.Unmarshal(m.Raw, &body))
		for _, c := range body.ToolCalls {
			add(c.ID, []byte(c.Function.Arguments))
		}
		switch {
		case body.Type == "function_call":
			add(body.CallID, []byte(body.Arguments))
		case body.CallID != "":
			results = append(results, body.CallID)
		case body.ToolCallID != "":
			results = append(results, body.ToolCallID)
		}
		var blocks []struct {
			Type, ID  string
			ToolUseID string `json:"tool_use_id"`
			Input     json.RawMessage
		}
		json.Unmarshal(body.Content, &blocks)
		for _, b := range blocks {
			switch b.Type {
			case "tool_use":
				add(b.ID, b.Input)
			case "tool_result":
				results = append(results, b.ToolUseID)
			}
		}
	}
	return calls, results
}

// replaces are the old and the new text of an edit in a request.
func (c asked) replaces(t *testing.T) (old, now string) {
	t.Helper()
	edits, _ := c.arguments["edits"].([]any)
	if len(edits) != 1 {
		t.Fatalf("call %s is no edit: %v", c.id, c.arguments)
	}
	one, _ := edits[0].(map[string]any)
	old, _ = one["oldText"].(string)
	now, _ = one["newText"].(string)
	return old, now
}

// passage is a text that one of the edits replaces or writes.
func passage(word string) string { return strings.Repeat(word+" is said here. ", 60) + "\n" }

// change is a call that edits a file.
func change(old, now string) call {
	return call{"edit", object{"path": "plan.txt", "edits": []object{{"oldText": passage(old), "newText": passage(now)}}}}
}

// What goes from a session goes from requests of every shape, and what a provider checks
// stays: of Responses, whose calls belong to what was thought, nothing but results.
func TestWhatIsPrunedLeavesRequestsOfEveryShapeValid(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"anthropic", "openai", "responses"} {
		t.Run(provider, func(t *testing.T) {
			t.Parallel()
			everyPi(t, func(t *testing.T, version string) { shaped(t, version, provider) })
		})
	}
}

func shaped(t *testing.T, version, provider string) {
	h := autoHome(t, version, transportOf(version))
	h.provider = provider
	h.configure(t, "[prune]\nmode = \"manual\"\n")
	h.write(t, "plan.txt", passage("alpha")+passage("beta")+passage("gamma"))
	p := h.start(t)
	thought := strings.Repeat("closed ", 100)
	both := turn{Thinking: thought, Tools: []call{change("alpha", "delta"), {"bash", object{"command": "echo beside"}}}}
	ages := slices.Repeat([]turn{glance()}, 6)
	p.ask("One.", append([]turn{both, {Tools: []call{change("beta", "epsilon")}}, h.print(t, "one", 3000)}, append(ages, say("one"))...)...)
	open := turn{Thinking: strings.Repeat("open ", 100), Tools: []call{change("gamma", "zeta")}}
	before := p.ask("Two.", open, say("two"))
	was, _ := before[1].calls(t)
	told := p.tells("/prune")
	contains(t, "/prune", told, "Pruned ")
	after := p.ask("Three.", say("three"))[0]
	p.finish()

	got, results := after.calls(t)
	var ids []string
	for _, c := range got {
		ids = append(ids, c.id)
	}
	if len(got) != len(was) || !slices.Equal(slices.Sorted(slices.Values(ids)), slices.Sorted(slices.Values(results))) {
		t.Errorf("%d calls, before there were %d; calls %v, results %v", len(got), len(was), ids, results)
	}
	must.Not(t, after.marks() == 0, "no result is pruned")
	tied := provider == "responses"
	edits := map[int][2]string{0: {"alpha", "delta"}, 2: {"beta", "epsilon"}, len(got) - 1: {"gamma", "zeta"}}
	for i, words := range edits {
		old, now := got[i].replaces(t)
		newest, shorter := i == len(got)-1, "[pruned: ~"
		goes := !tied && !newest
		must.Not(t, goes != strings.HasPrefix(old, shorter) || !goes && old != passage(words[0]), "the old text of edit %d: %.80s", i, old)
		must.Equal(t, now, passage(words[1]), "the new text of edit %d", i)
	}
	// Thinking goes where it is bound to what was changed before it, and cannot where calls are tied to it.
	must.Equal(t, strings.Contains(string(after.Raw), "closed closed"), provider != "anthropic", "thinking of a turn that is over is sent")
	must.Not(t, tied && strings.Count(string(after.Raw), `"encrypted_content":"c2VhbGVk"`) != 2, "what only the provider can read is not as it was")
	must.Not(t, provider == "anthropic" && !strings.Contains(string(before[1].Raw), `"signature":"c2lnbmF0dXJl"`), "the agent does not send signatures")
}
