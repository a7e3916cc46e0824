package kota

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

func TestAFileToReadListsWhatItExportsWithoutMethods(t *testing.T) {
	t.Parallel()
	f := TaskFile{Hit: Hit{File: "proxy.go", Line: 3, Text: "type Handler struct {", Why: "declares Handler"}, Exports: []string{"Dial", "Handler", "Handler.Serve", "Handler.Stop"}}
	got := f.item(taskExports).Text
	must.Not(t, !strings.HasSuffix(got, "exports Dial, Handler"), "%s", got)
}

func TestAListOfTestsDoesNotSayOfEachThatItIsOne(t *testing.T) {
	t.Parallel()
	im := Impact{Tests: []Dep{{File: "a_test.go", Distance: 2, Test: true}}, TestTotal: 1}
	var lines []string
	for _, b := range im.Text(Window{}, "pictx kota impact").Blocks {
		for _, it := range b.Items {
			lines = append(lines, it.Text)
		}
	}
	must.Equal(t, strings.Join(lines, "\n"), "  a_test.go  distance 2", "got")
}

func TestABriefReportSaysHowToSeeWhatItLeavesOut(t *testing.T) {
	s := Status{Gaps: []Gap{{File: "a.ts", Line: 1, Spec: "./gone", Why: "not found"}}}
	got := s.Brief()
	must.Not(t, strings.Contains(got, "./gone") || !strings.Contains(got, "pictx kota status"), "brief: %q", got)
	must.Contain(t, s.Report(), "  a.ts:1 ./gone: not found", "whole")
}

func TestAToolIsToldItsParametersAndAShellItsFlags(t *testing.T) {
	u := Usages{Symbol: "scale", Candidates: []Candidate{{Definition: Definition{File: "a.ts"}}, {Definition: Definition{File: "b.ts"}}}}
	h := Hits{Query: "who scales", Ranked: true}
	for want, w := range map[string]Window{"choose one with --file": {}, "choose one with file": {Tool: true}} {
		got := u.Texts(w, "pictx kota usages scale")[0].Verdict
		must.Not(t, !strings.HasSuffix(got, want), "%q does not end with %q", got, want)
	}
	for want, w := range map[string]Window{"written: --regex": {}, "written: pictx kota search --regex": {Tool: true}} {
		must.Contain(t, h.Texts(OutputCompact, 0, w, "pictx kota search 'who scales'")[0].Footer, want, "what it says")
	}
}

func TestOfManyLongPathsTheLikeliestKeepTheirLines(t *testing.T) {
	h := Hits{Query: "who scales", Ranked: true}
	for i := range 15 {
		file := fmt.Sprintf("packages/charts/%s/src/scale%d.ts", strings.Repeat("deep/", 10), i)
		h.List = append(h.List, Hit{File: file, Line: 7, Text: "export function scaleOf(" + strings.Repeat("value: number, ", 4) + ")"})
	}
	got := Fit(RankedBytes, h.Texts(OutputCompact, 0, Window{}, "pictx kota search 'who scales'"), nil)
	if len(got) > RankedBytes || !strings.Contains(got, "scale0.ts:7: export function") || !strings.Contains(got, "scale14.ts\n") {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
}

func TestDefinitionsInOneFileAreChosenByTheirOwner(t *testing.T) {
	in := func(file, name string) Candidate { return Candidate{Definition: Definition{File: file, Name: name}} }
	u := Usages{Symbol: "total", Candidates: []Candidate{in("a.ts", "Cart.total"), in("b.ts", "Sale.total"), in("a.ts", "Order.total")}}
	got := u.Texts(Window{}, "pictx kota usages total")[0]
	want := "total is declared in 3 places: name its owner, as in Order.total"
	must.Not(t, got.Verdict != want, "%q, want %q", got.Verdict, want)
}
