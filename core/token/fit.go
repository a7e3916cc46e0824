package token

// Line is the line through points: how the tokens that a provider counted follow from an
// estimate.
type Line struct {
	n, x, y, xx, xy float64
	minX, maxX      float64
}

// Add adds a point.
func (l *Line) Add(x, y float64) {
	if l.n == 0 {
		l.minX, l.maxX = x, x
	}
	l.minX, l.maxX = min(l.minX, x), max(l.maxX, x)
	l.n, l.x, l.y, l.xx, l.xy = l.n+1, l.x+x, l.y+y, l.xx+x*x, l.xy+x*y
}

// Fit returns the line as a floor and a scale. Too few prompts, or prompts too
// much alike, say nothing about the scale.
func (l *Line) Fit() (Count, float64) {
	const (
		spread    = 5000 // tokens
		low, high = 0.7, 2.5
	)
	if l.n == 0 {
		return 0, 1
	}
	scale := 1.0
	if l.n > 2 && l.maxX-l.minX >= spread {
		scale = (l.n*l.xy - l.x*l.y) / (l.n*l.xx - l.x*l.x)
		scale = max(low, min(scale, high))
	}
	return Count(max(0, (l.y-scale*l.x)/l.n)), scale
}
