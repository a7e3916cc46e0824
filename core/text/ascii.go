package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Dots stand in ASCII in the place of what was cut.
const Dots = "..."

// ASCII writes text with at most limit bytes of ASCII and no line end or quote
// that could end something. What is too long loses its end, or its start; a
// character is never cut, and neither is an escape.
func ASCII(text string, limit int, keepEnd bool) string {
	if len(text) > 8*limit { // what is far away is never shown
		if keepEnd {
			text = text[len(text)-8*limit:]
		} else {
			text = text[:8*limit]
		}
	}
	if len(text) <= limit && plainASCII(text) {
		return text
	}
	clusters := escapedClusters(text)
	total := 0
	for _, c := range clusters {
		total += len(c)
	}
	if total <= limit {
		return strings.Join(clusters, "")
	}
	room := limit - len(Dots)
	if keepEnd {
		i := len(clusters)
		for ; i > 0 && len(clusters[i-1]) <= room; i-- {
			room -= len(clusters[i-1])
		}
		return Dots + strings.Join(clusters[i:], "")
	}
	i := 0
	for ; i < len(clusters) && len(clusters[i]) <= room; i++ {
		room -= len(clusters[i])
	}
	return strings.Join(clusters[:i], "") + Dots
}

// plainASCII reports whether nothing of text needs an escape.
func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' {
			return false
		}
	}
	return true
}

// escapedClusters returns the characters of text as a reader sees them, each in
// ASCII.
func escapedClusters(text string) []string {
	var out []string
	var before rune
	for _, r := range text {
		escaped := escape(r)
		if Joins(before, r) && len(out) > 0 {
			out[len(out)-1] += escaped
		} else {
			out = append(out, escaped)
		}
		before = r
	}
	return out
}

// escape writes a rune in ASCII.
func escape(r rune) string {
	switch {
	case r == '"':
		return `\"`
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r >= ' ' && r < 0x7f:
		return string(r)
	case r > 0xffff:
		hi, lo := utf16.EncodeRune(r)
		return fmt.Sprintf(`\u%04x\u%04x`, hi, lo)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// Joins reports whether r continues the character that before is in.
func Joins(before, r rune) bool {
	const zeroWidthJoiner = 0x200d
	switch {
	case before == 0:
		return false
	case before == '\r':
		return r == '\n'
	case before == zeroWidthJoiner, r == zeroWidthJoiner:
		return true
	case r >= 0x1f3fb && r <= 0x1f3ff: // skin tones
		return true
	}
	return r >= 0x300 && unicode.In(r, unicode.M)
}
