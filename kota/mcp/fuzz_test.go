package mcp

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts"
)

// answering returns an engine whose server gives the same text as every answer.
func answering(t testing.TB, text string) *Engine {
	root := t.TempDir()
	return &Engine{
		opts: Options{Root: root, Dir: root, Languages: lang.NewSet(ts.Language())}, dir: root,
		record: record{Repository: "local/x", Root: root, Files: []string{"a.ts"}},
		call:   func(context.Context, string, any, time.Duration) (string, error) { return text, nil },
	}
}

// FuzzAnswers decodes arbitrary answers. The result is an answer or an error, and contains no
// hidden characters.
//
// Holds kota 65.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		"", "null", "[]", "{}", `{"message":"File not found: a.ts. Make sure"}`, `{"error":"no"}`, "Something went wrong",
		`{"dependents":{"direct":["a.ts",null],"indirect":{"depth_2":["b.ts"],"depth_-1":[],"x":null},"cycles":[[],["a.ts"]]},"unresolved_imports":["x\u001b[31m"]}`,
		`{"defined_in":"a.ts:1","kind":"\u202e","usages":[{"file":"a.ts","line":-1,"usage_type":"import"}]}`,
		`{"affected_files":[{"path":"a.ts","reason":"Directly"}],"risk_level":"\u0007","architectural_warnings":["\u001b"],"conflicts":[{"description":"\u001b"}]}`,
		`{"targetFiles":[{"path":"a.ts","dependentCount":-3,"symbols":[{"name":"\u001b"}]}],"impactedFiles":["a.ts"]}`,
		`{"results":{"code":[{"path":"a.ts","matches":[{"line":1,"content":"\u001b","context_before":["x"]}]}],"symbols":[{"name":"a","location":{"file":"a.ts"}}]}}`,
		`{"status":"completed","stats":{"files_indexed":1},"results":[{"path":"a.ts"}]}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e := answering(t, text)
		v := view{record: e.record, there: map[string]bool{"a.ts": true, "b.ts": true}}
		ctx := t.Context()
		var shown []string
		add := func(x kota.Text, err error) {
			if err == nil {
				shown = append(shown, x.Fit(0))
			} else {
				shown = append(shown, err.Error())
			}
		}
		q := kota.DepsQuery{File: "a.ts", Dependents: true, Dependencies: true, Depth: 5, Tests: true}
		var d depsAnswer
		if err := decode(toolDeps, text, &d); err == nil {
			deps := kota.Deps{File: "a.ts", Dependents: v.side("a.ts", q, d.Dependents), Unresolved: unresolved(d.Unresolved), InCycle: v.cycle(d.Dependents)}
			add(deps.Text(kota.Window{}, "more"), nil)
		} else {
			add(kota.Text{}, err)
		}
		var u usagesAnswer
		if decode(toolUsages, text, &u) == nil {
			usages := kota.Usages{Symbol: "x", Definition: v.definition("x", u)}
			v.use(&usages, u.Usages, true)
			add(usages.Texts(kota.Window{}, "more")[0], nil)
		}
		var i impactAnswer
		if decode(toolImpact, text, &i) == nil {
			im := kota.Impact{Total: kota.Unknown, TestTotal: kota.Unknown, Breaks: kota.Unknown, Surface: kota.Unknown}
			v.affected(&im, i, []string{"c.ts"})
			v.assess(&im, i)
			add(im.Text(kota.Window{}, "more"), nil)
		}
		var h kota.Hits
		if _, err := e.code(ctx, v, kota.SearchQuery{Text: "x", Tests: true, Context: 1}, searchArgs{}, &h); err == nil {
			_, _ = e.symbols(ctx, v, kota.SearchQuery{Text: "x", Tests: true}, searchArgs{}, &h)
			add(h.Texts(kota.OutputSnippet, 1, kota.Window{}, "more")[0], nil)
		}
		for _, s := range shown {
			if at := strings.IndexFunc(s, func(r rune) bool { return r != '\n' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }); at >= 0 {
				t.Errorf("%q shows what is hidden", s)
			}
		}
	})
}

// FuzzLines reads arbitrary output. It checks that whole lines of JSON are passed on and
// everything else is reported.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"", "{}\n", "{}", "log\n{\"a\":1}\r\n{\n", "\n\n[]\n", "{}{}\n", strings.Repeat("x", 70<<10) + "\n{}\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		bad := 0
		l := newLines(io.NopCloser(strings.NewReader(text)), func([]byte, error) { bad++ })
		out, err := io.ReadAll(l)
		if err != nil {
			t.Fatal(err)
		}
		good := 0
		for line := range strings.Lines(string(out)) {
			if good++; !strings.HasPrefix(line, "{") || !strings.HasSuffix(line, "}\n") {
				t.Errorf("%q is no message", line)
			}
		}
		lines := 0
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		if lines > good+bad {
			t.Errorf("%d lines became %d messages and %d others", lines, good, bad)
		}
	})
}
