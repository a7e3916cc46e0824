package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/tool"
	"github.com/coctostan/pictx/internal/must"
)

// reads is a call of read and its result.
func (s *session) reads(t testing.TB, path, text string) string {
	id := fmt.Sprintf("call%d", s.n)
	s.entry(t, fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":"read","arguments":{"path":%q}}]}`, id, path))
	return s.entry(t, fmt.Sprintf(`{"role":"toolResult","toolCallId":%q,"toolName":"read","content":[{"type":"text","text":%s}],"isError":false}`, id, message.AppendQuote(nil, text)))
}

func TestWhatIsPinnedIsCarriedOverACompaction(t *testing.T) {
	s := newSession(t)
	s.user(t, "go")
	s.reads(t, "src/a.ts", "old text of a")
	s.reads(t, "src/a.ts", "new text of a")
	s.reads(t, "src/kept.ts", "kept, but read again")
	s.reads(t, "src/other.ts", "not pinned")
	big := s.reads(t, "src/big.ts", strings.Repeat("too big ", 2500))
	_, output := s.runs(t, "go test", "FAIL TestX")
	first := s.user(t, "on")
	s.add(t, fmt.Sprintf(`{"type":"compaction","id":"c0000001","parentId":%q,"timestamp":"2026-11-20T10:59:00Z","summary":"an earlier one","firstKeptEntryId":%q,"tokensBefore":1}`, s.leaf, first))
	cut := s.user(t, "and on")
	s.reads(t, "src/kept.ts", "kept, the newest")
	text, left, err := s.branch(t, cut).Pinned(func(entry string, a tool.Access) bool {
		return entry == output || strings.HasSuffix(a.Path, "a.ts") || strings.HasSuffix(a.Path, "kept.ts") || strings.HasSuffix(a.Path, "big.ts")
	})
	must.Do(t, err)
	a, x := strings.Index(text, "read src/a.ts ("), strings.Index(text, "FAIL TestX")
	if a < 0 || x < a || !strings.Contains(text, "new text of a") || !strings.Contains(text, "### Pinned by the user") {
		t.Errorf("%s", text)
	}
	for _, no := range []string{"old text", "not pinned", "kept", "too big"} {
		must.Lack(t, text, no, "what it says")
	}
	if !slices.Equal(left, []string{big}) {
		t.Errorf("left %v, want %s", left, big)
	}
	if text, left, _ := s.branch(t, cut).Pinned(func(string, tool.Access) bool { return false }); text != "" || len(left) > 0 {
		t.Errorf("without pins: %q %v", text, left)
	}
}
