package policy

import (
	"fmt"
	"strings"
	"testing"

	plain "github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/must"
)

// markerOf returns the marker of a result of 25,000 tokens for a call.
func markerOf(t *testing.T, tool, args string) string {
	t.Helper()
	s := DefaultSeed()
	s.Protect, s.ProtectedTurns, s.PrunableTools = 0, 0, nil
	plan := NewSeed(s).Plan(of(call("a", tool, args), result("a", tool, 25_000)).parse())
	must.Stop(t, len(plan.Edits) != 1, "%d edits: %s", len(plan.Edits), plan.Outcome)
	return plan.Edits[0].Marker
}

func TestTheMarkerNamesTheCall(t *testing.T) {
	for _, c := range []struct{ name, tool, args, want string }{
		{"path", "read", `{"path":"src/components/App.tsx"}`, `read path="src/components/App.tsx"`},
		{"command", "bash", `{"command":"go test ./..."}`, `bash command="go test ./..."`},
		{"the path of a grep, not its pattern", "grep", `{"pattern":"TODO","path":"src"}`, `grep path="src"`},
		{"pattern", "find", `{"pattern":"*.ts"}`, `find pattern="*.ts"`},
		{"query", "web", `{"query":"go","limit":3}`, `web query="go"`},
		{"null is absent", "grep", `{"path":null,"pattern":"x"}`, `grep pattern="x"`},
		{"the last of two", "read", `{"path":"a","path":"b"}`, `read path="b"`},
		{"the last of two is null", "read", `{"path":"a","path":null,"command":"c"}`, `read command="c"`},
		{"another kind hides the rest", "grep", `{"path":["a"],"pattern":"x"}`, `grep`},
		{"no argument", "ls", `{}`, `ls`},
		{"an empty argument", "ls", `{"path":""}`, `ls`},
		{"no object", "ls", `"path"`, `ls`},
		{"lines, tabs, quotes", "bash", `{"command":"a\n\r\t\"b\""}`, `bash command="a\n\r\t\"b\""`},
		{"control characters", "bash", `{"command":"\u0000\u001b[2J\u007f\u0085"}`, `bash command="\u0000\u001b[2J\u007f\u0085"`},
		{"direction and zero width", "bash", `{"command":"\u202e\u200b\u2028\udb40\udc41"}`, `bash command="\u202e\u200b\u2028\udb40\udc41"`},
		{"backslashes stay", "grep", `{"pattern":"\\bfoo\\b"}`, `grep pattern="\bfoo\b"`},
		{"a lone surrogate", "read", `{"path":"a\ud83d"}`, "read path=\"a\ufffd\""},
		{"an odd tool name", "a\"b", `{}`, `a\"b`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, want := markerOf(t, c.tool, c.args), "[output pruned — ~25,000 tokens | "+c.want+"]"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestALongArgumentIsCutBetweenCharacters(t *testing.T) {
	x := func(n int) string { return strings.Repeat("x", n) }
	for _, c := range []struct{ name, value, want string }{
		{"80 units fit", x(80), x(80)},
		{"81 do not", x(81), x(77) + "..."},
		{"40 pairs fit", strings.Repeat("😀", 40), strings.Repeat("😀", 40)},
		{"a pair is not split", x(76) + "😀" + x(9), x(76) + "..."},
		{"a pair that just fits", x(75) + "😀" + x(9), x(75) + "😀..."},
		{"a combining sequence is not split", x(76) + "e\u0301\u0302" + x(9), x(76) + "..."},
		{"a combining sequence that just fits", x(74) + "e\u0301\u0302" + x(9), x(74) + "e\u0301\u0302..."},
		{"joined characters are not split", x(74) + "👩\u200d👩" + x(9), x(74) + "..."},
		{"a skin tone is not split off", x(75) + "👍🏽" + x(9), x(75) + "..."},
		{"a line end is not split", x(76) + "\r\n" + x(9), x(76) + "..."},
		{"one endless character", "e" + strings.Repeat("\u0301", 99), "e" + strings.Repeat("\u0301", 76) + "..."},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := plain.Shorten(c.value)
			must.Equal(t, got, c.want, "shorten(%q)", c.value)
			must.Not(t, plain.Units(got) > plain.MaxQuoted, "%d units", plain.Units(got))
		})
	}
}

func TestArgumentsAreThoseOfTheResultsOwnCall(t *testing.T) {
	s := settings()
	s.Protect = 0
	parallel := `{"role":"assistant","content":[{"type":"toolCall","id":"a","name":"read","arguments":{"path":"one"}},{"type":"toolCall","id":"b","name":"read","arguments":{"path":"two"}}]}`
	for _, c := range []struct {
		name string
		in   list
		want []string
	}{
		{"parallel calls", of(parallel, result("b", "read", 20), result("a", "read", 20)), []string{"two", "one"}},
		{
			"a steering message and its answer in between",
			of(parallel, result("a", "read", 20), user(), `{"role":"assistant","content":[]}`, result("b", "read", 20)),
			[]string{"one", "two"},
		},
		{
			"an id used again",
			of(call("a", "read", `{"path":"one"}`), result("a", "read", 20), call("a", "read", `{"path":"two"}`), result("a", "read", 20)),
			[]string{"one", "two"},
		},
		{"a call that comes later", of(result("a", "read", 20), call("a", "read", `{"path":"one"}`)), []string{""}},
		{"no call", of(call("b", "read", `{"path":"one"}`), result("a", "read", 20)), []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := NewSeed(s).Plan(c.in.parse())
			must.Stop(t, len(plan.Edits) != len(c.want), "%d edits", len(plan.Edits))
			for i, e := range plan.Edits {
				want := "read]"
				if c.want[i] != "" {
					want = fmt.Sprintf("read path=%q]", c.want[i])
				}
				must.Not(t, !strings.HasSuffix(e.Marker, "| "+want), "marker %s, want %s", e.Marker, want)
			}
		})
	}
}
