package fence

import (
	"strconv"
	"unicode"
	"unicode/utf8"
)

// emojiStyle selects the coloured form of the preceding character. It is invisible like
// every variation selector, but common in honest text.
const emojiStyle = 0xfe0f

// piece is one character of a text with its replacement.
type piece struct {
	r     rune
	size  int    // bytes in the text
	shown string // shown instead of the character, "" for the character itself
}

// pieceAt reads the character of text at i; before is the preceding character, 0 at the
// beginning.
func pieceAt(text string, i int, before rune) piece {
	if c := text[i]; c >= 0x20 && c < 0x7f {
		return piece{r: rune(c), size: 1}
	}
	r, size := utf8.DecodeRuneInString(text[i:])
	p := piece{r: r, size: size}
	switch {
	case r == '\n', r == '\t', r == emojiStyle && styled(before), isJoiner(r) && joins(before, text[i+size:]):
	case r == '\r' && i+1 < len(text) && text[i+1] == '\n':
	case r == utf8.RuneError && size < 2:
		p.shown = string(utf8.RuneError)
	case hidden(r):
		p.shown = visible(r)
		if isJoiner(r) { // shown, it joins nothing
			p.r = utf8.RuneError
		}
	}
	return p
}

// isJoiner reports whether a character is invisible and joins its neighbours or keeps them
// apart.
func isJoiner(r rune) bool { return r == '\u200c' || r == joiner }

// joiner combines its neighbours into one sign.
const joiner = '\u200d'

// joins reports whether a joiner is part of the spelling: between letters of a script that
// uses it, or between two emoji.
func joins(before rune, after string) bool {
	next, _ := utf8.DecodeRuneInString(after)
	return joinable(before) && joinable(next)
}

// joinable reports whether a character can stand next to a joiner in honest text.
func joinable(r rune) bool {
	if r < 0x300 || r == utf8.RuneError || unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
		return false
	}
	return r == emojiStyle || unicode.In(r, unicode.L, unicode.M, unicode.So, unicode.Sk)
}

// units is the length of the piece as shown, in UTF-16 units.
func (p piece) units() int {
	switch {
	case p.shown != "": // its characters all take one unit
		return utf8.RuneCountInString(p.shown)
	case p.r > 0xffff:
		return 2
	}
	return 1
}

// hidden reports whether a character is invisible or changes how others are shown:
// controls, directional and zero-width characters, line separators, variation selectors,
// fillers and noncharacters.
func hidden(r rune) bool {
	if r < 0xa0 {
		return r < 0x20 || r >= 0x7f
	}
	return unicode.In(r, unicode.Cf, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Variation_Selector,
		unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// visible names a hidden character: a control by its Unicode picture, any other by its
// number.
func visible(r rune) string {
	const pictures, deletePicture = 0x2400, 0x2421
	switch {
	case r < 0x20:
		return string(pictures + r)
	case r == 0x7f:
		return string(rune(deletePicture))
	}
	return `\u{` + strconv.FormatInt(int64(r), 16) + `}`
}

// styled reports whether a character may have an emoji form. Letters, blanks and hidden
// characters have none, and in ASCII only those of keycaps do.
func styled(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '0' && r <= '9' || r == '#' || r == '*'
	}
	return !hidden(r) && !unicode.In(r, unicode.L, unicode.M, unicode.Z)
}

// continues reports whether readers perceive r and the preceding rune as one character.
func continues(before, r rune) bool {
	const lightSkin, darkSkin = 0x1f3fb, 0x1f3ff
	switch {
	case isJoiner(before):
		return true
	case before == 0 || r < 0x300:
		return before == '\r' && r == '\n'
	case r >= lightSkin && r <= darkSkin:
		return true
	}
	return isJoiner(r) || unicode.Is(unicode.M, r)
}
