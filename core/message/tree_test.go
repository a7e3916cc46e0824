package message_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

// session makes the lines of a version 3 session of short entries: "m1 user",
// "m2>m1 user" (the parent named), "c1 compaction KEPT", "e1 edit TARGET TEXT"
// where TEXT "-" omits, "b1 branch TEXT", "x1 custom". Without a parent an entry
// follows the line before it.
func session(entries ...string) []byte {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/"}` + "\n")
	last := ""
	for _, spec := range entries {
		f := strings.Fields(spec + " . . .")
		id, parent, named := strings.Cut(f[0], ">")
		if !named {
			parent = last
		}
		last = id
		fmt.Fprintf(&b, `{"id":%q,"parentId":%q,"timestamp":"2026-03-02T09:00:00.000Z",`, id, parent)
		switch f[1] {
		case "compaction":
			fmt.Fprintf(&b, `"type":"compaction","summary":"sum %s","firstKeptEntryId":%q,"tokensBefore":1`, id, f[2])
			if f[3] == "system" {
				b.WriteString(`,"systemMessage":{"role":"system","content":"sys"}`)
			}
		case "edit":
			replacement := `{"content":"` + f[3] + `"}`
			if f[3] == "-" {
				replacement = "null"
			}
			fmt.Fprintf(&b, `"type":"context_edit","targetId":%q,"replacement":%s`, f[2], replacement)
		case "branch":
			fmt.Fprintf(&b, `"type":"branch_summary","fromId":"x","summary":%q`, strings.Trim(f[2], "."))
		case "custom":
			b.WriteString(`"type":"custom_message","customType":"n","content":"` + id + `","display":true`)
		case "state":
			b.WriteString(`"type":"custom","customType":"n"`)
		default:
			fmt.Fprintf(&b, `"type":"message","message":{"role":%q,"content":%q}`, f[1], id)
		}
		b.WriteString("}\n")
	}
	return []byte(b.String())
}

// said renders a context in short: the content or summary of each message.
func said(t *testing.T, s *loaded, leaf string) string {
	t.Helper()
	var out []string
	var p message.Parser
	for _, it := range s.Context(leaf) {
		h, raw, err := it.Message(&p, s.line())
		if err != nil {
			t.Fatal(err)
		}
		value := h.Body
		if h.Content.Kind != message.ContentMissing {
			value = h.Content.Span
		}
		out = append(out, strings.ReplaceAll(string(value.Of(raw)), `"`, ""))
	}
	return strings.Join(out, " | ")
}

func TestContext(t *testing.T) {
	block := func(text string) string { return "[{type:text,text:" + text + "}]" }
	for _, c := range []struct {
		name, leaf string
		entries    []string
		want       string
	}{
		{"a line", "c", []string{"a user", "b assistant", "c user"}, "a | b | c"},
		{"from the middle", "b", []string{"a user", "b assistant", "c user"}, "a | b"},
		{"a branch", "d", []string{"a user", "b assistant", "c user", "d>b user"}, "a | b | d"},
		{"unknown leaf", "zz", []string{"a user"}, ""},
		{"missing parent ends the path", "c", []string{"a user", "b>gone user", "c user"}, "b | c"},
		{"state is not in it", "c", []string{"a user", "b state", "c user"}, "a | c"},
		{"duplicate id: the last counts", "c", []string{"a user", "x assistant", "x>a user", "c user"}, "a | x | c"},
		{"compaction", "d", []string{"a user", "b user", "k compaction b", "d user"}, "sum k | b | d"},
		{"compaction keeps nothing known", "d", []string{"a user", "b user", "k compaction gone", "d user"}, "sum k | d"},
		{"compaction keeps itself", "d", []string{"a user", "k compaction k", "d user"}, "sum k | d"},
		{"compaction keeps from a result on", "d", []string{"a assistant", "b toolResult", "k compaction b", "d user"}, "sum k | b | d"},
		{"compaction as the leaf", "k", []string{"a user", "b user", "k compaction b"}, "sum k | b"},
		{"before the compaction", "b", []string{"a user", "b user", "k compaction b"}, "a | b"},
		{"two compactions: the last counts", "e", []string{"a user", "k compaction a", "b user", "l compaction a", "e user"}, "sum l | a | b | e"},
		{"system message of a compaction", "d", []string{"s system", "b user", "k compaction s system", "d user"}, "sys | sum k | b | d"},
		{"system messages after it stay", "d", []string{"a user", "k compaction a", "s system", "d user"}, "sum k | a | s | d"},
		{"edit", "e", []string{"a user", "b user", "e edit a short"}, "short | b"},
		{"latest edit wins", "f", []string{"a user", "e edit a one", "f edit a two"}, "two"},
		{"null omits", "c", []string{"a user", "b user", "e edit a -", "c user"}, "b | c"},
		{"a later edit brings back", "f", []string{"a user", "e edit a -", "f edit a back"}, "back"},
		{"omitted twice is omitted once", "g", []string{"a user", "b user", "e edit a -", "f edit a -", "g edit b -"}, ""},
		{"edit of another branch", "c", []string{"a user", "e edit a short", "c>a user"}, "a | c"},
		{"edit of what is not there", "e", []string{"a user", "e edit gone short"}, "a"},
		{"edit of what a compaction dropped", "e", []string{"a user", "b user", "k compaction b", "e edit a short"}, "sum k | b"},
		{"edit before its target", "c", []string{"a user", "e edit c short", "c user"}, "a | short"},
		{"edit dropped by a compaction", "d", []string{"a user", "e edit c short", "c user", "k compaction c", "d user"}, "sum k | c | d"},
		{"edit kept by a compaction", "d", []string{"a user", "c user", "e edit c short", "k compaction c", "d user"}, "sum k | short | d"},
		{"edit of a custom message", "e", []string{"a custom", "b custom", "e edit a short"}, "short | b"},
		{"edit of a branch summary: only omitting", "e", []string{"a branch left", "e edit a short"}, "left"},
		{"omitted branch summary", "e", []string{"a branch left", "e edit a -"}, ""},
		{"omitted compaction", "e", []string{"a user", "k compaction a system", "e edit k -"}, "a"},
		{"a result takes a list", "e", []string{"a toolResult", "e edit a short"}, block("short")},
		{"an answer takes a list", "e", []string{"a assistant", "e edit a short"}, block("short")},
		{"empty branch summary", "c", []string{"a user", "b branch", "c user"}, "a | c"},
		{"branch summary", "c", []string{"a user", "b branch left", "c user"}, "a | left | c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := said(t, load(session(c.entries...)), c.leaf); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestPathEndsAtACycle(t *testing.T) {
	s := load(session("a>c user", "b>a user", "c>b user", "d user", "e>e user"))
	for leaf, want := range map[string]string{"c": "a b c", "a": "b c a", "d": "a b c d", "e": "e"} {
		var got []string
		for _, n := range s.Path(leaf) {
			got = append(got, n.ID)
		}
		must.Not(t, strings.Join(got, " ") != want, "path of %s is %v, want %s", leaf, got, want)
	}
	for range s.ModelCalls() {
		t.Error("a session without answers has a model call")
	}
}

func TestVersion1FilesGetIDsAndFormALine(t *testing.T) {
	lines := `{"type":"session","id":"s","timestamp":"2026-03-02T09:00:00.000Z"}
{"type":"message","timestamp":"2026-03-02T09:00:00.000Z","message":{"role":"user","content":"a"}}
{"type":"message","timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"assistant","content":"b"}}
{"type":"session","id":"again"}
{"type":"compaction","summary":"so far","firstKeptEntryIndex":2,"tokensBefore":1}
{"type":"compaction","summary":"so far","firstKeptEntryIndex":0,"tokensBefore":1}
{"type":"compaction","summary":"so far","firstKeptEntryIndex":99,"tokensBefore":1}
`
	s, again := load([]byte(lines)), load([]byte(lines))
	entries := s.entries()
	parent := ""
	seen := map[string]bool{}
	for i, n := range entries {
		if n.ParentID != parent || len(n.ID) != 8 || seen[n.ID] || again.entries()[i].ID != n.ID {
			t.Errorf("entry %d: id %q after %q, again %q", i, n.ID, n.ParentID, again.entries()[i].ID)
		}
		parent, seen[n.ID] = n.ID, true
	}
	if got := []string{entries[2].FirstKept, entries[3].FirstKept, entries[4].FirstKept}; !cmp.Equal(got, []string{entries[1].ID, "", ""}) {
		t.Errorf("first kept %q, want %q and nothing", got, entries[1].ID)
	}
	must.Not(t, s.Leaf() != entries[4].ID || s.Lookup("again") != nil || s.Header.ID != "s", "leaf %s, header %+v", s.Leaf(), s.Header)
	must.Equal(t, said(t, s, entries[2].ID), "so far | b", "context")
	must.Not(t, message.EntryID("s", 1) == message.EntryID("t", 1) || message.EntryID("s", 1) != entries[0].ID, "ids are not made of session and position")
}

func TestLaterVersionsIgnoreTheOldIndex(t *testing.T) {
	data := string(session("a user", "b user", "k compaction a", "c user"))
	data = strings.Replace(data, `"firstKeptEntryId":"a"`, `"firstKeptEntryIndex":2`, 1)
	must.Equal(t, said(t, load([]byte(data)), "c"), "sum k | c", "context")
}

func TestAnEmptySessionHasNoContext(t *testing.T) {
	s := load(session())
	if len(s.Nodes) != 1 || s.Leaf() != "" || len(s.Context("")) != 0 || s.Path("") != nil || s.Lookup("") != nil {
		t.Errorf("leaf %q, context %v", s.Leaf(), s.Context(""))
	}
}

func TestSystemMessagesAreNotInTheContextEvent(t *testing.T) {
	s := load(session("s system", "a user", "k compaction a system", "r system", "b user"))
	items := message.WithoutSystem(s.Context("b"))
	if got := s.texts(t, items); len(got) != 3 || strings.Contains(strings.Join(got, ""), `"system"`) {
		t.Errorf("messages %q", got)
	}
}

func TestMissingContentIsFilledInAsPiDoes(t *testing.T) {
	for role, want := range map[string]string{
		"user": `,"content":[]}`, "assistant": `,"content":[]}`, "toolResult": `,"content":[]}`, "system": `,"content":""}`, "new": "}",
	} {
		data := strings.Replace(string(session("a "+role)), `,"content":"a"`, "", 1)
		s := load([]byte(data))
		if got := s.texts(t, s.Context("a")); !cmp.Equal(got, []string{`{"role":"` + role + `"` + want}) {
			t.Errorf("%s without content: %q", role, got)
		}
	}
}

func TestReadErrorsAreReported(t *testing.T) {
	s := load(session("a toolResult", "e edit a short"))
	items := s.Context("e")
	fail := fmt.Errorf("disk on fire")
	for _, bad := range []string{"a", "e"} {
		_, err := items[0].AppendMessage(nil, func(n *message.Node) ([]byte, error) {
			if n.ID == bad {
				return nil, fail
			}
			return s.line()(n)
		})
		must.Not(t, err == nil || !strings.Contains(err.Error(), "read entry "+bad+": disk on fire"), "reading %s: %v", bad, err)
	}
}

// sameItems reports whether two contexts are the same messages in the same form.
func sameItems(a, b []message.Item) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Node != b[i].Node || a[i].Edit != b[i].Edit || a[i].System != b[i].System {
			return false
		}
	}
	return true
}

func TestEveryModelCallHasTheContextOfItsParent(t *testing.T) {
	calls, same := 0, 0
	for seed := int64(1000); seed < 1060; seed++ {
		s := load(randomSession(seed, int(seed%3)+1, 200))
		answers := 0
		var before []message.Item
		for call := range s.ModelCalls() {
			answers++
			if !sameItems(call.Context[:call.Same], before[:call.Same]) {
				t.Fatalf("seed %d: the call that gave %s does not begin with %d messages of the one before", seed, call.Answer.ID, call.Same)
			}
			before = slices.Clone(call.Context)
			same += call.Same
			if want := message.WithoutSystem(s.Context(call.Answer.ParentID)); !sameItems(call.Context, want) {
				t.Fatalf("seed %d: the call that gave %s has %d messages, its context %d",
					seed, call.Answer.ID, len(call.Context), len(want))
			}
		}
		for _, n := range s.entries() {
			if n.Type == message.EntryMessage && n.Message.Role == message.RoleAssistant {
				answers--
			}
		}
		must.Stop(t, answers != 0, "seed %d: %d more calls than answers", seed, answers)
		for range s.ModelCalls() {
			calls++
			break // stopping early is allowed
		}
	}
	must.Stop(t, calls != 60 || same < 1000, "%d sessions had calls, which began with %d messages of others", calls, same)
}

// timesCovered counts how often an entry is on the path to leaf or on one of its forks.
func FuzzTree(f *testing.F) {
	for seed := range int64(6) {
		f.Add(randomSession(seed, int(seed%3)+1, 30))
	}
	f.Add(session("a>c user", "b>a assistant", "c>b user", "d>d assistant", "k compaction a", "e edit a -", "f assistant"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		s := load(data)
		for _, n := range s.entries() {
			path := s.Path(n.ID)
			seen := make(map[*message.Node]bool)
			for _, p := range path {
				must.Stop(t, seen[p], "the path of %q holds %q twice", n.ID, p.ID)
				seen[p] = true
			}
			must.Stop(t, len(path) == 0 || path[len(path)-1].ID != n.ID, "the path of %q does not end there", n.ID)
			s.texts(t, s.Context(n.ID))
		}
		for call := range s.ModelCalls() {
			if want := message.WithoutSystem(s.Context(call.Answer.ParentID)); !sameItems(call.Context, want) {
				t.Fatalf("call %q: %d messages, its context %d", call.Answer.ID, len(call.Context), len(want))
			}
		}
	})
}

func TestMessagesAreThoseThatPiBuilds(t *testing.T) {
	head := `{"type":"session","version":2,"id":"s"}` + "\n"
	for name, c := range map[string]struct{ line, want string }{
		"hook message":         {`{"type":"message","id":"a","message":{"role":"hookMessage","customType":"n","content":"x"}}`, `{"role":"custom","customType":"n","content":"x"}`},
		"custom message":       {`{"type":"custom_message","id":"a","timestamp":5,"content":"x","display":false,"customType":"\ud83d","details":{"a":1}}`, `{"role":"custom","customType":"\ud83d","content":"x","display":false,"details":{"a":1},"timestamp":5}`},
		"bare custom message":  {`{"type":"custom_message","id":"a"}`, `{"role":"custom","content":[],"timestamp":null}`},
		"unreadable time":      {`{"type":"compaction","id":"a","summary":"s","timestamp":"then"}`, `{"role":"compactionSummary","summary":"s","timestamp":null}`},
		"compaction":           {`{"type":"compaction","id":"a","timestamp":5,"tokensBefore":7,"summary":"s","systemMessage":null}`, `{"role":"compactionSummary","summary":"s","tokensBefore":7,"timestamp":5}`},
		"branch summary":       {`{"type":"branch_summary","id":"a","timestamp":5,"fromId":null,"summary":"s"}`, `{"role":"branchSummary","summary":"s","fromId":null,"timestamp":5}`},
		"message that is none": {`{"type":"message","id":"a","message":null}`, ``},
	} {
		s := load([]byte(head + c.line))
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		if diff := cmp.Diff(want, s.texts(t, s.Context("a")), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
	s := load([]byte(head + `{"type":"message","id":"a","message":{"role":"hookMessage","content":"x"}}` + "\n" +
		`{"type":"context_edit","id":"e","parentId":"a","targetId":"a","replacement":{"content":"y"}}`))
	if got := s.texts(t, s.Context("e")); !cmp.Equal(got, []string{`{"role":"custom","content":"y"}`}) {
		t.Errorf("an edited hook message: %q", got)
	}
}
