package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/coctostan/pictx/core/fence"
	walk "github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/usage"
)

// Account writes the page about what sessions sent and cost. scope names the sessions and
// the time.
func Account(w io.Writer, a *usage.Account, scope string) error {
	p := page{Title: "Report: " + text.Count(len(a.Sessions), "session"), body: "account.html", script: "replay.js", Body: newAccountPage(a, scope)}
	return p.write(w)
}

// The limits of the page: drawn sessions, rows of lists, days of the chart, and points of
// a drawn session.
const (
	maxCourses, maxListed   = 12, 40
	maxDays                 = 120
	maxLayers               = 7
	maxSamples, minChartTop = 200, 10
)

// accountPage is an account prepared for its template.
type accountPage struct {
	*usage.Account
	Scope   string
	Courses []*courseView // the sessions that are drawn
	Events  []eventView   // prunes, compactions and lost caches, the latest first
	names   map[*usage.Session]string
}

func newAccountPage(a *usage.Account, scope string) *accountPage {
	p := &accountPage{Account: a, Scope: scope, names: make(map[*usage.Session]string)}
	for i, s := range a.Sessions {
		v := &courseView{Session: s}
		if i < maxCourses {
			v.Anchor = fmt.Sprintf("s%d", i+1)
			v.draw()
			p.Courses = append(p.Courses, v)
		}
		p.Events = append(p.Events, v.events()...)
	}
	slices.SortStableFunc(p.Events, func(x, y eventView) int { return cmp.Compare(y.Time, x.Time) })
	return p
}

// costOf formats the cost of a total, "" if none of it has a price.
func costOf(t *usage.Total) string {
	if !t.Priced() {
		return ""
	}
	return text.Dollars(t.Dollars)
}

// cachedOf formats the share of the input that came from the cache.
func cachedOf(t *usage.Total) string { return fmt.Sprintf("%.0f%%", 100*t.Cached()) }

// inputTokens returns all input of a total.
func inputTokens(t *usage.Total) float64 { return float64(t.Input + t.CacheRead + t.CacheWrite) }

// groupRow is a row of a table of costs.
type groupRow struct {
	*usage.Group
	Class, Width string // of its bar, as a percentage
}

// amount returns the length of a bar: dollars, or tokens if nothing has a price.
func (p *accountPage) amount(t *usage.Total) float64 {
	if p.Total.Priced() {
		return t.Dollars
	}
	return inputTokens(t) + float64(t.Output)
}

// ModelRows are the models, the most expensive first.
func (p *accountPage) ModelRows() []groupRow {
	most := 0.0
	for i := range p.Models {
		most = max(most, p.amount(&p.Models[i].Total))
	}
	var rows []groupRow
	for i := range p.Models[:min(len(p.Models), maxListed)] {
		g := &p.Models[i]
		rows = append(rows, groupRow{g, modelClass(i), percent(p.amount(&g.Total), most)})
	}
	return rows
}

// percent returns a part of a whole as the width of a bar.
func percent(part, whole float64) string {
	if whole <= 0 {
		return "0"
	}
	return fmt.Sprintf("%.2f", 100*part/whole)
}

// modelClass returns the CSS class that colours a model. Cheap ones share a class.
func modelClass(i int) string {
	colours := [...]string{"p-auto", "p-cold", "p-kota", "p-seed", "p-x1", "p-x0"}
	if i < len(colours) {
		return colours[i]
	}
	return "p-none"
}

// DayRows are the days with requests, the latest first.
func (p *accountPage) DayRows() (rows []groupRow) {
	for i := range slices.Backward(p.Days) {
		rows = append(rows, groupRow{Group: &p.Days[i].Group})
	}
	return rows
}

// partRow is the share of a part in the context.
type partRow struct {
	Name, Class, Share, Width string
	Tokens                    token.Count
}

// partClass returns the CSS class of a part of the context, which colours it.
func partClass(k usage.Part) string {
	return [...]string{"p-none", "p-x1", "p-x0", "p-auto", "p-cold", "p-kota", "p-seed"}[k]
}

// Parts are the shares of the parts in all requests. Empty parts are left out.
func (p *accountPage) Parts() []partRow {
	made := p.Made()
	return partRows(&made)
}

func partRows(of *usage.Sizes) []partRow {
	var out []partRow
	whole := of.Sum()
	for _, k := range usage.Parts() {
		if of[k] > 0 {
			out = append(out, partRow{k.String(), partClass(k), Share(of[k], whole), percent(float64(of[k]), float64(whole)), of[k]})
		}
	}
	return out
}

// lossRow is a reason why caches were lost.
type lossRow struct {
	usage.Loss
	Width string
}

// LossRows are the reasons, the most expensive first.
func (p *accountPage) LossRows() []lossRow {
	var out []lossRow
	for _, l := range p.Losses() {
		out = append(out, lossRow{Loss: l})
		out[len(out)-1].Width = percent(float64(l.Tokens), float64(out[0].Tokens))
	}
	return out
}

// The kinds of events on the timeline, which are also the classes of their marks.
const (
	eventPruned    = "pruned"
	eventCompacted = "compacted"
	eventLost      = "lost"
)

// eventView is an event in the timeline of contexts.
type eventView struct {
	Time        int64
	Class, What string
	Session     *courseView
}

// Recent are the latest events.
func (p *accountPage) Recent() []eventView { return p.Events[:min(len(p.Events), maxListed)] }

// Older is the number of events that are not listed.
func (p *accountPage) Older() int { return max(0, len(p.Events)-maxListed) }

// events returns the events of a session, except those that it shares with a session that
// lists them.
func (v *courseView) events() []eventView {
	var out []eventView
	add := func(q *usage.Request, class, what string) {
		out = append(out, eventView{q.Response.Time, class, what, v})
	}
	for i := range v.Requests {
		q := &v.Requests[i]
		if q.Shared {
			continue
		}
		if q.Pruned.Results > 0 {
			add(q, eventPruned, fmt.Sprintf("pruned %s, %s tokens", text.Count(q.Pruned.Results, "result"), tokensOf(q.Pruned.Tokens)))
		}
		if q.Start == walk.AfterCompaction {
			what := "compacted"
			if i > 0 {
				what += fmt.Sprintf(" from %s to %s tokens", tokensOf(v.Requests[i-1].Sent.Sum()), tokensOf(q.Sent.Sum()))
			}
			add(q, eventCompacted, what)
		}
		if q.Cause != usage.Held {
			add(q, eventLost, fmt.Sprintf("%s tokens not from the cache: %s", tokensOf(q.Lost), q.Cause))
		}
	}
	return out
}

// Name is the title of a session.
func (v *courseView) Name() string {
	return cmp.Or(fence.OneLine(v.Title, 70), folderName(fence.OneLine(v.CWD, 200)), "session "+v.Short())
}

// Short is a prefix of the session's id that is long enough for commands.
func (v *courseView) Short() string { return fence.OneLine(v.ID, 9) }
