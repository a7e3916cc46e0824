package tool

import (
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestAccessOfCallsOfManyAgents(t *testing.T) {
	for name, c := range map[string]struct {
		tool, arguments string
		want            Access
	}{
		"a whole file":            {"read", `{"path":"src/a.ts"}`, Access{Path: "/w/src/a.ts", Reads: true, First: 1}},
		"some lines":              {"Read", `{"file_path":"/a.ts","offset":10,"limit":5}`, Access{Path: "/a.ts", Reads: true, First: 10, Last: 14}},
		"a range":                 {"str_replace_editor", `{"command":"view","path":"@a.ts","view_range":[3,7]}`, Access{Path: "/w/a.ts", Reads: true, First: 3, Last: 7}},
		"an editor that changes":  {"str_replace_editor", `{"command":"create","path":"a.ts"}`, Access{Path: "/w/a.ts", Writes: true, First: 1}},
		"a search":                {"grep", `{"pattern":"x","path":"src"}`, Access{Path: "/w/src", Lists: true, First: 1}},
		"a command names no file": {"bash", `{"command":"cat a.ts","path":"a.ts"}`, Access{Shell: true, Command: "cat a.ts", First: 1}},
		"an unknown tool":         {"task", `{"path":"a.ts"}`, Access{Path: "/w/a.ts", First: 1}},
		"no arguments":            {"read", `null`, Access{Reads: true, First: 1}},
	} {
		must.Match(t, AccessOf(c.tool, []byte(c.arguments), "/w"), c.want, "%s", name)
	}
}

func TestFilesNumberAFileOnceHoweverItIsWritten(t *testing.T) {
	f := Files{CWD: "/w"}
	a := f.OfLiteral([]byte(`"a.ts"`))
	for _, same := range []string{"/w/a.ts", "./a.ts", "@a.ts", "file:///w/a.ts"} {
		must.Equal(t, f.Of(same), a, "%s is file", same)
	}
	if f.Of("b.ts") == a || len(f.clean) != 2 || f.Path(a) != "/w/a.ts" {
		t.Errorf("%d files, the first %s", len(f.clean), f.Path(a))
	}
}

func FuzzParseArguments(f *testing.F) {
	for _, s := range []string{`{"path":"a","offset":"3","limit":1e9}`, `{"a":{"b":["}",{}]},"view_range":[1,-1]}`, `{"path":"a\`, `[`, `{"path"`, ``} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a := ParseArguments(data)
		if a.From < 1 || a.To < 0 || a.To > 1<<31 {
			t.Errorf("lines %d to %d", a.From, a.To)
		}
	})
}

func TestANoteOfPiIsNoLineOfTheFile(t *testing.T) {
	for text, want := range map[string]int{
		"a\nb\n": 2, "a\nb\n\n[30 more lines in file. Use offset=3 to continue.]": 2,
		"a\nb\n\n... (30 more lines not shown. Use offset=3 to continue reading)": 2, "a\n\n[b]\nc": 4,
	} {
		if got := CountLines(text); got != want {
			t.Errorf("%q has %d lines, want %d", text, got, want)
		}
	}
}
