package history

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/text"
)

// gramSize is the number of characters in a trigram.
const gramSize = 3

// Need is a necessary condition for a match, which an index of three characters in a row can
// answer: the text must contain at least one string of each group. The empty Need admits every
// text.
type Need [][]string

// Trigrams returns the trigrams of a string of a Need, folded, for a long string only those at
// its ends.
func Trigrams(s string) []string {
	const most = 24
	all := []rune(text.FoldLetters(s))
	var out []string
	for i := range len(all) - gramSize + 1 {
		if g := string(all[i : i+gramSize]); !slices.Contains(out, g) {
			out = append(out, g)
		}
	}
	if len(out) > most {
		out = append(out[:most/2:most/2], out[len(out)-most/2:]...)
	}
	return out
}

// hasGram reports whether a string is long enough to have a trigram that an index has, too: no
// text of an index has a zero byte.
func hasGram(s string) bool {
	return utf8.ValidString(s) && !strings.Contains(s, "\x00") && utf8.RuneCountInString(text.FoldLetters(s)) >= gramSize
}

// NeedOf is the condition for containing all of some strings.
func NeedOf(all []string) Need {
	var n Need
	for _, s := range all {
		if hasGram(s) {
			n = append(n, []string{s})
		}
	}
	return n
}

// NeedOfRegex is a condition for matching a regular expression, empty for one that cannot
// be parsed. Example: (foo|bar)baz+ needs foo or bar, and baz.
func NeedOfRegex(pattern string) Need {
	re, err := syntax.Parse(inAnyForm(pattern), syntax.Perl)
	if err != nil {
		return nil
	}
	return needOfSyntax(re.Simplify())
}

// needOfSyntax is NeedOfRegex for a part of an expression, empty for unknown kinds of
// parts.
func needOfSyntax(re *syntax.Regexp) Need {
	switch re.Op {
	case syntax.OpLiteral:
		return NeedOf([]string{string(re.Rune)})
	case syntax.OpCapture, syntax.OpPlus:
		return needOfSyntax(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needOfSyntax(re.Sub[0])
		}
	case syntax.OpConcat:
		return needOfConcat(re.Sub)
	case syntax.OpAlternate:
		return needOfAlternate(re.Sub)
	}
	return nil
}

// needOfConcat joins adjacent literals: the parser splits a literal where a part of it
// ignores case or is repeated.
func needOfConcat(subs []*syntax.Regexp) Need {
	var n Need
	var run []rune
	flush := func() {
		n = append(n, NeedOf([]string{string(run)})...)
		run = run[:0]
	}
	for _, sub := range subs {
		if sub.Op == syntax.OpLiteral {
			run = append(run, sub.Rune...)
			continue
		}
		if sub.Op == syntax.OpPlus && sub.Sub[0].Op == syntax.OpLiteral {
			// The literal occurs at least once after what precedes it.
			run = append(run, sub.Sub[0].Rune...)
			flush()
			run = append(run, sub.Sub[0].Rune...)
			continue
		}
		flush()
		n = append(n, needOfSyntax(sub)...)
	}
	flush()
	return n
}

// maxAlternatives bounds the strings of a group, each of which is a query to the index.
const maxAlternatives = 32

// needOfAlternate needs one string of each branch. If one branch has no condition, neither
// has the whole.
func needOfAlternate(subs []*syntax.Regexp) Need {
	var group []string
	for _, sub := range subs {
		n := needOfSyntax(sub)
		if len(n) == 0 {
			return nil
		}
		best := slices.MaxFunc(n, func(a, b []string) int { return shortest(a) - shortest(b) })
		group = append(group, best...)
	}
	if len(group) > maxAlternatives {
		return nil
	}
	return Need{group}
}

// shortest returns the length of the shortest string.
func shortest(list []string) int {
	return len(slices.MinFunc(list, func(a, b string) int { return len(a) - len(b) }))
}
