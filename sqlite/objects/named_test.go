package objects_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// listing is a call whose result names files: they are discovered, then it is met.
func listing(n int, names ...string) (k object.Key, ops []object.Op) {
	leaf := fmt.Sprintf("e%d", n)
	for _, name := range names {
		for _, op := range met(name, "") {
			op.Leaf = leaf
			ops = append(ops, op)
		}
	}
	k = object.ToolcallKey("s1", leaf, "call")
	doc := &object.Document{Kind: object.KindToolcall, Content: []byte(leaf), Toolcall: &object.Toolcall{Tool: "ls", Status: object.StatusOK}}
	return k, append(ops, object.Op{Do: object.Put, Key: k, Doc: doc}, object.Op{Do: object.Record, Key: k, Event: object.Activated, Leaf: leaf})
}

// naive is what a store says that was read for the first time.
func naive(t *testing.T, st *store.Store, calls []string) map[string][]string {
	t.Helper()
	events, err := st.Objects.Events(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	var n object.Mentions
	for i := range events {
		o, err := st.Objects.Resolve(t.Context(), events[i].Object)
		if err != nil {
			t.Fatal(err)
		}
		n.Add(&events[i], o.Key.Kind == object.KindToolcall)
	}
	out := make(map[string][]string)
	for _, call := range calls {
		for _, id := range n.Of(call) {
			v, err := st.Objects.Get(t.Context(), id, object.At{})
			if err == nil && v.Doc.File != nil && !v.Doc.Deleted {
				out[call] = append(out[call], namedLine(v))
			} else if err != nil && !errors.Is(err, object.ErrNotYet) {
				t.Fatal(err)
			}
		}
	}
	return out
}

func namedLine(v *object.Version) string {
	return fmt.Sprint(v.ID, " ", v.Number, " ", v.Doc.File.Path, " ", v.Doc.File.Chars, " ", v.Evicted)
}

func remembered(t *testing.T, st *store.Store, calls []string) map[string][]string {
	t.Helper()
	named, err := st.Objects.Named(t.Context(), "s1")
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string][]string)
	for _, call := range calls {
		for _, v := range named(call) {
			out[call] = append(out[call], namedLine(&v))
		}
	}
	return out
}

// Whatever a store has cached, and whichever process wrote in between, it says what one says that
// reads all of it: after new calls, new contents, moves, deletions, evictions and
// versions that become true later, by this process and by another.
func TestWhatResultsNamedIsAsOneWhoReadsItAllHasIt(t *testing.T) {
	clock := startClock()
	st, path := storetest.OpenClocked(t, clock)
	other, err := store.Open(t.Context(), path, sqlite.Hook, clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	var calls []string
	file := func() string { return fmt.Sprintf("/f%d", r.IntN(12)) }
	for n := range 250 {
		at := []*store.Store{st, other}[r.IntN(2)]
		p := file()
		op := object.Op{Do: object.Put, Key: object.FileKey("", p), Doc: storetest.FileDoc(p, fmt.Sprint(r.IntN(1000)))}
		switch r.IntN(6) {
		case 0:
			k, ops := listing(n, p, file(), file())
			calls = append(calls, object.NewID(k, 0))
			storetest.Submit(t, at.Objects, ops...)
			op = object.Op{Do: object.Put, Key: object.FileKey("", "/never"), Doc: storetest.FileDoc("/never", "")}
		case 1:
			op.Valid.From = object.TimeOf(clock.Time.Add(time.Duration(r.IntN(600)) * time.Second))
		case 2:
			op = object.Op{Do: object.Delete, Key: op.Key}
		case 3:
			op = object.Op{Do: object.Evict, Key: op.Key}
		case 4:
			if o, err := st.Objects.ByKey(t.Context(), op.Key); err == nil {
				moved := file()
				op = object.Op{Do: object.Put, ID: o.ID, Key: object.FileKey("", moved), Doc: storetest.FileDoc(moved, "moved")}
			}
		}
		_, err := at.Objects.Submit(t.Context(), object.Tx{Actor: object.ActorCapture, Session: "s1", Ops: []object.Op{op}})
		if err != nil && !errors.Is(err, object.ErrUnknown) {
			t.Fatal(err)
		}
		clock.Time = clock.Time.Add(time.Duration(r.IntN(20)) * time.Second)
		if n%3 == 0 {
			continue
		}
		want := naive(t, st, calls)
		for _, each := range []*store.Store{st, other} {
			if diff := cmp.Diff(want, remembered(t, each, calls)); diff != "" {
				t.Fatalf("after %d changes, the last %+v: %s", n, op, diff)
			}
		}
	}
	if len(calls) < 20 {
		t.Errorf("%d calls", len(calls))
	}
}

// BenchmarkNamed lists what the latest call named, after each turn, in sessions with
// so many events.
func BenchmarkNamed(b *testing.B) {
	for _, events := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(events), func(b *testing.B) {
			clock := startClock()
			st, _ := storetest.OpenClocked(b, clock)
			var ops []object.Op
			for i := range events / 4 {
				_, one := listing(i, fmt.Sprint("/", 3*i), fmt.Sprint("/", 3*i+1), fmt.Sprint("/", 3*i+2))
				ops = append(ops, one...)
			}
			storetest.Submit(b, st.Objects, ops...)
			if _, err := st.Objects.Named(b.Context(), "s1"); err != nil {
				b.Fatal(err)
			}
			for n := events; b.Loop(); n++ {
				b.StopTimer()
				clock.Time = clock.Time.Add(time.Second)
				k, ops := listing(n, fmt.Sprint("/new", n), fmt.Sprint("/", n%events/2))
				storetest.Submit(b, st.Objects, ops...)
				b.StartTimer()
				named, err := st.Objects.Named(b.Context(), "s1")
				if err != nil || len(named(object.NewID(k, 0))) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}
