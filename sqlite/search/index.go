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
	"github.com/coctostan/pictx/sqlite/texts"
)

// insertWords adds a text to the index of words.
const insertWords = `INSERT INTO words_fts (rowid, text, kind) VALUES (?, ?, ?)`

// kindText is the role and tool of a text in the form of the index.
func kindText(role message.Role, tool string) string { return string(role) + " " + tool }

// Unindexed returns the number of texts that are not in the index of words.
func (s *Store) Unindexed(ctx context.Context) (int, error) {
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(*) FROM unindexed`)
	return n, sqlite.Explain(err)
}

// catchUpBatch is how many texts are indexed per transaction.
const catchUpBatch = 500

// CatchUp indexes what binaries without full-text search wrote, and returns the number of
// texts. Without full-text search it does nothing.
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

// IndexOne indexes one text and removes it from the list of unindexed ones.
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

// ListAll lists all texts of entries as unindexed, after the indexes were emptied.
func ListAll(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO unindexed (content) SELECT DISTINCT content FROM messages`)
	return err
}

// NewText is a text that is not in the index of words yet, with its entry.
type NewText struct {
	ID    int64
	Known bool // stored before, for an object or an entry that is gone
	*history.Record
}

// AddWords adds new texts to the index of words, or lists them as unindexed if this binary
// has no full-text search. With bulk, merging segments is left to Derive or MergeLoaded.
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
	// A document with a lower id than the previous one makes FTS5 flush what it has in memory.
	slices.SortFunc(texts, func(a, b NewText) int { return cmp.Compare(a.ID, b.ID) })
	for _, x := range texts {
		if s.db.FullText() {
			if x.Known {
				if _, err := tx.ExecContext(ctx, `DELETE FROM words_fts WHERE rowid = ?`, x.ID); err != nil {
					return err
				}
			}
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

// Store searches the history of one database, and maintains the indexes for that.
type Store struct {
	db    *sqlite.DB
	texts *texts.Store
	words wordList

	unmerged bool // the last Derive was stopped before it had merged all segments
}

// New returns the search of a database.
func New(db *sqlite.DB, t *texts.Store) *Store { return &Store{db: db, texts: t} }

// FullText implements history.SearchStore.
func (s *Store) FullText() bool { return s.db.FullText() }
