package decision_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/decision"
)

// Holds decisions 76, 77, 80.
func TestOnlyMarkedLinesAreCandidates(t *testing.T) {
	prompt := strings.Join([]string{
		"Decision: Use tabs", "please do this", "  - **Decision:** Use gRPC between services", "1. decision : Run migrations in CI",
		"> Decision: quoted", "    Decision: indented code", "```go", "Decision: in code", "```", "<file name=\"a.md\">", "Decision: in a file", "</file>",
		"Decisions:", "- First of a list", "- Second of a list", "", "- still in it", "That is all.", "- not in it",
		"My decision: no marker", "Decision:", "Decision: use TABS.", "~~~", "Decision: unclosed",
	}, "\n")
	var got []string
	for _, c := range decision.Candidates(prompt) {
		got = append(got, string(c))
	}
	want := "Use tabs|Use gRPC between services|Run migrations in CI|First of a list|Second of a list|still in it"
	if strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
	e := &decision.Editor{State: decision.Replay(nil), Now: time.Unix(1_700_000_000, 0), Random: rand.NewChaCha8([32]byte{1})}
	if _, err := e.Add(decision.New{Text: "use gRPC between services"}, true); err != nil {
		t.Fatal(err)
	}
	fresh := decision.Replay(e.Events()).Fresh(decision.Candidates(prompt))
	if len(fresh) < 2 || fresh[0] != "Use tabs" || fresh[1] != "Run migrations in CI" {
		t.Errorf("fresh: %v", fresh)
	}
}

func FuzzCandidates(f *testing.F) {
	f.Add("Decision: use tabs\n```\nDecisions:\n- a\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range decision.Candidates(text) {
			if _, err := decision.Clean(string(c)); err != nil {
				t.Errorf("%q: %v", c, err)
			}
		}
	})
}
