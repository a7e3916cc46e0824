package ledger

// sums are numbers of which any may change, with the sum of those before each place: a
// Fenwick tree, so that both take steps in the logarithm of how many there are.
type sums []int

// add adds a number at the end.
func (s *sums) add(n int) {
	at := len(*s) + 1
	for below := at - 1; below > at-at&-at; below -= below & -below {
		n += (*s)[below-1]
	}
	*s = append(*s, n)
}

// change adds to the number at a place.
func (s sums) change(place, by int) {
	for at := place + 1; at <= len(s); at += at & -at {
		s[at-1] += by
	}
}

// before is the sum of the numbers before a place.
func (s sums) before(place int) int {
	n := 0
	for at := place; at > 0; at -= at & -at {
		n += s[at-1]
	}
	return n
}
