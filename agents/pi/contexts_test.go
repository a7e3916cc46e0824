package pi_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

// recordedContext is what pi's "context" event carried, written down while a
// real pi ran (testdata/record): hashes of the messages as JavaScript writes
// them.
type recordedContext struct {
	Call     int
	Leaf     string
	Pending  int // messages of the event that had no entry in the file yet
	Messages []struct {
		Role       string
		ToolCallID string `json:"toolCallId"`
		SHA256     string `json:"sha256"`
	}
}

// The message list that the reader computes from a session file alone is, byte
// for byte, the one that pi gave its extensions at that moment: with compaction,
// context edits, branches, forks, "!" commands, custom messages and images, in
// three versions of pi.
func TestContextOfEveryModelCallIsWhatPiSent(t *testing.T) {
	files, err := filepath.Glob("../../testdata/contexts/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("recorded contexts: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := open(t, filepath.Join("../../testdata/sessions", filepath.Base(file)))
			for _, want := range readContexts(t, file) {
				compareContext(t, s, want)
			}
		})
	}
}

func open(t *testing.T, path string) *pi.Session {
	t.Helper()
	s := must.Get(pi.Open(path))(t)
	t.Cleanup(func() { s.Close() })
	if len(s.Problems()) > 0 {
		t.Fatalf("%s: %v", path, s.Problems())
	}
	return s
}

func readContexts(t *testing.T, path string) []recordedContext {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	var out []recordedContext
	in := bufio.NewScanner(f)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		var c recordedContext
		must.Do(t, json.Unmarshal(in.Bytes(), &c))
		out = append(out, c)
	}
	if len(out) == 0 {
		t.Fatalf("%s is empty", path)
	}
	return out
}

func compareContext(t *testing.T, s *pi.Session, want recordedContext) {
	t.Helper()
	items := message.WithoutSystem(s.Context(want.Leaf))
	if len(items)+want.Pending != len(want.Messages) {
		t.Fatalf("call %d at %s: %d messages, pi sent %d (%d of them not yet in the file)",
			want.Call, want.Leaf, len(items), len(want.Messages), want.Pending)
	}
	for i, it := range items {
		raw := must.Get(it.AppendMessage(nil, s.Line))(t)
		sum := sha256.Sum256(raw)
		if got := hex.EncodeToString(sum[:]); got != want.Messages[i].SHA256 {
			t.Fatalf("call %d, message %d (%s %s, entry %s) differs:\n%.300s",
				want.Call, i, want.Messages[i].Role, want.Messages[i].ToolCallID, it.Node.ID, raw)
		}
	}
}

// Walking a session call by call gives the same contexts as building each from
// its leaf, but for system messages.
func TestModelCallsAgreeWithContext(t *testing.T) {
	files := must.Get(filepath.Glob("../../testdata/sessions/*.jsonl"))(t)
	for _, file := range files {
		s := open(t, file)
		calls := 0
		for call := range s.ModelCalls() {
			calls++
			want := message.WithoutSystem(s.Context(call.Answer.ParentID))
			if len(want) != len(call.Context) {
				t.Fatalf("%s: call %s has %d messages, its context %d", file, call.Answer.ID, len(call.Context), len(want))
			}
			for i, it := range call.Context {
				if it.Node != want[i].Node || it.Edit != want[i].Edit || it.System != want[i].System {
					t.Fatalf("%s: call %s, message %d differs", file, call.Answer.ID, i)
				}
			}
		}
		if calls == 0 {
			t.Fatalf("%s: no model calls", file)
		}
	}
}
