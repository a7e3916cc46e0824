package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// Holds history 70.
func TestAStoreMadeAgainInAnotherOrderGivesTheSameResults(t *testing.T) {
	files := storetest.Sessions(t)
	extra := t.TempDir()
	h := corpus.History{CWD: "/w", Messages: 400, Sessions: 4, Size: 200, Needles: 1, Twins: 20, Seed: 7}
	must.Get(h.WriteFiles(extra))(t)
	more := must.Get(filepath.Glob(filepath.Join(extra, "*.jsonl")))(t)
	files = append(files, more...)
	want := ""
	for _, order := range []string{"forwards", "backwards"} {
		st := storetest.Open(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
		in := slices.Clone(files)
		if order == "backwards" {
			slices.Reverse(in)
		}
		for _, f := range in {
			storetest.Ingest(t, st, f)
		}
		got := storetest.Answers(t, st)
		if want == "" {
			want = got
		}
		must.Match(t, got, want, "%s", order)
	}
	if strings.Count(want, "\n  ") < 100 {
		t.Errorf("too little was found:\n%s", want)
	}
}

// Holds history 14.
func TestTenWritersAndAnIndexerNeverFindTheStoreLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	const writers, messages, rounds = 10, 30, 4
	ctx, stop := context.WithCancel(t.Context())
	errs := make(chan error, 2*writers)
	var writing, others sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			errs <- storetest.WriteOften(path, filepath.Join(t.TempDir(), fmt.Sprintf("s%d.jsonl", i)), i, messages, rounds)
		})
	}
	others.Go(func() {
		errs <- until(ctx, path, func(st *store.Store) error { return st.Search.Rebuild(ctx) })
	})
	others.Go(func() {
		errs <- until(ctx, path, func(st *store.Store) error {
			_, err := history.Search(context.Background(), st.Search, history.Query{Text: "the error"})
			return err
		})
	})
	writing.Wait()
	stop()
	others.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	st := storetest.Open(t, path, sqlite.Write)
	must.Equal(t, storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM messages`), writers*(messages+1), "rows")
	if found, err := st.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// until repeats something with its own connection until the context ends.
func until(ctx context.Context, path string, do func(*store.Store) error) error {
	st, err := store.Open(context.Background(), path, sqlite.Write, time.Now)
	if err != nil {
		return err
	}
	defer st.Close()
	for ctx.Err() == nil {
		if err := do(st); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}
