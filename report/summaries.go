package report

import (
	"fmt"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/summary"
)

// The dimensions of the drawing, in its own units.
const (
	pictureWidth  = 1200
	pictureMargin = 16
	rowHeight     = 64
	boxHeight     = 40
	minBox        = 3 // minimum width of a box
	minLabel      = 8 // minimum letters of a label
)

// summaryPicture is the drawing of the summaries of a branch.
type summaryPicture struct {
	Width, Margin, Height int
	Bottom                int // the upper edge of the band of messages
	Caption               int
	Messages              int
	Boxes                 []summaryBox
	Band                  span
	Gaps                  []span // messages without a summary
	First, Last           string // times of the first and the last message
	depth                 int
}

// span is a horizontal range.
type span struct{ X, Width float64 }

// Middle is its centre.
func (s span) Middle() float64 { return s.X + s.Width/2 }

// TextX is the left edge of a text in it.
func (s span) TextX() float64 { return s.X + 5 }

// decimal formats a coordinate.
func decimal(v float64) string { return fmt.Sprintf("%.1f", v) }

// summaryBox is the box of a summary.
type summaryBox struct {
	span
	Y         int
	Joint     float64 // the end of the line from its parent
	Title     string
	Label     string
	Extracted bool
	Children  []summaryBox
}

// Height is the height of a box.
func (b summaryBox) Height() int { return boxHeight }

// Foot is the lower edge of the box.
func (b summaryBox) Foot() int { return b.Y + boxHeight }

// TextY is the baseline of its label.
func (b summaryBox) TextY() int { return b.Y + 24 }

func newSummaryPicture(v *summary.View) *summaryPicture {
	p := &summaryPicture{Width: pictureWidth, Margin: pictureMargin, Messages: len(v.Branch.Units), depth: v.Cover.Depth()}
	if n := p.Messages; n > 0 {
		p.First, p.Last = localMinute(v.Branch.Units[0].Time), localMinute(v.Branch.Units[n-1].Time)
	}
	p.Bottom = p.row(-1)
	p.Caption, p.Height = p.Bottom+28, p.Bottom+30+pictureMargin
	p.Band = p.span(0, max(1, p.Messages))
	for _, g := range v.Cover.Gaps {
		gap := p.span(g[0], g[1])
		gap.Width = max(minBox, gap.Width)
		p.Gaps = append(p.Gaps, gap)
	}
	p.Boxes = p.boxes(v, v.Cover.Roots)
	return p
}

// row returns the upper edge of the row of a depth; -1 is the band of messages.
func (p *summaryPicture) row(depth int) int { return pictureMargin + (p.depth-depth)*rowHeight }

// span returns the horizontal range of some messages.
func (p *summaryPicture) span(start, end int) span {
	const width = pictureWidth - 2*pictureMargin
	units := float64(max(1, p.Messages))
	left := pictureMargin + float64(start)/units*width
	return span{left, pictureMargin + float64(end)/units*width - left}
}

// boxes returns the boxes of summaries and their children.
func (p *summaryPicture) boxes(v *summary.View, placed []*summary.PlacedNode) []summaryBox {
	const gap = 2
	var out []summaryBox
	for _, n := range placed {
		at := p.span(n.Start, n.End)
		joint := at.Middle()
		at.Width = max(minBox, at.Width-gap)
		out = append(out, summaryBox{
			span: at, Y: p.row(n.Depth), Joint: joint, Label: boxLabel(v.Label(n), at.Width), Extracted: n.Kind == summary.Extract,
			Title:    SummaryTitle(n.Node) + "\n" + fence.OneLine(summary.Gist(n.Text), 300),
			Children: p.boxes(v, n.Children),
		})
	}
	return out
}

// boxLabel returns as much of the gist of a summary as fits its box.
func boxLabel(gist string, wide float64) string {
	const perLetter, padding = 6.7, 10
	room := int((wide - padding) / perLetter)
	if room < minLabel {
		return ""
	}
	return fence.OneLine(gist, room)
}
