//go:build cgo

package recall_test

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// recordedStore is a real store with the recorded sessions, and how many bytes of
// text each of its entries has, by session and id.
func recordedStore(t *testing.T) (*store.Store, map[string]string) {
	t.Helper()
	ctx := context.Background()
	st := must.Get(store.Open(ctx, filepath.Join(t.TempDir(), "x.db"), sqlite.Write, time.Now))(t)
	t.Cleanup(func() { st.Close() })
	files, err := filepath.Glob("../../../testdata/sessions/*.jsonl")
	if err != nil || len(files) < 4 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, f := range files {
		must.Get(history.Ingest(ctx, st.Entries, pi.File{Path: f}, history.Options{}))(t)
	}
	texts := map[string]string{}
	for _, r := range storetest.Rows(t, st) {
		raw, rerr := st.Search.Raw(ctx, r, nil)
		if rerr != nil {
			t.Fatal(rerr)
		}
		var p message.Parser
		if e, err := p.ParseEntry(raw); err == nil && r.Type != message.EntrySession {
			texts[r.Session+"/"+r.EntryID] = string(e.AppendBody(nil, raw))
		}
	}
	if err != nil || len(texts) < 100 {
		t.Fatalf("%d entries, %v", len(texts), err)
	}
	return st, texts
}

func TestEveryRecordedEntryIsExpandedWhole(t *testing.T) {
	st, texts := recordedStore(t)
	hidden := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`)
	paged := 0
	for id, text := range texts {
		if text == "" || hidden.MatchString(text) {
			continue
		}
		got, pages := wholeOf(t, st.Search, recall.ExpandRequest{ID: id, MaxTokens: 1500})
		if got != text {
			t.Errorf("%s: %d pages (-want +got)\n%s", id, pages, cmp.Diff(text, got))
		}
		if pages > 1 {
			paged++
		}
	}
	if paged < 5 {
		t.Errorf("only %d entries had several pages", paged)
	}
}

func TestExpandFindsEveryIDThatGrepShows(t *testing.T) {
	st, _ := recordedStore(t)
	seen := 0
	for _, q := range []recall.GrepRequest{
		{Query: "what did we decide about the rounding of discounts and why?"},
		{Query: "idempotency key", Limit: 50},
		{Query: "Idempotency-[A-Z]ey", Regex: true},
		{Query: "error", Filter: history.Filter{Roles: []string{"toolResult"}}, Limit: 50},
		{Query: "test", Filter: history.Filter{Tool: "bash"}},
		must.Get(recall.ParseGrep([]byte(`{"query":"test","role":"tool","tool":"bash","limit":50}`)))(t),
		{Query: "Åland"},
	} {
		q.Scope = recall.ScopeProject
		text, d := grepped(t, st.Search, q)
		if d.ResultCount == 0 {
			t.Errorf("%q: nothing found:\n%s", q.Query, text)
		}
		if n := strings.Count(text, " tool/bash "); q.Filter.Tool == "bash" && len(q.Filter.Roles) > 0 && n < d.ResultCount {
			t.Errorf("%d of %d results are of bash:\n%s", n, d.ResultCount, text)
		}
		for _, line := range regexp.MustCompile(`(?m)^\[[0-9]+\] \S+ .*$`).FindAllString(text, -1) {
			_, x := expanded(t, st.Search, recall.ExpandRequest{ID: line})
			if !strings.Contains(line, " "+x.ID+" ") {
				t.Errorf("%q is %s", line, x.ID)
			}
			seen++
		}
	}
	if seen < 50 {
		t.Errorf("only %d results were looked at", seen)
	}
}
