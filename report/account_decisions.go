package report

import (
	"fmt"
	"slices"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
)

// decisionRow is a decision on the page: how long it was in force, and what replaced it.
type decisionRow struct {
	ID, Text, Status, Class string
	From, To                string  // when it came into force and ceased to be; To is "" while it is in force
	By, Of                  rowLink // the decision that replaced it, and the one that it replaced
	Anchor                  string
	X, Width                string // of its bar, as percentages of the time axis
}

// rowLink names a decision, with a link to its row if that is on the page.
type rowLink struct{ ID, Anchor string }

// decisionList is the chart of decisions over time.
type decisionList struct {
	Rows        []decisionRow
	First, Last string
	Left        int // decisions that are not listed
}

// DecisionList draws the decisions over time, with those of a chain below each other. It is
// nil if there are none.
func (p *accountPage) DecisionList() *decisionList {
	all := slices.DeleteFunc(slices.Clone(p.Decisions), func(d *decision.Decision) bool { return d.Removed })
	l := &decisionList{Left: max(0, len(all)-maxListed)}
	all = all[l.Left:] // they are in the order of their addition
	if len(all) == 0 {
		return nil
	}
	first, last := p.decided(all)
	l.First, l.Last = moment(first), moment(last)
	rows := make(map[string]string, len(all)) // anchors by id
	for i, d := range chained(all) {
		l.Rows = append(l.Rows, rowOf(d, first, last))
		l.Rows[i].Anchor = fmt.Sprintf("d%d", i+1)
		rows[l.Rows[i].ID] = l.Rows[i].Anchor
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		r.By.Anchor, r.Of.Anchor = rows[r.By.ID], rows[r.Of.ID]
	}
	return l
}

// decided returns the time from the first decision to the last change or request, up to
// which decisions in force extend.
func (p *accountPage) decided(all []*decision.Decision) (first, last time.Time) {
	for _, d := range all {
		for _, stamp := range []string{d.Created, d.Since, d.Updated} {
			t := decision.Moment(stamp)
			if t.IsZero() {
				continue
			}
			if first.IsZero() || t.Before(first) {
				first = t
			}
			if t.After(last) {
				last = t
			}
		}
	}
	for _, s := range p.Sessions {
		if at := time.UnixMilli(s.Requests[len(s.Requests)-1].Response.Time); at.After(last) {
			last = at
		}
	}
	return first, last
}

// moment formats a local time, "" for none.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return text.LocalMinute(t.UnixMilli())
}

// chained orders decisions so that each is followed by its replacement.
func chained(all []*decision.Decision) []*decision.Decision {
	byID := make(map[string]*decision.Decision, len(all))
	for _, d := range all {
		byID[d.ID] = d
	}
	var out []*decision.Decision
	placed := make(map[*decision.Decision]bool, len(all))
	for _, d := range all {
		if before := byID[d.Supersedes]; before != nil && !placed[before] {
			continue // it follows the decision that it replaces, or comes at the end
		}
		for d != nil && !placed[d] {
			placed[d] = true
			out = append(out, d)
			d = byID[d.SupersededBy]
		}
	}
	for _, d := range all {
		if !placed[d] {
			out = append(out, d)
		}
	}
	return out
}

// rowOf returns the row of a decision, with its position between two times.
func rowOf(d *decision.Decision, first, last time.Time) decisionRow {
	status := string(d.Status)
	r := decisionRow{
		ID: fence.OneLine(d.ID, 40), Text: fence.OneLine(d.Named(), 220), Status: fence.OneLine(status, 20), Class: "p-auto", From: moment(decision.Moment(d.Created)),
		By: rowLink{ID: fence.OneLine(d.SupersededBy, 40)}, Of: rowLink{ID: fence.OneLine(d.Supersedes, 40)},
	}
	end := last
	switch d.Status {
	case decision.Superseded, decision.Rejected:
		r.Class, r.To = "p-none", moment(decision.Moment(d.Since))
		if d.Since != "" {
			end = decision.Moment(d.Since)
		}
	case decision.Draft:
		r.Class = "p-x0"
	}
	span := float64(max(1, last.Sub(first)))
	from := first
	if d.Created != "" {
		from = decision.Moment(d.Created)
	}
	const least = 1 // percent; a narrower bar would be invisible
	x := min(100*float64(from.Sub(first))/span, 100-least)
	r.X, r.Width = percent(x, 100), percent(max(least, 100*float64(end.Sub(from))/span), 100)
	return r
}
