package search_test

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/internal/must"
)

// batchOf makes a batch of entries that say something.
func batchOf(session string, texts ...string) *history.Batch {
	b := &history.Batch{State: history.FileState{
		Header: message.Header{ID: session}, FileInfo: history.FileInfo{Path: "/" + session + ".jsonl"}, Tail: []byte{1},
	}}
	for i, text := range texts {
		raw := fmt.Appendf(nil, `{"type":"message","id":"%s%d","message":{"role":"user","content":%s}}`, session, i, message.AppendQuote(nil, text))
		b.Records = append(b.Records, history.Record{
			EntryID: fmt.Sprint(session, i), Ordinal: i, Type: message.EntryMessage, Role: "user",
			Hash: sha256.Sum256(raw), Time: int64(1_700_000_000_000 + 1000*i), Raw: raw, Text: text,
		})
	}
	return b
}

// wantIndexed looks for every text by its last word, and has FTS5 examine its index.
func wantIndexed(t *testing.T, s *store.Store, words ...string) {
	t.Helper()
	for _, word := range words {
		res, err := history.Search(t.Context(), s.Search, history.Query{Text: word})
		if err != nil || len(res.Hits) != 1 || res.Scanned > 0 {
			t.Errorf("%.20s: %d found, %d read, %v", word, len(res.Hits), res.Scanned, err)
		}
	}
	if found, err := s.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
}

// A word that is too long for the index is in it as FTS5 cuts it, beside all others.
func TestLoadIndexesTextsWithOverlongWords(t *testing.T) {
	s := must.Get(store.Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), sqlite.Write, time.Now))(t)
	defer s.Close()
	put := func(b *history.Batch) {
		t.Helper()
		must.Do(t, s.Entries.Encode(b))
		must.Get(s.Entries.Append(t.Context(), b))(t)
	}
	put(batchOf("a", "otter", strings.Repeat("w", 1<<15+9)+" beaver"))
	put(batchOf("b", "badger"))
	wantIndexed(t, s, "otter", "beaver", "badger")
}
