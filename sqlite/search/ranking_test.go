package search_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// Of words that are all common, the newest texts that hold any are looked for, and the
// answer says how far back that was.
func TestASearchSaysHowFarBackCommonWordsWereLookedFor(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	texts := make([]string, search.CommonWord+2000)
	for i := range texts {
		texts[i] = fmt.Sprintf("kettle spoon saucer %d", i)
	}
	texts[3] = "kettle spoon saucer walrus"
	storetest.Ingest(t, st, storetest.Session(t, "common", texts...))
	asked := recall.GrepRequest{Query: "kettle spoon saucer zzyzx"}
	res, err := history.Search(t.Context(), st.Search, history.Query{Text: asked.Query})
	if err != nil || res.Step != history.StepAny || res.Since == 0 {
		t.Fatalf("%+v, %v", res, err)
	}
	answer, err := recall.GrepText(t.Context(), st.Search, asked)
	d, ok := answer.Details.(recall.GrepDetails)
	if err != nil || !ok || d.Since == "" || !strings.Contains(answer.Text, "looked for back to "+d.Since+" only") || !strings.Contains(answer.Text, `before="`+d.Since) {
		t.Errorf("%+v, %v\n%.600s", answer.Details, err, answer.Text)
	}
	// What was not looked at then is found with the way on that the answer names.
	res, err = history.Search(t.Context(), st.Search, history.Query{Text: asked.Query, Filter: history.Filter{Before: res.Since}})
	if err != nil || len(res.Hits) == 0 || res.Since != 0 {
		t.Errorf("before that: %d hits, since %d, %v", len(res.Hits), res.Since, err)
	}
	// A word that is rare is looked for everywhere, and so are the others beside it.
	res, err = history.Search(t.Context(), st.Search, history.Query{Text: "kettle walrus zzyzx"})
	if err != nil || len(res.Hits) == 0 || !strings.Contains(res.Hits[0].Snippet, "walrus") {
		t.Errorf("%+v, %v", res, err)
	}
}
