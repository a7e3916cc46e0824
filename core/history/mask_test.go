package history_test

import (
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
)

// TestAPurgedResultNamesNoToolAndNoCall shows that what is read of the agent's own file
// after a purge has nothing of a result but its place in the session.
func TestAPurgedResultNamesNoToolAndNoCall(t *testing.T) {
	line := `{"type":"message","id":"aa000002","parentId":"aa000001","timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"toolResult","toolCallId":"call-SECRET1","toolName":"tool-SECRET2","content":[{"type":"text","text":"SECRET3"}],"details":{"x":"SECRET4"},"isError":false}}`
	got := string(history.Emptied([]byte(line)))
	must.Lack(t, got, "SECRET", "a purged result")
	for _, kept := range []string{`"id":"aa000002"`, `"parentId":"aa000001"`, `"role":"toolResult"`, `"toolCallId":"purged"`, `"toolName":"purged"`} {
		must.Contain(t, got, kept, "a purged result lacks")
	}
	if !history.IsEmptied([]byte(got)) {
		t.Errorf("a purged result is not known as one: %s", got)
	}
}
