package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/sqlite"
)

// answers are the results of many kinds of queries, in full.
func answers(t *testing.T, st *sqlite.Store) string {
	t.Helper()
	var b strings.Builder
	for _, q := range []history.Query{
		{Text: "checkout", Limit: 500},
		{Text: "the", Limit: 30, Offset: 40},
		{Text: "idempotency key"},
		{Text: "what did we decide about the rounding of discounts and why?"},
		{Text: "error test total", Order: history.Relevance},
		{Text: "heckou"},
		{Text: "ProductLine"},
		{Text: `npm (test|run)`, Regex: true, Limit: 100},
		{Text: "test", Filter: history.Filter{Roles: []string{"toolResult"}, Tool: "bash"}},
		{Text: "nothing holds this zzyzx order"},
	} {
		res, err := history.Search(t.Context(), st, q)
		if err != nil {
			t.Fatalf("%q: %v", q.Text, err)
		}
		fmt.Fprintf(&b, "%q by %s, more %v\n", q.Text, res.Step, res.More)
		for _, h := range res.Hits {
			fmt.Fprintf(&b, "  %s %s %d %d %q\n", h.Session, h.EntryID, h.Time, h.Copies, h.Snippet)
		}
	}
	return b.String()
}

// Holds history 70.
func TestAStoreMadeAgainInAnotherOrderGivesTheSameResults(t *testing.T) {
	files := recordedSessions(t)
	extra := t.TempDir()
	h := corpus.History{CWD: "/w", Messages: 400, Sessions: 4, Size: 200, Needles: 1, Twins: 20, Seed: 7}
	if _, err := h.WriteFiles(extra); err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob(filepath.Join(extra, "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, more...)
	want := ""
	for _, order := range []string{"forwards", "backwards", "by turns"} {
		st := openStore(t, filepath.Join(t.TempDir(), "x.db"), sqlite.Write)
		in := slices.Clone(files)
		switch order {
		case "backwards":
			slices.Reverse(in)
		case "by turns":
			in = append(slices.Clone(in[len(in)/2:]), in[:len(in)/2]...)
		}
		for i, f := range in {
			ingest(t, st, f)
			if i == len(in)/2 && order != "forwards" {
				if _, err := st.Derive(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := st.Derive(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		got := answers(t, st)
		if want == "" {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", order, diff)
		}
	}
	if strings.Count(want, "\n  ") < 100 {
		t.Errorf("too little was found:\n%s", want)
	}
}

// Holds history 14.
func TestTenWritersAndAnIndexerShowNobodyALockedStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	const writers, messages, rounds = 10, 30, 4
	ctx, stop := context.WithCancel(t.Context())
	errs := make(chan error, 2*writers)
	var writing, others sync.WaitGroup
	for i := range writers {
		writing.Go(func() {
			errs <- writeOften(path, filepath.Join(t.TempDir(), fmt.Sprintf("s%d.jsonl", i)), i, messages, rounds)
		})
	}
	others.Go(func() {
		errs <- until(ctx, path, func(st *sqlite.Store) error { _, err := st.Derive(ctx, nil); return err })
	})
	others.Go(func() {
		errs <- until(ctx, path, func(st *sqlite.Store) error {
			_, err := history.Search(context.Background(), st, history.Query{Text: "the error"})
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
	st := openStore(t, path, sqlite.Write)
	if _, err := st.Derive(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n := number(t, rawDB(t, path), `SELECT count(*) FROM messages`); n != writers*(messages+1) {
		t.Errorf("%d rows, want %d", n, writers*(messages+1))
	}
	if found, err := st.Examine(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// writeOften stores a session that grows, as an agent's does.
func writeOften(path, file string, seed, messages, rounds int) error {
	var whole strings.Builder
	if err := corpus.Write(&whole, corpus.Session{ID: fmt.Sprint("w", seed), CWD: "/w", Messages: messages, Size: 300, Seed: int64(seed)}); err != nil {
		return err
	}
	lines := strings.SplitAfter(whole.String(), "\n")
	st, err := sqlite.Open(context.Background(), path, sqlite.Write, time.Now)
	if err != nil {
		return err
	}
	defer st.Close()
	for r := 1; r <= rounds; r++ {
		if err := os.WriteFile(file, []byte(strings.Join(lines[:len(lines)*r/rounds], "")), 0o600); err != nil {
			return err
		}
		if _, err := history.Ingest(context.Background(), st, pi.File{Path: file}, history.Options{Small: true}); err != nil {
			return err
		}
	}
	return nil
}

// until does something again and again with a connection of its own.
func until(ctx context.Context, path string, do func(*sqlite.Store) error) error {
	st, err := sqlite.Open(context.Background(), path, sqlite.Write, time.Now)
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
