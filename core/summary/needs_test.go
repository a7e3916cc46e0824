package summary_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// needed are the strings that an agent needs to go on with a session after its
// compaction.
type needed struct {
	Session string // the beginning of the name of its file
	Needs   []string
}

// needs reads what the sessions' readers noted.
func needs(t *testing.T) []needed {
	t.Helper()
	f := must.Get(os.Open("../../testdata/recall/needs.jsonl"))(t)
	defer f.Close()
	var out []needed
	for d := json.NewDecoder(f); d.More(); {
		var n needed
		must.Do(t, d.Decode(&n))
		out = append(out, n)
	}
	return out
}

// others lists session files that are not part of the repository, none with -short.
func others(t *testing.T) []string {
	t.Helper()
	if testing.Short() {
		return nil
	}
	dir := os.Getenv("PICTX_SESSIONS")
	if dir == "" {
		dir = "../../../shared/sessions"
	}
	files := must.Get(filepath.Glob(filepath.Join(dir, "*.jsonl")))(t)
	if len(files) == 0 {
		t.Log("only the recorded sessions are read: PICTX_SESSIONS names no directory with others")
	}
	return files
}

// keepRecent is how much pi keeps of a session that it compacts.
const keepRecent token.Count = 20_000

// piCut is where pi would cut the session, if it kept less of a short one.
func (s *session) piCut() (cut string) {
	for keep := keepRecent; cut == "" && keep > 100; keep /= 2 {
		cut = summary.Cut(&s.tree, s.leaf, keep)
	}
	return cut
}

// keptText is what the agent still reads of the messages from an entry on.
func (s *session) keptText(t *testing.T, cut string) string {
	t.Helper()
	var text []byte
	kept := false
	for _, n := range s.tree.Path(s.leaf) {
		if kept = kept || n.ID == cut; kept {
			text = append(n.AppendText(text, s.lines[n.ID]), '\n')
		}
	}
	return string(text)
}

// A context after a compaction without a model holds what its reader needs to go on:
// nine of the ten strings that somebody named who knows the session.
func TestTheContextAfterAnExtractHoldsWhatAnAgentNeeds(t *testing.T) {
	files := append(others(t), sessionFiles(t)...)
	for _, want := range needs(t) {
		for _, file := range files {
			if !strings.HasPrefix(filepath.Base(file), want.Session) {
				continue
			}
			s := read(t, file)
			cut := s.piCut()
			text := s.extracted(t, cut) + s.keptText(t, cut)
			var missing []string
			for _, need := range want.Needs {
				if !strings.Contains(text, need) {
					missing = append(missing, need)
				}
			}
			t.Logf("%s: missing %q", want.Session, missing)
			if len(missing)*10 > len(want.Needs) {
				t.Errorf("%s: %d of %d strings are missing: %q", want.Session, len(missing), len(want.Needs), missing)
			}
		}
	}
}

// sessionFiles are the recorded sessions.
func sessionFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/sessions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d recorded sessions, %v", len(files), err)
	}
	return files
}

// extracted is the text that replaces what comes before an entry, without a model.
func (s *session) extracted(t *testing.T, cut string) string {
	t.Helper()
	b := s.branch(t, cut)
	m := &memory{}
	work(t, m, b, summary.Options{Now: (&clock{}).now}, nil)
	return assembled(t, b, m.nodes)
}
