package objects_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/storetest"
)

// modelWrite is a version of a model of one object: the latest write of the latest time wins.
type modelWrite struct {
	at      object.Time
	content string // "" for a deleted object
}

// modelAt is what a model says at a time; ok is false before its first version.
func modelAt(all []modelWrite, at object.Time) (content string, ok bool) {
	var best object.Time
	for _, w := range all {
		if w.at <= at && w.at >= best {
			best, content, ok = w.at, w.content, true
		}
	}
	return content, ok
}

// Whatever is written in whatever order of times, every moment has the version that was the
// latest then, and history tiles the time.
//
// Holds objects 9, 10, 11, 14.
func TestEveryPointInTimeIsAsAModelHasIt(t *testing.T) {
	t.Parallel()
	clock := startClock()
	st, _ := storetest.OpenClocked(t, clock)
	r := rand.New(rand.NewPCG(4, 1))
	start, k := object.TimeOf(clock.Time), object.FileKey("", "/a")
	id := storetest.Put(t, st.Objects, "/a", "first").ID
	all := []modelWrite{{start, "first"}}
	for range 300 {
		clock.Time = clock.Time.Add(1e9)
		op := object.Op{Do: object.Put, Key: k, Doc: storetest.FileDoc("/a", fmt.Sprint(r.IntN(4))), At: start + object.Time(1+r.IntN(300_000_000))}
		w := modelWrite{op.At, string(op.Doc.Content)}
		if r.IntN(6) == 0 {
			op, w.content = object.Op{Do: object.Delete, ID: id}, ""
		}
		was, known := "", false
		rec := storetest.Submit(t, st.Objects, op)
		if w.content == "" {
			w.at = rec.At
		}
		if was, known = modelAt(all, w.at); rec.Results[0].Changed == (known && was == w.content) {
			t.Fatalf("%+v on %q: %+v", w, was, rec.Results[0])
		}
		if rec.Results[0].Changed {
			all = append(all, w)
		}
	}
	for range 2000 {
		at := start - 5 + object.Time(r.IntN(400_000_000))
		want, known := modelAt(all, at)
		v, err := st.Objects.Get(t.Context(), id, at)
		if !known {
			if !errors.Is(err, object.ErrNotYet) {
				t.Fatalf("at %d: %+v, %v", at, v, err)
			}
			continue
		}
		if err != nil || v.Doc.Deleted != (want == "") || want != "" && contentAt(t, st, id, at) != want || v.From > at || v.To <= at {
			t.Fatalf("at %d: %+v, %v; want %q", at, v, err, want)
		}
	}
	last := object.Time(0)
	for i, v := range versions(t, st, id) {
		if i > 0 && v.From != last {
			t.Errorf("version %d begins at %d, the one before ends at %d", v.Number, v.From, last)
		}
		last = v.To
	}
	if found := verify(t, st); last != object.Forever || len(found) > 0 {
		t.Errorf("the last version ends at %d; verify: %v", last, found)
	}
}
