package history

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/coctostan/pictx/commands/cli"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
)

func TestASnippetIsWrappedBetweenWordsAndItsMatchStaysWhole(t *testing.T) {
	t.Parallel()
	hit := func(before, match, after string) history.Hit {
		return history.Hit{Snippet: before + match + after, MatchStart: len(before), MatchEnd: len(before) + len(match)}
	}
	for _, tt := range []struct {
		name  string
		hit   history.Hit
		width int
		want  string
	}{
		{"no terminal", hit("aaa ", "bbb", " ccc"), 0, "    aaa <bbb> ccc\n"},
		{"lines are folded", hit("a\n\n\tb ", "c", "\nd"), 0, "    a b <c> d\n"},
		{"wrapped", hit("one two three four ", "five", " six seven"), 28, "    one two three four <five>\n    six seven\n"},
		{"the space itself is too much", hit("one two three four fives ", "six", ""), 28, "    one two three four fives\n    <six>\n"},
		{"wrapped twice", hit("", "one two three four fives six seven eight nine ten eleven", ""), 28, "    <one two three four fives\n    six seven eight nine ten\n    eleven>\n"},
		{"no space to wrap at", hit("", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ""), 28, "    <aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>\n"},
		{"a terminal too narrow to care", hit("one two three four ", "five", ""), 12, "    one two three four <five>\n"},
		{"nothing to show", hit("", "", "after"), 0, "    after\n"},
	} {
		var buf bytes.Buffer
		o := &cli.Out{Writer: bufio.NewWriter(&buf), Color: true, Width: tt.width}
		snippet(o, tt.hit, false)
		o.Flush()
		got := bytes.ReplaceAll(buf.Bytes(), []byte("\x1b["+cli.StyleMatch+"m"), []byte("<"))
		got = bytes.ReplaceAll(got, []byte("\x1b[0m"), []byte(">"))
		if string(got) != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTheLineAboveAResultFitsTheTerminalAndKeepsItsCommandWhole(t *testing.T) {
	t.Parallel()
	h := history.Hit{Line: 7, Snippet: "text", Other: "919b060f"}
	h.EntryID, h.Session, h.Summary, h.Tool = "74cb92c2", "01a21a63-26d2-7031-b3d1-4cec748e0133", "s-aa11872bf598", "a_tool_with_a_long_name"
	const command = "line 7: pictx expand 74cb92c2 --lines 1-17"
	for _, width := range []int{0, 60, 80, 300} {
		var buf bytes.Buffer
		o := &cli.Out{Writer: bufio.NewWriter(&buf), Width: width}
		hit(o, h, viewOf(h, "Why does the cart round wrongly?"), false)
		o.Flush()
		lines := strings.Split(strings.TrimSpace(buf.String()), "\n")
		fits := width == 0 || width == 300
		if whole := strings.Contains(buf.String(), "  "+command+"\n"); !whole || (len(lines) == 2) != fits {
			t.Errorf("at %d columns:\n%s", width, buf.String())
		}
		for _, l := range lines {
			must.Not(t, !fits && len(l) > width, "%d columns at %d: %s", len(l), width, l)
		}
	}
}
