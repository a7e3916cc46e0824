package commands

import (
	"encoding/json"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// TestSummariesAreAskedOfTheSessionsOwnModelUnlessAPersonNamesOthers: the text of a session
// goes to no provider that nobody chose.
func TestSummariesAreAskedOfTheSessionsOwnModelUnlessAPersonNamesOthers(t *testing.T) {
	t.Parallel()
	for config, want := range map[string][]string{"": {"session"}, "history.models = [\"a/b\"]\n": {"a/b", "session"}} {
		p, leaf, kept := shop(t)
		p.config(config)
		var r compactReply
		text := p.once("session_before_compact", p.request("session_before_compact", leaf, map[string]any{
			"reason": "manual", "firstKeptEntryId": kept, "tokensBefore": 1000, "fileOps": map[string]any{"read": []string{}, "written": []string{}, "edited": []string{}},
		}))
		if err := json.Unmarshal([]byte(text), &r); err != nil || len(r.Ask) == 0 {
			t.Fatalf("%v, %d questions in %.300s", err, len(r.Ask), text)
		}
		for _, q := range r.Ask {
			must.Match(t, q.Models, want, "with %q the question names the models", config)
		}
	}
}
