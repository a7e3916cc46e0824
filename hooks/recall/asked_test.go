package recall_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/hooks"
	"github.com/coctostan/pictx/internal/must"
)

// searching appends a turn that runs: its prompt, and the response that searches. It returns
// the members of a request whose leaf is that response.
func (a *agent) searching(id, parent, prompt string) map[string]any {
	a.t.Helper()
	a.write(
		fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-03-02T10:00:00.000Z","message":{"role":"user","content":%q}}`, id, parent, prompt),
		fmt.Sprintf(`{"type":"message","id":"%s-call","parentId":%q,"timestamp":"2026-03-02T10:00:01.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"lcm_grep","arguments":{}}],"stopReason":"toolUse"}}`, id, id),
	)
	return map[string]any{"session": map[string]any{"id": "s", "file": a.file, "leafId": id + "-call"}}
}

// found are the ids that a search lists.
func (a *agent) found(query string, members map[string]any) []string {
	a.t.Helper()
	r, _ := a.send(hooks.EventTool, map[string]any{"name": "lcm_grep", "toolCallId": "c", "params": map[string]any{"query": query}}, members)
	var ids []string
	for line := range strings.Lines(r.Result.Text) {
		if fields := strings.Fields(line); len(fields) > 1 && strings.HasPrefix(fields[0], "[") {
			ids = append(ids, fields[1])
		}
	}
	return ids
}

// The model has the question before it, and looks for what was said before.
func TestASearchDoesNotFindThePromptThatTheTurnAnswers(t *testing.T) {
	t.Parallel()
	const question = "where is the zebra kept?"
	for _, query := range []string{question, "zebra", `"zebra kept"`, "zebr"} {
		a := newAgent(t, nil)
		got := strings.Join(a.found(query, a.searching("again", "reply", question)), " ")
		if strings.Contains(got, "again") || !strings.Contains(got, "ask") {
			t.Errorf("%s: found %q, want the question of the turn before and not that of this turn", query, got)
		}
		// The next turn asks for something else: now the prompt is one of those before.
		a.write(`{"type":"message","id":"told","parentId":"again-call","timestamp":"2026-03-02T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"as I said"}],"stopReason":"stop"}}`)
		r, _ := a.send(hooks.EventTool, map[string]any{"name": "lcm_expand", "toolCallId": "c", "params": map[string]any{"id": "again"}}, nil)
		if !strings.Contains(r.Result.Text, question) {
			t.Errorf("the prompt does not expand: %+v", r.Result)
		}
		if got := strings.Join(a.found("again kept zebra", a.searching("third", "told", "look once more")), " "); !strings.Contains(got, "ask") && !strings.Contains(got, "again") {
			t.Errorf("a turn later the question is not found, only %q", got)
		}
	}
}

// What the user adds while the agent works is before it too.
func TestASearchDoesNotFindWhatTheUserAddedToTheTurn(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.searching("task", "reply", "count the okapis")
	got := a.found("okapis", a.searching("added", "task-call", "and the young okapis"))
	must.Equal(t, len(got), 0, "found %q", got)
}

// A compaction takes a prompt out of the context, also that of the turn that runs.
func TestASearchFindsAPromptThatACompactionDropped(t *testing.T) {
	t.Parallel()
	a := newAgent(t, nil)
	a.searching("task", "reply", "count the okapis")
	a.write(
		`{"type":"compaction","id":"cut","parentId":"task-call","timestamp":"2026-03-02T10:00:02.000Z","summary":"Work goes on.","firstKeptEntryId":"task-call","tokensBefore":9000}`,
	)
	got := a.found("okapis", map[string]any{"session": map[string]any{"id": "s", "file": a.file, "leafId": "cut"}})
	if len(got) != 1 || got[0] != "task" {
		t.Errorf("found %q, want the prompt", got)
	}
}
