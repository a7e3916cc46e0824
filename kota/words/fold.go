package words

import "bytes"

// IndexFold returns the index in b of a text that is in lower case, ignoring the case of b, -1
// when there is none. It misses the few characters outside ASCII that fold to ASCII letters.
func IndexFold(b, text []byte) int {
	low, up := text[0], text[0]
	if low >= 'a' && low <= 'z' {
		up = low - 'a' + 'A'
	}
	nextLow, nextUp := -2, -2
	for from := 0; from+len(text) <= len(b); {
		nextLow, nextUp = nextFrom(b, low, from, nextLow), nextFrom(b, up, from, nextUp)
		at := min(uint(nextLow), uint(nextUp)) // -1 is the largest
		if int(at) < 0 || int(at)+len(text) > len(b) {
			return -1
		}
		if foldsTo(b[at:int(at)+len(text)], text) {
			return int(at)
		}
		from = int(at) + 1
	}
	return -1
}

// nextFrom returns the index of the next c at or after from. known is the result of an earlier
// call and is reused while it lies ahead.
func nextFrom(b []byte, c byte, from, known int) int {
	if known == -1 || known >= from {
		return known
	}
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return -1
}

// foldsTo reports whether b equals text, which is in lower case, ignoring the case of b.
func foldsTo(b, text []byte) bool {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != text[i] {
			return false
		}
	}
	return true
}
