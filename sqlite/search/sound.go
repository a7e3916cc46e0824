package search

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
)

// integrity checks, during a search, the data that the search relies on: a damaged index
// shortens results without an error.
type integrity struct{ db *sqlite.DB }

// lostSessions finds files and sessions by which a session cannot be found.
const lostSessions = `SELECT 1 FROM files f WHERE NOT EXISTS (SELECT 1 FROM conversations c WHERE c.id = f.conversation)
	UNION ALL SELECT 1 FROM conversations c NOT INDEXED
	WHERE NOT EXISTS (SELECT 1 FROM conversations d WHERE d.session_id = c.session_id AND +d.id = c.id)`

// sessions returns sqlite.ErrDamaged when sessions are missing.
func (s integrity) sessions(ctx context.Context) error {
	return searchError(s.db.Refute(ctx, "sessions are missing", lostSessions))
}

// lostTexts finds texts in an index that belong to an entry, although the entry, its
// session or the text cannot be found. A text without an entry may have been replaced; only
// for these all entries are read.
const lostTexts = `SELECT 1 FROM json_each(?) t WHERE NOT EXISTS (
	SELECT 1 FROM messages m INDEXED BY messages_content CROSS JOIN conversations c ON c.id = m.conversation
	CROSS JOIN content x ON x.id = m.content WHERE m.content = t.value)
	AND EXISTS (SELECT 1 FROM messages m NOT INDEXED WHERE m.content = t.value)`

// lostSizes finds texts of entries whose lengths are missing in the index of words.
const lostSizes = `SELECT 1 FROM json_each(?) t JOIN content x ON x.id = t.value
	WHERE EXISTS (SELECT 1 FROM messages m WHERE m.content = t.value)
	AND NOT EXISTS (SELECT 1 FROM words_fts_docsize d WHERE d.id = t.value) AND NOT EXISTS (SELECT 1 FROM unindexed u WHERE u.content = t.value)`

// maxChecked is how many texts are checked that a filter may have rejected.
const maxChecked = 256

// rest returns sqlite.ErrDamaged when texts of an index were not measured because something
// is missing, rather than because a filter rejected them.
func (s integrity) rest(ctx context.Context, ids []int64, measured []history.Candidate) error {
	if len(ids) == len(measured) {
		return nil
	}
	has := make(map[int64]bool, len(measured))
	for _, c := range measured {
		has[c.Text] = true
	}
	rest := slices.DeleteFunc(slices.Clone(ids), func(id int64) bool { return has[id] })
	// A filter may reject thousands, at 20 microseconds each, so only some are checked.
	rest = rest[:min(len(rest), maxChecked)]
	asked, err := json.Marshal(rest)
	if err == nil {
		err = searchError(s.db.Refute(ctx, "the index of words lacks texts that it has", lostSizes, string(asked)))
	}
	if err != nil {
		return err
	}
	return s.texts(ctx, rest)
}

// lostEntry finds an entry that is in the index of ids but not in the table, or the other
// way round.
const lostEntry = `SELECT 1 FROM messages m INDEXED BY sqlite_autoindex_messages_1 WHERE m.entry_id >= ?1 AND m.entry_id < ?2
	AND NOT EXISTS (SELECT 1 FROM messages x WHERE x.id = m.id AND +x.entry_id = m.entry_id)
	UNION ALL SELECT 1 FROM messages m NOT INDEXED WHERE m.entry_id >= ?1 AND m.entry_id < ?2
	AND NOT EXISTS (SELECT 1 FROM messages x INDEXED BY sqlite_autoindex_messages_1 WHERE x.entry_id = m.entry_id AND +x.id = m.id)`

// entry returns sqlite.ErrDamaged when entries whose ids have a prefix are missing.
func (s integrity) entry(ctx context.Context, prefix string) error {
	if err := s.sessions(ctx); err != nil {
		return err
	}
	return searchError(s.db.Refute(ctx, "entries are missing that the index has", lostEntry, prefix, prefix+"\U0010ffff"))
}

// texts returns sqlite.ErrDamaged when entries of some texts are missing.
func (s integrity) texts(ctx context.Context, ids []int64) error {
	if len(ids) == 0 {
		return nil
	}
	asked, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	return searchError(s.db.Refute(ctx, "entries are missing that the index has", lostTexts, string(asked)))
}

// matches is texts for the newest texts that match an FTS5 expression.
func (s integrity) matches(ctx context.Context, match string, at span, most int) error {
	var ids []int64
	err := s.db.SelectContext(ctx, &ids, `SELECT rowid FROM words_fts WHERE words_fts MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?`,
		match, at.Least, at.Most, most)
	if err != nil {
		return searchError(sqlite.Explain(err))
	}
	return s.texts(ctx, ids)
}

// lostLines finds entries without a text. It uses the index of texts, as a scan does.
const lostLines = `SELECT 1 FROM messages m INDEXED BY messages_content WHERE m.content >= ? AND m.content <= ?
	AND NOT EXISTS (SELECT 1 FROM content t WHERE t.id = m.content)`

// lostEntries finds entries that are missing in the index of texts.
const lostEntries = `SELECT 1 FROM messages m NOT INDEXED WHERE NOT EXISTS (
	SELECT 1 FROM messages x INDEXED BY messages_content WHERE x.content = m.content AND x.id = m.id)`

// checkAll returns sqlite.ErrDamaged when reading all texts of a range missed some. It
// checks all entries only after all texts were read.
func (c *scan) checkAll(ctx context.Context) error {
	err := c.store.db.Refute(ctx, "texts of entries are missing", lostLines, c.at.Least, c.at.Most)
	if err == nil && c.at == (span{math.MinInt64, math.MaxInt64}) && len(c.filter.Sessions) == 0 {
		err = c.store.db.Refute(ctx, "entries are missing that texts have", lostEntries)
	}
	return searchError(err)
}

// lostBlocks finds blocks that are in the index of trigrams but do not exist.
const lostBlocks = `SELECT 1 FROM json_each(?) t WHERE EXISTS (SELECT 1 FROM grams_fts_docsize d WHERE d.id = t.value)
	AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.id = t.value)`

// blocks returns sqlite.ErrDamaged when blocks are missing.
func (s integrity) blocks(ctx context.Context, blocks []any) error {
	asked, err := json.Marshal(blocks)
	if err != nil {
		return err
	}
	return searchError(s.db.Refute(ctx, "lists of texts are missing that the index has", lostBlocks, string(asked)))
}

// searchError wraps an error of a search.
func searchError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("search history: %w", err)
}
