package sqlite

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/jmoiron/sqlx"
)

// createIndex makes the full-text indexes. They are contentless: the text itself is
// in the content table, compressed. Their documents are numbered by the ids of
// texts, which are times, so that the newest come first without sorting.
//
// words_fts is that of whole words. kind is the role and the tool, so that a
// common word of a rare tool is found as fast as any.
//
// parts_fts is that of parts of words: what history.PartSet finds in a text. It
// and grams_fts, that of character triples, whose documents are blocks of several
// texts, only say where to look: what they find is read. So they keep no places.
//
// hashsize is how much of a transaction's index FTS5 gathers in memory before it
// writes a segment; with its default of 1 MB a bulk import spends a third of its
// time merging small segments. automerge and crisismerge are
// autoMerge and crisisMerge.
const createIndex = createWords + `
INSERT INTO words_fts (words_fts, rank) VALUES ('hashsize', 33554432);
INSERT INTO words_fts (words_fts, rank) VALUES ('automerge', ` + autoMerge + `);
INSERT INTO words_fts (words_fts, rank) VALUES ('crisismerge', ` + crisisMerge + `);
CREATE VIRTUAL TABLE IF NOT EXISTS parts_fts USING fts5(
  parts, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
INSERT INTO parts_fts (parts_fts, rank) VALUES ('automerge', ` + autoMerge + `);
CREATE VIRTUAL TABLE IF NOT EXISTS grams_fts USING fts5(
  grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
INSERT INTO grams_fts (grams_fts, rank) VALUES ('hashsize', 33554432);
INSERT INTO grams_fts (grams_fts, rank) VALUES ('automerge', ` + autoMerge + `);` + createObjectIndex

// createWords makes the index of words alone.
const createWords = `
CREATE VIRTUAL TABLE IF NOT EXISTS words_fts USING fts5(
  text, kind, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');`

// insertWords puts a text into it.
const insertWords = `INSERT INTO words_fts (rowid, text, kind) VALUES (?, ?, ?)`

// dropIndex takes the indexes away, and that of the first schema.
const dropIndex = `
DROP TABLE IF EXISTS messages_fts;
DROP TABLE IF EXISTS words_fts;
DROP TABLE IF EXISTS parts_fts;
DROP TABLE IF EXISTS grams_fts;
DROP TABLE IF EXISTS objects_fts;
DELETE FROM blocks;
DELETE FROM underived;
DELETE FROM meta WHERE key = 'derived';`

// HasIndex reports whether the store has a full-text index.
func (s *Store) HasIndex(ctx context.Context) (bool, error) {
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(*) FROM sqlite_master WHERE name = 'words_fts'`)
	return n > 0, explain(err)
}

// ensureIndex makes the index when the store lacks it, which is so in a new
// store and in one that only untagged binaries wrote.
func (s *Store) ensureIndex(ctx context.Context) error {
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(*) FROM sqlite_master WHERE name IN ('words_fts', 'objects_fts')`)
	if err != nil || n == 2 {
		return explain(err)
	}
	return s.tx(ctx, func(tx *sqlx.Conn) error {
		_, err := tx.ExecContext(ctx, `DROP TABLE IF EXISTS messages_fts;`+createIndex)
		return err
	})
}

// kindText is what the index has of who said a text.
func kindText(role message.Role, tool string) string { return string(role) + " " + tool }

// Unindexed counts the texts that the full-text index lacks.
func (s *Store) Unindexed(ctx context.Context) (int, error) {
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(*) FROM unindexed`)
	return n, explain(err)
}

// catchUpBatch is how many texts are indexed in one transaction.
const catchUpBatch = 500

// CatchUp indexes what binaries without full-text search wrote, and returns how
// many texts that were; and the contents of objects, which hooks leave. Without full-text search it does nothing.
func (s *Store) CatchUp(ctx context.Context) (int, error) {
	if !s.fts || s.mode != Write {
		return 0, nil
	}
	total, err := s.CatchUpObjects(ctx)
	if err != nil {
		return total, err
	}
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
	err := s.tx(ctx, func(tx *sqlx.Conn) error {
		if err := tx.SelectContext(ctx, &ids, `SELECT content FROM unindexed ORDER BY content LIMIT ?`, catchUpBatch); err != nil {
			return err
		}
		var p message.Parser
		for _, id := range ids {
			if err := s.indexOne(ctx, tx, &p, id); err != nil {
				return err
			}
		}
		return nil
	})
	return len(ids), err
}

// indexOne indexes one text and takes it off the list.
func (s *Store) indexOne(ctx context.Context, tx *sqlx.Conn, p *message.Parser, id int64) error {
	raw, err := s.contentByID(ctx, tx, id)
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

// Reindex makes the full-text index anew from the stored text.
func (s *Store) Reindex(ctx context.Context) (int, error) {
	if !s.fts {
		return 0, nil
	}
	err := s.tx(ctx, func(tx *sqlx.Conn) error {
		_, err := tx.ExecContext(ctx, dropIndex+createIndex+`
			INSERT OR IGNORE INTO unindexed (content)
			SELECT DISTINCT content FROM messages;
			INSERT OR IGNORE INTO object_unindexed (content)
			SELECT DISTINCT content FROM object_versions WHERE content IS NOT NULL`)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("rebuild index: %w", err)
	}
	return s.CatchUp(ctx)
}

// getter is what reading a row needs: the database or a transaction.
type getter interface {
	QueryRowxContext(ctx context.Context, query string, args ...any) *sqlx.Row
}

// contentByID returns a text of the content table.
func (s *Store) contentByID(ctx context.Context, q getter, id int64) ([]byte, error) {
	var kind, size int
	var data []byte
	if err := q.QueryRowxContext(ctx, `SELECT codec, size, data FROM content WHERE id = ?`, id).Scan(&kind, &size, &data); err != nil {
		return nil, explain(err)
	}
	if kind == codecDelta {
		return s.fromDelta(ctx, q, id)
	}
	return s.codec.unpack(kind, data, make([]byte, 0, min(size, maxContent)))
}
