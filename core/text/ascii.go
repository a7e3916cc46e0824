package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Dots replaces a truncated part in ASCII.
const Dots = "..."

// ASCII returns text as at most limit bytes of ASCII, without line ends or quotes that
// could end something. A longer text loses its end, or with keepEnd its beginning. It is
// never cut inside a character or an escape.
func ASCII(text string, limit int, keepEnd bool) string {
	if len(text) > 8*limit { // the rest would be cut anyway
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

// plainASCII reports whether nothing in text needs an escape.
func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c >= 0x7f || c == '"' {
			return false
		}
	}
	return true
}

// escapedClusters returns the grapheme clusters of text, each in ASCII.
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

// escape returns a rune in ASCII.
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

// Joins reports whether r continues the grapheme cluster that contains before.
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
