package objects_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite/store"
)

// exported is everything that a store has, as transactions of XTDB.
func exported(t testing.TB, st *store.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	err := st.Objects.EachTransaction(t.Context(), func(tx *object.Transaction) error {
		line, err := object.EncodeXTDB(tx)
		b.Write(line)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// imported puts exported transactions into a new store.
func imported(t testing.TB, lines []byte) *store.Store {
	t.Helper()
	clock := &storetest.Clock{}
	st, _ := storetest.OpenClocked(t, clock)
	for line := range bytes.Lines(lines) {
		tx, at, err := decodeXTDB(line)
		if err != nil {
			t.Fatalf("%v\n%.300s", err, line)
		}
		clock.Time = at
		if _, err := st.Objects.Submit(t.Context(), tx); err != nil {
			t.Fatalf("%v\n%.300s", err, line)
		}
	}
	return st
}

// What is exported for XTDB, put into an empty store, gives the same objects, the same
// history with its corrections, the same events and the same answers, and is exported
// as it was.
//
// Holds objects 51.
func TestTransactionsOfXTDBGoRound(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	clock := startClock()
	st, _ := storetest.OpenClocked(t, clock)
	if !st.Search.FullText() {
		t.Skip("not run: this build has no full-text search")
	}
	var ids []string
	for i := range 60 {
		clock.Time = clock.Time.Add(time.Duration(r.IntN(100)) * time.Second)
		p := fmt.Sprintf("/f%d", r.IntN(6))
		op := object.Op{Do: object.Put, Key: object.FileKey("", p), Doc: storetest.FileDoc(p, fmt.Sprint("text ", r.IntN(5), "\xff<&>\u2028"))}
		if r.IntN(3) == 0 {
			op.Valid.From = object.TimeOf(clock.Time.Add(-time.Duration(r.IntN(1000)) * time.Second))
			op.Valid.To = op.Valid.From + object.Time(1+r.IntN(500_000_000))
		}
		rec, err := st.Objects.Submit(t.Context(), object.Tx{Actor: object.ActorAgent, Session: fmt.Sprint("s", i%2), Reason: "r", Request: fmt.Sprint("q", i), Ops: []object.Op{
			op, {Do: object.Record, Key: op.Key, Event: object.Activated, Leaf: fmt.Sprint("l", i)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, rec.Results[0].ID)
	}
	storetest.Submit(t, st.Objects, object.Op{Do: object.Name, ID: ids[0], Nickname: "plan"})
	storetest.Submit(t, st.Objects, object.Op{Do: object.Delete, ID: ids[1]})
	call := &object.Document{
		Kind: object.KindToolcall, Content: []byte("out"), Toolcall: &object.Toolcall{
			Tool: "bash", Args: []byte(`{"command":"` + strings.Repeat("ls ", 300) + `"}`), Status: object.StatusFail,
			Chat: &object.Ref{ID: "o-000000000001", Tx: 3, Position: 2}, Files: ids[:2],
		},
	}
	c := storetest.Submit(t, st.Objects, object.Op{Do: object.Put, Key: object.ToolcallKey("s1", "e", "c"), Doc: call}).Results[0].ID
	gone := storetest.Put(t, st.Objects, "/evicted", "what nobody may see").ID
	for _, id := range []string{gone, c} {
		if _, err := st.Objects.Evict(t.Context(), object.Tx{Actor: object.ActorPerson}, id); err != nil {
			t.Fatal(err)
		}
	}
	lines := exported(t, st)
	if bytes.Contains(lines, []byte("what nobody")) {
		t.Error("what was evicted is exported")
	}
	back := imported(t, lines)
	if again := exported(t, back); !bytes.Equal(again, lines) {
		a, b := bytes.Split(lines, []byte("\n")), bytes.Split(again, []byte("\n"))
		for i := range a {
			if i >= len(b) || !bytes.Equal(a[i], b[i]) {
				t.Fatalf("transaction %d:\n%.900s\n%.900s", i, a[i], b[min(i, len(b)-1)])
			}
		}
	}
	for _, id := range ids {
		for range 20 {
			at := object.At{Valid: object.TimeOf(clock.Time.Add(-time.Duration(r.IntN(6000)) * time.Second)), Known: object.TimeOf(clock.Time.Add(-time.Duration(r.IntN(6000)) * time.Second))}
			was, err := st.Objects.Get(t.Context(), id, at)
			is, berr := back.Objects.Get(t.Context(), id, at)
			if (err == nil) != (berr == nil) || err == nil && (was.Hashes != is.Hashes || was.Valid != is.Valid || was.Known != is.Known) {
				t.Fatalf("%s at %+v: %+v, %v; came back as %+v, %v", id, at, was, err, is, berr)
			}
		}
	}
	if found := verify(t, back); len(found) > 0 {
		t.Errorf("verify: %v", found)
	}
}
