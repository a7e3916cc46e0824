package objects_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/objects"
	"github.com/coctostan/pictx/sqlite/store"
)

// manyVersions makes a store with versions of a thousand objects, and a quarter as
// many of one more.
func manyVersions(tb testing.TB, rounds int) (st *store.Store, ids []string, first, last object.Time) {
	tb.Helper()
	clock := startClock()
	st, _ = storetest.OpenClocked(tb, clock)
	first = object.TimeOf(clock.Time)
	for n := range rounds {
		var ops []object.Op
		for i := range 1000 {
			p := fmt.Sprintf("/f%d", i)
			ops = append(ops, object.Op{Do: object.Put, Key: object.FileKey("", p), Doc: storetest.FileDoc(p, fmt.Sprint(n))})
		}
		for _, id := range storetest.Submit(tb, st.Objects, ops...).Results {
			if n == 0 {
				ids = append(ids, id.ID)
			}
		}
		for range 250 {
			clock.Time = clock.Time.Add(time.Second)
			last = object.TimeOf(clock.Time)
			storetest.Put(tb, st.Objects, "/busy", fmt.Sprint(last))
		}
	}
	o := must.Get(st.Objects.ByKey(context.Background(), object.FileKey("", "/busy")))(tb)
	return st, append(ids, o.ID), first, last
}

// BenchmarkAsOf asks for objects at random points in time, among 100,000
// versions. busy is the object that has 20,000 of them.
func BenchmarkAsOf(b *testing.B) {
	st, ids, first, last := manyVersions(b, 80)
	r := rand.New(rand.NewPCG(1, 1))
	when := func() object.Time { return first + object.Time(r.Int64N(int64(last-first))) }
	for name, at := range map[string]func() object.Time{"now": func() object.Time { return 0 }, "then": when} {
		for _, which := range []string{"any", "busy"} {
			b.Run(name+"/"+which, func(b *testing.B) {
				for b.Loop() {
					id := ids[len(ids)-1]
					if which == "any" {
						id = ids[r.IntN(len(ids))]
					}
					if _, err := st.Objects.Get(b.Context(), id, at()); err != nil && !errors.Is(err, object.ErrNotYet) {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkFind lists 1,001 objects, and finds some by their words.
func BenchmarkFind(b *testing.B) {
	st, _, _, _ := manyVersions(b, 2)
	for name, query := range map[string]string{"all": "", "path": "path:f77", "words": "1"} {
		q := must.Get(object.ParseQuery(query, time.Now()))(b)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must.Get(st.Objects.FindObjects(b.Context(), q))(b)
			}
		})
	}
}

// However many versions there are, few are looked at for one point in time: the plans
// are those of searches in an index, and nothing is sorted.
//
// Holds objects 49.
func TestOnePointInTimeIsFoundByAnIndex(t *testing.T) {
	st, path := storetest.OpenClocked(t, startClock())
	storetest.Put(t, st.Objects, "/a", "x")
	db := storetest.DB(t, path)
	var plan strings.Builder
	rows := must.Get(db.Query(`EXPLAIN QUERY PLAN `+objects.AtQuery, 1, 1))(t)
	for rows.Next() {
		var id, parent, unused int
		var detail string
		must.Do(t, rows.Scan(&id, &parent, &unused, &detail))
		fmt.Fprintln(&plan, detail)
	}
	must.Do(t, errors.Join(rows.Err(), rows.Close()))
	for _, bad := range []string{"SCAN", "TEMP B-TREE"} {
		if strings.Contains(plan.String(), bad) {
			t.Errorf("%s:\n%s", bad, &plan)
		}
	}
}

// A page that is damaged is reported, and what is on the others can be read.
//
// Holds objects 20.
func TestADamagedPageIsReportedAndTheOthersAreRead(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	r := rand.New(rand.NewPCG(9, 9))
	texts := make(map[string]string)
	for i := range 60 {
		text := strings.Join(source(r, 6000), "\n")
		texts[storetest.Put(t, st.Objects, fmt.Sprintf("/f%d", i), text).ID] = text
	}
	must.Do(t, st.Checkpoint(t.Context()))
	copied := storetest.Copy(t, path)
	size := storetest.Count(t, storetest.DB(t, path), `PRAGMA page_size`)
	// The page with the middle of a text.
	var middle []byte
	must.Do(t, storetest.DB(t, path).QueryRow(`SELECT substr(data, length(data) / 2, 64) FROM content LIMIT 1 OFFSET 20`).Scan(&middle))
	data := must.Get(os.ReadFile(copied))(t)
	page := bytes.Index(data, middle) / size
	f := must.Get(os.OpenFile(copied, os.O_RDWR, 0))(t)
	_, err := f.WriteAt([]byte(strings.Repeat("x", size)), int64(page)*int64(size))
	must.Do(t, errors.Join(err, f.Close()))
	bad := must.Get(store.Open(t.Context(), copied, sqlite.Read, clock.Now))(t)
	defer bad.Close()
	rep, err := bad.Objects.Verify(t.Context())
	if err != nil || len(rep) == 0 {
		t.Fatalf("verify: %+v, %v", rep, err)
	}
	read := 0
	for id, text := range texts {
		v, err := bad.Objects.Get(t.Context(), id, 0)
		if err != nil {
			continue
		}
		raw, err := bad.Objects.Content(t.Context(), v)
		if err == nil && string(raw) != text {
			t.Errorf("%s has a wrong content", id)
		}
		if err == nil {
			read++
		}
	}
	if read < 50 || read == 60 {
		t.Errorf("%d of 60 are read", read)
	}
}
