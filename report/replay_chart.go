package report

import (
	"fmt"
	"math"
	"slices"

	walk "github.com/coctostan/pictx/core/session"

	"github.com/coctostan/pictx/core/replay"
)

// charts are the drawn sessions.
type charts struct {
	Legend      []*policyResult
	Items       []*chart
	All         int // sessions that could be drawn
	Top, Bottom int // how many are drawn from each end of the ranking by savings, when not all are
}

// chart is the drawing of a session.
type chart struct {
	*session
	drawing
	Unit                          int64 // tokens per vertical unit
	Ticks                         []tick
	First, Last                   int // calls
	Lanes                         []lane
	Compactions, Branches, Pauses int
}

// lane holds the requests before which a policy pruned.
type lane struct {
	*policyCourse
	drawing
}

// The limits of the drawings: sessions, of which some are those with the smallest savings;
// policies per session besides none; and points per line, which are enough for its shape
// and keep the page small.
const (
	maxCharts, smallestSavings = 40, 8
	maxLines                   = 4
	maxPoints, minPoints       = 400, 48
	maxPagePoints              = 26_000
)

// charts draws the sessions. If there are too many it draws those with the largest and the
// smallest savings.
func (p *replayPage) charts() *charts {
	drawn := slices.DeleteFunc(slices.Clone(p.Sessions), func(s *session) bool { return !s.hasSeries() })
	list := &charts{All: len(drawn)}
	if n := len(drawn); n > maxCharts {
		list.Top, list.Bottom = maxCharts-smallestSavings, smallestSavings
		drawn = slices.Concat(drawn[:list.Top], drawn[n-list.Bottom:])
	}
	// The best policy is painted last, above all others.
	list.Legend = slices.Clone(p.Columns[:min(maxLines, len(p.Columns))])
	slices.Reverse(list.Legend)
	limit := min(max(maxPagePoints/(max(1, len(drawn))*(len(list.Legend)+2)), minPoints), maxPoints)
	for i, s := range drawn {
		s.Anchor = fmt.Sprintf("s%d", i+1)
		list.Items = append(list.Items, s.chart(list.Legend, limit))
	}
	return list
}

// chart draws a session under some policies.
func (s *session) chart(policies []*policyResult, limit int) *chart {
	starts := s.None.series(math.MaxInt)
	series := [][]replay.Point{starts}
	var courses []*policyCourse
	for _, p := range policies {
		if c := s.Under(p); c != nil && len(c.Series) > 0 {
			courses, series = append(courses, c), append(series, c.Series)
		}
	}
	if len(starts) == 0 {
		starts = series[len(series)-1]
	}
	f := frameOf(series...)
	c := &chart{session: s, Unit: f.unit, Ticks: f.ticks(), First: int(f.from), Last: int(f.to)}
	c.ViewBox = f.viewBox()
	c.add("hill", "", f.area(s.None.series(limit)))
	c.add("left", "", f.area(s.Best.series(limit)))
	c.starts(f, starts)
	c.add("ridge", policyNone, f.line(s.None.series(limit)))
	for _, own := range courses {
		class := "line " + own.Policy.Class
		if own.Policy.IsBest {
			class += " main"
		}
		c.add(class, shown(own.Policy.Name), f.line(own.series(limit)))
		c.lane(f, own)
	}
	slices.Reverse(c.Lanes) // best policy at the top
	return c
}

// starts draws and counts the requests that do not continue the one before.
func (c *chart) starts(f frame, points []replay.Point) {
	for _, kind := range []struct {
		class string
		n     *int
		ok    func(replay.Point) bool
	}{
		{"idle", &c.Pauses, func(p replay.Point) bool { return p.Idle }},
		{"branched", &c.Branches, func(p replay.Point) bool { return p.Start == walk.OnBranch }},
		{"compacted", &c.Compactions, func(p replay.Point) bool { return p.Start == walk.AfterCompaction }},
	} {
		c.add(kind.class, "", f.verticals(points, kind.ok))
		for _, p := range points {
			if kind.ok(p) {
				*kind.n++
			}
		}
	}
}

// lane adds the requests before which a policy pruned, if there are any.
func (c *chart) lane(f frame, own *policyCourse) {
	l := lane{policyCourse: own}
	l.ViewBox = fmt.Sprintf("%d 0 %d 10", f.from, f.width())
	l.add("warm", "", f.marks(own.Series, replay.ChangedWarm, "1v8"))
	l.add("cold", "", f.marks(own.Series, replay.ChangedCold, "5h0"))
	if len(l.Paths) > 0 {
		c.Lanes = append(c.Lanes, l)
	}
}
