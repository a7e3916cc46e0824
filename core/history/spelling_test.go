package history_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/internal/must"
)

// index is a sorted list of the stems of words that counts the lookups in it.
type index struct {
	words          []string
	spelled        map[string]string
	lookups, asked int
}

func indexOf(words ...string) *index {
	x := &index{spelled: make(map[string]string)}
	for _, w := range words {
		x.words = append(x.words, text.Porter(w))
		x.spelled[text.Porter(w)] = w
	}
	slices.Sort(x.words)
	x.words = slices.Compact(x.words)
	return x
}

// Spelled implements history.Vocabulary.
func (x *index) Spelled(_ context.Context, stem string) (string, error) { return x.spelled[stem], nil }

// StemFrom implements history.Vocabulary.
func (x *index) StemFrom(_ context.Context, from string) (string, error) {
	x.lookups++
	at, _ := slices.BinarySearch(x.words, from)
	if at == len(x.words) {
		return "", nil
	}
	return x.words[at], nil
}

// Known implements history.Vocabulary.
func (x *index) Known(_ context.Context, words []string) (known []string, err error) {
	x.asked += len(words)
	for _, w := range words {
		if _, ok := slices.BinarySearch(x.words, w); ok {
			known = append(known, w)
		}
	}
	return known, nil
}

// many are words with every beginning of two letters.
func many() (words []string) {
	for c := 'a'; c <= 'z'; c++ {
		for d := 'a'; d <= 'z'; d++ {
			for _, end := range []string{"", "ade", "ection", "illing", "ound", "u", "ymium"} {
				words = append(words, string(c)+string(d)+end)
			}
		}
	}
	return words
}

func corrected(t *testing.T, c *history.Corrector, word string) string {
	t.Helper()
	got := must.Get(c.Correct(t.Context(), word))(t)
	return got
}

// Every word with one mistake is corrected, wherever the mistake is, and a long one with two
// of which one is in its second half and none in its first letter.
func TestATypingErrorIsCorrectedWhereverItIs(t *testing.T) {
	for _, word := range []string{"walrus", "harbours", "configuration"} {
		x := indexOf(append(many(), word)...)
		for _, typed := range text.Mistyped(word) {
			if len(typed) < 5 || text.Porter(word) == text.Porter(typed) {
				continue // too short, or taken for another form
			}
			if got := corrected(t, &history.Corrector{Words: x}, typed); text.Porter(got) != text.Porter(word) {
				t.Errorf("%s is taken for %s, not %s", typed, got, word)
			}
		}
	}
	x := indexOf(append(many(), "configuration")...)
	for _, typed := range []string{"confguratoin", "cnofiguraton", "configuratnoi"} {
		must.Equal(t, corrected(t, &history.Corrector{Words: x}, typed), "configuration", "%s is taken for", typed)
	}
}

func TestAWordOfTheIndexAndOneLikeNoneStayAsTheyAre(t *testing.T) {
	x := indexOf(append(many(), "walrus", "walruses", "configuration")...)
	for _, word := range []string{"walrus", "walruse", "configurations", "wal", "qqqqqqqq", "zzxzzy", "sha256sum"} {
		must.Equal(t, corrected(t, &history.Corrector{Words: x}, word), word, "%s is taken for", word)
	}
}

// What is typed wrong at the end is more likely than what is typed wrong at the beginning.
func TestAMistakeInTheSecondHalfIsLikelierThanOneInTheFirst(t *testing.T) {
	x := indexOf(append(many(), "ballot", "pallet")...)
	must.Equal(t, corrected(t, &history.Corrector{Words: x}, "pallot"), "pallet", "pallot is taken for")
}

// Of all the ways to mistype a word most are between two words that are neighbours, which
// one lookup tells.
func TestAWordThatNoneIsLikeTakesFewLookups(t *testing.T) {
	for word, most := range map[string]int{"qazwsx": 1, "qazwsxedc": 60} {
		x := indexOf(many()...)
		if got := corrected(t, &history.Corrector{Words: x}, word); got != word || x.lookups > most {
			t.Errorf("%s is taken for %s after %d lookups", word, got, x.lookups)
		}
	}
}

// A query of many unknown words does not take longer and longer: those at its end are not
// corrected any more.
func TestCorrectingALongQueryEndsAfterSomeLookups(t *testing.T) {
	x := indexOf(append(many(), "walrus")...)
	c := &history.Corrector{Words: x}
	if got := corrected(t, c, "walrsu"); got != "walrus" {
		t.Fatalf("the first word is taken for %s", got)
	}
	for i := range 60 {
		word := fmt.Sprintf("q%cxz%cqjx", 'a'+i%26, 'a'+i*7%26) + strings.Repeat("x", i%3)
		must.Equal(t, corrected(t, c, word), word, "%s is taken for", word)
	}
	if x.lookups > 120 || x.asked > 1100 {
		t.Errorf("%d lookups, asked about %d words", x.lookups, x.asked)
	}
}
