//go:build unix

package main

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	_ "github.com/mattn/go-sqlite3" // the rival is its FTS5

	"github.com/coctostan/pictx/core/history"
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
