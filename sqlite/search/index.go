package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// insertWords puts a text into it.
const insertWords = `INSERT INTO words_fts (rowid, text, kind) VALUES (?, ?, ?)`

// kindText is what the index has of who said a text.
func kindText(role message.Role, tool string) string { return string(role) + " " + tool }

// Unindexed counts the texts that the full-text index lacks.
func (s *Store) Unindexed(ctx context.Context) (int, error) {
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(*) FROM unindexed`)
	return n, sqlite.Explain(err)
}

// catchUpBatch is how many texts are indexed in one transaction.
const catchUpBatch = 500

// CatchUp indexes what binaries without full-text search wrote, and returns how
// many texts that were. Without full-text search it does nothing.
func (s *Store) CatchUp(ctx context.Context) (int, error) {
	if !s.db.FullText() || s.db.Mode() != sqlite.Write {
		return 0, nil
	}
	total := 0
	for {
		n, err := s.catchUpSome(ctx)
		total += n
		if err != nil {
			return total, fmt.Errorf("index text: %w", err)
		}
		if n < catchUpBatch {
			return total, nil
		}
	}
}

func (s *Store) catchUpSome(ctx context.Context) (int, error) {
	var ids []int64
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		if err := tx.SelectContext(ctx, &ids, `SELECT content FROM unindexed ORDER BY content LIMIT ?`, catchUpBatch); err != nil {
			return err
		}
		var p message.Parser
		for _, id := range ids {
			if err := s.IndexOne(ctx, tx, &p, id); err != nil {
				return err
			}
		}
		return nil
	})
	return len(ids), err
}

// IndexOne indexes one text and takes it off the list.
func (s *Store) IndexOne(ctx context.Context, tx *sqlx.Conn, p *message.Parser, id int64) error {
	raw, err := s.texts.Get(ctx, tx, id)
	if err != nil {
		return err
	}
	e, err := p.ParseEntry(raw)
	if err == nil {
		if text := history.SearchText(&e, raw); text != "" {
			_, err = tx.ExecContext(ctx, insertWords, id, text, kindText(e.Message.Role, e.Message.ToolName))
			if err != nil {
				return err
			}
		}
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM unindexed WHERE content = ?`, id)
	return err
}

// ListAll lists all texts of entries as lacking in the indexes, which were made anew.
func ListAll(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO unindexed (content) SELECT DISTINCT content FROM messages`)
	return err
}

// NewText is a text that the index of words lacks, and the entry that has it.
type NewText struct {
	ID int64
	*history.Record
}

// AddWords puts new texts into the index of words, or on the list of those that it lacks
// when this binary has no full-text search. A bulk load leaves it to Derive or MergeLoaded
// to merge the segments of the index.
func (s *Store) AddWords(ctx context.Context, tx *sqlx.Conn, texts []NewText, bulk bool) error {
	if bulk && s.db.FullText() {
		return deferMerging(ctx, tx, func() error { return s.addWords(ctx, tx, texts) })
	}
	return s.addWords(ctx, tx, texts)
}

func (s *Store) addWords(ctx context.Context, tx *sqlx.Conn, texts []NewText) error {
	if len(texts) == 0 {
		return nil
	}
	query := `INSERT OR IGNORE INTO unindexed (content) VALUES (?)`
	if s.db.FullText() {
		query = insertWords
	}
	add, err := tx.PreparexContext(ctx, query)
	if err != nil {
		return err
	}
	defer add.Close()
	// A document that comes before the last one makes FTS5 write what it gathered.
	slices.SortFunc(texts, func(a, b NewText) int { return cmp.Compare(a.ID, b.ID) })
	for _, x := range texts {
		if s.db.FullText() {
			_, err = add.ExecContext(ctx, x.ID, x.Text, kindText(x.Role, x.Tool))
		} else {
			_, err = add.ExecContext(ctx, x.ID)
		}
		if err != nil {
			return fmt.Errorf("entry %s: %w", x.EntryID, err)
		}
	}
	return nil
}
