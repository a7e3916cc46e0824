package fence

import "unicode/utf8"

// maxJoined is how many bytes a cut is moved to keep one character whole: a text of
// combining marks alone has no place to cut.
const maxJoined = 256

// CutBefore returns the last offset up to i where a text can be cut: not inside a UTF-8
// sequence, a combining sequence or a CRLF.
func CutBefore(s string, i int) int {
	if i <= 0 || i >= len(s) {
		return max(0, min(i, len(s)))
	}
	for at := i; i-at < maxJoined; at-- {
		if at == 0 || between(s, at) {
			return at
		}
	}
	return RuneStart(s, i)
}

// CutAfter returns the first offset from i on where a text can be cut, as in CutBefore.
func CutAfter(s string, i int) int {
	if i <= 0 || i >= len(s) {
		return max(0, min(i, len(s)))
	}
	for at := i; at-i < maxJoined; at++ {
		if at == len(s) || between(s, at) {
			return at
		}
	}
	if at := RuneStart(s, i); at < i {
		_, size := utf8.DecodeRuneInString(s[at:])
		return at + size
	}
	return i
}

// between reports whether one character ends and another begins at byte at.
func between(s string, at int) bool {
	if RuneStart(s, at) != at {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	r, _ := utf8.DecodeRuneInString(s[at:])
	return !continues(before, r)
}

// RuneStart moves offset i back to the start of its UTF-8 sequence; in invalid UTF-8 it
// stays.
func RuneStart(s string, i int) int {
	for at := i - 1; at >= 0 && i-at < utf8.UTFMax; at-- {
		if _, size := utf8.DecodeRuneInString(s[at:]); at+size > i { // invalid UTF-8 has size 1
			return at
		}
	}
	return i
}
