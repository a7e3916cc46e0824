//go:build unix

package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"os/exec"
	"slices"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the rival is its FTS5

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
)

// engines are ours and what they are compared with.
func (l *library) engines(ctx context.Context) ([]engine, error) {
	bm25, err := l.bm25(ctx)
	if err != nil {
		return nil, err
	}
	words := "word filters, as with a scan"
	if _, err := exec.LookPath("rg"); err == nil {
		words = "word filters, as with ripgrep"
	}
	return []engine{
		{"pictx grep", l.grep}, {"lcm_grep", l.lcmGrep}, {"plain BM25-OR", bm25}, {"the ladder before", l.ladder}, {words, l.filtered},
	}, nil
}

// bm25 is the plainest ranking there is: FTS5 with all words joined by OR.
func (l *library) bm25(ctx context.Context) (func(context.Context, string, string) ([]string, error), error) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `CREATE VIRTUAL TABLE d USING fts5(id UNINDEXED, session UNINDEXED, text)`); err != nil {
		return nil, fmt.Errorf("make the plain index: %w", err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	for _, d := range l.documents {
		if _, err := tx.ExecContext(ctx, `INSERT INTO d VALUES (?, ?, ?)`, d.id, d.session, d.text); err != nil {
			return nil, err
		}
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	return func(ctx context.Context, query, session string) ([]string, error) {
		rows, err := db.QueryContext(ctx, `SELECT id FROM d WHERE d MATCH ? AND (? = '' OR session = ?) ORDER BY bm25(d) LIMIT ?`,
			`{text} : ("`+strings.Join(history.Words(query), `" OR "`)+`")`, session, session, mostAsked)
		if err != nil {
			return nil, err
		}
		defer rows.Close()
		var ids []string
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		return ids, rows.Err()
	}, nil
}

// ladder is a model of how pictx answered before it ranked: the newest texts with all
// words, or with all beginnings of words, or else those whose words weigh the most.
func (l *library) ladder(_ context.Context, query, session string) ([]string, error) {
	words := history.Words(query)
	stems := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return len(w) < 4 })
	for _, step := range []struct {
		words  []string
		prefix bool
	}{{words, false}, {words, true}, {stems, true}} {
		if ids := l.newestWith(session, step.words, step.prefix); len(ids) > 0 {
			return ids, nil
		}
	}
	for i, w := range stems {
		stems[i] = text.StemPrefix(w)
	}
	return l.heaviest(session, stems), nil
}

// heaviest lists the documents whose words are the rarest together, the newest first of
// those with the same.
func (l *library) heaviest(session string, stems []string) []string {
	weight := make([]float64, len(stems))
	for i := range stems {
		with := 0
		for _, d := range l.documents {
			with += d.holds(stems[i:i+1], true)
		}
		weight[i] = math.Log1p(float64(len(l.documents)) / float64(with+1))
	}
	score := make(map[string]float64)
	var out []document
	for _, d := range l.documents {
		for i := range stems {
			score[d.id] += weight[i] * float64(d.holds(stems[i:i+1], true))
		}
		if (session == "" || d.session == session) && score[d.id] > 0 {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b document) int {
		return cmp.Or(cmp.Compare(score[b.id], score[a.id]), cmp.Compare(b.time, a.time))
	})
	return ids(out)
}

// newestWith lists the newest documents that hold all of some words, or words that begin
// so.
func (l *library) newestWith(session string, words []string, prefix bool) []string {
	var out []document
	for _, d := range l.documents {
		if (session == "" || d.session == session) && d.holds(words, prefix) == len(words) {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b document) int { return cmp.Compare(b.time, a.time) })
	return ids(out)
}

// holds counts the words that a document has, or has words that begin so.
func (d *document) holds(words []string, prefix bool) (n int) {
	for _, w := range words {
		at, found := slices.BinarySearch(d.words, w)
		if found || prefix && at < len(d.words) && strings.HasPrefix(d.words[at], w) {
			n++
		}
	}
	return n
}

// ids are those of the documents that count.
func ids(list []document) []string {
	var out []string
	for _, d := range list[:min(len(list), mostAsked)] {
		out = append(out, d.id)
	}
	return out
}

// filtered is what somebody finds who filters lines by one word after another, the
// longest first, and leaves out a word after which nothing would be left.
func (l *library) filtered(_ context.Context, query, session string) ([]string, error) {
	words := history.Words(query)
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	left := slices.DeleteFunc(slices.Clone(l.documents), func(d document) bool { return session != "" && d.session != session })
	for _, w := range words {
		with := slices.DeleteFunc(slices.Clone(left), func(d document) bool { return !strings.Contains(strings.ToLower(d.text), w) })
		if len(with) > 0 {
			left = with
		}
	}
	return ids(left), nil
}
