package history

// occurrence is a place where a text contains a phrase.
type occurrence struct {
	start, end int
	phrase     int
	exact      bool // the phrase as queried, not another form of it
}

// maxOccurrences bounds how many occurrences are compared to find the best one.
const maxOccurrences = 1 << 14

// occurrences lists the occurrences of the phrases, in order.
func (x Expr) occurrences(body string) []occurrence {
	var out []occurrence
	for at := 0; len(out) < maxOccurrences; {
		start, end, ok := nextWord(body, at)
		if !ok {
			break
		}
		for i, p := range x.Phrases {
			if to := p.at(body, start, end); to >= 0 {
				out = append(out, occurrence{start, to, i, len(p.Words) > 1 || isWord(body[start:to], p.Words[0], false)})
			}
		}
		at = end
	}
	return out
}

// Place implements Matcher: the occurrence with the most other phrases within reach bytes.
// Ties go to the phrase that is rarest in the text, then to exact, longer and earlier
// occurrences.
func (x Expr) Place(body string, reach int) (start, end int) {
	all := x.occurrences(body)
	total, near := make([]int, len(x.Phrases)), make([]int, len(x.Phrases))
	for _, o := range all {
		total[o.phrase]++
	}
	reach = min(reach, len(body))
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

// better reports whether an occurrence is preferable to the best so far.
func better(o, best occurrence, total []int) bool {
	switch a, b := total[o.phrase], total[best.phrase]; {
	case a != b:
		return a < b
	case o.exact != best.exact:
		return o.exact
	}
	return o.end-o.start > best.end-best.start
}
