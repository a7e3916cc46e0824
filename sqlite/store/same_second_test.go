package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// oneSecond is the time of everything written here, and of the clock.
var oneSecond = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// messagesOfOneSecond stores n messages with the same time.
func messagesOfOneSecond(t *testing.T, st *store.Store, n int) {
	t.Helper()
	b := history.Batch{State: history.FileState{FileInfo: history.FileInfo{Path: "/s.jsonl"}, Header: message.Header{ID: "s"}, Tail: []byte{}}}
	for i := range n {
		line := fmt.Appendf(nil, `{"type":"message","id":"e%d","message":{"role":"user","content":"%d"}}`, i, i)
		b.Records = append(b.Records, history.Record{
			EntryID: fmt.Sprintf("e%d", i), Ordinal: i + 1, Type: message.EntryMessage, Role: message.RoleUser,
			Time: oneSecond.UnixMilli(), Raw: line, Hash: sha256.Sum256(line),
		})
	}
	must.Do(t, st.Entries.Encode(&b))
	if added, err := st.Entries.Append(context.Background(), &b); err != nil || added != n {
		t.Fatalf("%d of %d stored: %v", added, n, err)
	}
}

// versionsOfOneSecond stores n versions, ten per object, that begin in the same second.
func versionsOfOneSecond(t *testing.T, st *store.Store, n int) {
	t.Helper()
	for version := range 10 {
		var ops []object.Op
		for i := range n / 10 {
			path := fmt.Sprintf("/f%d", i)
			ops = append(ops, object.Op{Do: object.Put, Key: object.FileKey("", path), Doc: storetest.FileDoc(path, fmt.Sprint(version, path))})
		}
		storetest.Submit(t, st.Objects, ops...)
	}
}

// TestWritesOfOneSecondDoNotSlowEachOtherDown counts the rows visited to find an id for one
// more text. The count must not grow with the number of texts in that second.
func TestWritesOfOneSecondDoNotSlowEachOtherDown(t *testing.T) {
	for name, fill := range map[string]func(*testing.T, *store.Store, int){
		"messages": messagesOfOneSecond, "versions of objects": versionsOfOneSecond,
	} {
		t.Run(name, func(t *testing.T) {
			var visited [2]int
			for i, n := range []int{500, 4 * 500} {
				st, _ := storetest.OpenClocked(t, &storetest.Clock{Time: oneSecond})
				fill(t, st, n)
				visits, free, err := st.CountVisits(context.Background(), oneSecond)
				if err != nil {
					t.Fatal(err)
				}
				if free <= 0 {
					t.Fatalf("id %d is free", free)
				}
				visited[i] = visits
			}
			if visited[1] > 2*visited[0] {
				t.Errorf("%d rows looked at among 500 texts of a second, %d among four times as many", visited[0], visited[1])
			}
		})
	}
}

// TestTextsOfOneSecondKeepNearIt bounds how far ids deviate from their second. The range of
// a search by time allows for that.
func TestTextsOfOneSecondKeepNearIt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.db")
	st := storetest.Open(t, path, sqlite.Write)
	const n = 3000
	messagesOfOneSecond(t, st, n)
	db := storetest.DB(t, path)
	first := oneSecond.Unix() << sqlite.TextBits
	if least := storetest.Count(t, db, `SELECT min(id) FROM content`); least < int(first) {
		t.Errorf("the first id is %d before its second", int(first)-least)
	}
	if most := storetest.Count(t, db, `SELECT max(id) FROM content`); most >= int(first)+n {
		t.Errorf("the last of %d ids is %d after its second", n, most-int(first))
	}
}
