package replay

// Thin returns a series of at most limit points: among calls that follow each other
// the one with the largest prompt stands for all, with the most significant change
// and start of any of them.
func Thin(points []Point, limit int) []Point {
	if len(points) <= limit {
		return points
	}
	out := make([]Point, 0, limit)
	for i := range limit {
		some := points[i*len(points)/limit : (i+1)*len(points)/limit]
		p := some[0]
		for _, q := range some[1:] {
			change, start, idle := p.Change, p.Start, p.Idle || q.Idle
			if change == Unchanged || q.Change == ChangedWarm {
				change = q.Change
			}
			if start == Continues {
				start = q.Start
			}
			if q.Tokens > p.Tokens {
				p = q
			}
			p.Change, p.Start, p.Idle = change, start, idle
		}
		out = append(out, p)
	}
	return out
}
