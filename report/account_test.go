package report

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	walk "github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/internal/must"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/usage"
)

// account returns an account whose texts all pass through a function. It has two days, two
// models, a session that was pruned, lost its cache and was compacted, and a chain of
// decisions.
func account(alter func(string) string) *usage.Account {
	begun := time.Date(2026, 3, 1, 10, 0, 0, 0, time.Local)
	s := &usage.Session{ID: alter("11112222-aaaa"), Title: alter("Fix the cart"), CWD: alter("/home/me/shop"), Started: begun.UnixMilli()}
	a := usage.NewAccount(time.Local)
	for i, model := range []string{"p/opus", "p/opus", "p/haiku", "p/opus"} {
		r := usage.Response{Model: alter(model), Time: begun.Add(time.Duration(i) * 20 * time.Hour).UnixMilli(), Usage: message.Usage{Input: 1000, Output: 100, CacheRead: 3000}, Dollars: 0.25, Priced: true}
		q := usage.Request{Response: r, Sent: usage.Sizes{usage.System: 2500, usage.Reads: 1000, usage.Talk: 500}}
		a.Add(&r)
		s.Total.Add(&r)
		s.Requests = append(s.Requests, q)
	}
	s.Requests[0].Start = walk.StartsSession
	s.Requests[1].Pruned, s.Requests[1].Cause, s.Requests[1].Lost = usage.Pruned{Results: 2, Tokens: 5000}, usage.Rewritten, 2000
	s.Requests[3].Start = walk.AfterCompaction
	a.Pruned, a.PrunedTokens, a.Summaries, a.SummaryDollars, a.Sessions = 2, 5000, 1, 0.5, []*usage.Session{s}
	a.Settle()
	at := func(hours int) time.Time { return begun.Add(time.Duration(hours) * time.Hour) }
	a.Decisions = []*decision.Decision{
		{ID: alter("D-1"), Title: alter("Cents"), Text: alter("Prices are cents"), Status: decision.Superseded, Created: decision.Stamp(at(0)), Since: decision.Stamp(at(30)), SupersededBy: alter("D-3")},
		{ID: alter("D-2"), Text: alter("Retries stop"), Status: decision.Draft, Created: decision.Stamp(at(10)), Since: decision.Stamp(at(10))},
		{ID: alter("D-3"), Text: alter("Prices have a currency"), Status: decision.Active, Created: decision.Stamp(at(30)), Since: decision.Stamp(at(30)), Supersedes: alter("D-1")},
	}
	return a
}

func accountHTML(t *testing.T, a *usage.Account, scope string) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, Account(&b, a, scope))
	must.Not(t, strings.Contains(b.String(), "ZgotmplZ"), "a value stands in a place that the template holds to be unsafe")
	return b.String()
}

func TestAccountPageShowsCostContextCacheEventsAndDecisions(t *testing.T) {
	t.Parallel()
	seen := htmlText(accountHTML(t, account(itself), "~/shop"))
	for _, want := range []string{
		"~/shop", "$1.00 for 4 requests in 1 session.", "16.0K tokens of input, 75% of them", "pictx pruned 2 results with 5.0K tokens.", "Part of it: 1 summary that models wrote, $0.50.",
		"p/opus $0.75 3 12.0K 75% 300", "p/haiku $0.25 1 4.0K 75% 100", "2026-03-01 $0.25 1",
		"system prompt and tools 62.5% 10.0K", "files read 25.0% 4.0K", "conversation 12.5% 2.0K",
		"$1.00 · 4 requests · 75% from the cache · largest 4.0K · 1 compaction · 5.0K tokens pruned",
		"pruning 2.0K 1", "pruned 2 results, 5.0K tokens Fix the cart", "compacted from 4.0K to 4.0K tokens", "2.0K tokens not from the cache: pruning",
		"D-1 superseded", "superseded by D-3", "supersedes D-1", "D-2 draft",
	} {
		must.Contain(t, seen, want, "the page does not")
	}
	if t.Failed() {
		t.Log(seen)
	}
	if at := []int{strings.Index(seen, "D-1 superseded"), strings.Index(seen, "D-3 active"), strings.Index(seen, "D-2 draft")}; !slices.IsSorted(at) {
		t.Errorf("what took the place of a decision does not stand below it: %v", at)
	}
}

func TestTheChartOfASingleDayNamesItOnce(t *testing.T) {
	t.Parallel()
	a := account(itself)
	page := accountHTML(t, a, "~/shop")
	must.Contain(t, page, "<span>"+a.Days[0].Key+"</span><span>"+a.Days[len(a.Days)-1].Key+"</span>", "a chart of %d days does not", len(a.Days))
	a.Days = a.Days[:1]
	page = accountHTML(t, a, "~/shop")
	day := "<span>" + a.Days[0].Key + "</span>"
	if n := strings.Count(page, day); n != 1 || !strings.Contains(page, "Cost of "+a.Days[0].Key+";") {
		t.Errorf("a chart of one day says %s %d times", day, n)
	}
}

// A page without prices, decisions or events is still valid.
func TestAccountPageOfUnpricedRequestsCountsTokens(t *testing.T) {
	t.Parallel()
	r := usage.Response{Model: "mine", Usage: message.Usage{Input: 1200, Output: 100}}
	a := usage.NewAccount(time.Local)
	a.Add(&r)
	a.Unread = 1
	a.Settle()
	seen := htmlText(accountHTML(t, a, ""))
	for _, want := range []string{"No price is known for 1 request", "1 request has no price", "1 session could not be followed: it is in the costs", "In tokens, because no price is known", "mine – 1 1.2K 0% 100"} {
		must.Contain(t, seen, want, "the page does not")
	}
	for _, not := range []string{"NaN", "Inf", "Decisions over time", "$"} {
		must.Lack(t, seen, not, "the page")
	}
}

func TestAccountPageShowsHostileTextAsText(t *testing.T) {
	t.Parallel()
	known := htmlShape(t, accountHTML(t, account(itself), "~"), "replay.js")
	for _, attack := range attacks() {
		page := accountHTML(t, account(func(s string) string { return s + attack }), "~"+attack)
		if shape := htmlShape(t, page, "replay.js"); !slices.Equal(shape, known) {
			t.Errorf("%q changes the elements of the page", attack)
		}
		for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			must.Not(t, !regexp.MustCompile(`^#[a-z0-9]+$`).MatchString(link[1]), "%q leads to %q", attack, link[1])
		}
		if i := strings.IndexAny(page, "\u202e\u2066\u200b\x00\x1b\ufeff"); i >= 0 {
			t.Errorf("%q is in the page with something hidden", attack)
		}
	}
}
