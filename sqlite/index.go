package sqlite

import (
	"context"

	"github.com/jmoiron/sqlx"
)

// createIndex creates the full-text indexes of history. They are contentless: the text itself is
// compressed in the table content, and to delete a document takes its text. What they have of
// it is gone once they are merged, see sqlite/erase. Their rowids are the ids of texts, which are derived from
// times, so results come newest first without sorting.
//
// words_fts indexes words by their stems: prose is what was said, machine what is in calls and
// tool output, kind the role and the tool, so that a common word in results of a rare tool is
// found fast. grams_fts indexes the trigrams of all of it, for parts of words, languages without
// spaces, and regular expressions. It only narrows down the texts to read, so it stores no
// positions. grams lists the trigrams that there are.
//
// hashsize is how much index data of a transaction FTS5 collects in memory before it writes a
// segment. With the default of 1 MB, a bulk import spends a third of its time merging them.
const createIndex = `
CREATE VIRTUAL TABLE words_fts USING fts5(
  prose, machine, kind, content = '', tokenize = 'porter unicode61 remove_diacritics 2');
INSERT INTO words_fts (words_fts, rank) VALUES ('hashsize', 33554432);
INSERT INTO words_fts (words_fts, rank) VALUES ('automerge', 8);
INSERT INTO words_fts (words_fts, rank) VALUES ('crisismerge', 64);
CREATE VIRTUAL TABLE grams_fts USING fts5(
  text, content = '', detail = none, columnsize = 0, tokenize = 'trigram remove_diacritics 1');
INSERT INTO grams_fts (grams_fts, rank) VALUES ('hashsize', 33554432);
INSERT INTO grams_fts (grams_fts, rank) VALUES ('automerge', 8);
INSERT INTO grams_fts (grams_fts, rank) VALUES ('crisismerge', 64);
CREATE VIRTUAL TABLE grams USING fts5vocab(grams_fts, row);`

// dropIndex drops the indexes.
const dropIndex = `
DROP TABLE IF EXISTS grams;
DROP TABLE IF EXISTS words_fts;
DROP TABLE IF EXISTS grams_fts;`

// ResetIndexes replaces the full-text indexes by empty ones.
func ResetIndexes(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, dropIndex+createIndex)
	return err
}
