package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
)

const (
	// MaxQuoted is the maximum length that Shorten leaves unchanged, in UTF-16 code units.
	// A longer text is cut to cutUnits and Dots.
	MaxQuoted = 80
	cutUnits  = 77
)

// Quoted makes text safe inside the quotes of a marker: short, and without characters that
// are invisible or could end the line or the quotes.
func Quoted(text string) string {
	text = Shorten(text)
	var b strings.Builder
	for _, r := range text {
		if r == '"' || Hidden(r) {
			b.WriteString(escape(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Hidden reports whether a rune is a control, directional, zero-width or line-separating
// character, which could disguise a marker.
func Hidden(r rune) bool {
	return r >= 0x7f && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r < 0x20
}

// Shorten cuts text that is longer than MaxQuoted, between grapheme clusters: never inside
// a surrogate pair or a combining sequence.
func Shorten(text string) string {
	if len(text) <= MaxQuoted || Units(text) <= MaxQuoted {
		return text
	}
	units, cut, fallback := 0, 0, 0
	var before rune
	for i, r := range text {
		if units > cutUnits {
			break
		}
		fallback = i
		if !Joins(before, r) {
			cut = i
		}
		units += utf16.RuneLen(r)
		before = r
	}
	if cut == 0 { // the first cluster alone exceeds the limit
		cut = fallback
	}
	return text[:cut] + Dots
}

// Units returns the length of text in UTF-16 units, as in JavaScript. An invalid byte
// counts as the one replacement character that it becomes.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}

// shellPlain are the characters besides letters and digits that need no quotes in a shell
// word.
const shellPlain = "/._-+:@%="

// ShellWord quotes a word for a POSIX shell if necessary.
func ShellWord(s string) string {
	special := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(shellPlain, r))
	}
	if s != "" && !strings.ContainsFunc(s, special) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ShellCommand returns the command line of a program with more flags, which come before a
// "--" in args.
func ShellCommand(program string, args []string, flags ...string) string {
	at := slices.Index(args, "--")
	if at < 0 {
		at = len(args)
	}
	words := slices.Concat([]string{program}, args[:at], flags, args[at:])
	for i, word := range words {
		words[i] = ShellWord(word)
	}
	return strings.Join(words, " ")
}

// ListItem returns the text of a Markdown list item, "" for any other line.
func ListItem(line string) string {
	t := strings.TrimSpace(line)
	for _, b := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(t, b); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

// CodeFence returns the fence with which a line opens a Markdown code block, "" for any
// other line.
func CodeFence(line string) string {
	for _, sign := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, sign))
		if n >= 3 && !(sign == "`" && strings.Contains(line[n:], "`")) {
			return strings.Repeat(sign, n)
		}
	}
	return ""
}
