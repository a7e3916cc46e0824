package sqlite

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

// segmentsOf counts the segments of the index of words by the pages it looks words up in.
func segmentsOf(t *testing.T, s *Store) (n int) {
	t.Helper()
	if err := s.db.Get(&n, `SELECT count(DISTINCT segid) FROM words_fts_idx`); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestWithTimeLeftTheSegmentsOfAnIndexAreMerged(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "x.db"), Write, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if !s.FullText() {
		t.Skip("not run: this build has no full-text search")
	}
	for i := range 7 {
		b := &history.Batch{State: history.FileState{Header: message.Header{ID: "s"}, FileInfo: history.FileInfo{Path: "/s.jsonl"}, Tail: []byte{1}}}
		raw := fmt.Appendf(nil, `{"type":"message","id":"e%d","message":{"role":"user","content":"otter number%d"}}`, i, i)
		b.Records = append(b.Records, history.Record{
			EntryID: fmt.Sprint("e", i), Ordinal: i,
			Type: message.EntryMessage, Role: "user", Hash: [32]byte{byte(i + 1)}, Time: 1, Raw: raw, Text: fmt.Sprint("otter number", i),
		})
		if err := s.Encode(b); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	before := segmentsOf(t, s)
	if _, err := s.Derive(t.Context(), func() bool { return true }); err != nil || segmentsOf(t, s) != before {
		t.Errorf("without time: %d segments, then %d, %v", before, segmentsOf(t, s), err)
	}
	for range 2 {
		if _, err := s.Derive(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if after := segmentsOf(t, s); before < mergeFrom || after >= mergeFrom {
		t.Errorf("%d segments became %d", before, after)
	}
	res, err := history.Search(t.Context(), s, history.Query{Text: "otter"})
	if err != nil || len(res.Hits) != 7 {
		t.Errorf("%d found, %v", len(res.Hits), err)
	}
}

func FuzzWhatAnIndexNotes(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0xff, 0, 0, 1, 1, 4, 9, 0, 4})
	f.Add([]byte{0, 0, 0, 1, 0xff, 0, 0, 1, 2, 1, 9, 0, 1, 1, 1, 2, 1, 1, 0, 0, 3, 1, 1})
	f.Add([]byte{0, 0, 0, 1, 0xff, 0, 0, 1, 2, 1, 9, 0, 1, 1, 1, 2, 1, 1, 0, 0, 3, 0, 1})
	f.Add([]byte{0, 0, 0, 1, 1, 4, 9, 0, 4})
	f.Add([]byte{0, 0, 0, 1, 0xff, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, record []byte) {
		s, ok := readStructure(record)
		again, same := readStructure(s.record())
		if ok && (!same || !reflect.DeepEqual(s, again)) {
			t.Errorf("%v becomes %v", s, again)
		}
	})
}

func TestWhatAnIndexNotesIsUnderstood(t *testing.T) {
	for _, c := range []struct {
		record   []byte
		ok, many bool
	}{
		{append([]byte{0, 0, 0, 1, 0xff, 0, 0, 1, 1, 4, 9, 0, 4}, make([]byte, 4*8)...), true, true},
		{[]byte{0, 0, 0, 1, 0xff, 0, 0, 1, 2, 1, 9, 0, 1, 1, 1, 2, 1, 1, 0, 0, 3, 1, 0}, true, true},
		{[]byte{0, 0, 0, 1, 0xff, 0, 0, 1, 2, 1, 9, 0, 1, 1, 1, 2, 1, 1, 0, 0, 3, 0, 0}, true, false},
		{[]byte{0, 0, 0, 1, 0xff, 0, 0, 1, 2, 1, 9, 0, 1, 1, 1, 2, 1, 1, 0, 0, 3, 0, 1}, false, false},
		{[]byte{0, 0, 0, 1, 1, 4, 9, 0, 4}, false, false},
		{nil, false, false},
	} {
		s, ok := readStructure(c.record)
		if ok != c.ok || ok && s.many() != c.many {
			t.Errorf("%v: %v, %v", c.record, s, ok)
		}
		if ok && !bytes.Equal(s.record(), c.record) {
			t.Errorf("%v becomes %v", c.record, s.record())
		}
	}
}
