package commands

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/replay"
	"github.com/coctostan/pictx/core/text"
)

// Charts are drawn in their own units, calls to the right and tokens upwards, and
// stretched to the width of the page. So their paths are the figures themselves:
// the script of the page reads from them what it shows under the pointer.

// htmlChartList are the sessions that are drawn.
type htmlChartList struct {
	Legend []htmlColumn
	Items  []htmlChart
	Quiet  []htmlChart // nothing was pruned in them
	Hidden string      // which are not drawn
	Single bool

	anchors map[*replaySession]string
}

// htmlChart is the course of one session.
type htmlChart struct {
	Anchor, Name, ID, Started string
	Figures                   []string
	About                     string // for who cannot see it
	ViewBox                   string
	Unit                      int64 // tokens of one unit upwards
	NoneArea, NoneLine        string
	BestArea                  string
	Lines                     []htmlLine
	Compacted, Branched, Idle string
	Ticks                     []htmlTick
	First, Last               string
	Lanes                     []htmlLane
}

// htmlLine is a policy's line.
type htmlLine struct {
	Name, Class, D string
	Best           bool
}

// htmlTick is a line across, and its height as a percentage.
type htmlTick struct{ Label, At string }

// htmlLane are the calls before which a policy pruned.
type htmlLane struct{ Name, Class, ViewBox, Warm, Cold, About string }

// htmlSpark is a session in small: without pruning, and under the best policy.
type htmlSpark struct{ ViewBox, None, Best, Class string }

// Points of a line: enough for its shape, and all lines together small enough
// for a page.
const (
	mostPoints, fewestPoints = 400, 48
	allPoints                = 26_000
	sparkPoints              = 40
)

// charts draws sessions in the order given. Of too many it draws those with the
// largest and those with the smallest savings.
func (h *htmlReport) charts(order []*replaySession) htmlChartList {
	const smallest = 8
	list := htmlChartList{anchors: map[*replaySession]string{}}
	drawn := slices.DeleteFunc(slices.Clone(order), func(s *replaySession) bool { return !h.hasSeries(s) })
	if n := len(drawn); n > htmlCharts {
		list.Hidden = fmt.Sprintf("Of %s the %d with the largest savings and the %d with the smallest are drawn.",
			text.Count(n, "session"), htmlCharts-smallest, smallest)
		drawn = slices.Concat(drawn[:htmlCharts-smallest], drawn[n-smallest:])
	}
	if len(drawn) == 0 {
		return list
	}
	lines := h.drawn()
	for _, p := range lines {
		list.Legend = append(list.Legend, htmlColumn{shown(p.Name), h.class[p.Name], p == h.best})
	}
	limit := min(max(allPoints/(len(drawn)*(len(lines)+2)), fewestPoints), mostPoints)
	for i, s := range drawn {
		c := h.chart(s, lines, limit)
		c.Anchor = fmt.Sprintf("s%d", i+1)
		list.anchors[s] = c.Anchor
		if h.quiet(s) {
			list.Quiet = append(list.Quiet, c)
		} else {
			list.Items = append(list.Items, c)
		}
	}
	if len(list.Items) == 0 {
		list.Items, list.Quiet = list.Quiet, nil
	}
	list.Single = len(drawn) == 1
	return list
}

// quiet reports whether no policy pruned anything in a session.
func (h *htmlReport) quiet(s *replaySession) bool {
	return !slices.ContainsFunc(s.Policies, func(p replaySessionPolicy) bool { return p.FirstPrune > 0 })
}

// drawn are the policies with a line, in the order they are painted: the best
// one last, above all others.
func (h *htmlReport) drawn() []*replayPolicy {
	lines := h.columns()
	lines = lines[:min(htmlLines, len(lines))]
	slices.Reverse(lines)
	return lines
}

// hasSeries reports whether there is anything to draw of a session.
func (h *htmlReport) hasSeries(s *replaySession) bool {
	return slices.ContainsFunc(s.Policies, func(p replaySessionPolicy) bool { return len(p.Series) > 0 })
}

// series is the course of a session under a policy, nil when it is not known.
func series(s *replaySession, p *replayPolicy) []replay.Point {
	if own := sessionPolicy(s, p); own != nil {
		return own.Series
	}
	return nil
}

// chart draws a session.
func (h *htmlReport) chart(s *replaySession, lines []*replayPolicy, limit int) htmlChart {
	var all [][]replay.Point
	for _, p := range append([]*replayPolicy{h.none}, lines...) {
		all = append(all, series(s, p))
	}
	f := frameOf(all...)
	c := htmlChart{
		Name: sessionName(s), ID: h.shortID(s), Started: startedAt(s.Started),
		ViewBox: f.viewBox(), Unit: f.unit, Ticks: f.ticks(), First: "call " + text.Thousands(f.from), Last: "call " + text.Thousands(f.to),
	}
	none := series(s, h.none)
	c.NoneArea, c.NoneLine = f.area(thin(none, limit)), f.line(thin(none, limit))
	c.BestArea = f.area(thin(series(s, h.best), limit))
	for _, p := range lines {
		if points := series(s, p); len(points) > 0 {
			c.Lines = append(c.Lines, htmlLine{shown(p.Name), h.class[p.Name], f.line(thin(points, limit)), p == h.best})
			c.lane(h, s, p, f)
		}
	}
	slices.Reverse(c.Lanes) // read from the top, the best one first
	starts := none
	if len(starts) == 0 && len(lines) > 0 {
		starts = series(s, lines[len(lines)-1])
	}
	c.Compacted = f.verticals(starts, func(p replay.Point) bool { return p.Start == replay.AfterCompaction })
	c.Branched = f.verticals(starts, func(p replay.Point) bool { return p.Start == replay.OnBranch })
	c.Idle = f.verticals(starts, func(p replay.Point) bool { return p.Idle })
	c.Figures = h.figures(s)
	c.About = h.about(s, starts)
	return c
}

// lane adds the calls before which a policy pruned, when there are any.
func (c *htmlChart) lane(h *htmlReport, s *replaySession, p *replayPolicy, f frame) {
	points := series(s, p)
	warm := f.marks(points, replay.ChangedWarm, "1v8")
	cold := f.marks(points, replay.ChangedCold, "5h0")
	if warm == "" && cold == "" {
		return
	}
	c.Lanes = append(c.Lanes, htmlLane{
		Name: shown(p.Name), Class: h.class[p.Name], ViewBox: fmt.Sprintf("%d 0 %d 10", f.from, f.width()), Warm: warm, Cold: cold,
		About: fmt.Sprintf("Where %s pruned: %s while the cache was warm, first before call %d", shown(p.Name),
			text.Count(sessionPolicy(s, p).WarmRewrites, "time"), sessionPolicy(s, p).FirstPrune),
	})
}

// figures are the numbers in the caption of a chart.
func (h *htmlReport) figures(s *replaySession) []string {
	out := []string{text.Count(s.Calls, "call")}
	if h.none == nil {
		return out
	}
	bill, peak := "bill "+text.TokensShort(h.plain(s)), "peak "+h.peak(s, h.none)
	if own := sessionPolicy(s, h.best); own != nil && own.FirstPrune > 0 {
		b := own.Prices[h.Profile]
		bill += fmt.Sprintf(" → %s (%s)", text.TokensShort(b.Bill), change(b.BillVsNone))
		peak += " → " + h.peak(s, h.best)
	}
	return append(out, bill, peak)
}

// about tells a chart in words.
func (h *htmlReport) about(s *replaySession, starts []replay.Point) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Size of the context at each of %s.", text.Count(s.Calls, "call"))
	for _, p := range slices.Concat([]*replayPolicy{h.none}, h.columns()) {
		own := sessionPolicy(s, p)
		if own == nil {
			continue
		}
		fmt.Fprintf(&b, " %s: at most %s tokens, %s in all", shown(p.Name), text.TokensShort(float64(own.PeakContext)), text.TokensShort(float64(own.TokensSent)))
		if own.FirstPrune > 0 {
			fmt.Fprintf(&b, ", first pruned before call %d, %s", own.FirstPrune, text.Count(own.WarmRewrites, "warm rewrite"))
		}
		b.WriteByte('.')
	}
	var compacted, branched, idle int
	for _, p := range starts {
		compacted += btoi(p.Start == replay.AfterCompaction)
		branched += btoi(p.Start == replay.OnBranch)
		idle += btoi(p.Idle)
	}
	fmt.Fprintf(&b, " %s, %s, and %s after which the cache was cold.",
		text.Count(compacted, "compaction"), text.Count(branched, "change")+" of branch", text.Count(idle, "pause"))
	return b.String()
}

// spark draws a session in small, nil without its course.
func (h *htmlReport) spark(s *replaySession) *htmlSpark {
	none, best := series(s, h.none), series(s, h.best)
	if len(none) == 0 && len(best) == 0 {
		return nil
	}
	f := frameOf(none, best)
	f.unit = max(1, f.top/100) // a hundred steps are all that can be seen
	out := &htmlSpark{ViewBox: f.viewBox(), None: f.area(thin(none, sparkPoints)), Best: f.line(thin(best, sparkPoints))}
	if h.best != nil {
		out.Class = h.class[h.best.Name]
	}
	return out
}

// frame is the part of the plane that a chart shows.
type frame struct {
	from, to int64 // calls
	top      int64 // tokens
	unit     int64 // tokens of one unit
}

// frameOf returns the frame that holds some series.
func frameOf(all ...[]replay.Point) frame {
	f := frame{from: math.MaxInt64, unit: 1}
	for _, points := range all {
		for _, p := range points {
			f.from, f.to = min(f.from, int64(p.Call)), max(f.to, int64(p.Call))
			f.top = max(f.top, int64(p.Tokens))
		}
	}
	f.from = min(f.from, f.to)
	f.top = max(f.top+f.top/16, 10)
	for f.top/f.unit > 20_000 {
		f.unit *= 10
	}
	return f
}

func (f frame) width() int64 { return max(1, f.to-f.from) }

// viewBox is the frame with tokens counted upwards.
func (f frame) viewBox() string {
	return fmt.Sprintf("%d %d %d %d", f.from, -f.top/f.unit, f.width(), f.top/f.unit)
}

// ticks are the heights that are labelled: three to six round numbers.
func (f frame) ticks() []htmlTick {
	step := int64(1)
	for i := 0; f.top/step > 5; i++ {
		step = step * []int64{2, 5, 4}[i%3] / []int64{1, 2, 2}[i%3]
	}
	var out []htmlTick
	for v := int64(0); v <= f.top; v += step {
		label := strings.Replace(text.TokensShort(float64(v)), ".0", "", 1)
		out = append(out, htmlTick{label, fmt.Sprintf("%.2f", 100*float64(v)/float64(f.top))})
	}
	return out
}

// line is a series as a path.
func (f frame) line(points []replay.Point) string {
	if len(points) == 0 {
		return ""
	}
	var b strings.Builder
	x, y := int64(points[0].Call), int64(points[0].Tokens)/f.unit
	fmt.Fprintf(&b, "m%d %dl", x, y)
	for _, p := range points[1:] {
		px, py := int64(p.Call), int64(p.Tokens)/f.unit
		pathNumber(&b, px-x)
		pathNumber(&b, py-y)
		x, y = px, py
	}
	if len(points) == 1 {
		b.WriteString("1 0") // a single call would be a point that is not seen
	}
	return b.String()
}

// pathNumber adds a number to a path, with a blank only where it is needed.
func pathNumber(b *strings.Builder, n int64) {
	if s := b.String(); n >= 0 && s[len(s)-1] != 'l' {
		b.WriteByte(' ')
	}
	b.WriteString(strconv.FormatInt(n, 10))
}

// area is what is below a series, as a path.
func (f frame) area(points []replay.Point) string {
	if len(points) == 0 {
		return ""
	}
	return f.line(points) + fmt.Sprintf("V0H%dz", points[0].Call)
}

// verticals are lines through the frame at the calls that ok picks.
func (f frame) verticals(points []replay.Point, ok func(replay.Point) bool) string {
	return f.at(points, ok, func(b *strings.Builder, call int) { fmt.Fprintf(b, "M%d 0v%d", call, f.top/f.unit) })
}

// marks are short paths at the calls before which something changed.
func (f frame) marks(points []replay.Point, kind replay.Change, shape string) string {
	return f.at(points, func(p replay.Point) bool { return p.Change == kind }, func(b *strings.Builder, call int) {
		fmt.Fprintf(b, "M%d %s", call, shape)
	})
}

// at draws something at the calls that ok picks, but no more of them than can be
// told apart.
func (f frame) at(points []replay.Point, ok func(replay.Point) bool, draw func(*strings.Builder, int)) string {
	const places = 200
	var b strings.Builder
	last := int64(-1)
	for _, p := range points {
		place := (int64(p.Call) - f.from) * places / f.width()
		if ok(p) && place != last {
			draw(&b, p.Call)
			last = place
		}
	}
	return b.String()
}

// thin returns at most limit points with the shape of all: of each stretch the
// lowest and the highest.
func thin(points []replay.Point, limit int) []replay.Point {
	n := len(points)
	if n <= limit || limit < 4 {
		return points
	}
	stretches := (limit - 2) / 2
	out := []replay.Point{points[0]}
	for i := range stretches {
		part := points[1+i*(n-2)/stretches : 1+(i+1)*(n-2)/stretches]
		low, high := slices.MinFunc(part, byTokens), slices.MaxFunc(part, byTokens)
		if low.Call > high.Call {
			low, high = high, low
		}
		if out = append(out, low); high.Call != low.Call {
			out = append(out, high)
		}
	}
	return append(out, points[n-1])
}

func byTokens(a, b replay.Point) int { return cmp.Compare(a.Tokens, b.Tokens) }
