package prune_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/core/prune/policy"
	"github.com/coctostan/pictx/internal/must"
)

// marks is a store of marks that may be broken.
type marks struct {
	kept []prune.Mark
	err  error
}

func (m *marks) Marks(context.Context, string) ([]prune.Mark, error) { return m.kept, m.err }

func (m *marks) AddMarks(_ context.Context, _ string, made []prune.Mark) error {
	if m.err == nil {
		m.kept = append(m.kept, made...)
	}
	return m.err
}

// sessionText is a session of user turns, each with a read of some size. Extra
// lines are put after the turns.
func sessionText(turns int, extra ...string) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	add := func(id, format string, args ...any) {
		fmt.Fprintf(&b, `{"type":"message","id":"%s","parentId":%s,"timestamp":"2026-03-02T09:00:00.000Z","message":%s}`+"\n", id, parent, fmt.Sprintf(format, args...))
		parent = `"` + id + `"`
	}
	for i := range turns {
		add(fmt.Sprintf("u%d", i), `{"role":"user","content":[{"type":"text","text":"go on"}],"timestamp":%d}`, i*10)
		add(fmt.Sprintf("a%d", i), `{"role":"assistant","content":[{"type":"toolCall","id":"c%d","name":"read","arguments":{"path":"f%d"}}],"stopReason":"toolUse","timestamp":%d}`, i, i, i*10+1)
		add(fmt.Sprintf("r%d", i), `{"role":"toolResult","toolCallId":"c%d","toolName":"read","content":[{"type":"text","text":"%s"}],"isError":false,"timestamp":%d}`, i, strings.Repeat("x", 4000), i*10+2)
	}
	for _, l := range extra {
		b.WriteString(l + "\n")
	}
	return b.String()
}

func openText(t *testing.T, text string) *pi.Session {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	s := must.Get(pi.Open(path))(t)
	t.Cleanup(func() { s.Close() })
	return s
}

func branchOf(t *testing.T, s *pi.Session, leaf string, stored []prune.Mark) *prune.Branch {
	t.Helper()
	return must.Get(prune.NewBranch("s", s.Tree, leaf, s.Line, stored))(t)
}

// small prunes everything but the newest turn.
func small() *policy.Planner {
	return policy.NewSeed(policy.SeedSettings{Minimum: 1, ProtectedTurns: 1})
}

func decide(t *testing.T, st prune.MarkStore, b *prune.Branch, p *policy.Planner) prune.Decision {
	t.Helper()
	return must.Get(prune.DecideAt(t.Context(), st, b, p, policy.Situation{Boundary: true}))(t)
}

func ids(ms []prune.Mark) string {
	var out []string
	for _, m := range ms {
		out = append(out, m.EntryID)
	}
	return strings.Join(out, " ")
}

func TestADecisionIsRememberedAndToldUntilTheSessionShowsIt(t *testing.T) {
	st := &marks{}
	s := openText(t, sessionText(3))
	d := decide(t, st, branchOf(t, s, "r2", nil), small())
	if d.New != 2 || ids(d.Tell) != "r0 r1" || ids(st.kept) != "r0 r1" || st.kept[0].Leaf != "r2" || st.kept[0].Time != 77 {
		t.Fatalf("decided %d %q, kept %+v", d.New, ids(d.Tell), st.kept)
	}
	// The agent never got it: it is sent again, and nothing is new.
	b := branchOf(t, s, "r2", st.kept)
	again := decide(t, st, b, small())
	if again.New != 0 || ids(again.Tell) != "r0 r1" || len(st.kept) != 2 || !b.Messages[2].Marked {
		t.Errorf("again %d %q, %d kept", again.New, ids(again.Tell), len(st.kept))
	}
	must.Match(t, again.Tell, d.Tell, "what is told again differs")
	// The session shows one of them: only the other is sent.
	edit := fmt.Sprintf(`{"type":"context_edit","id":"e0","parentId":"r2","targetId":"r0","replacement":{"content":%s}}`, d.Tell[0].Content())
	shown := openText(t, sessionText(3, edit))
	if d := decide(t, st, branchOf(t, shown, "e0", st.kept), small()); ids(d.Tell) != "r1" || d.New != 0 {
		t.Errorf("with one edit in the session: %q, %d new", ids(d.Tell), d.New)
	}
}

func TestNothingIsDecidedThatCannotBeRemembered(t *testing.T) {
	cause := errors.New("locked")
	b := branchOf(t, openText(t, sessionText(3)), "r2", nil)
	d, err := prune.DecideAt(t.Context(), &marks{err: cause}, b, small(), policy.Situation{Boundary: true})
	must.Not(t, !errors.Is(err, cause) || len(d.Tell) > 0 || d.Acted, "%+v, %v", d, err)
}

func TestEarlierPrunesStayWhenNothingPlansNewOnes(t *testing.T) {
	st := &marks{}
	s := openText(t, sessionText(3))
	decide(t, st, branchOf(t, s, "r2", nil), small())
	if d := decide(t, st, branchOf(t, s, "r2", st.kept), nil); ids(d.Tell) != "r0 r1" || d.New != 0 || d.Acted {
		t.Errorf("%+v", d)
	}
}

// Holds prune 34.
func TestAMarkIsInForceOnItsBranchOnly(t *testing.T) {
	st := &marks{}
	s := openText(t, sessionText(3))
	decide(t, st, branchOf(t, s, "r2", nil), small())
	if b := branchOf(t, s, "r1", st.kept); len(b.Untold) > 0 || b.Messages[2].Marked {
		t.Errorf("on a branch that left before the decision: %q", ids(b.Untold))
	}
	further := openText(t, sessionText(4))
	if b := branchOf(t, further, "r3", st.kept); ids(b.Untold) != "r0 r1" {
		t.Errorf("further on: %q", ids(b.Untold))
	}
}

func TestMarksInTheSessionCountWithoutAStore(t *testing.T) {
	data := must.Get(json.Marshal(prune.MarksData{Marks: []prune.MarkData{{ID: "r0", Marker: "[output pruned — ~1,000 tokens | read path=\"f0\"]"}}}))(t)
	entry := fmt.Sprintf(`{"type":"custom","customType":"%s","data":%s,"id":"m0","parentId":"r1"}`, prune.MarksEntry, data)
	s := openText(t, sessionText(2, entry))
	b := branchOf(t, s, "m0", nil)
	must.Stop(t, ids(b.Untold) != "r0" || !b.Messages[2].Marked || b.Messages[5].Marked, "in force: %q", ids(b.Untold))
	if p := b.Pruned(); len(p) != 1 || p[0].Tokens != 1000 || p[0].MarkerTokens > 20 || p[0].ToolName != "read" {
		t.Errorf("pruned %+v", p)
	}
	if b := branchOf(t, s, "r1", nil); len(b.Untold) > 0 {
		t.Errorf("before the entry: %q", ids(b.Untold))
	}
}

func TestAnExcerptInTheSessionIsKnownAndUndone(t *testing.T) {
	edit := fmt.Sprintf(`{"type":"context_edit","id":"e0","parentId":"r2","targetId":"r0","replacement":{"content":[{"type":"text","text":%q}]}}`,
		strings.Repeat("a line that stays\n", 60)+"[pruned: 371 of 431 lines (~900 tok) of this output; full text: pictx expand r0]")
	s := openText(t, sessionText(3, edit))
	b := branchOf(t, s, "e0", nil)
	must.Stop(t, !b.Messages[2].Excerpt || b.Messages[2].Marked || b.Messages[5].Excerpt, "%+v", b.Messages[2])
	if p := b.Pruned(); len(p) != 1 || p[0].EntryID != "r0" || p[0].Tokens != 1000 || p[0].MarkerTokens > 320 {
		t.Errorf("pruned are %+v", p)
	}
	back, err := b.Undo(prune.Model{}, false)
	if err != nil || len(back) != 1 || back[0].EntryID != "r0" || !strings.Contains(string(back[0].Content), strings.Repeat("x", 4000)) {
		t.Errorf("%d messages are undone, %v", len(back), err)
	}
}

func TestForgedMarksInASessionAreIgnored(t *testing.T) {
	for _, data := range []string{
		`null`, `[]`, `{}`, `{"marks":7}`, `{"marks":[7,null,{},{"id":1,"marker":2},{"id":"r0"},{"id":"u0","marker":"x"},{"id":"gone","marker":"x"}]}`,
	} {
		entry := fmt.Sprintf(`{"type":"custom","customType":"%s","data":%s,"id":"m0","parentId":"r1"}`, prune.MarksEntry, data)
		b := branchOf(t, openText(t, sessionText(2, entry)), "m0", nil)
		must.Not(t, len(b.Untold) > 0, "%s: %q", data, ids(b.Untold))
	}
}

func TestAnEditByOthersIsLeftAlone(t *testing.T) {
	edit := `{"type":"context_edit","id":"e0","parentId":"r2","targetId":"r0","replacement":{"content":[{"type":"text","text":"restored by the user"}]}}`
	s := openText(t, sessionText(3, edit))
	b := branchOf(t, s, "e0", []prune.Mark{{EntryID: "r0", Leaf: "r2", Marker: "[output pruned — ~1 tokens | read]"}})
	must.Not(t, len(b.Untold) > 0 || b.Messages[2].Marked, "the mark wins over a later edit: %q", ids(b.Untold))
}

func TestAPromptThatIsToComeCountsAsATurn(t *testing.T) {
	s := openText(t, sessionText(2))
	b := branchOf(t, s, "r1", nil)
	if d := decide(t, &marks{}, b, small()); ids(d.Tell) != "r0" {
		t.Fatalf("without it: %q", ids(d.Tell))
	}
	b = branchOf(t, s, "r1", nil)
	b.Expect(message.RoleUser)
	if d := decide(t, &marks{}, b, small()); ids(d.Tell) != "r0 r1" {
		t.Errorf("with it: %q", ids(d.Tell))
	}
}

func TestKeysFindTheirEntries(t *testing.T) {
	s := openText(t, sessionText(2))
	b := branchOf(t, s, "r1", nil)
	keys := []prune.Key{
		{Role: message.RoleUser, Timestamp: 0},
		{Role: message.RoleAssistant, Timestamp: 1},
		{Role: message.RoleToolResult, Timestamp: 2, ToolCallID: "c0"},
		{Role: message.RoleCustom, Timestamp: 5}, // another extension put it there
		{Role: message.RoleUser, Timestamp: 10},
		{Role: message.RoleAssistant, Timestamp: 11},
		{Role: message.RoleToolResult, Timestamp: 12, ToolCallID: "c1"},
		{Role: message.RoleUser, Timestamp: 20}, // not in the file yet
	}
	at := b.Align(keys)
	must.Match(t, at, map[string]int{"u0": 0, "a0": 1, "r0": 2, "u1": 4, "a1": 5, "r1": 6}, "what differs")
	must.Not(t, len(b.Messages) != len(keys) || b.Messages[7].Head.Role != message.RoleUser || b.Messages[3].EntryID != "", "%+v", b.Messages)
	if d := decide(t, &marks{}, b, small()); ids(d.Tell) != "r0 r1" {
		t.Errorf("decided %q", ids(d.Tell))
	}
}

// What a session says about itself is what pictx prune says of its file.
func TestABranchIsPlannedLikeTheSession(t *testing.T) {
	files, err := filepath.Glob("../../testdata/sessions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	for _, file := range files {
		s := must.Get(pi.Open(file))(t)
		defer s.Close()
		var whole []policy.Message
		var p message.Parser
		for _, it := range message.WithoutSystem(s.Context(s.Leaf())) {
			h, raw, err := it.Message(&p, s.Line)
			if err != nil {
				t.Fatal(err)
			}
			whole = append(whole, policy.NewMessage(it.Node.ID, &h, raw))
		}
		for _, set := range []policy.SeedSettings{defaultSeed(), {Minimum: 1}} {
			want := policy.NewSeed(set).Plan(whole)
			got := policy.NewSeed(set).Plan(branchOf(t, s, s.Leaf(), nil).Messages)
			must.Match(t, got, want, "%s", file)
		}
	}
}
