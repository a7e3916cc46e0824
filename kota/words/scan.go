package words

import (
	"bytes"
	"strings"
)

// The places of a word in a text.
const (
	inCode place = iota
	inComment
	inImport
)

type place uint8

// mark is an occurrence of a term on a line of a file.
type mark struct {
	line   int32
	term   uint8
	place  place
	weight float32
}

// isEnding reports whether an ending of a stem does not change the meaning of a word.
func isEnding(rest []byte) bool {
	switch string(rest) {
	case "", "s", "es", "e", "ed", "d", "er", "ers", "or", "ors", "ing", "ings", "ion", "ions", "ation", "ations",
		"ment", "ments", "able", "ible", "ity", "ies", "ied", "y", "ying", "al", "ly", "r", "rs", "ance", "ence", "n", "ize", "izes", "ized", "izer":
		return true
	}
	return false
}

// isShyEnding reports whether an ending is one of a stem that lost its y.
func isShyEnding(rest []byte) bool {
	switch string(rest) {
	case "y", "ies", "ied", "ying", "yer", "yers", "yable", "ier":
		return true
	}
	return false
}

// match returns the weight of a word that consists of the stem and rest, 0 when it does not
// match.
func (s *stem) match(rest []byte) float64 {
	if s.shy {
		if isShyEnding(lower(rest)) {
			return s.weight
		}
		return 0
	}
	if len(rest) > 0 && len(rest) < 8 {
		rest = lower(rest)
		if len(rest) > 2 && rest[0] == s.text[len(s.text)-1] && isEnding(rest[1:]) { // dropp-ing
			return s.weight
		}
	}
	switch {
	case len(s.text) >= 3 && isEnding(rest), len(rest) == 0, string(rest) == "s":
		return s.weight
	case len(s.text) >= minPrefix:
		return s.weight * prefixWeight
	}
	return 0
}

func lower(b []byte) []byte { return bytes.ToLower(b) }

// scan calls found with the position and weight of every word in a text that matches a stem.
func (q *Query) scan(text []byte, found func(at int, s *stem, weight float64)) {
	var before byte
	for i := 0; i+1 < len(text); i++ {
		c, was := text[i], before
		before = c
		low := c | 0x20
		if low < 'a' || low > 'z' || c == low && isLetter(was) { // skip letters inside a word, which are most
			continue
		}
		second := text[i+1] | 0x20
		if second < 'a' || second > 'z' {
			continue
		}
		candidates := q.starts[int(low-'a')*alphabet+int(second-'a')]
		if len(candidates) == 0 || !starts(was, c, text[i+1]) {
			continue
		}
		for _, k := range candidates {
			s := &q.stems[k]
			if end := i + len(s.text); end <= len(text) && equalFold(text[i:end], s.text) {
				if w := s.match(restOf(text, end)); w > 0 {
					found(i, s, w)
				}
			}
		}
	}
}

// starts reports whether a part of a name begins at c.
func starts(before, c, next byte) bool {
	if !isLetter(before) {
		return true
	}
	return isUpper(c) && (!isUpper(before) || !isUpper(next))
}

func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool  { return c >= 'a' && c <= 'z' }
func isLetter(c byte) bool { return isLower(c | 0x20) }

// equalFold reports whether b equals text, which is in lower case, ignoring the case of b.
func equalFold(b []byte, text string) bool {
	for i, c := range b {
		if c|0x20 != text[i] || !isLetter(c) && c != text[i] {
			return false
		}
	}
	return true
}

// restOf returns the letters of a word after its first end bytes of the text.
func restOf(text []byte, end int) []byte {
	n := end
	if n < len(text) && isUpper(text[n]) && isUpper(text[n-1]) { // RETRY_DELAYS
		for n < len(text) && isUpper(text[n]) {
			n++
		}
		if n < len(text) && isLower(text[n]) {
			n--
		}
		return text[end:max(n, end)]
	}
	for n < len(text) && isLower(text[n]) {
		n++
	}
	return text[end:n]
}

// places tracks the line and the place of a scan in a file.
type places struct {
	text    []byte
	line    int32
	next    int // offset of the next line
	place   place
	comment bool // inside a block comment
}

func newPlaces(text []byte) places {
	p := places{text: text}
	p.step()
	return p
}

// at advances to byte i.
func (p *places) at(i int) {
	for i >= p.next && p.next < len(p.text) {
		p.step()
	}
}

// step advances to the next line.
func (p *places) step() {
	from := p.next
	p.line++
	if n := bytes.IndexByte(p.text[from:], '\n'); n >= 0 {
		p.next = from + n + 1
	} else {
		p.next = len(p.text)
	}
	l := bytes.TrimLeft(p.text[from:p.next], " \t")
	p.place = inCode
	switch {
	case p.comment || opensComment(l):
		p.place = inComment
		p.comment = (p.comment || bytes.HasPrefix(l, []byte("/*"))) && !bytes.Contains(l, []byte("*/"))
	case begins(l, "import "), begins(l, "} from "), begins(l, "export * from "):
		p.place = inImport
	}
}

// IsComment reports whether a line looks like a comment.
func IsComment(line string) bool { return opensComment(strings.TrimLeft(line, " \t")) }

// opensComment reports whether a line without indentation looks like a comment.
func opensComment[T string | []byte](l T) bool {
	return begins(l, "//") || begins(l, "/*") || begins(l, "* ") || begins(l, "*/") || begins(l, "<!--")
}

func begins[T string | []byte](l T, with string) bool {
	return len(l) >= len(with) && string(l[:len(with)]) == with
}
