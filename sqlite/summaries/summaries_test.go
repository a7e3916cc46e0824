package summaries_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/sqlite/summaries"
)

// node is a summary to store.
func node(key string, sources ...string) *summary.Node {
	return &summary.Node{
		Key: key, Session: "s1", Kind: summary.Model, Hash: "h", First: sources[0], Last: sources[len(sources)-1],
		Entries: len(sources), From: 1, To: 2, Text: "text of " + key, Tokens: 3, Input: 40, Name: "a/b", Prompt: 1, Created: 5, Sources: sources,
	}
}

// open opens an empty store.
func open(t *testing.T) *summaries.Store {
	t.Helper()
	return storetest.Open(t, filepath.Join(t.TempDir(), "a.db"), sqlite.Write).Summaries
}

func TestASummaryIsReadAsItWasStored(t *testing.T) {
	st := open(t)
	l := must.Get(st.Lease(t.Context(), "s1", false))(t)
	leaf, other := node("s-aaaaaaaaaaaa", "e1", "e2"), node("s-aabbbbbbbbbb", "e3")
	top := node("s-cccccccccccc", leaf.Key, other.Key)
	top.Depth = 1
	for _, n := range []*summary.Node{leaf, other, top, leaf} {
		must.Do(t, st.PutSummary(t.Context(), l, n))
	}
	all, err := st.Summaries(t.Context(), "s1")
	if err != nil || fmt.Sprint(all) != fmt.Sprint([]summary.Node{*leaf, *other, *top}) {
		t.Errorf("%+v, %v", all, err)
	}
	if n, err := st.Summary(t.Context(), "s-aaa"); err != nil || n.Key != leaf.Key {
		t.Error(n, err)
	}
	var many *summary.AmbiguousError
	if _, err := st.Summary(t.Context(), "s-aa"); !errors.As(err, &many) || len(many.Keys) != 2 {
		t.Error(err)
	}
	if _, err := st.Summary(t.Context(), "s-ff"); !errors.Is(err, summary.ErrNotFound) {
		t.Error(err)
	}
	if up, err := st.SummaryParents(t.Context(), leaf.Key); err != nil || len(up) != 1 || up[0].Key != top.Key {
		t.Error(up, err)
	}
}

func TestASummaryThatWasTakenOverIsNotCountedAsWritten(t *testing.T) {
	st := open(t)
	l := must.Get(st.Lease(t.Context(), "s1", false))(t)
	own, given, adopted, extract := node("s-aaaaaaaaaaaa", "e1"), node("s-bbbbbbbbbbbb", "e2"), node("s-cccccccccccc", "e3"), node("s-dddddddddddd", "e4")
	given.Name, adopted.Hash, extract.Kind, extract.Name = summary.GivenName, "", summary.Extract, ""
	for _, n := range []*summary.Node{own, given, adopted, extract} {
		must.Do(t, st.PutSummary(t.Context(), l, n))
	}
	for session, want := range map[string]int{"": 1, "s1": 1, "s2": 0} {
		if all, err := st.SummariesAsked(t.Context(), session, 0); err != nil || len(all) != want || want > 0 && all[0].Key != own.Key {
			t.Errorf("%q: %+v, %v", session, all, err)
		}
	}
}

func TestTheSizeOfTheStoreLeavesOutItsLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	st := must.Get(store.Open(t.Context(), path, sqlite.Write, time.Now))(t)
	defer st.Close()
	for range 150 { // each writes pages to the log that the store has already
		l := must.Get(st.Summaries.Lease(t.Context(), "s1", true))(t)
		must.Do(t, st.Summaries.Renew(t.Context(), l))
	}
	log := must.Get(os.Stat(path + "-wal"))(t)
	if _, size, err := st.Summaries.SummaryStats(t.Context(), "s1"); err != nil || size == 0 || size >= log.Size() {
		t.Errorf("%d bytes, with a log of %d: %v", size, log.Size(), err)
	}
}

// Holds history 45.
func TestALeaseThatWasTakenFencesTheFormerHolder(t *testing.T) {
	now := time.Unix(1_795_000_000, 0)
	st := must.Get(store.Open(t.Context(), filepath.Join(t.TempDir(), "a.db"), sqlite.Write, func() time.Time { return now }))(t)
	defer st.Close()
	ctx := t.Context()
	first := must.Get(st.Summaries.Lease(ctx, "s1", false))(t)
	if _, err := st.Summaries.Lease(ctx, "s1", false); !errors.Is(err, summary.ErrLeased) {
		t.Errorf("a second holder: %v", err)
	}
	if _, err := st.Summaries.Lease(ctx, "s2", false); err != nil {
		t.Errorf("another session: %v", err)
	}
	now = now.Add(summary.LeaseTime * 3 / 4)
	must.Do(t, st.Summaries.Renew(ctx, first))
	now = now.Add(summary.LeaseTime * 3 / 4)
	if _, err := st.Summaries.Lease(ctx, "s1", false); !errors.Is(err, summary.ErrLeased) {
		t.Errorf("a lease that was renewed: %v", err)
	}
	now = now.Add(10 * time.Minute)
	if err := st.Summaries.PutSummary(ctx, first, node("s-aaaaaaaaaaaa", "e1")); err != nil {
		t.Errorf("one that ran out and was not taken: %v", err)
	}
	now = now.Add(10 * time.Minute)
	second, err := st.Summaries.Lease(ctx, "s1", false)
	if err != nil || second.Token <= first.Token {
		t.Fatal(second, err)
	}
	if err := st.Summaries.PutSummary(ctx, first, node("s-bbbbbbbbbbbb", "e2")); !errors.Is(err, summary.ErrFenced) {
		t.Errorf("the former holder writes: %v", err)
	}
	if err := st.Summaries.Renew(ctx, first); !errors.Is(err, summary.ErrFenced) {
		t.Errorf("the former holder renews: %v", err)
	}
	if err := st.Summaries.Release(ctx, first); err != nil {
		t.Error(err)
	}
	if err := st.Summaries.PutSummary(ctx, second, node("s-cccccccccccc", "e3")); err != nil {
		t.Errorf("the holder: %v", err)
	}
	third, err := st.Summaries.Lease(ctx, "s1", true)
	if err != nil || third.Token <= second.Token {
		t.Error(third, err)
	}
	if all, _ := st.Summaries.Summaries(ctx, "s1"); len(all) != 2 {
		t.Errorf("%d summaries, want those of holders", len(all))
	}
}

// Holds history 11.
func TestAForkFindsTheSummariesOfWhatItHas(t *testing.T) {
	st := storetest.Open(t, filepath.Join(t.TempDir(), "a.db"), sqlite.Write)
	storetest.Ingest(t, st, storetest.Recorded(t, "shop-main.jsonl"))
	storetest.Ingest(t, st, storetest.Recorded(t, "shop-fork.jsonl"))
	must.Do(t, compactAll(st.Summaries, storetest.Recorded(t, "shop-main.jsonl")))
	fork := must.Get(branchOf(storetest.Recorded(t, "shop-fork.jsonl")))(t)
	all := must.Get(st.Summaries.Summaries(t.Context(), fork.Session))(t)
	c := fork.Cover(all)
	if len(c.Leaves) == 0 || len(c.Gaps) == 0 {
		t.Errorf("%d leaves stand on the fork, %d gaps", len(c.Leaves), len(c.Gaps))
	}
	raw, err := st.Summaries.EntryLine(t.Context(), fork.Session, fork.Units[0].ID)
	if err != nil || len(raw) == 0 {
		t.Error(err)
	}
	if _, err := st.Summaries.EntryLine(t.Context(), fork.Session, "nothere"); !errors.Is(err, history.ErrNotFound) {
		t.Error(err)
	}
}

// Holds history 14, 45.
func TestOneOfManyCompactorsWorksAndWritersGoOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	file := storetest.Recorded(t, "shop-main.jsonl")
	storetest.Ingest(t, storetest.Open(t, path, sqlite.Write), file)
	var wg sync.WaitGroup
	var done, refused atomic.Int32
	with := func(do func(st *store.Store) error) {
		wg.Go(func() {
			st, err := store.Open(context.Background(), path, sqlite.Write, time.Now)
			if err == nil {
				err = errors.Join(do(st), st.Close())
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	for range 4 {
		with(func(st *store.Store) error {
			b, err := branchOf(file)
			if err != nil {
				return err
			}
			j, err := summary.NewJob(context.Background(), st.Summaries, b, compactOptions(), summary.Progress{})
			if errors.Is(err, summary.ErrLeased) {
				refused.Add(1)
				return nil
			}
			if err == nil {
				err = j.Run(context.Background(), scripted{}, 4, nil, func(summary.Progress) {})
			}
			done.Add(1) // the lease is kept: others are refused
			return err
		})
	}
	for _, f := range storetest.Sessions(t) {
		with(func(st *store.Store) error { storetest.Ingest(t, st, f); return nil })
	}
	wg.Wait()
	if done.Load() != 1 || refused.Load() != 3 {
		t.Errorf("%d compacted, %d were refused", done.Load(), refused.Load())
	}
}

// Holds history 14, 45.
func TestTenWritersAndCompactorsNeverFindTheStoreLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	const writers, messages, rounds, sessions, compactors = 10, 120, 40, 2, 3
	files := make([]string, sessions)
	for i := range files {
		files[i] = filepath.Join(t.TempDir(), "compacted.jsonl")
		var text strings.Builder
		must.Do(t, corpus.Write(&text, corpus.Session{ID: fmt.Sprint("c", i), CWD: "/w", Messages: 150, Size: 400, Seed: int64(100 + i)}))
		must.Do(t, os.WriteFile(files[i], []byte(text.String()), 0o600))
		storetest.Ingest(t, storetest.Open(t, path, sqlite.Write), files[i])
	}
	errs := make(chan error, writers+sessions*compactors)
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			errs <- storetest.WriteOften(path, filepath.Join(t.TempDir(), fmt.Sprintf("w%d.jsonl", i)), i, messages, rounds)
		})
	}
	for i := range sessions * compactors {
		wg.Go(func() { errs <- compactWhenFree(path, files[i%sessions]) })
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			t.Error(err)
		}
	}
	st := storetest.Open(t, path, sqlite.Write)
	want := int64(writers*(messages+1) + sessions*151)
	if n := storetest.Count(t, storetest.DB(t, path), `SELECT count(*) FROM messages`); int64(n) != want {
		t.Errorf("%d rows, want %d", n, want)
	}
	for i, f := range files {
		b := must.Get(branchOf(f))(t)
		nodes := must.Get(st.Summaries.Summaries(t.Context(), fmt.Sprint("c", i)))(t)
		c := b.Cover(nodes)
		if len(c.Gaps) > 0 || len(c.Leaves) < 4 || len(c.States) != len(nodes) {
			t.Errorf("session %d: %d leaves, gaps %v", i, len(c.Leaves), c.Gaps)
		}
		for key, state := range c.States {
			if state != summary.Current {
				t.Errorf("session %d: %s is %s: it was written twice", i, key, state)
			}
		}
	}
}

// compactWhenFree compacts a session with a connection of its own, again and again
// while somebody else has the lease. Only that may be refused.
func compactWhenFree(path, file string) error {
	ctx := context.Background()
	st, err := store.Open(ctx, path, sqlite.Write, time.Now)
	if err != nil {
		return err
	}
	defer st.Close()
	for {
		b, err := branchOf(file)
		if err != nil {
			return err
		}
		j, err := summary.NewJob(ctx, st.Summaries, b, compactOptions(), summary.Progress{})
		if errors.Is(err, summary.ErrLeased) {
			time.Sleep(5 * time.Millisecond)
			continue
		}
		if err != nil {
			return err
		}
		if err := j.Run(ctx, scripted{}, 4, nil, func(summary.Progress) {}); err != nil {
			return err
		}
		return j.Close(ctx)
	}
}

// compactAll summarises all of a session file.
func compactAll(st summary.Store, file string) error {
	b, err := branchOf(file)
	if err != nil {
		return err
	}
	o := compactOptions()
	o.Take = true
	j, err := summary.NewJob(context.Background(), st, b, o, summary.Progress{})
	if err != nil {
		return err
	}
	if err := j.Run(context.Background(), scripted{}, 1, nil, func(summary.Progress) {}); err != nil {
		return err
	}
	return j.Close(context.Background())
}

func compactOptions() summary.Options {
	return summary.Options{LeafTokens: 3000, Threshold: 3, MaxCalls: 1000, Models: []string{"a/b"}, Now: time.Now}
}

func branchOf(file string) (*summary.Branch, error) {
	s, err := pi.Open(file)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	lines := make(map[string][]byte)
	for i := range s.Tree.Nodes {
		raw, err := s.Line(&s.Tree.Nodes[i])
		if err != nil {
			return nil, err
		}
		lines[s.Tree.Nodes[i].ID] = append([]byte(nil), raw...)
	}
	return summary.ReadBranch(s.Tree, s.Tree.Leaf(), "", summary.Limits{Message: 3000}, func(n *message.Node) ([]byte, error) { return lines[n.ID], nil })
}

// scripted writes every summary.
type scripted struct{}

func (scripted) Summarize(_ context.Context, r summary.Request) (summary.Reply, error) {
	return summary.Reply{Text: "About " + r.ID + ".", Model: "a/b"}, nil
}
