//go:build unix

package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// configurations are one of pi's catalogue for each other form of requests in which models bind what
// they think, and a local one whose reasoning has no signature. The form of Anthropic, which most
// providers have, is that of scenarios.
func configurations() []string {
	return []string{
		"amazon-bedrock/anthropic.claude-opus-5-5",
		"openrouter/anthropic/claude-opus-5.5",
		"openai/gpt-6.2-sol",
		"openai-codex/gpt-6.2-sol",
		"openai-local/scripted",
	}
}

// What pictx does with each: where thinking is bound, it edits between turns alone and clears the
// thinking behind the first change.
func TestEveryProviderAcceptsWhatPictxSends(t *testing.T) {
	t.Parallel()
	rows := newTable(t)
	t.Run("with", func(t *testing.T) {
		for _, name := range configurations() {
			t.Run(strings.ReplaceAll(name, "/", " "), func(t *testing.T) {
				t.Parallel()
				b := newBound(t, name)
				b.h.keeps = 0.1 // the cache is cold at every prompt, so that there is much to prune
				b.h.real(t, "serve")
				b.p = b.h.start(t)
				b.parts(2)
				b.p.close()
				r := b.row(name)
				r.name = fmt.Sprintf("%s: %s", name, r.policy())
				r.ties = strings.HasPrefix(name, "openai/") || strings.HasPrefix(name, "openai-codex/")
				rows.want(t, r)
				if b.h.model.starved > 0 || r.edits == 0 {
					t.Errorf("%d requests too many, %d edits", b.h.model.starved, r.edits)
				}
			})
		}
	})
}

// policy says when pictx edits, as the session shows it.
func (r row) policy() string {
	switch {
	case r.edits == 0:
		return "nothing"
	case r.inside == 0:
		return "between turns"
	}
	return "free"
}
