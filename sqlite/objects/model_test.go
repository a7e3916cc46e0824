package objects_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite/store"
)

// model is what a store of objects should do, done as simply as can be: time is a
// row of cells, and every transaction makes a copy of what is true in each.
type model struct {
	cells int
	// states are what each transaction left: for each object, a document a cell.
	states []modelState
}

type modelState struct {
	at    object.Time
	cells map[string][]object.Hash // the zero hash is nothing
}

func (m *model) last() map[string][]object.Hash {
	if len(m.states) == 0 {
		return map[string][]object.Hash{}
	}
	return m.states[len(m.states)-1].cells
}

// write says that an object is something from one cell to another; to 0 is the next
// change.
func (m *model) write(at object.Time, id string, from, to int, h object.Hash) {
	next := make(map[string][]object.Hash)
	for k, v := range m.last() {
		next[k] = slices.Clone(v)
	}
	if next[id] == nil {
		next[id] = make([]object.Hash, m.cells)
	}
	row := next[id]
	if to == 0 {
		for to = from + 1; to < m.cells && row[to] == row[from]; to++ {
		}
	}
	for i := from; i < to; i++ {
		row[i] = h
	}
	m.states = append(m.states, modelState{at, next})
}

// asOf is what was true in a cell as was known at a time.
func (m *model) asOf(id string, cell int, known object.Time) object.Hash {
	var out object.Hash
	for _, s := range m.states {
		if s.at > known {
			break
		}
		if row := s.cells[id]; row != nil {
			out = row[cell]
		}
	}
	return out
}

// The cells of the model are an hour each, from this moment on.
const (
	firstCell = object.Time(1_700_000_000_000_000)
	cellSpan  = object.Time(3_600_000_000)
)

func cellTime(i int) object.Time {
	if i == 0 {
		return 1
	}
	return firstCell + object.Time(i)*cellSpan
}

// Every answer of the store about the past is that of a model that copies all of it
// at each change, after thousands of random changes.
//
// Holds objects 9, 11, 12, 13, 14.
func TestEveryPointInBothTimesIsAsAModelHasIt(t *testing.T) {
	seeds, writes := uint64(4), 1000
	if testing.Short() {
		seeds, writes = 1, 60
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { runModel(t, rand.New(rand.NewPCG(seed, 1)), writes) })
	}
}

func runModel(t *testing.T, r *rand.Rand, n int) {
	const cells, objects = 12, 5
	clock := &storetest.Clock{Time: cellTime(cells + 2).Std()}
	st, path := storetest.OpenClocked(t, clock)
	m := &model{cells: cells}
	var ids []string
	for i := range objects {
		p := fmt.Sprintf("/f%d", i)
		// Something that the model does not know makes the object be there: it is
		// beyond the last cell.
		rec := storetest.Submit(t, st.Objects, object.Op{
			Do: object.Put, Key: object.FileKey("", p), Doc: storetest.FileDoc(p, "beyond"),
			Valid: object.Interval{From: cellTime(cells), To: object.Forever},
		})
		ids = append(ids, rec.Results[0].ID)
	}
	var times []object.Time
	for range n {
		clock.Time = clock.Time.Add(time.Duration(r.IntN(3)-1) * time.Second) // back at times
		i := r.IntN(objects)
		from := r.IntN(cells)
		to := 0
		if r.IntN(3) > 0 {
			to = from + 1 + r.IntN(cells-from)
		}
		valid := object.Interval{From: cellTime(from)}
		if to > 0 {
			valid.To = cellTime(to)
		}
		op := object.Op{Do: object.Put, ID: ids[i], Doc: storetest.FileDoc(fmt.Sprintf("/f%d", i), fmt.Sprint("content ", r.IntN(4))), Valid: valid}
		if r.IntN(5) == 0 {
			op.Do, op.Doc = object.Delete, nil
		}
		rec := storetest.Submit(t, st.Objects, op)
		if rec.At <= lastOf(times) {
			t.Fatalf("time %d after %d", rec.At, lastOf(times))
		}
		if !rec.Results[0].Changed {
			// Nothing was written: the model must agree that nothing changes.
			before := m.last()[ids[i]]
			m.write(rec.At, ids[i], from, to, rec.Results[0].Hashes.Object)
			if !slices.Equal(before, m.last()[ids[i]]) {
				t.Fatalf("%s from %d to %d was taken for no change", op.Do, from, to)
			}
			m.states = m.states[:len(m.states)-1]
			continue
		}
		times = append(times, rec.At)
		m.write(rec.At, ids[i], from, to, rec.Results[0].Hashes.Object)
	}
	for range 6000 {
		i, cell := r.IntN(objects), r.IntN(cells)
		at := object.At{Valid: cellTime(cell) + object.Time(r.IntN(1000)), Known: times[r.IntN(len(times))] + object.Time(r.IntN(2)-1)}
		if r.IntN(4) == 0 {
			at.Known = 0
		}
		compareAsOf(t, st, m, ids[i], cell, at)
	}
	compareHistory(t, st, m, ids)
	if found := verify(t, st); len(found) > 0 {
		t.Errorf("verify %s: %v", path, found)
	}
}

func lastOf(times []object.Time) object.Time {
	if len(times) == 0 {
		return 0
	}
	return times[len(times)-1]
}

func compareAsOf(t *testing.T, st *store.Store, m *model, id string, cell int, at object.At) {
	t.Helper()
	known := at.Known
	if known == 0 {
		known = object.Forever
	}
	want := m.asOf(id, cell, known)
	v, err := st.Objects.Get(t.Context(), id, at)
	switch {
	case want == object.Hash{} && !errors.Is(err, object.ErrNotYet):
		t.Fatalf("%s at %+v: %+v, %v; want not yet", id, at, v, err)
	case want != object.Hash{} && (err != nil || v.Hashes.Object != want):
		t.Fatalf("%s at %+v: %+v, %v; want %s", id, at, v, err, want)
	}
}

// compareHistory compares the whole of both histories: without corrections it tiles
// the time as the model's last state, and with them no two facts overlap.
func compareHistory(t *testing.T, st *store.Store, m *model, ids []string) {
	t.Helper()
	for _, id := range ids {
		now, err := st.Objects.History(t.Context(), id, false)
		if err != nil {
			t.Fatal(err)
		}
		for cell, want := range m.last()[id] {
			i := slices.IndexFunc(now, func(v object.Version) bool { return v.Valid.Contains(cellTime(cell)) })
			if i < 0 && want != (object.Hash{}) || i >= 0 && now[i].Hashes.Object != want {
				t.Fatalf("%s: history has %d in cell %d, want %s", id, i, cell, want)
			}
		}
		if !slices.IsSortedFunc(now, func(a, b object.Version) int { return cmp.Compare(a.Valid.From, b.Valid.From) }) {
			t.Errorf("%s: history is not in order", id)
		}
		all, err := st.Objects.History(t.Context(), id, true)
		if err != nil || len(all) <= len(now) {
			t.Fatalf("%s: %d facts with corrections, %d without: %v", id, len(all), len(now), err)
		}
		for i := range all {
			for j := range i {
				if all[i].Valid.Overlaps(all[j].Valid) && all[i].Known.Overlaps(all[j].Known) {
					t.Fatalf("%s: %+v and %+v overlap", id, all[i].Valid, all[j].Valid)
				}
			}
		}
	}
}
