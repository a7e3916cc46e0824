package history

// occurrence is where a text holds a phrase.
type occurrence struct {
	start, end int
	phrase     int
}

// maxOccurrences bounds how many occurrences are compared to find the best place.
const maxOccurrences = 1 << 14

// occurrences lists where text holds the phrases, in order.
func (x Expr) occurrences(text string) []occurrence {
	var out []occurrence
	for at := 0; len(out) < maxOccurrences; {
		start, end, ok := nextWord(text, at)
		if !ok {
			break
		}
		for i, p := range x.Phrases {
			if to := p.at(text, start, end); to >= 0 {
				out = append(out, occurrence{start, to, i})
			}
		}
		at = end
	}
	return out
}

// place implements matcher: the occurrence with most of the other phrases within reach
// bytes. Of equal ones it takes the phrase that is rarest in the text, then the longest,
// then the first.
func (x Expr) place(text string, reach int) (start, end int) {
	all := x.occurrences(text)
	total, near := make([]int, len(x.Phrases)), make([]int, len(x.Phrases))
	for _, o := range all {
		total[o.phrase]++
	}
	reach = min(reach, len(text))
	best, most := occurrence{}, 0
	distinct, lo, hi := 0, 0, 0
	for _, o := range all {
		for ; hi < len(all) && all[hi].start <= o.end+reach; hi++ {
			if near[all[hi].phrase]++; near[all[hi].phrase] == 1 {
				distinct++
			}
		}
		for ; all[lo].end < o.start-reach; lo++ {
			if near[all[lo].phrase]--; near[all[lo].phrase] == 0 {
				distinct--
			}
		}
		if distinct > most || distinct == most && better(o, best, total) {
			best, most = o, distinct
		}
	}
	return best.start, best.end
}

// better reports whether an occurrence of a phrase says more than the best so far.
func better(o, best occurrence, total []int) bool {
	if a, b := total[o.phrase], total[best.phrase]; a != b {
		return a < b
	}
	return o.end-o.start > best.end-best.start
}

// Counts returns how often a text holds each phrase of the expression.
func (x Expr) Counts(text string) []int {
	out := make([]int, len(x.Phrases))
	for _, o := range x.occurrences(text) {
		out[o.phrase]++
	}
	return out
}
