package text

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Ellipsis replaces the truncated end of a text.
const Ellipsis = "…"

// MaxLogLine is the maximum length of a line in a log or the agent's footer, in bytes.
const MaxLogLine = 400

// Line returns s as one line: trimmed, with each run of white space replaced by a space.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }

// LogLine returns s as one line for a log or the agent's footer: valid UTF-8, cut to
// MaxLogLine bytes and an ellipsis.
func LogLine(s string) string {
	s = Line(strings.ToValidUTF8(s, "\ufffd"))
	if len(s) <= MaxLogLine {
		return s
	}
	return CutBytes(s, MaxLogLine) + Ellipsis
}

// TerminalLine returns s as one line that is safe to print on a terminal.
func TerminalLine(s string) string { return Line(Printable(s)) }

// Printable makes s safe to print on a terminal. Control characters become visible;
// characters that reorder text or are hidden disappear. Line breaks and tabs stay, and so
// does a joiner after a non-ASCII letter or symbol, because some scripts are spelled with
// it and it combines emoji.
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

// isHidden reports whether r is invisible. The variation selector for emoji does not count,
// because it only selects the look of the preceding character.
func isHidden(r rune) bool {
	const emoji = 0xfe0f
	return r != emoji && unicode.In(r, unicode.Cf, unicode.Bidi_Control, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// CutBytes returns at most limit bytes from the beginning of s, cut between characters.
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

// JoinNonEmpty joins the non-empty parts.
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

// IsASCIIBytes is IsASCII for bytes. It tests eight bytes at a time, because it is often
// called for long texts.
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

// PrevRune returns the offset of the rune before offset i.
func PrevRune(s string, i int) int {
	_, n := utf8.DecodeLastRuneInString(s[:i])
	return i - n
}

// NextRune returns the offset after the rune at offset i.
func NextRune(s string, i int) int {
	_, n := utf8.DecodeRuneInString(s[i:])
	return i + n
}
