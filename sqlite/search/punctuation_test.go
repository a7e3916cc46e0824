package search_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/history"
)

// Holds history 79.
func TestPunctuationInAQuestionChangesNeitherWayNorResults(t *testing.T) {
	st := storetest.Filled(t)
	for plain, variants := range map[string][]string{
		"rounding of discounts":                             {"rounding, of discounts?", "(rounding) [of] {discounts}", "'rounding' of discounts!", "rounding... of; discounts:", "rounding of \u201cdiscounts\u201d"},
		"how many customers were charged twice":             {"How many customers were charged twice?", "how many (customers), were charged: twice?!"},
		"what did we say about the harbour of the checkout": {"what did we say about the harbour, of the checkout?", "what did we say: about the 'harbour' of [the checkout]?"},
	} {
		want, err := history.Search(t.Context(), st.Search, history.Query{Text: plain})
		if err != nil || len(want.Hits) == 0 || want.Scanned != 0 {
			t.Fatalf("%q: %d hits, %d read, %v", plain, len(want.Hits), want.Scanned, err)
		}
		for _, q := range variants {
			got, err := history.Search(t.Context(), st.Search, history.Query{Text: q})
			if err != nil || got.Step != want.Step || got.Scanned != 0 || strings.Join(storetest.IDs(got), " ") != strings.Join(storetest.IDs(want), " ") {
				t.Errorf("%q: %v by %s, %d read, %v; without punctuation %v by %s", q, storetest.IDs(got), got.Step, got.Scanned, err, storetest.IDs(want), want.Step)
			}
		}
	}
}
