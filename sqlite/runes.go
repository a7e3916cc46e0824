package sqlite

import (
	"context"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"
)

// runes knows what characters beyond ASCII are to the tokenizer of the index of
// words. It asks SQLite itself, once for each, and so there is no second table to keep
// like SQLite's.
type runes struct {
	mu    sync.RWMutex
	known map[rune]*runeClass
	db    *sqlx.DB
}

// runeClass is what a character is to the tokenizer.
type runeClass struct {
	begins, goesOn bool   // a word
	folded         string // as it is indexed
	odd            bool   // none of that is understood
}

// class returns what a character is.
func (r *runes) class(ctx context.Context, c rune) (*runeClass, error) {
	r.mu.RLock()
	known := r.known[c]
	r.mu.RUnlock()
	if known != nil {
		return known, nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.open(ctx); err != nil {
		return nil, explain(err)
	}
	class, err := r.ask(ctx, string(c))
	if err != nil {
		return nil, explain(err)
	}
	r.known[c] = class
	return class, nil
}

// open makes an index to ask, once.
func (r *runes) open(ctx context.Context) error {
	if r.db != nil {
		return nil
	}
	db, err := sqlx.Open("sqlite3", "file::memory:?_mutex=no&_journal_mode=OFF&_synchronous=OFF")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, createWords+`CREATE VIRTUAL TABLE said USING fts5vocab(words_fts, instance)`); err != nil {
		db.Close()
		return err
	}
	r.db, r.known = db, make(map[rune]*runeClass)
	return nil
}

// ask asks what a character is where a word could begin, and between two letters.
func (r *runes) ask(ctx context.Context, c string) (*runeClass, error) {
	if _, err := r.db.ExecContext(ctx, `INSERT INTO words_fts (rowid, text) VALUES (1, ?), (2, ?)`, c, "x"+c+"x"); err != nil {
		return nil, err
	}
	var alone, between []string
	err := r.db.SelectContext(ctx, &alone, `SELECT term FROM said WHERE doc = 1 ORDER BY "offset"`)
	if err == nil {
		err = r.db.SelectContext(ctx, &between, `SELECT term FROM said WHERE doc = 2 ORDER BY "offset"`)
	}
	if err == nil {
		_, err = r.db.ExecContext(ctx, `INSERT INTO words_fts (words_fts) VALUES ('delete-all')`)
	}
	if err != nil {
		return nil, err
	}
	return classOf(alone, between), nil
}

// classOf is what the words say of a character that it is.
func classOf(alone, between []string) *runeClass {
	c := &runeClass{begins: len(alone) > 0, goesOn: len(between) == 1}
	if c.goesOn {
		c.folded = strings.TrimSuffix(strings.TrimPrefix(between[0], "x"), "x")
		c.odd = len(c.folded)+2 != len(between[0])
	} else {
		c.odd = len(between) != 2 || c.begins
	}
	c.odd = c.odd || utf8.RuneCountInString(c.folded) > 1 || c.begins && (len(alone) != 1 || alone[0] != c.folded || c.folded == "")
	return c
}

func (r *runes) close() {
	if r.db != nil {
		_ = r.db.Close()
	}
}
