package health

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
	"github.com/coctostan/pictx/sqlite/summaries"
)

// Checker checks one database.
type Checker struct {
	db        *sqlite.DB
	search    *search.Store
	summaries *summaries.Store
	reindex   func(context.Context) (int, error)
}

// New returns the checker of a database. reindex rebuilds all of its indexes, and
// returns how many texts it indexed.
func New(db *sqlite.DB, s *search.Store, sum *summaries.Store, reindex func(context.Context) (int, error)) *Checker {
	return &Checker{db: db, search: s, summaries: sum, reindex: reindex}
}

// TableSize is what a table and its indexes take in the file.
type TableSize struct {
	Name  string `json:"name"`
	Rows  int64  `json:"rows"`
	Bytes int64  `json:"bytes"` // 0 when the library cannot tell
}

// Report is what Check finds.
type Report struct {
	Schema    int
	Bytes     int64 // of the database and its WAL
	Tables    []TableSize
	Unindexed int // texts that the index of words lacks
	Underived int // entries that the indexes of parts of words lack
	HasIndex  bool
	// Problems are what SQLite's own check and ours found; empty is sound.
	Problems []string
}

// Check checks the store. quick leaves out the checks that read all of it.
func (c *Checker) Check(ctx context.Context, quick bool) (Report, error) {
	var h Report
	var err error
	if h.Schema, err = c.db.Version(ctx); err != nil {
		return h, err
	}
	h.Bytes = c.db.Size()
	if h.Tables, err = c.tables(ctx); err != nil {
		return h, err
	}
	if h.Unindexed, err = c.search.Unindexed(ctx); err != nil {
		return h, err
	}
	if h.Underived, err = c.search.Underived(ctx); err != nil {
		return h, err
	}
	if h.HasIndex, err = c.db.HasIndex(ctx); err != nil {
		return h, err
	}
	if !quick {
		h.Problems, err = c.db.Problems(ctx)
	}
	return h, err
}

// tables counts the rows of the tables that hold data.
func (c *Checker) tables(ctx context.Context) ([]TableSize, error) {
	var out []TableSize
	for _, name := range []string{"conversations", "files", "messages", "content"} {
		t := TableSize{Name: name}
		if err := c.db.GetContext(ctx, &t.Rows, `SELECT count(*) FROM `+name); err != nil {
			return nil, fmt.Errorf("count %s: %w", name, sqlite.Explain(err))
		}
		// dbstat is an option of the library; without it the size stays 0.
		_ = c.db.GetContext(ctx, &t.Bytes, `SELECT coalesce(sum(pgsize), 0) FROM dbstat
			WHERE aggregate = TRUE AND name IN (SELECT name FROM sqlite_master WHERE tbl_name = ?)`, name)
		out = append(out, t)
	}
	return out, nil
}
