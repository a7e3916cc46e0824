package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
)

// maxRows is the maximum length of the table of sessions. The page mentions omitted ones.
const maxRows = 1000

// Replay writes the page of a comparison.
func Replay(w io.Writer, c *replay.Comparison) error {
	return writePage(w, "Replay of "+text.Count(c.Sessions, "session"), "replay.html", "replay.js", newReplayPage(c))
}

// replayPage is a comparison prepared for its template.
type replayPage struct {
	Result   *replay.Comparison
	World    replay.World // of the page
	Policies []*policyResult
	Others   []*policyResult // all policies except none
	None     *policyResult   // nil when the policy none was not run
	Best     *policyResult   // the cheapest of Others, nil without any
	Columns  []*policyResult // policies with a column in the table of sessions, best first
	Sessions []*session      // those with the largest savings by the best policy first
	Charts   *charts
}

func newReplayPage(c *replay.Comparison) *replayPage {
	p := &replayPage{Result: c}
	if len(c.Worlds) > 0 {
		p.World = c.Worlds[0]
	}
	p.choose()
	ids := text.ShortIDs(sessionIDs(c))
	for i := range c.PerSession {
		p.Sessions = append(p.Sessions, p.session(&c.PerSession[i], ids[i]))
	}
	slices.SortStableFunc(p.Sessions, func(a, b *session) int {
		return cmp.Or(cmp.Compare(b.Saved, a.Saved), cmp.Compare(b.Full, a.Full), cmp.Compare(a.File, b.File))
	})
	p.Charts = p.charts()
	return p
}

func sessionIDs(c *replay.Comparison) []string {
	ids := make([]string, len(c.PerSession))
	for i := range c.PerSession {
		ids[i] = c.PerSession[i].Session
	}
	return ids
}

// choose sorts the policies and selects none, the best one, and those with a column.
func (p *replayPage) choose() {
	const columns = 6
	spare := 0
	for i := range p.Result.Policies {
		own := &policyResult{PolicyTotal: &p.Result.Policies[i]}
		own.Bill, own.Class = own.First(), "p-"+own.Name
		own.Figures = own.Bill.Figures
		if rank(own.Name) == len(ranking) {
			own.Class = fmt.Sprintf("p-x%d", spare%3)
			spare++
		}
		p.Policies = append(p.Policies, own)
		if own.IsNone = own.Name == policyNone; own.IsNone {
			p.None = own
		} else {
			p.Others = append(p.Others, own)
		}
	}
	if len(p.Others) > 0 {
		p.Best = slices.MinFunc(p.Others, cheaper)
		p.Best.IsBest = true
	}
	p.Columns = slices.SortedStableFunc(slices.Values(p.Others), func(a, b *policyResult) int {
		return cmp.Or(bestFirst(a, b), cmp.Compare(rank(a.Name), rank(b.Name)))
	})
	p.Columns = p.Columns[:min(columns, len(p.Columns))]
}

// Several reports whether there are several sessions, so that statistics make sense.
func (p *replayPage) Several() bool { return p.Result.Sessions > 1 }

// RunnersUp returns the policies besides none and the best one, cheapest first.
func (p *replayPage) RunnersUp() []*policyResult {
	if p.Best == nil {
		return nil
	}
	return slices.SortedStableFunc(slices.Values(p.Others), cheaper)[1:]
}

// Pruners returns the policies that pruned something, best first.
func (p *replayPage) Pruners() []*policyResult {
	some := slices.DeleteFunc(slices.Clone(p.Others), func(o *policyResult) bool { return len(o.Pruned) == 0 })
	slices.SortStableFunc(some, bestFirst)
	return some
}

// Listed returns the sessions of the table.
func (p *replayPage) Listed() []*session {
	if !p.Several() {
		return nil
	}
	return p.Sessions[:min(maxRows, len(p.Sessions))]
}

// Total formats the cost of all sessions.
func (p *replayPage) Total(t *replay.WorldTotal) string { return Amount(t.Bill().Billed, t.Priced()) }

// Amount formats a cost in dollars, or in plain input tokens.
func Amount(cost float64, priced bool) string {
	if priced {
		return text.Dollars(cost)
	}
	return text.TokensShort(cost)
}

// Unlisted is the number of sessions that do not fit the table.
func (p *replayPage) Unlisted() int { return max(0, len(p.Sessions)-maxRows) }

// Days is the range of days on which the sessions started, "" when unknown.
func (p *replayPage) Days() string {
	var days []string
	for i := range p.Result.PerSession {
		if day, _, ok := strings.Cut(startedAt(p.Result.PerSession[i].Started), " "); ok {
			days = append(days, day)
		}
	}
	if len(days) == 0 {
		return ""
	}
	return between(slices.Min(days), slices.Max(days))
}

// Projects returns the directories of the sessions.
func (p *replayPage) Projects() []string {
	var out []string
	for i := range p.Result.PerSession {
		if cwd := p.Result.PerSession[i].CWD; cwd != "" && !slices.Contains(out, cwd) {
			out = append(out, cwd)
		}
	}
	return out
}

// Argument formats the main argument of a tool call. A path inside the project of a session
// is shown relative to it, or with several projects relative to its parent folder.
func (p *replayPage) Argument(text string) string {
	longest, several := "", false
	for i := range p.Result.PerSession {
		cwd := p.Result.PerSession[i].CWD
		several = several || cwd != p.Result.PerSession[0].CWD
		if dir := strings.TrimRight(cwd, "/") + "/"; len(dir) > max(1, len(longest)) && strings.HasPrefix(text, dir) {
			longest = dir
		}
	}
	if rest := text[len(longest):]; rest != "" && longest != "" {
		text = rest
		if several {
			text = folderName(longest) + "/" + rest
		}
	}
	return fence.OneLine(text, 120)
}

// measure is the calibration of the token counts of a model's sessions.
type measure struct {
	Model           string
	Sessions, Calls int
	scales          []float64
	floors          []token.Count
}

// Scale is the range of the scale factors.
func (m *measure) Scale() string {
	return between(fmt.Sprintf("×%.2f", slices.Min(m.scales)), fmt.Sprintf("×%.2f", slices.Max(m.scales)))
}

// Floor is the range of the floors.
func (m *measure) Floor() string {
	return between(text.TokensShort(float64(slices.Min(m.floors))), text.TokensShort(float64(slices.Max(m.floors))))
}

// Measures returns the calibrations by model, those with most sessions first.
func (p *replayPage) Measures() []*measure {
	var out []*measure
	for i := range p.Result.PerSession {
		c := &p.Result.PerSession[i].Model
		at := slices.IndexFunc(out, func(m *measure) bool { return m.Model == c.Name() })
		if at < 0 {
			at, out = len(out), append(out, &measure{Model: c.Name()})
		}
		m := out[at]
		m.Sessions++
		m.Calls += c.Counted
		m.scales, m.floors = append(m.scales, c.Scale), append(m.floors, c.Floor)
	}
	slices.SortStableFunc(out, func(a, b *measure) int {
		return cmp.Or(cmp.Compare(b.Sessions, a.Sessions), cmp.Compare(a.Model, b.Model))
	})
	return out
}

// between formats a range, or a single value when both ends are equal.
func between(low, high string) string {
	if low == high {
		return low
	}
	return low + " to " + high
}

// startedAt formats the local start time of a session, "" when unknown.
func startedAt(stamp string) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return ""
	}
	return text.LocalMinute(t.UnixMilli())
}
