package usage

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

func read(t *testing.T, body string) Response {
	t.Helper()
	var p message.Parser
	e := must.Get(p.ParseEntry([]byte(`{"type":"message","id":"a","message":` + body + `}`)))(t)
	r, ok := Of(&e)
	must.Stop(t, !ok, "no response: %s", body)
	return r
}

func TestASessionsOwnCostGoesBeforeTheTable(t *testing.T) {
	t.Parallel()
	const tokens = `"input":1000,"output":100,"cacheRead":10000,"cacheWrite":2000`
	own := read(t, `{"role":"assistant","content":[],"provider":"anthropic","model":"claude-sonnet-4-5","usage":{`+tokens+`,"cost":{"input":1,"total":0.5}}}`)
	if cost, known := own.Dollars, own.Priced; cost != 0.5 || !known {
		t.Errorf("own cost: %v, %v", cost, known)
	}
	// 1,000 + 0.1 x 10,000 + 1.25 x 2,000 + 5 x 100 tokens at 3 dollars a million.
	table := read(t, `{"role":"assistant","content":[],"provider":"anthropic","model":"claude-sonnet-4-5","usage":{`+tokens+`}}`)
	if cost, known := table.Dollars, table.Priced; math.Abs(cost-0.015) > 1e-12 || !known {
		t.Errorf("cost by the table: %v, %v", cost, known)
	}
	unknown := read(t, `{"role":"assistant","content":[],"model":"mine","usage":{`+tokens+`}}`)
	if cost, known := unknown.Dollars, unknown.Priced; cost != 0 || known {
		t.Errorf("unknown model: %v, %v", cost, known)
	}
}

func TestResponsesAreGroupedAndTheMostExpensiveComesFirst(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 9*3600)
	at := time.Date(2026, 3, 1, 20, 0, 0, 0, time.UTC).UnixMilli()
	list := []Response{
		{Session: "a", Model: "p/x", Time: at, Usage: message.Usage{Input: 10, CacheRead: 30}, Dollars: 1, Priced: true},
		{Session: "b", Model: "p/y", Time: at + 86_400_000, Dollars: 3, Priced: true},
		{Session: "c", Model: "p/none", Time: at, Usage: message.Usage{Input: 7}},
	}
	for kind, want := range map[string][]string{
		"day": {"2026-03-02", "2026-03-03"}, "week": {"2026-03-02"}, "model": {"p/y", "p/x", "p/none"}, "session": {"b", "a", "c"},
	} {
		table := NewTable(kind, zone)
		for i := range list {
			table.Add(&list[i])
		}
		groups := table.Groups()
		must.Stop(t, len(groups) != len(want), "%s: %d groups, want %d", kind, len(groups), len(want))
		for i, g := range groups {
			must.Equal(t, g.Key, want[i], "%s: group %d", kind, i)
		}
		all := table.All()
		must.Not(t, all.Responses != 3 || all.Unpriced != 1 || all.Dollars != 4 || math.Abs(all.Cached()-30.0/47) > 1e-12, "%s: %+v", kind, all)
	}
}

func TestACommandAloneIsNoTitle(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]bool{
		"": false, "/mode": false, "/skill:review": false,
		"/mode fast": true, "/usr/bin is full": true, "/etc/hosts": true, "fix /mode": true,
	} {
		must.Equal(t, Recognisable(title), want, "%q", title)
	}
}

func TestATitleIsTheNameOrTheFirstLineThatSaysSomething(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, prompt, want string }{
		{"Checkout", "anything", "Checkout"},
		{"", "\n\n# Fix the rounding\nof discounts", "Fix the rounding"},
		{" ", "```\n---\n", ""},
		{"", "Implement the following plan:\n\n# Retries\n\nin the outbox", "Implement the following plan: Retries"},
		{"", "Look at this:", "Look at this:"},
		{"", "<skill name=\"release\" location=\"/s/SKILL.md\">\nTag it.\n</skill>\n\nrelease version 3 please", "release version 3 please"},
		{"", "<skill name=\"release\" location=\"/s/SKILL.md\">\nTag it.\n</skill>", "[skill release]"},
		{"", "<file name=\"/w/cart.ts\">\nlet a\n</file>\n<file name=\"/w/b.png\"></file>\nWhy does it round wrongly?", "Why does it round wrongly?"},
		{"", "<system-reminder>\nBe brief.\n</system-reminder>\n\nFix the cart", "Fix the cart"},
		{"", "<task>\nFix the cart\n</task>", "Fix the cart"},
		{"", "<command-name>/review</command-name>\n<command-args>the cart</command-args>", "/review the cart"},
		{"", "![screenshot](data:image/png;base64,AAAA)\nWhy is it red?", "Why is it red?"},
		{"", "![screenshot](data:image/png;base64,AAAA)", "screenshot"},
		{"", "![](data:image/png;base64,AAAA) Why is it red?", "Why is it red?"},
		{"", "[Image #1] [Image #2]\n\nCompare these", "Compare these"},
		{"", "[Image #1]", "[Image #1]"},
		{"", "[Fix] the cart", "[Fix] the cart"},
		{"", "<file name=\"/w/b.png\"></file>\n```go\nfunc main() {}\n```\n[Image: b.png]\nWhy does this not build?", "Why does this not build?"},
		{"", "~~~\nlet a\n~~~", "let a"},
		{"", "```go\nfunc main() {}\n```", "func main() {}"},
		{"", "````md\n```\nx\n```\n````\nRender it", "Render it"},
		{"", "`main` does not build", "main` does not build"},
		{"", "<div> is not closed", "<div> is not closed"},
		{"", strings.Repeat("long ", 21) + "line:\nnext", strings.Repeat("long ", 21) + "line:"},
	} {
		must.Equal(t, Title(tt.name, tt.prompt), tt.want, "%q, %q", tt.name, tt.prompt)
	}
}

func TestEveryEntryWithUsageIsPaidFor(t *testing.T) {
	t.Parallel()
	const spent = `"usage":{"input":50000,"output":500,"cacheRead":0,"cacheWrite":0,"cost":{"input":4,"total":4}}`
	for name, c := range map[string]struct {
		entry string
		kind  Kind
		want  float64
	}{
		"a branch summary":         {`{"type":"branch_summary","id":"b","timestamp":"2026-11-20T10:00:03.000Z","summary":"tried",` + spent + `}`, Summary, 4},
		"a compaction":             {`{"type":"compaction","id":"c","summary":"s",` + spent + `}`, Summary, 4},
		"a compaction of pictx":    {`{"type":"compaction","id":"c","summary":"s","details":{"pictx":{"began":7,"requests":1,` + spent + `}}}`, Summary, 4},
		"one without a request":    {`{"type":"compaction","id":"c","summary":"s","details":{"pictx":{"requests":0}}}`, Summary, -1},
		"a warmed cache":           {`{"type":"usage","id":"u","kind":"cache_warm","provider":"p","model":"m",` + spent + `}`, Aside, 4},
		"a kind that nobody knows": {`{"type":"usage","id":"u","kind":"dreaming","provider":"p","model":"m",` + spent + `}`, Aside, 4},
		"a note":                   {`{"type":"custom","id":"n","customType":"x"}`, Aside, -1},
	} {
		var p message.Parser
		e := must.Get(p.ParseEntry([]byte(c.entry)))(t)
		r, ok := Of(&e)
		if e.Type == message.EntryCompaction {
			r, ok = OfCompaction(&e, []byte(c.entry))
		}
		must.Not(t, ok != (c.want >= 0) || ok && (r.Dollars != c.want || r.Kind != c.kind), "%s: %+v, %v", name, r, ok)
		var total Total
		if total.Add(&r); ok && (total.Dollars != c.want || total.Responses != 0) {
			t.Errorf("%s: total %+v", name, total)
		}
	}
}

func TestARecordedZeroIsWhatALocalModelCosts(t *testing.T) {
	t.Parallel()
	const free = `"usage":{"input":1000000,"output":0,"cost":{"input":0,"output":0,"total":0}}`
	local := read(t, `{"role":"assistant","content":[],"provider":"llamacpp","model":"glm-4.7",`+free+`}`)
	must.Not(t, local.Dollars != 0 || !local.Priced, "local: %+v", local)
	converted := read(t, `{"role":"assistant","content":[],"provider":"anthropic","model":"claude-opus-4-6",`+free+`}`)
	must.Not(t, converted.Dollars != 5 || !converted.Priced, "converted from another agent: %+v", converted)
}
