package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/usage"
)

// dayChart is a bar chart of the cost of each day by model.
type dayChart struct {
	ViewBox     string
	Days        []dayBar
	Ticks       []tick
	First, Last string
	Legend      []legendKey
	Left        int // earlier days, which are only in the table
}

// legendKey is an entry of a legend.
type legendKey struct{ Name, Class string }

// dayBar is the bar of one day, with a path for each model.
type dayBar struct {
	drawing
	Title string
}

// The units of the chart: a day is dayWidth wide, the tallest bar chartTop high.
const dayWidth, dayGap, chartTop = 10, 1, 1000

// DayChart draws the days, nil if no request has a date.
func (p *accountPage) DayChart() *dayChart {
	days := calendar(p.Days)
	if len(days) == 0 {
		return nil
	}
	c := &dayChart{Left: max(0, len(days)-maxDays)}
	days = days[c.Left:]
	c.First, c.Last = days[0].Key, days[len(days)-1].Key
	most := 0.0
	for i := range days {
		most = max(most, p.amount(&days[i].Total))
	}
	c.ViewBox = fmt.Sprintf("0 0 %d %d", len(days)*dayWidth, chartTop)
	c.Ticks = p.moneyTicks(most)
	for i := range days {
		c.Days = append(c.Days, p.bar(&days[i], i, most))
	}
	for i, g := range p.Models[:min(len(p.Models), maxLayers)] {
		name := shown(g.Key)
		if i == maxLayers-1 && len(p.Models) > maxLayers {
			name = "others"
		}
		c.Legend = append(c.Legend, legendKey{name, modelClass(i)})
	}
	return c
}

// bar draws the bar of a day.
func (p *accountPage) bar(d *usage.Day, at int, most float64) dayBar {
	b := dayBar{Title: d.Key + ": " + p.amountText(&d.Total)}
	y := 0
	for i := range p.Models {
		for j := range d.Models {
			m := &d.Models[j]
			h := int(math.Round(chartTop * p.amount(&m.Total) / max(most, 1e-12)))
			if m.Key != p.Models[i].Key || h == 0 {
				continue
			}
			b.add("stack "+modelClass(i), "", fmt.Sprintf("M%d %dh%dv%dh-%dz", at*dayWidth+dayGap, y, dayWidth-2*dayGap, h, dayWidth-2*dayGap))
			b.Title += fmt.Sprintf("\n%s: %s", shown(m.Key), p.amountText(&m.Total))
			y += h
		}
	}
	return b
}

// amountText formats an amount.
func (p *accountPage) amountText(t *usage.Total) string {
	if p.Total.Priced() {
		return text.Dollars(t.Dollars)
	}
	return text.TokensShort(p.amount(t)) + " tokens"
}

// calendar returns all days from the first to the last, including those without requests.
// Responses without a time belong to no day.
func calendar(days []usage.Day) []usage.Day {
	days = slices.DeleteFunc(slices.Clone(days), func(d usage.Day) bool { _, err := time.Parse(time.DateOnly, d.Key); return err != nil })
	var out []usage.Day
	for _, d := range days {
		at, _ := time.Parse(time.DateOnly, d.Key)
		for n := len(out); n > 0 && n < 10*maxDays; n++ {
			before, _ := time.Parse(time.DateOnly, out[n-1].Key)
			if before = before.AddDate(0, 0, 1); !before.Before(at) {
				break
			}
			out = append(out, usage.Day{Group: usage.Group{Key: before.Format(time.DateOnly)}})
		}
		out = append(out, d)
	}
	return out
}

// moneyTicks returns the labelled amounts: three to six round numbers.
func (p *accountPage) moneyTicks(most float64) []tick {
	if most <= 0 {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10(most)))
	for _, part := range []float64{0.2, 0.5, 1, 2} {
		if most/(step*part) <= 5.5 {
			step *= part
			break
		}
	}
	var out []tick
	for v := 0.0; v <= most*1.0001; v += step {
		label := text.TokensShort(v)
		if p.Total.Priced() {
			label = strings.TrimSuffix(text.Dollars(v), ".00")
		}
		out = append(out, tick{label, percent(v, most)})
	}
	return out
}

// timeline is a chart of prunes, compactions and lost caches over time.
type timeline struct {
	First, Last string
	Lanes       []eventLane
}

// Timeline draws the events over time, nil if none has a time.
func (p *accountPage) Timeline() *timeline {
	var first, last int64 = math.MaxInt64, 0
	for _, s := range p.Sessions {
		for i := range s.Requests {
			if t := s.Requests[i].Response.Time; t > 0 {
				first, last = min(first, t), max(last, t)
			}
		}
	}
	if last == 0 || len(p.Events) == 0 {
		return nil
	}
	t := &timeline{First: text.LocalMinute(first), Last: text.LocalMinute(last)}
	for _, kind := range []struct{ class, name, label string }{
		{eventPruned, "pruned", "Pruned"}, {eventCompacted, "compacted", "Compacted"}, {eventLost, "cache", "Cache lost"},
	} {
		if l := p.timeLane(kind.class, first, max(1, last-first)); l.Times > 0 {
			l.Name, l.Label = kind.name, kind.label
			t.Lanes = append(t.Lanes, l)
		}
	}
	return t
}

// timeLane draws the events of a class, as many as can be distinguished.
func (p *accountPage) timeLane(class string, first, span int64) eventLane {
	const places = 300
	var l eventLane
	var b strings.Builder
	seen := make(map[int64]bool)
	for _, e := range p.Events {
		if e.Class != class {
			continue
		}
		l.Times++
		if place := (e.Time - first) * places / span; e.Time > 0 && !seen[place] {
			seen[place] = true
			fmt.Fprintf(&b, "M%d 1v8", place)
		}
	}
	l.ViewBox = fmt.Sprintf("0 0 %d 10", places)
	l.add("warm", "", b.String())
	return l
}
