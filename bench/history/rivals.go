//go:build unix

package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	_ "github.com/mattn/go-sqlite3" // for the rival's FTS5

	"github.com/coctostan/pictx/core/history"
)

// engines returns our own search and its rivals. For pi-lcm and lossless-claw it uses their
// FTS5 queries and an index built like theirs.
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
		{"words one by one, as with rg", l.filtered},
	}, nil
}

// rival is a plain FTS5 index of the documents.
type rival struct{ db *sql.DB }

// index builds an index with a tokenizer.
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

// ask returns a search of the index. match translates a question into FTS5's query syntax,
// order is the SQL order of the results.
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

// anyWord returns the simplest query: all words joined by OR.
func anyWord(query string) string {
	return `"` + strings.Join(history.Words(query), `" OR "`) + `"`
}

// allQuoted returns the query of pi-lcm and lossless-claw: each space-separated piece in quotes,
// all of them required.
func allQuoted(query string) string {
	var all []string
	for _, w := range strings.Fields(query) {
		all = append(all, `"`+strings.ReplaceAll(w, `"`, "")+`"`)
	}
	return strings.Join(all, " ")
}

// ids returns the ids of the first mostAsked documents.
func ids(list []document) []string {
	var out []string
	for _, d := range list[:min(len(list), mostAsked)] {
		out = append(out, d.id)
	}
	return out
}

// filtered simulates a person who filters lines by one word after another, longest first,
// and skips a word that would leave nothing.
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
