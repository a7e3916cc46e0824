package history

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// fold lowers a text and takes the marks off its Latin letters, as the index
// does.
func fold(text string) string {
	if isASCII(text) {
		return strings.ToLower(text)
	}
	return strings.Map(foldRune, text)
}

// foldRune folds a character, to -1 when nothing is left of it.
func foldRune(r rune) rune {
	r = unicode.ToLower(r)
	plain := byte('.')
	switch {
	case diacritic(r):
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

// unfolded returns where in text the byte at a place of its folded form begins.
func unfolded(text string, at int) int {
	for i, r := range text {
		if at <= 0 {
			return i
		}
		if f := foldRune(r); f >= 0 {
			at -= utf8.RuneLen(f)
		}
	}
	return len(text)
}

// diacritic reports whether r is one of the combining marks that SQLite's unicode61
// tokenizer takes for nothing.
func diacritic(r rune) bool {
	const marks = "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030f\u0311\u031b\u0323\u0324\u0325\u0326\u0327\u0328\u032d\u032e\u0330\u0331"
	return 0x300 <= r && r <= 0x331 && strings.ContainsRune(marks, r)
}

// What unicode61 with remove_diacritics=2 leaves of the letters of two blocks,
// a byte for each code point, "." for those it keeps.
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
