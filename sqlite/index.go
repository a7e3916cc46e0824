package sqlite

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// AutoMerge and crisisMerge are settings of FTS5. AutoMerge is how many segments of one
// size a writer merges into the next, a part with each transaction: with its default of 4
// an import rewrites its own index once more than it needs to. Of crisisMerge segments of
// one size the next writer merges all in one step, even if it is a hook. Its default is 16,
// which an import exceeds before it merges what it left.
const (
	AutoMerge   = "8"
	crisisMerge = "256"
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
// AutoMerge and crisisMerge.
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

// createWords makes the index of words alone.
const createWords = `
CREATE VIRTUAL TABLE IF NOT EXISTS words_fts USING fts5(
  text, kind, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2');`

// dropIndex takes the indexes away.
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

// ensureIndex makes the index when the store lacks it, which is so in a new
// store and in one that only untagged binaries wrote.
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

// createObjectIndex makes the full-text index of the contents that are in force. Like
// those of history it is contentless, and its documents are numbered by the ids of
// texts. It keeps no places: most of what it has are whole conversations, in which the
// words of history are once more, and the few texts that have all words of a phrase are read.
const createObjectIndex = `
CREATE VIRTUAL TABLE IF NOT EXISTS objects_fts USING fts5(
  text, content = '', contentless_delete = 1, detail = none, tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO objects_fts (objects_fts, rank) VALUES ('automerge', 8);`

// ResetIndexes replaces the full-text indexes by empty ones.
func ResetIndexes(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, dropIndex+createIndex)
	return err
}
