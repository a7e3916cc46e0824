package commands

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// htmlPolicy is one policy under the profile of the report.
type htmlPolicy struct {
	Name, Class, Words   string
	Bar                  htmlBar
	Bill, Sent, Peak     string
	Warm                 string
	Better, Worse, Worst string
	Plain, Best          bool
}

// htmlBar is a ratio as a bar. Widths are percentages of the scale.
type htmlBar struct {
	Name, Class           string
	Width, NetAt, Full    string
	Value, Net, Trend     string
	Plain, Beyond, HasNet bool
}

// scale is the ratio at the right end of bars: what fits the largest one, up to
// twice the price. What is beyond is marked.
func (h *htmlReport) scale(profiles ...token.Prices) float64 {
	most := 1.0
	for i := range h.replayResult.Policies {
		for _, p := range profiles {
			b := h.replayResult.Policies[i].Prices[p.Name]
			most = max(most, finite(b.BillVsNone), finite(b.NetVsNone))
		}
	}
	return min(most*1.04, 2)
}

// finite is a ratio, 0 when there is none: of a session without a price, say.
func finite(ratio float64) float64 {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return 0
	}
	return ratio
}

// bar draws what a policy costs.
func (h *htmlReport) bar(p *replayPolicy, profile string, scale float64) htmlBar {
	b := p.Prices[profile]
	percent := func(ratio float64) string { return fmt.Sprintf("%.2f", 100*min(max(finite(ratio), 0)/scale, 1)) }
	return htmlBar{
		Name: shown(p.Name), Class: h.class[p.Name], Full: percent(1),
		Width: percent(b.BillVsNone), NetAt: percent(b.NetVsNone),
		Value: change(b.BillVsNone), Net: change(b.NetVsNone), Trend: trend(b.BillVsNone),
		Plain: p.Name == policyNone, Beyond: b.BillVsNone > scale,
		HasNet: p.Name != policyNone && b.NetVsNone > 0 && b.NetVsNone <= scale,
	}
}

// policyRows are all policies under the profile of the report.
func (h *htmlReport) policyRows() []htmlPolicy {
	var rows []htmlPolicy
	scale := h.scale(h.prices)
	for i := range h.replayResult.Policies {
		p := &h.replayResult.Policies[i]
		b := p.Prices[h.Profile]
		rows = append(rows, htmlPolicy{
			Name: shown(p.Name), Class: h.class[p.Name], Words: policyWords(p.Name), Bar: h.bar(p, h.Profile, scale),
			Bill: text.TokensShort(b.Bill), Sent: text.TokensShort(float64(p.TokensSent)), Peak: text.TokensShort(float64(p.PeakContext)),
			Warm: text.Thousands(int64(p.WarmRewrites)), Better: text.Thousands(int64(b.Better)), Worse: text.Thousands(int64(b.Worse)),
			Worst: change(b.WorstVsNone), Plain: p.Name == policyNone, Best: p == h.best && b.BillVsNone < 1,
		})
	}
	return rows
}

// htmlPanel is what all policies cost under one price profile.
type htmlPanel struct {
	Name, Words, Plain string
	Chosen             bool
	Bars               []htmlBar
}

// panels are the price profiles, on one scale.
func (h *htmlReport) panels() []htmlPanel {
	var out []htmlPanel
	scale := h.scale(h.replayResult.Prices...)
	for _, prices := range h.replayResult.Prices {
		p := htmlPanel{Name: profileName(prices.Name), Words: profileWords(prices), Chosen: prices.Name == h.Profile}
		if h.none != nil {
			p.Plain = text.TokensShort(h.none.Prices[prices.Name].Bill)
		}
		for i := range h.replayResult.Policies {
			bar := h.bar(&h.replayResult.Policies[i], prices.Name, scale)
			if rule, ok := strings.CutPrefix(bar.Name, "without "); ok { // a panel is narrow
				bar.Name = "− " + rule
			}
			p.Bars = append(p.Bars, bar)
		}
		out = append(out, p)
	}
	return out
}

// htmlPruned is what one policy pruned.
type htmlPruned struct {
	Policy, Class string
	Results       string
	Tokens        string
	Open          bool
	Rows          []htmlGroup
	Rest          string // what is not in Rows
}

// htmlGroup is one row of what was pruned.
type htmlGroup struct {
	Tool, Argument, Reason string
	Whole                  string // the argument as it was
	Results, Tokens, Share string
	Width                  string
}

// prunedTables are the largest groups that each policy pruned, those of the best
// one first.
func (h *htmlReport) prunedTables() []htmlPruned {
	var out []htmlPruned
	for _, p := range h.others {
		if len(p.Pruned) == 0 {
			continue
		}
		t := htmlPruned{
			Policy: shown(p.Name), Class: h.class[p.Name], Open: p == h.best,
			Results: text.Count(p.PrunedResults, "result"), Tokens: text.TokensShort(float64(p.PrunedTokens)),
		}
		rest, largest := p.PrunedTokens, p.Pruned[0].Tokens
		for _, g := range p.Pruned {
			rest, largest = rest-g.Tokens, max(largest, g.Tokens)
		}
		for _, g := range p.Pruned {
			t.Rows = append(t.Rows, htmlGroup{
				Tool: fence.OneLine(g.Tool, 32), Argument: h.argument(g.Argument), Reason: reasonWords(g.Reason),
				Whole:   fence.OneLine(g.Argument, 500),
				Results: text.Thousands(int64(g.Results)), Tokens: text.TokensShort(float64(g.Tokens)),
				Share: share(float64(g.Tokens), float64(p.PrunedTokens)),
				Width: fmt.Sprintf("%.1f", 100*float64(g.Tokens)/float64(max(largest, 1))),
			})
		}
		if rest > 0 {
			t.Rest = fmt.Sprintf("%s more tokens (%s) are in smaller groups.", text.TokensShort(float64(rest)), share(float64(rest), float64(p.PrunedTokens)))
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b htmlPruned) int { return -cmp.Compare(btoi(a.Open), btoi(b.Open)) })
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// htmlQuality is what a policy hid of what was needed later.
type htmlQuality struct {
	Name, Class               string
	Edits, Missing, Share     string
	Calls, Billed, WithMisses string
	Width                     string
}

// quality are the proxies of all policies that prune. Bars end at ten percent.
func (h *htmlReport) quality() []htmlQuality {
	var out []htmlQuality
	for _, p := range h.others {
		b := p.Prices[h.Profile]
		out = append(out, htmlQuality{
			Name: shown(p.Name), Class: h.class[p.Name],
			Edits: text.Thousands(int64(p.Edits)), Missing: text.Thousands(int64(p.EditsMissing)),
			Share: share(float64(p.EditsMissing), float64(p.Edits)), Calls: text.Thousands(int64(p.CallsMissing)),
			Billed: change(b.BillVsNone), WithMisses: change(b.NetVsNone),
			Width: fmt.Sprintf("%.1f", min(100, 1000*float64(p.EditsMissing)/float64(max(p.Edits, 1)))),
		})
	}
	return out
}

// htmlSessionList is the table of sessions.
type htmlSessionList struct {
	Columns []htmlColumn
	Rows    []htmlSession
	Hidden  string // how many are not in it
}

// htmlColumn is a policy in the table of sessions.
type htmlColumn struct {
	Name, Class string
	Best        bool
}

// htmlSession is one session.
type htmlSession struct {
	Name, ID             string
	Started, File        string
	Anchor               string // of its chart, "" when it has none
	Calls, Plain, Saved  string
	PeakPlain, PeakAfter string
	Trend                string
	Ratios               []htmlRatio
	Spark                *htmlSpark
}

// htmlRatio is a session under one policy.
type htmlRatio struct {
	Name, Value, Trend string
	Best               bool
}

// sessions makes the table, in the order given.
func (h *htmlReport) sessions(order []*replaySession, anchors map[*replaySession]string) htmlSessionList {
	var list htmlSessionList
	columns := h.columns()
	for _, p := range columns {
		list.Columns = append(list.Columns, htmlColumn{shown(p.Name), h.class[p.Name], p == h.best})
	}
	for i, s := range order {
		if i == htmlRows {
			list.Hidden = text.Count(len(order)-htmlRows, "session") + " with smaller savings, or with losses, are not listed."
			break
		}
		list.Rows = append(list.Rows, h.session(s, columns, anchors[s]))
	}
	return list
}

// columns are the policies of the table of sessions, the best one first.
func (h *htmlReport) columns() []*replayPolicy {
	const most = 6
	columns := slices.Clone(h.others)
	slices.SortStableFunc(columns, func(a, b *replayPolicy) int {
		return cmp.Or(-cmp.Compare(btoi(a == h.best), btoi(b == h.best)), cmp.Compare(rank(a.Name), rank(b.Name)))
	})
	return columns[:min(most, len(columns))]
}

// session makes one row.
func (h *htmlReport) session(s *replaySession, columns []*replayPolicy, anchor string) htmlSession {
	row := htmlSession{
		Name: sessionName(s), ID: h.shortID(s), Started: startedAt(s.Started), File: shown(s.File), Anchor: anchor,
		Calls: text.Thousands(int64(s.Calls)), Plain: text.TokensShort(h.plain(s)), Saved: text.TokensShort(h.saved(s)),
		PeakPlain: h.peak(s, h.none), PeakAfter: h.peak(s, h.best), Trend: trend(h.sessionBill(s, h.best).BillVsNone),
		Spark: h.spark(s),
	}
	for _, p := range columns {
		own := sessionPolicy(s, p)
		if own == nil {
			row.Ratios = append(row.Ratios, htmlRatio{Name: shown(p.Name), Value: "–", Best: p == h.best})
			continue
		}
		ratio := own.Prices[h.Profile].BillVsNone
		row.Ratios = append(row.Ratios, htmlRatio{shown(p.Name), change(ratio), trend(ratio), p == h.best})
	}
	return row
}

// peak is a session's largest prompt under a policy.
func (h *htmlReport) peak(s *replaySession, p *replayPolicy) string {
	if own := sessionPolicy(s, p); own != nil {
		return text.TokensShort(float64(own.PeakContext))
	}
	return "–"
}

// htmlPrices is a price profile.
type htmlPrices struct {
	Name, ID, Read, Write, TTL, Kind string
	Chosen                           bool
}

func (h *htmlReport) priceRows() []htmlPrices {
	var out []htmlPrices
	for _, p := range h.replayResult.Prices {
		row := htmlPrices{
			Name: profileName(p.Name), ID: shown(p.Name), Read: fmt.Sprintf("×%.4g", p.Read), Write: fmt.Sprintf("×%.4g", p.Write),
			TTL: lifetime(p.TTL), Kind: "up to a breakpoint", Chosen: p.Name == h.Profile,
		}
		switch {
		case !p.Caches():
			row.TTL, row.Kind = "–", "nothing"
		case p.Prefix:
			row.Kind = "the longest common start"
		}
		out = append(out, row)
	}
	return out
}

// htmlMeasure is how the tokens of a model's sessions were measured.
type htmlMeasure struct{ Model, Sessions, Calls, Scale, Floor string }

// measures are the calibrations by model, those of most sessions first.
func (h *htmlReport) measures() []htmlMeasure {
	type sum struct {
		model         string
		calls         int
		scale, floors []float64
	}
	var sums []*sum
	at := map[string]*sum{}
	for i := range h.PerSession {
		c := h.PerSession[i].Calibration
		m := at[c.Model]
		if m == nil {
			m = &sum{model: c.Model}
			at[c.Model], sums = m, append(sums, m)
		}
		m.calls += c.Calls
		m.scale, m.floors = append(m.scale, c.Scale), append(m.floors, float64(c.Floor))
	}
	slices.SortStableFunc(sums, func(a, b *sum) int {
		return cmp.Or(-cmp.Compare(len(a.scale), len(b.scale)), cmp.Compare(a.model, b.model))
	})
	var out []htmlMeasure
	for _, m := range sums {
		calls := text.Thousands(int64(m.calls))
		if m.calls == 0 {
			calls = "none: assumed"
		}
		out = append(out, htmlMeasure{
			Model: cmp.Or(shown(m.model), "not named"), Sessions: text.Thousands(int64(len(m.scale))), Calls: calls,
			Scale: between(m.scale, func(v float64) string { return fmt.Sprintf("×%.2f", v) }),
			Floor: between(m.floors, text.TokensShort),
		})
	}
	return out
}

// between formats the smallest and the largest of some values.
func between(values []float64, format func(float64) string) string {
	low, high := format(slices.Min(values)), format(slices.Max(values))
	if low == high {
		return low
	}
	return low + " to " + high
}

// problems are the sessions that are not in the report.
func (h *htmlReport) problems() []replayProblem {
	out := slices.Clone(h.replayResult.Problems)
	for i := range out {
		out[i].File, out[i].Cause = shown(out[i].File), fence.OneLine(out[i].Cause, 300)
	}
	return out
}
