package sqlite

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// AutoMerge and crisisMerge are settings of FTS5. Once there are AutoMerge segments of one
// size, each transaction of a writer merges part of them into a larger one. With FTS5's
// default of 4, an import would rewrite its own index once more than necessary. Once there
// are crisisMerge segments of one size, the next writer merges them all at once, even in a
// hook. FTS5's default of 16 is exceeded by an import before it merges what it left.
const (
	AutoMerge   = "8"
	crisisMerge = "256"
)

// createIndex creates the full-text indexes. They are contentless: the text itself is
// compressed in the table content. Their rowids are the ids of texts, which are derived
// from times, so results come newest first without sorting.
//
// words_fts indexes whole words. kind is the role and the tool, so that a common word in
// results of a rare tool is found fast.
//
// parts_fts indexes parts of words, as history.PartSet returns them. grams_fts indexes
// character trigrams; its documents are blocks of several texts. Both only narrow down the
// texts to read, so they store no positions.
//
// hashsize is how much index data of a transaction FTS5 collects in memory before it writes
// a segment. With the default of 1 MB, a bulk import spends a third of its time merging
// small segments. automerge and crisismerge are AutoMerge and crisisMerge.
const createIndex = createWords + `
INSERT INTO words_fts (words_fts, rank) VALUES ('hashsize', 33554432);
INSERT INTO words_fts (words_fts, rank) VALUES ('automerge', ` + AutoMerge + `);
INSERT INTO words_fts (words_fts, rank) VALUES ('crisismerge', ` + crisisMerge + `);
CREATE VIRTUAL TABLE IF NOT EXISTS parts_fts USING fts5(
  parts, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
INSERT INTO parts_fts (parts_fts, rank) VALUES ('automerge', ` + AutoMerge + `);
CREATE VIRTUAL TABLE IF NOT EXISTS grams_fts USING fts5(
  grams, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
INSERT INTO grams_fts (grams_fts, rank) VALUES ('hashsize', 33554432);
INSERT INTO grams_fts (grams_fts, rank) VALUES ('automerge', ` + AutoMerge + `);` + createObjectIndex

// createWords creates the index of words only.
const createWords = `
CREATE VIRTUAL TABLE IF NOT EXISTS words_fts USING fts5(
  text, kind, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');`

// dropIndex drops the indexes.
const dropIndex = `
DROP TABLE IF EXISTS words_fts;
DROP TABLE IF EXISTS parts_fts;
DROP TABLE IF EXISTS grams_fts;
DROP TABLE IF EXISTS objects_fts;
DELETE FROM blocks;
DELETE FROM underived;
DELETE FROM meta WHERE key = 'derived';`

// HasIndex reports whether the store has a full-text index.
func (d *DB) HasIndex(ctx context.Context) (bool, error) {
	var n int
	err := d.GetContext(ctx, &n, `SELECT count(*) FROM sqlite_master WHERE name = 'words_fts'`)
	return n > 0, Explain(err)
}

// ensureIndex creates the index when the store lacks it: in a new store, or in one that
// only binaries without full-text search wrote.
func (d *DB) ensureIndex(ctx context.Context) error {
	var n int
	err := d.GetContext(ctx, &n, `SELECT count(*) FROM sqlite_master WHERE name IN ('words_fts', 'objects_fts')`)
	if err != nil || n == 2 {
		return Explain(err)
	}
	return d.Tx(ctx, func(tx *sqlx.Conn) error {
		_, err := tx.ExecContext(ctx, createIndex)
		return err
	})
}

// createObjectIndex creates the full-text index of the current contents of objects. Like
// the indexes of history it is contentless, and its rowids are the ids of texts. What
// consists of lines, as results and chats do, is in the index of history instead. It stores
// no positions: phrases are checked by reading the few texts with all of their words.
const createObjectIndex = `
CREATE VIRTUAL TABLE IF NOT EXISTS objects_fts USING fts5(
  text, content = '', contentless_delete = 1, detail = none, tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO objects_fts (objects_fts, rank) VALUES ('automerge', 8);`

// ResetIndexes replaces the full-text indexes by empty ones.
func ResetIndexes(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, dropIndex+createIndex)
	return err
}
