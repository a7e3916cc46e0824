package fence

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// OneLine returns a text as one line of at most limit characters, or unlimited if limit is
// 0: white space and line ends become single blanks, hidden characters become visible, and
// a longer text is cut between characters and ends with …
func OneLine(s string, limit int) string {
	if t := strings.Trim(s, " \t\r\n"); plainLine(t, limit) {
		return t
	}
	var b strings.Builder
	var before rune
	count, cut := 0, 0 // characters written, and bytes that leave room for an ellipsis
	blank := false
	for i := 0; i < len(s); {
		p := pieceAt(s, i, before)
		i += p.size
		if space(p.r) {
			blank, before = b.Len() > 0, ' '
			continue
		}
		n := shownLength(p)
		if blank {
			n++
		}
		if limit > 0 && count < limit && !continues(before, p.r) {
			cut = b.Len()
		}
		if limit > 0 && count+n > limit {
			return b.String()[:cut] + ellipsis
		}
		if blank {
			b.WriteByte(' ')
		}
		blank, before, count = false, p.r, count+n
		p.write(&b, s[i-p.size:i])
	}
	return b.String()
}

// plainLine reports whether OneLine would not change a text, as is almost always true:
// visible ASCII with single blanks.
func plainLine(s string, limit int) bool {
	if limit > 0 && len(s) > limit {
		return false
	}
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return len(s) == 0 || before != ' '
}

// space reports whether a character is white space or ends a line.
func space(r rune) bool { return unicode.IsSpace(r) || r >= 0x1680 && unicode.Is(unicode.Z, r) }

// shownLength is the number of characters that a piece takes.
func shownLength(p piece) int { return max(1, utf8.RuneCountInString(p.shown)) }

// write appends a piece as shown; self is its own text.
func (p piece) write(b *strings.Builder, self string) {
	if p.shown != "" {
		self = p.shown
	}
	b.WriteString(self)
}

// Plain returns a text of several lines with hidden characters made visible. Tabs and line
// ends, \n or \r\n, are kept.
func Plain(text string) string {
	var b strings.Builder
	var before rune
	from := 0 // start of the text that is not in b yet
	for i := 0; i < len(text); {
		p := pieceAt(text, i, before)
		if p.shown != "" {
			b.WriteString(text[from:i])
			b.WriteString(p.shown)
			from = i + p.size
		}
		i, before = i+p.size, p.r
	}
	if from == 0 {
		return text
	}
	b.WriteString(text[from:])
	return b.String()
}

// Block returns a text between two lines, <<<word and word>>>, that the text cannot forge
// because the word does not occur in it. The lines enclose Plain of the text and a line
// break, even if the text ends with one.
func Block(text string) string {
	plain := Plain(text)
	w := word(plain)
	return "<<<" + w + "\n" + plain + "\n" + w + ">>>"
}

// word returns a word that does not occur in a text, always the same for the same text. It
// is derived from a hash of the text, so that an author cannot include it: that would
// change the hash.
func word(text string) string {
	const length = 8
	for n := 0; ; n++ {
		sum := sha256.Sum256([]byte(strconv.Itoa(n) + "\n" + text))
		if w := hex.EncodeToString(sum[:])[:length]; !strings.Contains(text, w) {
			return w
		}
	}
}

// Fit returns how many leading bytes of a text Plain and Block show in at most units UTF-16
// units, without the frame of a block. It cuts at a line end if there is one in the second
// half, else between characters. For a non-empty text it is at least one character, so that
// loops over pieces end.
func Fit(text string, units int) int {
	var before rune
	used, safe, line := 0, 0, 0 // units so far; start of the last character and of the last line
	for i := 0; i < len(text); {
		p := pieceAt(text, i, before)
		if !continues(before, p.r) {
			safe = i
		}
		if before == '\n' {
			line = i
		}
		if used += p.units(); used > units && i > 0 {
			return cutAt(i, safe, line)
		}
		i, before = i+p.size, p.r
	}
	return len(text)
}

// cutAt chooses where to cut a text that fits up to end.
func cutAt(end, safe, line int) int {
	switch {
	case line*2 >= end:
		return line
	case safe > 0:
		return safe
	}
	return end
}
