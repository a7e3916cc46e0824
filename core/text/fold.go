package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// FoldLetters returns s in lower case with diacritics removed from Latin letters, like
// SQLite's tokenizer unicode61 with remove_diacritics=2.
func FoldLetters(s string) string {
	if IsASCII(s) {
		return strings.ToLower(s)
	}
	return strings.Map(FoldLetter, s)
}

// FoldLetter folds a rune as FoldLetters does; -1 removes it.
func FoldLetter(r rune) rune {
	r = unicode.ToLower(r)
	plain := byte('.')
	switch {
	case IsMark(r):
		return -1
	case r == 'ς':
		return 'σ'
	case latinFrom <= r && r < latinFrom+rune(len(latinPlain)):
		plain = latinPlain[r-latinFrom]
	case moreFrom <= r && r < moreFrom+rune(len(morePlain)):
		plain = morePlain[r-moreFrom]
	}
	if plain == '.' {
		return r
	}
	return rune(plain)
}

// Unfolded returns the offset in s of the byte at offset at of FoldLetters(s).
func Unfolded(s string, at int) int {
	for i, r := range s {
		if at <= 0 {
			return i
		}
		if f := FoldLetter(r); f >= 0 {
			at -= utf8.RuneLen(f)
		}
	}
	return len(s)
}

// IsMark reports whether r is a combining mark that SQLite's tokenizer unicode61 ignores.
func IsMark(r rune) bool {
	const marks = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030f\u0311\u031b\u0323\u0324\u0325\u0326\u0327\u0328\u032d\u032e\u0330\u0331"
	return 0x300 <= r && r <= 0x331 && strings.ContainsRune(marks, r)
}

// FoldSigns returns s in lower case as one line, with full-width forms narrowed,
// typographic quotes straightened, and hidden characters removed. Diacritics stay.
func FoldSigns(s string) string { return Line(strings.Map(FoldSign, strings.ToLower(s))) }

// FoldSign folds a rune as FoldSigns does; -1 removes it.
func FoldSign(r rune) rune {
	switch {
	case r >= 0xff01 && r <= 0xff5e:
		return unicode.ToLower(r - 0xfee0)
	case r == 0x3000:
		return ' '
	case r == '’', r == '‘', r == 'ʼ':
		return '\''
	case r == '“', r == '”', r == '„', r == '«', r == '»':
		return '"'
	case unicode.Is(unicode.Cf, r):
		return -1
	}
	return r
}

// The letters to which unicode61 with remove_diacritics=2 folds two blocks of code points,
// one byte for each. "." means unchanged.
const (
	latinFrom  = 0xc0 // to 0x24f
	latinPlain = "aaaaaa.ceeeeiiii.nooooo..uuuuy..aaaaaa.ceeeeiiii.nooooo..uuuuy.y" +
		"aaaaaaccccccccdd..eeeeeeeeeegggggggghh..iiiiiiii" +
		"....jjkk.llllll....nnnnnn...oooooo..rrrrrrsssssssstttt..uuuuuuuuuuuuwwyyyzzzzzzs" +
		"................................oo.............uu............................aaii" +
		"oouuuuuuuuuu.aa......ggkkoooo..j...gg..nnaa....aaaaeeeeiiiioooorrrruuuusstt..hh......aaeeooooooooyy............................"

	moreFrom  = 0x1e00 // to 0x1eff
	morePlain = "aabbbbbbccddddddddddeeeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssssssssss" +
		"ttttttttuuuuuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwy.s....aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeee" +
		"iiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy......"
)
