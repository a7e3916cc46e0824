//go:build unix

package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/sqlite/store"
)

const table = "%-36s %9.2f %9.2f %9.2f"

// find searches for each needle three times. It counts the needles among the first 20
// results, and those visible in their snippet.
func (b *bench) find(ctx context.Context, st *store.Store) error {
	fmt.Printf("\n%-36s %9s %9s %9s   found   shown   step\n", "needle, in this process", "p50 ms", "p95 ms", "CPU ms")
	kinds := make(map[string][]corpus.Needle)
	for _, n := range b.needles {
		kinds[n.Kind] = append(kinds[n.Kind], n)
	}
	total := 0
	for _, kind := range corpus.Kinds() {
		found, shown, step := 0, 0, ""
		var took, used []time.Duration
		for _, n := range kinds[kind] {
			q := history.Query{Text: n.Query, Regex: n.Regex}
			for i := range 3 {
				start, before := time.Now(), cpu()
				res, err := history.Search(ctx, st.Search, q)
				if err != nil {
					return err
				}
				took, used = append(took, time.Since(start)), append(used, cpu()-before)
				if i == 0 {
					step = res.Step
					f, s := looked(res, n)
					found, shown = found+f, shown+s
				}
			}
		}
		total += found
		fmt.Printf(table+"   %3d/%-3d %3d/%-3d  %s\n", kind, ms(took, 50), ms(took, 95), ms(used, 50), found, len(kinds[kind]), shown, len(kinds[kind]), step)
	}
	fmt.Printf("recall@20: %.4f of %d needles\n", float64(total)/float64(max(1, len(b.needles))), len(b.needles))
	return nil
}

// looked reports whether a needle is among the results and whether its snippet shows it.
func looked(res history.Result, n corpus.Needle) (found, shown int) {
	for _, h := range res.Hits {
		if h.EntryID != n.Entry {
			continue
		}
		found = 1
		for _, s := range n.Shows {
			if strings.Contains(strings.ToLower(h.Snippet), strings.ToLower(s)) {
				shown = 1
			}
		}
	}
	return found, shown
}

// shape is a kind of query to be timed.
type shape struct {
	name string
	q    history.Query
}

// allShapes returns every shape; some ask about one session.
func allShapes(session string) []shape {
	one := history.Filter{Sessions: []string{session}}
	year := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC).UnixMilli()
	return []shape{
		{"a very common word", history.Query{Text: "the"}},
		{"a common word", history.Query{Text: "error"}},
		{"a common word, page 11", history.Query{Text: "error", Offset: 200}},
		{"two common words", history.Query{Text: "error return"}},
		{"three words, two common", history.Query{Text: "error return null"}},
		{"a phrase of common words", history.Query{Text: `"error return"`}},
		{"common words, one absent: any", history.Query{Text: "error return zzyzxabsent"}},
		{"a question of common words", history.Query{Text: "why does the file test return an error value here?"}},
		{"an absent word", history.Query{Text: "zzyzxabsent"}},
		{"a question of unknown words", history.Query{Text: "what caused the flaky migration of the billing service?"}},
		{"the beginning of many words", history.Query{Text: "stra", Filter: one}},
		{"a common word in one session", history.Query{Text: "error", Filter: one}},
		{"a common word of one tool", history.Query{Text: "error", Filter: history.Filter{Tool: "web_fetch"}}},
		{"a common word of no tool", history.Query{Text: "error", Filter: history.Filter{Tool: "nothing"}}},
		{"a common word before a day", history.Query{Text: "error", Filter: history.Filter{Before: year}}},
		{"part of many names", history.Query{Text: "rror"}},
		{"regex, common", history.Query{Text: `err[a-z]r`, Regex: true}},
		{"regex, literal, absent", history.Query{Text: `zzyzx[0-9]+absent`, Regex: true}},
		{"regex, alternatives, absent", history.Query{Text: `(zzyzx|qqxyqq)[0-9]+`, Regex: true}},
		{"regex, no literal, absent", history.Query{Text: `[!-/]{7}[0-9]`, Regex: true}},
	}
}

// selectShapes returns the shapes whose name contains only, and an error if there is none.
func selectShapes(session, only string) ([]shape, error) {
	var selected []shape
	var names []string
	for _, s := range allShapes(session) {
		names = append(names, s.name)
		if strings.Contains(s.name, only) {
			selected = append(selected, s)
		}
	}
	if len(selected) == 0 {
		return nil, fmt.Errorf("select shapes: no name contains %q\nhint: the names are: %s", only, strings.Join(names, "; "))
	}
	return selected, nil
}

// shapes times queries that do not aim at a single message.
func (b *bench) shapes(ctx context.Context, st *store.Store) error {
	rows, err := st.Entries.Sessions(ctx)
	if err != nil {
		return err
	}
	selected, err := selectShapes(rows[len(rows)/2].ID, b.only)
	if err != nil {
		return err
	}
	fmt.Printf("\n%-36s %9s %9s %9s   results read\n", "query, in this process", "p50 ms", "p95 ms", "CPU ms")
	for _, s := range selected {
		if err := b.shape(ctx, st, s); err != nil {
			return err
		}
	}
	fmt.Println()
	return nil
}

func (b *bench) shape(ctx context.Context, st *store.Store, s shape) error {
	var took, used []time.Duration
	var res history.Result
	begun := time.Now()
	for range b.rounds {
		start, before := time.Now(), cpu()
		q := s.q
		q.Stop = func() bool { return time.Since(start) > 5*time.Second }
		var err error
		if res, err = history.Search(ctx, st.Search, q); err != nil {
			return err
		}
		took, used = append(took, time.Since(start)), append(used, cpu()-before)
		if time.Since(begun) > 6*time.Second {
			break
		}
	}
	covered := ""
	if res.Stopped {
		covered = fmt.Sprintf(", stopped after %d of %d", res.Scanned, res.Of)
	}
	fmt.Printf(table+"   %7d %d%s\n", s.name, ms(took, 50), ms(took, 95), ms(used, 50), len(res.Hits), res.Scanned, covered)
	return nil
}
