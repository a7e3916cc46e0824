package report

import (
	"fmt"
	"io"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/summary"
)

// SummarySVG draws the summaries of a branch.
func SummarySVG(w io.Writer, v *summary.View) error {
	return writeDrawing(w, "summaries.svg", "summaries", newSummaryPicture(v))
}

// The measures of a picture, in its own units.
const (
	pictureWidth  = 1200
	pictureMargin = 16
	rowHeight     = 64
	boxHeight     = 40
	minBox        = 3 // the width of a box
	minLabel      = 8 // letters
)

// summaryPicture is the graph of a branch's summaries.
type summaryPicture struct {
	Width, Margin, Height int
	Bottom                int // where the band of the messages is
	Caption               int
	Messages              int
	Boxes                 []summaryBox
	Band                  span
	Gaps                  []span // messages that no summary covers
	First, Last           string // when the first and the last message were
	depth                 int
}

// span is a part of the width.
type span struct{ X, Width float64 }

// Middle is its middle.
func (s span) Middle() float64 { return s.X + s.Width/2 }

// TextX is where a text in it begins.
func (s span) TextX() float64 { return s.X + 5 }

// decimal writes a measure.
func decimal(v float64) string { return fmt.Sprintf("%.1f", v) }

// summaryBox is a summary in the picture.
type summaryBox struct {
	span
	Y         int
	Joint     float64 // where the line from above ends
	Title     string
	Label     string
	Extracted bool
	Children  []summaryBox
}

// Height is the height of a box.
func (b summaryBox) Height() int { return boxHeight }

// Foot is its lower edge.
func (b summaryBox) Foot() int { return b.Y + boxHeight }

// TextY is the base line of its label.
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

// row is the upper edge of the summaries of a depth; -1 is that of the messages.
func (p *summaryPicture) row(depth int) int { return pictureMargin + (p.depth-depth)*rowHeight }

// span is where some messages are.
func (p *summaryPicture) span(start, end int) span {
	const width = pictureWidth - 2*pictureMargin
	units := float64(max(1, p.Messages))
	left := pictureMargin + float64(start)/units*width
	return span{left, pictureMargin + float64(end)/units*width - left}
}

// boxes places summaries and those below them.
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

// boxLabel is as much of what a summary is about as a box has room for.
func boxLabel(gist string, wide float64) string {
	const perLetter, padding = 6.7, 10
	room := int((wide - padding) / perLetter)
	if room < minLabel {
		return ""
	}
	return fence.OneLine(gist, room)
}
