package recall_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/internal/historytest"
	"github.com/coctostan/pictx/internal/must"
)

// Holds history 28.
func TestStoppedSearchReportsHowToContinue(t *testing.T) {
	m := historytest.NewMemory(t)
	var texts []string
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("line <%d>", i))
	}
	m.Add(t, "a", texts...)
	q := recall.GrepRequest{Query: `<[0-9]+>`, Regex: true, Limit: 50}
	var got []string
	for range 10 {
		read := 0
		q.Stop = func() bool { read++; return read > 7 }
		text, d := grepped(t, m, q)
		got = append(got, d.IDs...)
		if !d.Stopped {
			break
		}
		if d.Scanned == 0 || d.Of < 10 || !strings.Contains(text, fmt.Sprintf("stopped after reading %d of %d texts, the newest", d.Scanned, d.Of)) ||
			!strings.Contains(text, "the same call with before=\""+d.Before+"\"") {
			t.Fatalf("%+v:\n%s", d, text)
		}
		next := must.Get(recall.ParseGrep(fmt.Appendf(nil, `{"query":"x","before":%q}`, d.Before)))(t)
		q.Filter.Before = next.Filter.Before
	}
	slices.Sort(got)
	if got = slices.Compact(got); len(got) != 30 {
		t.Errorf("%d of 30 were found in parts", len(got))
	}
	// What was not read is not said to be absent.
	q = recall.GrepRequest{Query: `[x-z]{5}[0-9]`, Regex: true, Stop: func() bool { return true }}
	if text, d := grepped(t, m, q); !d.Stopped || !strings.Contains(text, "stopped after reading 0 of") || d.ResultCount != 0 {
		t.Errorf("%+v:\n%s", d, text)
	}
}

func TestAHitNamesItsLineAndTheCallThatShowsIt(t *testing.T) {
	m := historytest.NewMemory(t)
	body := strings.Repeat("filler\n", 9000) + "the walrus sleeps here\n" + strings.Repeat("filler\n", 50)
	m.Session(t, "s", historytest.Printed("long", "", "c1", body))
	text, _ := grepped(t, m, recall.GrepRequest{Query: "walrus"})
	const want = `line 9001: lcm_expand(id="long", lines="8991-9011")`
	if !strings.Contains(text, want) {
		t.Fatalf("no %s in\n%s", want, text)
	}
	for _, r := range []recall.ExpandRequest{
		{ID: "long", Lines: &history.LineRange{From: 8991, To: 9011}}, {ID: "long", Around: "9001"}, {ID: "long", Around: "Walrus sleeps"},
	} {
		a, err := recall.ExpandText(t.Context(), m, r)
		if err != nil || !strings.Contains(a.Text, "the walrus sleeps here") || !strings.Contains(a.Text, "lines 8991-9011") {
			t.Errorf("%+v: %v\n%s", r, err, a.Text)
		}
	}
}
