package search_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

// segmentsOf counts the segments of the index of words by the pages it looks words up in.
func segmentsOf(t *testing.T, s *store.Store) int {
	t.Helper()
	return storetest.Count(t, storetest.DB(t, s.Path()), `SELECT count(DISTINCT segid) FROM words_fts_idx`)
}

func TestWithTimeLeftTheSegmentsOfAnIndexAreMerged(t *testing.T) {
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Write, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !s.Search.FullText() {
		t.Skip("not run: this build has no full-text search")
	}
	for i := range 7 {
		b := &history.Batch{State: history.FileState{Header: message.Header{ID: "s"}, FileInfo: history.FileInfo{Path: "/s.jsonl"}, Tail: []byte{1}}}
		raw := fmt.Appendf(nil, `{"type":"message","id":"e%d","message":{"role":"user","content":"otter number%d"}}`, i, i)
		b.Records = append(b.Records, history.Record{
			EntryID: fmt.Sprint("e", i), Ordinal: i,
			Type: message.EntryMessage, Role: "user", Hash: sha256.Sum256(raw), Time: 1, Raw: raw, Text: fmt.Sprint("otter number", i),
		})
		if err := s.Entries.Encode(b); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Entries.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	before := segmentsOf(t, s)
	if _, err := s.Search.Derive(t.Context(), func() bool { return true }); err != nil || segmentsOf(t, s) != before {
		t.Errorf("without time: %d segments, then %d, %v", before, segmentsOf(t, s), err)
	}
	for range 2 {
		if _, err := s.Search.Derive(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	const userMerge = 4 // segments of one size that FTS5 merges when it is asked to
	if after := segmentsOf(t, s); before < userMerge || after >= userMerge {
		t.Errorf("%d segments became %d", before, after)
	}
	res, err := history.Search(t.Context(), s.Search, history.Query{Text: "otter"})
	if err != nil || len(res.Hits) != 7 {
		t.Errorf("%d found, %v", len(res.Hits), err)
	}
}
