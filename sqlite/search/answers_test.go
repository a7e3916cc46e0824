package search_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/historytest"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

func TestTheAnswersToAPromptAreTheRepliesBeforeTheNextPrompt(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	file := historytest.WriteFile(t, `{"type":"session","version":3,"id":"s"}`+"\n"+
		historytest.Said("before", "assistant", "before it", "")+
		historytest.Said("prompt", "user", "a prompt", "")+
		historytest.Said("first", "assistant", "first", "")+
		historytest.Returned("result", "read", "a result")+
		historytest.Said("second", "assistant", "second", "")+
		historytest.Said("third", "assistant", "third", "")+
		historytest.Said("fourth", "assistant", "fourth", "")+
		historytest.Said("next", "user", "another", "")+
		historytest.Said("later", "assistant", "later", ""))
	storetest.Ingest(t, st, file.Path)
	rows := make(map[string]history.Row)
	for _, r := range storetest.Rows(t, st) {
		rows[r.EntryID] = r
	}
	for name, c := range map[string]struct {
		prompt string
		filter history.Filter
		want   []string
	}{
		"the last of them first":    {"prompt", history.Filter{}, []string{"fourth", "third", "second"}},
		"up to what a page may see": {"prompt", history.Filter{Stored: history.Mark{Entry: rows["second"].ID}}, []string{"second", "first"}},
		"of the last prompt":        {"next", history.Filter{}, []string{"later"}},
	} {
		found := must.Get(st.Search.Answers(t.Context(), rows[c.prompt], c.filter))(t)
		var got []string
		for _, r := range found {
			got = append(got, r.EntryID)
		}
		must.Match(t, got, c.want, "%s", name)
	}
}

func TestTheResultsOfACallAreThoseBeforeWhatIsSaidNext(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
	file := historytest.WriteFile(t, `{"type":"session","version":3,"id":"s"}`+"\n"+
		historytest.Returned("before", "read", "of another")+
		historytest.Said("call", "assistant", "a call", "")+
		historytest.Returned("fine", "read", "a result")+
		strings.Replace(historytest.Returned("failed", "bash", "an error"), `"toolName"`, `"isError":true,"toolName"`, 1)+
		historytest.Said("next", "assistant", "another call", "")+
		historytest.Returned("later", "read", "of the next"))
	storetest.Ingest(t, st, file.Path)
	for _, r := range storetest.Rows(t, st) {
		want, asked := map[string][]string{"call": {"fine", "failed"}, "next": {"later"}}[r.EntryID]
		if !asked {
			continue
		}
		found := must.Get(st.Search.Results(t.Context(), r, history.Filter{}))(t)
		var got []string
		for _, r := range found {
			got = append(got, r.EntryID)
		}
		must.Match(t, got, want, "%s", r.EntryID)
	}
}
