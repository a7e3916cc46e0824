//go:build unix

package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the rival is its FTS5

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
)

// engines are ours and what they are compared with. pi-lcm and lossless-claw are there
// with what they ask FTS5, of an index made as they make theirs.
func (l *library) engines(ctx context.Context) ([]engine, error) {
	plain, err := l.index(ctx, "unicode61")
	if err != nil {
		return nil, err
	}
	stems, err := l.index(ctx, "porter unicode61")
	if err != nil {
		return nil, err
	}
	return []engine{
		{"pictx grep", l.grep},
		{"lcm_grep", l.lcmGrep},
		{"plain BM25-OR", plain.ask(anyWord, "bm25(d)")},
		{"the query of pi-lcm", plain.ask(allQuoted, "time DESC")},
		{"the query of lossless-claw", stems.ask(allQuoted, "time DESC")},
		{"the same by its relevance", stems.ask(allQuoted, "bm25(d), time DESC")},
		{"the ladder before", l.ladder},
		{"words one by one, as with rg", l.filtered},
	}, nil
}

// rival is an index of the documents by FTS5 alone.
type rival struct{ db *sql.DB }

// index makes an index with a tokenizer.
func (l *library) index(ctx context.Context, tokenizer string) (rival, error) {
	db, err := sql.Open("sqlite3", ":memory:")
	if err != nil {
		return rival{}, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, `CREATE VIRTUAL TABLE d USING fts5(id UNINDEXED, session UNINDEXED, time UNINDEXED, text, tokenize = '`+tokenizer+`')`); err != nil {
		return rival{}, fmt.Errorf("make the plain index: %w", err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return rival{}, err
	}
	for _, d := range l.documents {
		if _, err := tx.ExecContext(ctx, `INSERT INTO d VALUES (?, ?, ?, ?)`, d.id, d.session, d.time, d.text); err != nil {
			return rival{}, err
		}
	}
	return rival{db}, tx.Commit()
}

// ask is a way to ask the index: what a question becomes in FTS5's language, and the order
// of what it finds.
func (r rival) ask(match func(string) string, order string) func(context.Context, string, string) ([]string, error) {
	return func(ctx context.Context, query, session string) ([]string, error) {
		rows, err := r.db.QueryContext(ctx, `SELECT id FROM d WHERE d MATCH ? AND (? = '' OR session = ?) ORDER BY `+order+` LIMIT ?`,
			`{text} : (`+match(query)+`)`, session, session, mostAsked)
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
	}
}

// anyWord is the plainest there is: all words joined by OR.
func anyWord(query string) string {
	return `"` + strings.Join(history.Words(query), `" OR "`) + `"`
}

// allQuoted is what pi-lcm and lossless-claw make of a question: each piece between blanks
// in quotes, and all of them are wanted.
func allQuoted(query string) string {
	var all []string
	for _, w := range strings.Fields(query) {
		all = append(all, `"`+strings.ReplaceAll(w, `"`, "")+`"`)
	}
	return strings.Join(all, " ")
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
