package report

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

// drawing is a list of shapes in painting order. Calls run to the right and tokens upwards;
// the page stretches both to its width. Paths are in the units of the data, so the page's
// script can read the values under the pointer from them.
type drawing struct {
	ViewBox string
	Paths   []path
}

// path is a line or an area. It has a name when it carries values.
type path struct{ Class, Name, Data string }

// add draws a path unless it is empty.
func (d *drawing) add(class, name, data string) {
	if data != "" {
		d.Paths = append(d.Paths, path{class, name, data})
	}
}

// frame is the range of requests and tokens in a chart.
type frame struct {
	from, to int64 // calls
	top      int64 // tokens
	unit     int64 // tokens per vertical unit
}

// frameOf returns the frame of some series.
func frameOf(all ...[]replay.Point) frame {
	f := frame{from: math.MaxInt64, unit: 1}
	for _, points := range all {
		for _, p := range points {
			f.from, f.to = min(f.from, int64(p.Request)), max(f.to, int64(p.Request))
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

// viewBox returns the frame as an SVG attribute, with tokens upwards.
func (f frame) viewBox() string {
	return fmt.Sprintf("%d %d %d %d", f.from, -f.top/f.unit, f.width(), f.top/f.unit)
}

// tick is a labelled horizontal line, with its height as a percentage.
type tick struct{ Label, At string }

// ticks returns the labelled heights: three to six round numbers.
func (f frame) ticks() []tick {
	step := int64(1)
	for i := 0; f.top/step > 5; i++ { // 1, 2, 5, 10, 20, 50 …
		step = step * []int64{2, 5, 4}[i%3] / []int64{1, 2, 2}[i%3]
	}
	var out []tick
	for v := int64(0); v <= f.top; v += step {
		label := strings.Replace(text.TokensShort(float64(v)), ".0", "", 1)
		out = append(out, tick{label, fmt.Sprintf("%.2f", 100*float64(v)/float64(f.top))})
	}
	return out
}

// line returns a series as a path.
func (f frame) line(points []replay.Point) string {
	if len(points) == 0 {
		return ""
	}
	x, y := int64(points[0].Request), int64(points[0].Tokens)/f.unit
	d := fmt.Appendf(nil, "m%d %dl", x, y)
	for _, p := range points[1:] {
		px, py := int64(p.Request), int64(p.Tokens)/f.unit
		d = appendNumber(appendNumber(d, px-x), py-y)
		x, y = px, py
	}
	if len(points) == 1 {
		return string(d) + "1 0" // a single point would be invisible
	}
	return string(d)
}

// appendNumber appends a number to a path, with a space only where necessary.
func appendNumber(d []byte, n int64) []byte {
	if n >= 0 && d[len(d)-1] != 'l' {
		d = append(d, ' ')
	}
	return strconv.AppendInt(d, n, 10)
}

// area returns the region below a series as a path.
func (f frame) area(points []replay.Point) string {
	if len(points) == 0 {
		return ""
	}
	return f.line(points) + fmt.Sprintf("V0H%dz", points[0].Request)
}

// verticals returns vertical lines at the requests for which ok is true.
func (f frame) verticals(points []replay.Point, ok func(replay.Point) bool) string {
	return f.at(points, ok, fmt.Sprintf("0v%d", f.top/f.unit))
}

// marks returns short paths at the requests before which a change occurred.
func (f frame) marks(points []replay.Point, kind replay.Change, shape string) string {
	return f.at(points, func(p replay.Point) bool { return p.Change == kind }, shape)
}

// at returns a shape at each request for which ok is true, but no more of them than can be
// distinguished.
func (f frame) at(points []replay.Point, ok func(replay.Point) bool, shape string) string {
	const places = 200
	var b strings.Builder
	last := int64(-1)
	for _, p := range points {
		place := (int64(p.Request) - f.from) * places / f.width()
		if ok(p) && place != last {
			fmt.Fprintf(&b, "M%d %s", p.Request, shape)
			last = place
		}
	}
	return b.String()
}

// thin reduces a series to limit points that keep its shape: the lowest and the highest of
// each interval.
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
		if low.Request > high.Request {
			low, high = high, low
		}
		if out = append(out, low); high.Request != low.Request {
			out = append(out, high)
		}
	}
	return append(out, points[n-1])
}

func byTokens(a, b replay.Point) int { return cmp.Compare(a.Tokens, b.Tokens) }
