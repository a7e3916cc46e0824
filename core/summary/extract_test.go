package summary_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
)

func TestExtractHoldsTheImportantLines(t *testing.T) {
	s := newSession(t)
	s.user(t, "Please make the lease renew itself.")
	s.entry(t, `{"role":"assistant","content":[{"type":"text","text":"First the code."},{"type":"toolCall","id":"r","name":"read","arguments":{"path":"lease.go"}}]}`)
	s.entry(t, `{"role":"toolResult","toolCallId":"r","toolName":"read","content":[{"type":"text","text":"ENOENT: no such file"}],"isError":true}`)
	s.runs(t, "go test ./...", "ok  a\n--- FAIL: TestLease (0.00s)\nFAIL\n\nCommand exited with code 1")
	s.says(t, "Decision: the lease is renewed at each question, because a model may take minutes. That is all.")
	s.entry(t, `{"role":"assistant","content":[{"type":"toolCall","id":"e","name":"edit","arguments":{"path":"core/lease.go"}}]}`)
	s.entry(t, `{"role":"toolResult","toolCallId":"e","toolName":"edit","content":[{"type":"text","text":"done"}]}`)
	s.runs(t, "npm test", "ℹ tests 12\nℹ pass 12\nℹ fail 0\nℹ duration_ms 3")
	s.entry(t, `{"role":"bashExecution","command":"git status","output":"clean\n","exitCode":0}`)
	for range 20 {
		s.says(t, "Looking on. "+strings.Repeat("and on ", 60))
	}
	s.user(t, "Thanks, ship it.")
	b := s.branch(t, "")
	o := options(&clock{})
	o.LeafTokens, o.Models = 100_000, nil
	m := &memory{}
	work(t, m, b, o, nil)
	text := m.nodes[0].Text
	order := []string{
		"Extract, not written by a model. 2026-11-20 10:01 to 10:",
		"10:01 user: Please make the lease renew itself.",
		"read failed: ENOENT: no such file",
		"ran `go test ./...`: exit 1: ok a; FAIL: TestLease (0.00s); FAIL",
		"said: Decision: the lease is renewed at each question, because a model may take minutes.",
		"ran `npm test`: exit 0: ℹ fail 0",
		"the user ran `git status`: exit 0: clean",
		"user: Thanks, ship it.",
		"Files changed: core/lease.go",
		"Files read: lease.go",
	}
	at := 0
	for _, want := range order {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Errorf("%q is not there, or not in order, in\n%s", want, text)
			continue
		}
		at += i
	}
	if m.nodes[0].Tokens > 1000 || m.nodes[0].Tokens >= m.nodes[0].Input {
		t.Errorf("%d tokens made of %d", m.nodes[0].Tokens, m.nodes[0].Input)
	}
}

func TestAnExtractSaysALongSentenceOnce(t *testing.T) {
	long := "We decided to keep the lease at thirty seconds, " + strings.Repeat("because a renewal may be late by some of them, ", 9) + "as was seen."
	for name, said := range map[string]string{
		"bold": "All is done. **We decided to keep the lease** at thirty seconds, because a renewal may be late.",
		"long": long, "cut": strings.Repeat("The tests pass on all machines again, ", 6) + "all of them. " + long,
	} {
		s := newSession(t)
		s.user(t, "Make the lease renew itself.")
		for range 20 {
			s.says(t, "Looking on. "+strings.Repeat("and on ", 60))
		}
		s.says(t, said)
		s.user(t, "Thanks, ship it.")
		m := &memory{}
		o := options(&clock{})
		o.LeafTokens, o.Models = 100_000, nil
		work(t, m, s.branch(t, ""), o, nil)
		text := strings.ReplaceAll(m.nodes[0].Text, "**", "")
		if n := strings.Count(text, "decided to keep the lease"); n != 1 {
			t.Errorf("%s: %d times in\n%s", name, n, text)
		}
	}
}

// What the recorded sessions come to without a model is kept beside the tests, to be read.
func TestExtractsOfRecordedSessions(t *testing.T) {
	for _, name := range []string{"shop-main", "shop-fork", "notes-1.5"} {
		s := recorded(t, name+".jsonl")
		b := s.branch(t, "")
		m := &memory{}
		work(t, m, b, summary.Options{Now: (&clock{}).now}, nil)
		c := b.Cover(m.nodes)
		sound(t, b, c)
		got := assembled(t, b, m.nodes) + "\n"
		golden := filepath.Join("testdata", name+".txt")
		if os.Getenv("UPDATE_GOLDEN") != "" {
			must.Do(t, os.MkdirAll("testdata", 0o755))
			must.Do(t, os.WriteFile(golden, []byte(got), 0o644))
		}
		want := must.Get(os.ReadFile(golden))(t)
		must.Equal(t, got, string(want), "%s differs from its golden file; UPDATE_GOLDEN=1 writes it anew", name)
		if tokensOf(got) > summary.DefaultBudget {
			t.Errorf("%s: %d tokens", name, tokensOf(got))
		}
	}
}
