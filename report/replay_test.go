package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/bill"
	"github.com/coctostan/pictx/core/replay"
	walk "github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// htmlFixture returns a result whose texts all pass through name. Without pruning each call
// of a session costs 1000. "auto" saves a quarter of that, except in the first session,
// where it saves nothing.
func htmlFixture(sessions, calls int, name func(string) string) *replay.Comparison {
	r := &replay.Comparison{
		Worlds:   []replay.World{{Name: "today", About: name("Claude Opus 5.5"), Date: "2026-11-09"}, {Name: "mine", About: name("mine"), Date: "2026-11-10"}},
		Problems: []replay.Problem{{File: name("/s/broken.jsonl"), Cause: name("no session")}},
	}
	policies := []string{"none", "seed", "kota", "cold", "auto", name("edited")}
	ratio := func(policy string, session int) float64 {
		if policy == "auto" && session > 0 {
			return 0.75
		}
		return 1
	}
	for _, p := range policies {
		total := replay.PolicyTotal{Name: p, PrunedResults: 7, PrunedTokens: 5000}
		if p != "none" {
			total.Pruned = []replay.Group{{Tool: name("read"), Argument: name("/home/me/shop/cart.go"), Reason: name("edited"), Results: 4, Tokens: 4000}}
		}
		for _, w := range r.Worlds {
			b := replay.WorldTotal{World: w.Name, Date: w.Date, BillVsNone: 1, WorstVsNone: 1, Figures: replay.Figures{
				TokensSent: token.Count(sessions * calls * 4000), PeakContext: 4321, WarmRewrites: 3, Edits: 40, EditsMissing: 1, CallsMissing: 2, ThinkingLost: 9,
			}}
			if p == "auto" {
				b.BillVsNone, b.Better = 0.75, sessions-1
			}
			b.Total = costing(float64(1000*sessions*calls) * b.BillVsNone)
			total.Worlds = append(total.Worlds, b)
		}
		r.Policies = append(r.Policies, total)
	}
	for i := range sessions {
		s := replay.SessionResult{
			Session: name(fmt.Sprintf("%08d-aaaa", i)), File: name(fmt.Sprintf("/s/%04d.jsonl", i)),
			Started: fmt.Sprintf("2026-03-%02dT10:20:30.000Z", 1+i%28), Requests: calls, CWD: name("/home/me/shop"),
			Model: walk.Model{Provider: "anthropic", ID: name("opus"), Scale: 1.25, Floor: 9000, Counted: calls},
		}
		for _, p := range policies {
			own := replay.Run{
				Policy: p, Series: htmlSeries(calls, ratio(p, i)), BillVsNone: ratio(p, i), Bill: costing(1000 * float64(calls) * ratio(p, i)),
				Figures: replay.Figures{TokensSent: 99, PeakContext: 4321, WarmRewrites: 1},
			}
			if p == "auto" {
				own.FirstPrune = 2
			}
			s.Policies = append(s.Policies, own)
		}
		r.PerSession = append(r.PerSession, s)
	}
	r.Sessions, r.Requests = sessions, sessions*calls
	return r
}

// costing is a bill of requests without a price.
func costing(tokens float64) bill.Total {
	return bill.Total{Tokens: bill.Bill{Requests: 1, Plain: tokens, Billed: tokens}}
}

// inDollars gives the requests of a bill a price.
func inDollars(t *bill.Total, price float64) {
	t.Dollars, t.Tokens = bill.Bill{Requests: 1, Plain: price * t.Tokens.Plain, Billed: price * t.Tokens.Billed}, bill.Bill{}
}

// htmlSeries returns a course that rises and falls, with changes unless ratio is 1.
func htmlSeries(calls int, ratio float64) []replay.Point {
	var out []replay.Point
	for i := range calls {
		p := replay.Point{Request: i + 1, Tokens: token.Count(ratio * float64(3000+137*(i*i%97)))}
		switch {
		case i == 0:
			p.Start = walk.StartsSession
		case i%50 == 49:
			p.Start = walk.AfterCompaction
		case i%70 == 69:
			p.Start, p.Idle = walk.OnBranch, true
		}
		if ratio != 1 && i%10 == 1 {
			p.Change = replay.ChangedWarm + replay.Change(i/10%2)
		}
		out = append(out, p)
	}
	return out
}

func itself(s string) string { return s }

func htmlOf(t *testing.T, r *replay.Comparison) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, Replay(&b, r))
	must.Not(t, strings.Contains(b.String(), "ZgotmplZ"), "a value stands in a place that the template holds to be unsafe")
	return b.String()
}

// htmlText returns the visible text of a page with white space collapsed.
func htmlText(page string) string {
	for _, gone := range []string{`(?s)<(style|script)>.*?</(style|script)>`, `<[^>]*>`} {
		page = regexp.MustCompile(gone).ReplaceAllString(page, " ")
	}
	return strings.Join(strings.Fields(html.UnescapeString(page)), " ")
}

func TestReplayPageSaysWhatSessionsCost(t *testing.T) {
	t.Parallel()
	text := htmlText(htmlOf(t, htmlFixture(3, 100, itself)))
	for _, want := range []string{
		"3 sessions · 300 requests",
		"Pruning with auto makes the input of these 3 sessions 25% cheaper.",
		"Without pruning, 300 requests sent 1.2M tokens and cost as much as 300K plain input tokens, at the prices of Claude Opus 5.5 (2026-11-09).",
		"With auto they would have cost 225K (−25.0%): the whole bill, with declared tools, markers, the requests of compaction, and each pruned text that a later call needed, fetched once. 2 sessions got cheaper, none more expensive.",
		"1 session could not be read", "/s/broken.jsonl no session",
		"cart.go", "the file has changed since",
		"2.5%", "1 of 40", "These are proxies, not solve rates.",
		"100 requests · bill 100K → 75.0K (−25.0%) · peak 4.3K → 4.3K",
	} {
		must.Contain(t, text, want, "the report does not")
	}
	if t.Failed() {
		t.Log(text)
	}
}

// When models have prices every cost on the page is in dollars. A session without a price
// has no cost.
func TestReplayPageIsInDollarsWhereThereArePrices(t *testing.T) {
	t.Parallel()
	r := htmlFixture(3, 100, itself)
	for i := range r.Policies {
		for j := range r.Policies[i].Worlds {
			inDollars(&r.Policies[i].Worlds[j].Total, 0.001)
		}
	}
	for i := range r.PerSession[1:] {
		for j := range r.PerSession[i+1].Policies {
			inDollars(&r.PerSession[i+1].Policies[j].Bill, 0.001)
		}
	}
	r.Unpriced = 100
	text := htmlText(htmlOf(t, r))
	for _, want := range []string{
		"sent 1.2M tokens and cost $300.00, at the prices of", "With auto they would have cost $225.00 (−25.0%)", "full price $300.00",
		"bill $100.00 → $75.00 (−25.0%)", "100 requests · no price · peak", "100 $100.00 $25.00", "100 – –",
		"100 requests to models without a price are left out of the dollars.",
	} {
		must.Contain(t, text, want, "the report does not")
	}
	must.Not(t, strings.Contains(text, "plain input tokens"), "the report speaks of plain input tokens where it has dollars")
}

// TestReplayPageShowsHostileTextAsText compares a report whose texts are all attacks with
// one of harmless texts: both must have the same elements and attributes.
func TestReplayPageShowsHostileTextAsText(t *testing.T) {
	t.Parallel()
	harmless := htmlShape(t, htmlOf(t, htmlFixture(3, 60, itself)), "replay.js")
	for _, attack := range []string{
		`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "` onload=`alert(1)",
		`</title></style></desc></svg><svg onload=alert(1)>`, `--><!-- {{.Style}} {{template "bar"}}`, `]]><b>`, `&lt;b&gt;`,
		"\u202egnp.exe\u2066\u200b\x00\x1b[31m\ufeff", "javascript:alert(1)", "\xff\xfe", "</bdi></td></table>", "expression(alert(1)); } body { display: none",
	} {
		page := htmlOf(t, htmlFixture(3, 60, func(s string) string { return s + attack }))
		must.Match(t, htmlShape(t, page, "replay.js"), harmless, "%q changes the page (-harmless +hostile)", attack)
		if i := strings.IndexAny(page, "\u202e\u2066\u200b\x00\x1b\ufeff"); i >= 0 {
			t.Errorf("%q is in the page with something hidden: %q", attack, page[i:i+20])
		}
	}
}

// htmlShape lists the elements of a page with a script, with the names of their attributes.
// It fails when elements are not closed in order.
func htmlShape(t *testing.T, page, script string) []string {
	t.Helper()
	for _, name := range []string{"style.css", script} {
		text := must.Get(assets.ReadFile("assets/" + name))(t)
		page = strings.Replace(page, string(text), "", 1)
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var shape []string
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return shape
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok {
			name := e.Name.Local
			for _, a := range e.Attr {
				name += " " + a.Name.Local
			}
			shape = append(shape, name)
		}
	}
}

func TestReplayPageLoadsNothingAndRunsOnlyItsScript(t *testing.T) {
	t.Parallel()
	page := htmlOf(t, htmlFixture(3, 60, itself))
	for _, outside := range []string{"http:", "https:", " src=", "<link", "@import", "url(", "<iframe", "<object", "<img", "<form", "fetch(", "XMLHttpRequest", "innerHTML", "eval("} {
		must.Lack(t, page, outside, "the page holds")
	}
	must.Equal(t, strings.Count(page, "<script"), 1, "scripts of the page")
	_, rest, _ := strings.Cut(page, "<script>")
	script, _, _ := strings.Cut(rest, "</script>")
	sum := sha256.Sum256([]byte(script))
	want := "script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	if !strings.Contains(html.UnescapeString(page), want) || !strings.Contains(page, "default-src &#39;none&#39;") {
		t.Errorf("the page does not allow its own script, and only that: %s", want)
	}
}

func TestReplayPageBoundsManySessionsAndSaysSo(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: it does much, one thing after the other")
	}
	t.Parallel()
	if n := len(htmlOf(t, htmlFixture(30, 2000, itself))); n > 1_000_000 {
		t.Errorf("a report of 30 sessions has %d bytes", n)
	}
	page := htmlOf(t, htmlFixture(1500, 40, itself))
	must.Not(t, len(page) > 4_000_000, "a report of 1,500 sessions has %d bytes", len(page))
	text := htmlText(page)
	for _, want := range []string{
		"Of 1,500 sessions the 32 with the largest savings and the 8 with the smallest are drawn.",
		"500 sessions with smaller savings, or with losses, are not listed.",
	} {
		must.Contain(t, text, want, "the report does not")
	}
}

func TestSessionsAreSortedBySavingsAndTheWorstAreDrawnToo(t *testing.T) {
	t.Parallel()
	r := htmlFixture(60, 10, itself)
	for i := range r.PerSession { // later sessions save more, session 0 less than nothing
		own := &r.PerSession[i].Policies[4]
		own.Bill, own.BillVsNone = costing(float64(10_100-100*i)), 1.01-float64(i)/100
	}
	p := newReplayPage(r)
	for i, s := range p.Sessions {
		if want := fmt.Sprintf("/s/%04d.jsonl", 59-i); s.File != want {
			t.Fatalf("place %d is %s, want %s", i, s.File, want)
		}
	}
	must.Equal(t, len(p.Charts.Items), maxCharts, "drawn sessions")
	for place, drawn := range map[int]bool{0: true, 31: true, 32: false, 51: false, 52: true, 59: true} {
		must.Not(t, (p.Sessions[place].Anchor != "") != drawn, "place %d is drawn: %v, want %v", place, !drawn, drawn)
	}
}

func TestBestPolicyIsCheapestIncludingMisses(t *testing.T) {
	t.Parallel()
	r := htmlFixture(2, 10, itself)
	set := func(policy int, whole float64) { r.Policies[policy].Worlds[0].BillVsNone = whole }
	set(3, 0.72) // cold
	set(4, 0.74) // auto
	must.Equal(t, newReplayPage(r).Best.Name, "cold", "the best policy")
	set(4, 0.72)
	must.Equal(t, newReplayPage(r).Best.Name, "auto", "of equals the best policy")
}

func TestReplayPageDoesNotPresentALossAsASaving(t *testing.T) {
	t.Parallel()
	r := htmlFixture(2, 10, itself)
	for i := range r.Policies[1:] {
		r.Policies[1+i].Worlds[0] = replay.WorldTotal{Total: costing(21_000), BillVsNone: 1.05, Worse: 2, WorstVsNone: 1.2}
	}
	text := htmlText(htmlOf(t, r))
	for _, want := range []string{
		"No policy makes these 2 sessions clearly cheaper.", "+5.0%", "No session got cheaper, 2 more expensive (the worst +20.0%).",
	} {
		must.Contain(t, text, want, "the report does not")
	}
	must.Not(t, strings.Contains(htmlOf(t, r), `class="row p-auto best"`), "a policy that costs more is marked as the best")
}

func TestReplayPageOfIncompleteComparison(t *testing.T) {
	t.Parallel()
	whole := func() *replay.Comparison { return htmlFixture(2, 10, itself) }
	for name, tt := range map[string]struct {
		make func(r *replay.Comparison)
		want string
	}{
		"nothing at all":    {func(r *replay.Comparison) { *r = replay.Comparison{} }, "There was no request to replay."},
		"no policies":       {func(r *replay.Comparison) { r.Policies = nil }, "What these 2 sessions cost."},
		"none alone":        {func(r *replay.Comparison) { r.Policies = r.Policies[:1] }, "What these 2 sessions cost."},
		"without none":      {func(r *replay.Comparison) { r.Policies = r.Policies[1:] }, "The policy none was not run"},
		"without courses":   {func(r *replay.Comparison) { dropSeries(r) }, "Session by session"},
		"interrupted":       {func(r *replay.Comparison) { r.Interrupted = true }, "The replay was interrupted"},
		"one call":          {func(r *replay.Comparison) { *r = *htmlFixture(1, 1, itself) }, "1 session · 1 request"},
		"one session":       {func(r *replay.Comparison) { *r = *htmlFixture(1, 9, itself) }, "fetched once."},
		"no times or names": {func(r *replay.Comparison) { r.PerSession[0] = replay.SessionResult{Policies: r.PerSession[0].Policies} }, "Session by session"},
		"not a number": {func(r *replay.Comparison) {
			r.Policies[4].Worlds[0] = replay.WorldTotal{Total: costing(math.NaN()), BillVsNone: math.Inf(1)}
		}, "Session by session"},
	} {
		r := whole()
		tt.make(r)
		page := htmlOf(t, r)
		htmlShape(t, page, "replay.js")
		text := htmlText(page)
		must.Contain(t, text, tt.want, "%s: the report does not", name)
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(page, `"NaN%"`) {
			t.Errorf("%s: the report shows what is no number", name)
		}
	}
}

func dropSeries(r *replay.Comparison) {
	for i := range r.PerSession {
		for j := range r.PerSession[i].Policies {
			r.PerSession[i].Policies[j].Series = nil
		}
	}
}

func TestLinePathHoldsItsFigures(t *testing.T) {
	t.Parallel()
	points := []replay.Point{{Request: 1, Tokens: 4000}, {Request: 2, Tokens: 4500}, {Request: 4, Tokens: 1000}, {Request: 5, Tokens: 1000}}
	f := frameOf(points)
	must.Match(t, f.line(points), "m1 4000l1 500 2-3500 1 0", "line")
	must.Match(t, f.area(points), "m1 4000l1 500 2-3500 1 0V0H1z", "area")
	must.Match(t, f.viewBox(), "1 -4781 4 4781", "frame")
	must.Equal(t, frameOf(points[:1]).line(points[:1]), "m1 4000l1 0", "a single call is drawn as")
	large := []replay.Point{{Request: 3, Tokens: 150_000}, {Request: 4, Tokens: 151_234}}
	if f := frameOf(large); f.unit != 10 || f.line(large) != "m3 15000l1 123" {
		t.Errorf("in units of %d: %s", f.unit, f.line(large))
	}
	if f := frameOf(nil); f.line(nil) != "" || f.area(nil) != "" || f.width() != 1 {
		t.Errorf("nothing is drawn as %+v", f)
	}
}

func TestMarksAreAtCallsThatChanged(t *testing.T) {
	t.Parallel()
	points := []replay.Point{
		{Request: 1},
		{Request: 2, Change: replay.ChangedWarm},
		{Request: 3, Change: replay.ChangedCold, Idle: true},
		{Request: 4, Start: walk.AfterCompaction, Tokens: 80},
		{Request: 5, Change: replay.ChangedWarm},
	}
	f := frameOf(points)
	if warm, cold := f.marks(points, replay.ChangedWarm, "1v8"), f.marks(points, replay.ChangedCold, "5h0"); warm != "M2 1v8M5 1v8" || cold != "M3 5h0" {
		t.Errorf("warm %s, cold %s", warm, cold)
	}
	must.Equal(t, f.verticals(points, func(p replay.Point) bool { return p.Start == walk.AfterCompaction }), "M4 0v85", "compactions")
	var many []replay.Point
	for i := range 5000 {
		many = append(many, replay.Point{Request: i + 1, Change: replay.ChangedWarm})
	}
	if n := strings.Count(frameOf(many).marks(many, replay.ChangedWarm, "1v8"), "M"); n < 190 || n > 201 {
		t.Errorf("%d marks stand for 5,000", n)
	}
}

func TestThinnedPointsKeepTheEndsAndTheExtremes(t *testing.T) {
	t.Parallel()
	var points []replay.Point
	for i := range 1000 {
		points = append(points, replay.Point{Request: i + 1, Tokens: 100})
	}
	points[500].Tokens, points[700].Tokens = 9, 900
	got := thin(points, 50)
	if len(got) > 50 || got[0].Request != 1 || got[len(got)-1].Request != 1000 {
		t.Errorf("%d points from %d to %d", len(got), got[0].Request, got[len(got)-1].Request)
	}
	must.Not(t, !slices.IsSortedFunc(got, func(a, b replay.Point) int { return a.Request - b.Request }), "the points are not in order")
	for _, call := range []int{501, 701} {
		must.Not(t, !slices.ContainsFunc(got, func(p replay.Point) bool { return p.Request == call }), "call %d is gone", call)
	}
	must.Equal(t, len(thin(points[:50], 50)), 50, "what is left of few enough points")
}

func TestTicksAreFewAndRound(t *testing.T) {
	t.Parallel()
	for top, want := range map[token.Count]string{
		183_000: "0 50K 100K 150K", 31_300: "0 10K 20K 30K", 1_000_000: "0 200K 400K 600K 800K 1M", 999: "0 200 400 600 800 1K", 0: "0 2 4 6 8 10", 47_000: "0 10K 20K 30K 40K",
	} {
		var labels []string
		for _, tick := range frameOf([]replay.Point{{Request: 1, Tokens: top}}).ticks() {
			labels = append(labels, tick.Label)
		}
		must.Equal(t, strings.Join(labels, " "), want, "up to %d", top)
	}
}

func TestNumbersAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[float64]string{
		0: "0", 999: "999", 999.6: "1.0K", 1234: "1.2K", 99_949: "99.9K", 99_951: "100K", 999_600: "1.0M", 45_234_123: "45.2M", 310e6: "310M", -1500: "−1.5K",
		math.Inf(1): "–", math.Inf(-1): "–",
	} {
		must.Equal(t, text.TokensShort(n), want, "%v tokens", n)
	}
	for ratio, want := range map[float64]string{1: "±0%", 0.9999: "±0%", 0.712: "−28.8%", 1.146: "+14.6%", 12: "×12.0", 0: "−100.0%", math.Inf(1): "–"} {
		must.Equal(t, Change(ratio), want, "the ratio %v", ratio)
	}
}

func TestSessionsAreNamedAfterTheirFolder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ cwd, file, want string }{
		{"/home/me/shop", "/s/a.jsonl", "shop"},
		{"/home/me/shop/", "", "shop"},
		{"/home/me/trees/2", "", "trees/2"},
		{`C:\Users\me\shop`, "", "shop"},
		{"/", "/s/a.jsonl", "a.jsonl"},
		{"", "", "session"},
		{"/x/shop\u202eb", "", `shop\u{202e}b`},
	} {
		s := &session{SessionResult: &replay.SessionResult{CWD: tt.cwd, File: tt.file}}
		must.Equal(t, s.Name(), tt.want, "%q, %q is called", tt.cwd, tt.file)
	}
}

func TestReplayReportsWriteErrors(t *testing.T) {
	t.Parallel()
	err := Replay(&fullDisk{left: 5000}, htmlFixture(1, 10, itself))
	must.Not(t, err == nil || !strings.HasPrefix(err.Error(), "write report: ") || !errors.Is(err, errFullDisk), "the error is %v", err)
}

var errFullDisk = errors.New("no space left")

type fullDisk struct {
	bytes.Buffer
	left int
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.left -= len(p); d.left < 0 {
		return 0, errFullDisk
	}
	return d.Buffer.Write(p)
}
