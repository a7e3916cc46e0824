package history_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/internal/historytest"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/internal/must"
)

func search(t *testing.T, m *historytest.Memory, q history.Query) history.Result {
	t.Helper()
	res, err := history.Search(context.Background(), m, q)
	if err != nil {
		t.Fatalf("%q: %v", q.Text, err)
	}
	for _, h := range res.Hits {
		if !utf8.ValidString(h.Snippet) || h.MatchStart < 0 || h.MatchEnd < h.MatchStart || h.MatchEnd > len(h.Snippet) {
			t.Fatalf("%q: match %d to %d of snippet %q", q.Text, h.MatchStart, h.MatchEnd, h.Snippet)
		}
	}
	return res
}

func match(h history.Hit) string { return h.Snippet[h.MatchStart:h.MatchEnd] }

func hits(res history.Result) string {
	var out []string
	for _, h := range res.Hits {
		out = append(out, h.EntryID)
	}
	return strings.Join(out, " ")
}

// Holds history 18.
func TestEachStepFindsMoreThanTheStricterOnes(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "a",
		"The lease timeout is 30 seconds.",        // a0
		"timeout of the lease, again",             // a1
		"applyDiscountRounding in src/pricing.ts", // a2
		"We decided to round every discount line", // a3
		"Der Kaffee heißt Café crème, Łódź Ærø",   // a4
		"貪婪算法很快",                                  // a5
		"x => y && !z",                            // a6
		"don't use retry-after headers",           // a7
		"unrelated",                               // a8
		"tiếng Việt and naïve Zürich",             // a9
	)
	for _, c := range []struct{ query, step, want, match string }{
		{"lease timeout", history.StepAll, "a1 a0", "timeout"},
		{"LEASE Timeout", history.StepAll, "a1 a0", "timeout"},
		{`"lease timeout"`, history.StepAll, "a0", "lease timeout"},
		{`"timeout of" lease`, history.StepAll, "a1", "timeout of"},
		{`lease "timeout`, history.StepAll, "a1 a0", ""},
		{"src/pricing.ts", history.StepAll, "a2", "src/pricing.ts"},
		{"pricing.ts", history.StepAll, "a2", "pricing.ts"},
		{"retry-after", history.StepAll, "a7", "retry-after"},
		{"don't", history.StepAll, "a7", "don't"},
		{"secon", history.StepSubstring, "a0", "secon"},
		{"tim lea", history.StepSubstring, "a1 a0", ""},
		{"what is the lease timeout?", history.StepAll, "a1 a0", ""},
		{"what did we decide about a line", history.StepAll, "a3", ""},
		{"timeouts", history.StepAll, "a1 a0", "timeout"},
		{"DiscountRound", history.StepSubstring, "a2", "DiscountRound"},
		{"ycrounding pricing.ts", history.StepAny, "a2", "pricing.ts"},
		{"iscountRounding ricing", history.StepSubstring, "a2", "iscountRounding"},
		{"where does the unrelated walrus sleep", history.StepAny, "a8", "unrelated"},
		{"=>", history.StepSubstring, "a6", "=>"},
		{"&& !", history.StepSubstring, "a6", "&& !"},
		{"算法", history.StepSubstring, "a5", "算法"},
		{"算法 貪婪", history.StepSubstring, "a5", "算法"},
		{"很快 貪婪", history.StepSubstring, "a5", "很快"},
		{"cafe creme", history.StepAll, "a4", "crème"},
		{"CRÈME", history.StepAll, "a4", "crème"},
		{"re\u0300me", history.StepSubstring, "a4", "rème"},
		{"tieng viet", history.StepAll, "a9", "tiếng"},
		{"uric", history.StepSubstring, "a9", "üric"},
		{"the", history.StepAll, "a1 a0", "the"},
		{"zzyzx", "", "", ""},
	} {
		res := search(t, m, history.Query{Text: c.query})
		if hits(res) != c.want || res.Step != c.step {
			t.Errorf("%q: %q by %q, want %q by %q", c.query, hits(res), res.Step, c.want, c.step)
			continue
		}
		if c.match != "" && !strings.EqualFold(match(res.Hits[0]), c.match) {
			t.Errorf("%q: shows %q, want %q", c.query, match(res.Hits[0]), c.match)
		}
	}
}

// Holds history 17, 19.
func TestPunctuationIsNeverAnError(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "a", "alpha beta AND gamma NEAR delta NOT")
	for _, q := range []string{
		"alpha AND beta", "alpha NOT beta", "NEAR(alpha beta)", "-alpha", "alpha:", "alpha*", "^alpha", "(alpha", "alpha)", `"alpha`, `al"pha"`,
		"'alpha'", "{alpha}", "[alpha]", "alpha + beta", "alpha;--", "\x00alpha", "alpha\xff", `"""`, `" "`, "*", "()", "^", "-", ":", "…", "\u0301",
	} {
		_, err := history.Search(context.Background(), m, history.Query{Text: q})
		if empty := strings.Trim(q, "\" ") == ""; (err != nil) != empty {
			t.Errorf("%q: %v", q, err)
		}
	}
	for _, q := range []string{"", " \t\n", `""`} {
		for _, regex := range []bool{true, false} {
			if _, err := history.Search(context.Background(), m, history.Query{Text: q, Regex: regex}); err == nil && (!regex || q != `""`) {
				t.Errorf("%q: no error", q)
			}
		}
	}
	if res := search(t, m, history.Query{Text: "alpha AND gamma"}); hits(res) != "a0" || res.Step != history.StepAll {
		t.Errorf("AND is no word: %q by %s", hits(res), res.Step)
	}
}

func TestPageBeyondTheResultsIsEmpty(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "a", "key one", "key two", "keyboard", "monkey", "unrelated")
	for _, c := range []struct {
		offset, limit int
		want          string
		more          bool
	}{{0, 1, "a1", true}, {1, 1, "a0", false}, {2, 1, "", false}, {50, 5, "", false}, {0, 2, "a1 a0", false}} {
		if res := search(t, m, history.Query{Text: "key", Offset: c.offset, Limit: c.limit}); hits(res) != c.want || res.More != c.more || res.Step != history.StepAll {
			t.Errorf("%d from %d: %q, more %v, by %q; want %q", c.limit, c.offset, hits(res), res.More, res.Step, c.want)
		}
	}
}

func TestEqualTextIsOneResultWithCopies(t *testing.T) {
	m := historytest.NewMemory(t)
	shared := `{"type":"message","id":"x1","timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":"shared needle"}}` + "\n"
	for _, s := range []string{"a", "b", "c"} {
		m.Ingest(t, historytest.WriteFile(t, `{"type":"session","version":3,"id":"`+s+`"}`+"\n"+shared+line("own"+s, s)))
	}
	res := search(t, m, history.Query{Text: "needle"})
	if len(res.Hits) != 1 || res.Hits[0].Copies != 3 {
		t.Errorf("%+v", res.Hits)
	}
}

func TestTextsWithRareWordsComeFirst(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "a", "common walrus", "common: first", "common: second, and much longer than that", "common: third", "only a zebra!", "common: forth")
	if res := search(t, m, history.Query{Text: "the common walrus zebra"}); hits(res) != "a0 a4 a5 a3 a1 a2" {
		t.Errorf("%q by %s", hits(res), res.Step)
	}
}

func TestSearchFiltersReachTheStore(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "a", "needle")
	m.Add(t, "b", "needle")
	res := search(t, m, history.Query{Text: "needle", Filter: history.Filter{Sessions: []string{"b"}}})
	must.Equal(t, hits(res), "b0", "hits")
}

func TestRegularExpressions(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "a", "first line\nTypeError: x undefined", "typeerror lower", "nothing")
	for _, c := range []struct {
		pattern string
		minds   bool
		want    string
		match   string
	}{
		{"typeerror", false, "a1 a0", "typeerror"},
		{"TypeError", true, "a0", "TypeError"},
		{`^typeerror: \w+`, false, "a0", "TypeError: x"},
		{"line$", false, "a0", "line"},
		{"(a+)+$", false, "", ""},
	} {
		res := search(t, m, history.Query{Text: c.pattern, Regex: true, CaseSensitive: c.minds})
		if hits(res) != c.want || c.want != "" && (match(res.Hits[0]) != c.match || res.Step != history.StepRegex) {
			t.Errorf("%q: %q by %s", c.pattern, hits(res), res.Step)
		}
	}
	for _, bad := range []string{"(open", "[a", "a**", `\8`, "(?P<n"} {
		_, err := history.CompileRegex(bad, false)
		if err == nil || !strings.HasPrefix(err.Error(), "parse regex: ") || strings.Contains(err.Error(), "(?m") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, pattern := range []string{"caf\u00e9", "cafe\u0301", "(?:CAF\u00c9)+", "c[^x]+\u00e9"} { // whichever way the letter is written
		re := must.Get(history.CompileRegex(pattern, false))(t)
		if !re.MatchString("src/caf\u00e9.ts") || !re.MatchString("src/cafe\u0301.ts") || re.MatchString("cafe") {
			t.Errorf("%q", pattern)
		}
	}
	if _, err := history.CompileRegex("  ", false); err == nil {
		t.Error("a blank expression is none")
	}
}

// Holds history 26.
func TestSnippetShowsTheBestPlace(t *testing.T) {
	filler := strings.Repeat("wörds ünd mehr ", 200)
	m := historytest.NewMemory(t)
	m.Add(t, "a", "the rounding "+filler+"we decided: rounding of discounts per line, because of tax "+filler)
	for _, reach := range []int{1, 10, 60, 100000} {
		res := search(t, m, history.Query{Text: "rounding discounts", Context: reach})
		if !strings.EqualFold(match(res.Hits[0]), "discounts") {
			t.Errorf("%d characters: shows %q", reach, match(res.Hits[0]))
		}
		if n := utf8.RuneCountInString(res.Hits[0].Snippet); n > 2*reach+len("discounts") {
			t.Errorf("%d characters on each side make %d", reach, n)
		}
	}
	res := search(t, m, history.Query{Text: "(?s).*", Regex: true, Context: 10})
	if n := utf8.RuneCountInString(res.Hits[0].Snippet); n > 120 {
		t.Errorf("a match of the whole text shows %d characters", n)
	}
}

func TestSnippetShowsTheNumberAskedForNotALongerOne(t *testing.T) {
	m := historytest.NewMemory(t)
	var log strings.Builder
	for n := range 300 {
		fmt.Fprintf(&log, "noisy line %d of the build log\n", n)
	}
	m.Add(t, "a", log.String())
	for query, want := range map[string]string{"noisy line 17": "17", "line 17 of the build": "17", "where is noisy line 2?": "2", "logs of line 299": "299"} {
		res := search(t, m, history.Query{Text: query, Context: 40})
		if got := match(res.Hits[0]); got != want {
			t.Errorf("%q shows %q, want %q: %s", query, got, want, res.Hits[0].Snippet)
		}
	}
}

// People ask questions in plain language; what was said about them must come up.
// Holds history 78.
func TestQuestionsFindTheirMessageAndNameTheStep(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "a", "The lease of a walrus is half a minute.", "What was decided about the lease?", "A minute has passed.", "Two leases decided it.")
	for _, c := range []struct{ question, want, step string }{
		{"what was decided about the lease?", "a3", history.StepAllFirst},
		{"what is it that the walrus lease was?", "a0", history.StepAllFirst},
		{"how did they come to think that a walrus would wait for the harbour?", "a0", history.StepAny},
	} {
		res := search(t, m, history.Query{Text: c.question})
		if first, _, _ := strings.Cut(hits(res), " "); first != c.want || res.Step != c.step {
			t.Errorf("%q: %q by %s, want %q by %s", c.question, hits(res), res.Step, c.want, c.step)
		}
		a, err := recall.GrepText(t.Context(), m, recall.GrepRequest{Query: c.question})
		if err != nil || !strings.Contains(a.Text, "matched: "+c.step) {
			t.Errorf("%q: %v, the step is not named:\n%s", c.question, err, a.Text)
		}
	}
}

// Holds history 78.
func TestPlainQuestionsFindTheirMessages(t *testing.T) {
	m := historytest.NewMemory(t)
	files, err := filepath.Glob("../../testdata/sessions/*.jsonl")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, f := range files {
		m.Ingest(t, pi.File{Path: f})
	}
	for _, c := range []struct{ question, want string }{
		{"what did we decide about the rounding of discounts and why?", `(?is)decision.*round|round.*(decid|becaus|instead)`},
		{"why did we reject the lock per cart?", `(?is)lock`},
		{"how many customers were charged twice?", `(?is)(twice|double)`},
		{"which header carries the idempotency key?", `Idempotency-Key`},
		{"is express shipping ever free", `(?is)express`},
		{"what about tax in Aland?", `Åland`},
	} {
		res := search(t, m, history.Query{Text: c.question, Limit: 5})
		found := false
		for _, h := range res.Hits {
			found = found || regexp.MustCompile(c.want).MatchString(m.Text(h.Row))
		}
		if !found {
			t.Errorf("%q: by %q %q", c.question, res.Step, hits(res))
		}
		if testing.Verbose() {
			for _, h := range res.Hits {
				t.Logf("%s | %s | %s %s | …%s«%s»%s", c.question, res.Step, h.Role, h.EntryID, h.Snippet[:h.MatchStart], match(h), h.Snippet[h.MatchEnd:])
			}
		}
	}
}

func TestLabelsAndEntriesOfUnknownTypesAreSearched(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Session(t, "s",
		`{"type":"label","id":"l1","parentId":"u1","timestamp":"2026-03-02T09:00:00.000Z","targetId":"okapi","label":"before the walrus"}`+"\n",
		`{"type":"later_invention","id":"n1","parentId":"okapi","timestamp":"2026-03-02T09:00:01.000Z","payload":{"notes":["a zebra",{"deep":"in the reeds"}],"n":5}}`+"\n",
		`{"type":"custom","id":"c1","timestamp":"2026-03-02T09:00:02.000Z","customType":"x","data":{"state":"a gnu"}}`+"\n")
	if res := search(t, m, history.Query{Text: "walrus"}); hits(res) != "l1" || res.Hits[0].Line != 1 {
		t.Errorf("the label: %+v", res.Hits)
	}
	if res := search(t, m, history.Query{Text: `"in the reeds"`}); hits(res) != "n1" || res.Hits[0].Line != 2 {
		t.Errorf("the unknown type: %+v", res.Hits)
	}
	for _, hidden := range []string{"okapi", "gnu", "later_invention"} { // ids, the state of extensions, names
		res := search(t, m, history.Query{Text: hidden})
		must.Equal(t, len(res.Hits), 0, "%s is found in %s", hidden, hits(res))
	}
}

func TestAnEntryThatWasShownForASearchIsNotFoundAgain(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Session(t, "s", historytest.Said("u1", "user", "the walrus sleeps", ""),
		`{"type":"custom_message","id":"c1","timestamp":"2026-03-02T09:10:00.000Z","customType":"pictx.shown","content":"the walrus sleeps","display":true}`+"\n",
		`{"type":"custom_message","id":"c2","timestamp":"2026-03-02T09:11:00.000Z","customType":"other","content":"another walrus","display":true}`+"\n")
	res := search(t, m, history.Query{Text: "walrus"})
	must.Equal(t, hits(res), "c2 u1", "hits")
}

func TestATypingErrorGetsASuggestion(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "a", "the idempotency key", "renewLeaseTimeout is half a minute", "cat", "the idempotent walrus")
	for query, want := range map[string]string{
		"idempotecny":          "idempotency",
		"idempotancy":          "", // found as it is, by its stem
		"renewLeaseTimeuot":    "renewleasetimeout",
		"the idempotecny key?": "the idempotency key?",
		"Idempotecny walrus":   "idempotency walrus",
		"idempotency":          "",
		"quagga":               "",
		"cst":                  "", // short words are like too many others
	} {
		if res := search(t, m, history.Query{Text: query}); res.Suggestion != want {
			t.Errorf("%q: %q, want %q (found %s)", query, res.Suggestion, want, hits(res))
		}
	}
	if res := search(t, m, history.Query{Text: "idempotanc.", Regex: true}); res.Suggestion != "" {
		t.Errorf("of a regular expression: %q", res.Suggestion)
	}
}
