package commands

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// The report is one file that loads nothing: it can be mailed, kept and opened
// without a network. Paths and commands in it come from sessions and may hold
// anything, so there are three walls: fence.OneLine makes hidden characters
// visible, html/template escapes what is left, and the page's own policy lets no
// script run but the one whose hash it names.

//go:embed assets/replay.html
var htmlTemplate string

//go:embed assets/replay.css
var htmlStyle string

//go:embed assets/replay.js
var htmlScript string

// Bounds of the report, which says so when it reaches one.
const (
	htmlCharts = 40   // sessions that are drawn
	htmlRows   = 1000 // sessions in the table
	htmlLines  = 4    // policies drawn in a chart, beside "none"
)

// htmlPage is what the template shows. All text in it is ready to be shown, and
// not yet escaped.
type htmlPage struct {
	CSP    string
	Style  template.CSS
	Script template.JS

	Title, Scope string
	Notes        []string // what is incomplete
	Headline     string
	Lead         []string
	Profile      string
	Best         string // "" when there is nothing to compare
	Several      bool   // sessions
	Policies     []htmlPolicy
	Panels       []htmlPanel
	Charts       htmlChartList
	Sessions     htmlSessionList
	Pruned       []htmlPruned
	Quality      []htmlQuality
	Prices       []htmlPrices
	Measures     []htmlMeasure
	Problems     []replayProblem
}

// writeReplayHTML writes the report of a replay. The same result gives the same
// bytes.
func writeReplayHTML(w io.Writer, r *replayResult) error {
	t, err := template.New("replay").Parse(htmlTemplate)
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	buf := bufio.NewWriter(w)
	if err := t.Execute(buf, newHTMLReport(r).page()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := buf.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// contentPolicy lets the page show itself and run its own script, nothing else.
func contentPolicy(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
}

// htmlReport is a result and what is shown of it where.
type htmlReport struct {
	*replayResult
	prices token.Prices  // of the profile
	none   *replayPolicy // nil when it was not run
	best   *replayPolicy // the cheapest other one under the profile, nil when there is none
	others []*replayPolicy
	class  map[string]string
}

func newHTMLReport(r *replayResult) *htmlReport {
	h := &htmlReport{replayResult: r, prices: token.Prices{Name: r.Profile}, class: map[string]string{}}
	for _, p := range r.Prices {
		if p.Name == r.Profile {
			h.prices = p
		}
	}
	spare := 0
	for i := range r.Policies {
		p := &r.Policies[i]
		if p.Name == policyNone {
			h.none = p
		} else {
			h.others = append(h.others, p)
		}
		if h.class[p.Name] = policyClass(p.Name); h.class[p.Name] == "" {
			h.class[p.Name] = fmt.Sprintf("p-x%d", spare%3)
			spare++
		}
	}
	if len(h.others) > 0 {
		h.best = slices.MinFunc(h.others, h.cheaper)
	}
	return h
}

// cheaper orders policies by what they cost with every lost text fetched again.
func (h *htmlReport) cheaper(a, b *replayPolicy) int {
	return cmp.Or(
		cmp.Compare(a.Prices[h.Profile].NetVsNone, b.Prices[h.Profile].NetVsNone),
		cmp.Compare(rank(a.Name), rank(b.Name)))
}

// policyNone is the policy that all others are compared with.
const policyNone = "none"

// policyClass is the class that gives a policy its colour and its dashes: the
// same in every report. "" is one without a colour of its own.
func policyClass(name string) string {
	if rank(name) < len(knownPolicies()) {
		return "p-" + name
	}
	return ""
}

// knownPolicies are the policies with a colour of their own, the most
// interesting one first.
func knownPolicies() []string { return []string{"auto", "cold", "kota", "seed", policyNone} }

// rank is a policy's place in knownPolicies.
func rank(name string) int {
	if i := slices.Index(knownPolicies(), name); i >= 0 {
		return i
	}
	return len(knownPolicies())
}

// page fills in the template.
func (h *htmlReport) page() *htmlPage {
	p := &htmlPage{
		CSP: contentPolicy(htmlScript), Style: template.CSS(htmlStyle), Script: template.JS(htmlScript),
		Title: "Replay of " + text.Count(h.replayResult.Sessions, "session"), Scope: h.scope(), Notes: h.notes(),
		Headline: h.headline(), Lead: h.lead(), Profile: profileName(h.Profile),
		Policies: h.policyRows(), Panels: h.panels(),
		Pruned: h.prunedTables(), Quality: h.quality(), Prices: h.priceRows(), Measures: h.measures(),
		Problems: h.problems(), Several: h.replayResult.Sessions > 1,
	}
	if h.best != nil {
		p.Best = shown(h.best.Name)
	}
	order := h.bySaving()
	p.Charts = h.charts(order)
	if p.Several {
		p.Sessions = h.sessions(order, p.Charts.anchors)
	}
	return p
}

// bySaving returns the sessions, those first that the best policy saves most of.
func (h *htmlReport) bySaving() []*replaySession {
	order := make([]*replaySession, len(h.PerSession))
	for i := range h.PerSession {
		order[i] = &h.PerSession[i]
	}
	slices.SortStableFunc(order, func(a, b *replaySession) int {
		return cmp.Or(cmp.Compare(h.saved(b), h.saved(a)), cmp.Compare(h.plain(b), h.plain(a)), cmp.Compare(a.File, b.File))
	})
	return order
}

// plain is what a session costs with nothing pruned, 0 when that is not known.
func (h *htmlReport) plain(s *replaySession) float64 { return h.sessionBill(s, h.none).Bill }

// saved is what the best policy saves of a session; less than 0 when it is
// dearer.
func (h *htmlReport) saved(s *replaySession) float64 {
	if h.none == nil || h.best == nil {
		return 0
	}
	return h.plain(s) - h.sessionBill(s, h.best).Bill
}

// sessionBill is what a session costs under a policy and the report's profile.
func (h *htmlReport) sessionBill(s *replaySession, p *replayPolicy) replaySessionBill {
	if own := sessionPolicy(s, p); own != nil {
		return own.Prices[h.Profile]
	}
	return replaySessionBill{}
}

// sessionPolicy returns a session under a policy, nil when it was not run.
func sessionPolicy(s *replaySession, p *replayPolicy) *replaySessionPolicy {
	for i := range s.Policies {
		if p != nil && s.Policies[i].Name == p.Name {
			return &s.Policies[i]
		}
	}
	return nil
}
