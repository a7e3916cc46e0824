package report

import (
	"cmp"
	"fmt"

	"github.com/coctostan/pictx/core/replay"
	walk "github.com/coctostan/pictx/core/session"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/core/usage"
)

// courseView is a session on the page. It has an Anchor if it is drawn.
type courseView struct {
	*usage.Session
	drawing
	Anchor string
	Unit   int64 // tokens per vertical unit
	Ticks  []tick
	Lanes  []eventLane
}

// eventLane holds the requests before which an event occurred.
type eventLane struct {
	drawing
	Name  string // short enough for the margin of a chart
	Label string
	Times int
}

// Parts are the average shares of the parts in its requests.
func (v *courseView) Parts() []partRow {
	var sum usage.Sizes
	for i := range v.Requests {
		for k, n := range v.Requests[i].Sent {
			sum[k] += n
		}
	}
	for k := range sum {
		sum[k] /= token.Count(max(1, len(v.Requests)))
	}
	return partRows(&sum)
}

// draw draws the composition of each request as stacked areas.
func (v *courseView) draw() {
	whole := make([]replay.Point, len(v.Requests))
	for i := range v.Requests {
		q := &v.Requests[i]
		whole[i] = replay.Point{Request: i + 1, Tokens: q.Sent.Sum(), Start: q.Start}
	}
	f := frameOf(whole)
	v.ViewBox, v.Unit, v.Ticks = f.viewBox(), f.unit, f.ticks()
	some := thin(whole, maxSamples)
	v.layers(f, some)
	for _, kind := range []struct {
		class string
		start walk.Start
	}{{"branched", walk.OnBranch}, {eventCompacted, walk.AfterCompaction}} {
		v.add(kind.class, "", f.verticals(whole, func(p replay.Point) bool { return p.Start == kind.start }))
	}
	v.add("value", "sent", f.line(some))
	for _, k := range usage.Parts() {
		if own := v.series(some, k, k+1); height(own) > 0 {
			v.add("value "+partClass(k), k.String(), f.line(own))
		}
	}
	v.lane(f, whole, eventLane{Name: "pruned", Label: "Pruned"}, func(q *usage.Request) bool { return q.Pruned.Results > 0 })
	v.lane(f, whole, eventLane{Name: "cache", Label: "Cache lost"}, func(q *usage.Request) bool { return q.Cause != usage.Held })
}

// layers draws the parts as areas. The upper ones are drawn first.
func (v *courseView) layers(f frame, at []replay.Point) {
	kinds := usage.Parts()
	for i := len(kinds) - 1; i >= 0; i-- {
		if height(v.series(at, kinds[i], kinds[i]+1)) > 0 {
			v.add("stack "+partClass(kinds[i]), "", f.area(v.series(at, 0, kinds[i]+1)))
		}
	}
}

// series returns the total size of the parts in [from, to) at the given requests.
func (v *courseView) series(at []replay.Point, from, to usage.Part) []replay.Point {
	out := make([]replay.Point, len(at))
	for i, p := range at {
		out[i].Request = p.Request
		for _, n := range v.Requests[p.Request-1].Sent[from:to] {
			out[i].Tokens += n
		}
	}
	return out
}

// height returns the largest value of a series.
func height(points []replay.Point) token.Count {
	var most token.Count
	for _, p := range points {
		most = max(most, p.Tokens)
	}
	return most
}

// lane draws the requests that which selects, if there are any.
func (v *courseView) lane(f frame, whole []replay.Point, l eventLane, which func(*usage.Request) bool) {
	for i := range v.Requests {
		if which(&v.Requests[i]) {
			l.Times++
		}
	}
	if l.Times == 0 {
		return
	}
	l.ViewBox = fmt.Sprintf("%d 0 %d 10", f.from, f.width())
	l.add("warm", "", f.at(whole, func(p replay.Point) bool { return which(&v.Requests[p.Request-1]) }, "1v8"))
	v.Lanes = append(v.Lanes, l)
}

// About describes the drawing in a sentence.
func (v *courseView) About() string {
	pruned := v.Pruned()
	return fmt.Sprintf("What each of %s was made of: at most %s tokens; %s, %s pruned with %s tokens.",
		text.Count(len(v.Requests), "request"), tokensOf(v.Peak()), text.Count(v.Compactions(), "compaction"), text.Count(pruned.Results, "result"), tokensOf(pruned.Tokens))
}

// Facts are the figures of the session in a line.
func (v *courseView) Facts() string {
	out := fmt.Sprintf("%s · %s · %s from the cache · largest %s", cmp.Or(costOf(&v.Total), unknown), text.Count(len(v.Requests), "request"), cachedOf(&v.Total), tokensOf(v.Peak()))
	if n := v.Compactions(); n > 0 {
		out += " · " + text.Count(n, "compaction")
	}
	if pruned := v.Pruned(); pruned.Results > 0 {
		out += fmt.Sprintf(" · %s tokens pruned", tokensOf(pruned.Tokens))
	}
	return out
}
