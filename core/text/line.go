package text

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ellipsis replaces the end of a text that was cut.
const Ellipsis = "…"

// MaxLogLine bounds a line in a log or in the agent's footer, in bytes.
const MaxLogLine = 400

// Line returns s on one line: without white space at its ends, every run of white
// space a single blank.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }

// LogLine returns s on one line of a log or of the agent's footer: valid UTF-8,
// and cut to 400 bytes and an ellipsis.
func LogLine(s string) string {
	s = Line(strings.ToValidUTF8(s, "\ufffd"))
	if len(s) <= MaxLogLine {
		return s
	}
	return CutBytes(s, MaxLogLine) + Ellipsis
}

// TerminalLine returns s on one line that is safe for a terminal.
func TerminalLine(s string) string { return Line(Printable(s)) }

// Printable makes s safe for a terminal: control characters become visible, and
// characters that reorder text, or hide in it, disappear. Line breaks and tabs stay, and
// so does a joiner after a letter or a symbol that is not ASCII: some scripts are spelled
// with it, and it makes one emoji of several.
func Printable(s string) string {
	joins := false
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			joins = false
			return r
		case r == 0x7f || r < 0x20 || r >= 0x80 && r < 0xa0:
			joins = false
			return '\ufffd'
		case isJoiner(r) && joins:
			joins = false
			return r
		case isHidden(r):
			return -1
		}
		joins = r >= 0x80 && !unicode.IsSpace(r)
		return r
	}, s)
}

// isJoiner reports whether r is a zero-width joiner or non-joiner.
func isJoiner(r rune) bool { return r == 0x200c || r == 0x200d }

// isHidden reports whether r has no sign of its own. The variation selector of emoji
// stays, which only chooses how the sign before it looks.
func isHidden(r rune) bool {
	const emoji = 0xfe0f
	return r != emoji && unicode.In(r, unicode.Cf, unicode.Bidi_Control, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// CutBytes returns the beginning of s, at most limit bytes of it, cut between
// characters.
func CutBytes(s string, limit int) string {
	if limit >= len(s) {
		return s
	}
	limit = max(limit, 0)
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// JoinNonEmpty joins the parts that are not empty.
func JoinNonEmpty(sep string, parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, sep)
}

// IsASCII reports whether every byte of s is an ASCII character.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsASCIIBytes is IsASCII for bytes. It looks at eight of them at a time, because long
// texts are asked about often.
func IsASCIIBytes(b []byte) bool {
	const highBits = 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b)&highBits != 0 {
			return false
		}
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// PrevRune is where the character before offset i begins.
func PrevRune(s string, i int) int {
	_, n := utf8.DecodeLastRuneInString(s[:i])
	return i - n
}

// NextRune is where the character at offset i ends.
func NextRune(s string, i int) int {
	_, n := utf8.DecodeRuneInString(s[i:])
	return i + n
}
