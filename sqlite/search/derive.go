package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/trigram"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// Sizes used when building the indexes of parts.
const (
	deriveBatch = 2048    // texts per transaction, for which other writers wait
	hookBatch   = 32      // the same in a hook, which the agent waits for
	blockTexts  = 32      // texts per block
	blockBytes  = 1 << 16 // bytes of text after which a block is full
)

// derived is the key in meta of the last entry in the indexes of parts.
const derived = "derived"

// Underived returns the number of entries that are not in the indexes of parts, 0 without
// full-text search.
func (s *Store) Underived(ctx context.Context) (int, error) {
	if !s.db.FullText() {
		return 0, nil
	}
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT (SELECT count(*) FROM messages WHERE id > `+derivedTo+`)
		+ (SELECT count(*) FROM underived)`)
	return n, sqlite.Explain(err)
}

// Unmerged reports whether the last Derive of s was stopped before it had merged the
// segments of all indexes. Every search has to look into each remaining segment.
func Unmerged(s *Store) bool { return s.unmerged }

// Behind estimates Underived with one step in an index, where Underived takes one per
// missing entry. It is wrong about entries that were purged and about replaced texts.
func (s *Store) Behind(ctx context.Context) (int, error) {
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT max(0, coalesce((SELECT max(id) FROM messages), 0) - `+derivedTo+`)`)
	return n, sqlite.Explain(err)
}

// derivedTo is the SQL expression for the last entry in the indexes of parts.
const derivedTo = `coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = '` + derived + `'), 0)`

// getter reads one row: the database or a transaction.
type getter interface {
	GetContext(ctx context.Context, to any, query string, args ...any) error
}

// derivedNow returns the last entry in the indexes of parts.
func derivedNow(ctx context.Context, q getter) (id int64, err error) {
	err = q.GetContext(ctx, &id, `SELECT `+derivedTo)
	return id, sqlite.Explain(err)
}

// Derive adds missing texts to the indexes of parts, in short transactions, and then merges
// the segments of the indexes. It stops when stop, which may be nil, returns true. It
// returns the number of texts it added. Without full-text search it does nothing.
func (s *Store) Derive(ctx context.Context, stop func() bool) (int, error) {
	if !s.db.FullText() || s.db.Mode() == sqlite.Read {
		return 0, nil
	}
	d := &deriver{store: s, batch: deriveBatch}
	if s.db.Mode() == sqlite.Hook {
		d.batch = hookBatch
	}
	total := 0
	s.unmerged = true
	for stop == nil || !stop() {
		n, more, err := d.some(ctx)
		total += n
		if err != nil {
			return total, fmt.Errorf("index parts of words: %w", err)
		}
		if !more {
			return total, s.merge(ctx, stop, "words_fts", "parts_fts", "grams_fts")
		}
	}
	return total, nil
}

// DeriveLoaded is Derive for what a bulk load has just stored after an entry. It uses the
// texts in fresh, which need not be read, unpacked and parsed again. If many were missing
// before, it leaves all of them to Derive, whose time is bounded. It does not merge
// segments.
func DeriveLoaded(ctx context.Context, s *Store, after int64, fresh []NewText) error {
	if !s.db.FullText() {
		return nil
	}
	d := &deriver{store: s, batch: deriveBatch, inHand: make(map[int64]string, len(fresh))}
	for _, x := range fresh {
		if !x.Known {
			d.inHand[x.ID] = x.Text
		}
	}
	from, err := derivedNow(ctx, s.db)
	for more := true; more && err == nil && after-from <= deriveBatch; {
		if _, more, err = d.some(ctx); err != nil {
			return fmt.Errorf("index parts of words: %w", err)
		}
	}
	return err
}

// DeriveLate is Derive for only the texts in s that replaced others.
func DeriveLate(ctx context.Context, s *Store) error {
	if !s.db.FullText() || s.db.Mode() == sqlite.Read {
		return nil
	}
	d := &deriver{store: s, batch: deriveBatch, late: true}
	for more := true; more; {
		var err error
		if _, more, err = d.some(ctx); err != nil {
			return fmt.Errorf("index parts of words: %w", err)
		}
	}
	return nil
}

// deriver builds the indexes of parts.
type deriver struct {
	store  *Store
	batch  int
	late   bool             // only replaced texts of entries that were indexed before
	inHand map[int64]string // searchable text by id, for texts in memory
	parser message.Parser
	parts  history.PartSet
	grams  trigram.Set
}

// dueEntry is an entry whose text may be missing in the indexes.
type dueEntry struct{ ID, Content int64 }

// derivedText is a text to add to the index of parts.
type derivedText struct {
	id    int64
	parts string
}

// derivedBlock is a document to add to the index of trigrams.
type derivedBlock struct {
	texts []byte
	grams string
}

// some adds one batch. It reads and splits texts before it takes the write lock, and does
// nothing if another process was faster.
func (d *deriver) some(ctx context.Context) (added int, more bool, err error) {
	from, err := derivedNow(ctx, d.store.db)
	if err != nil {
		return 0, false, err
	}
	late, rows, err := d.due(ctx, from)
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	texts, blocks, err := d.split(ctx, rows)
	if err != nil {
		return 0, false, err
	}
	err = d.store.db.Tx(ctx, func(tx *sqlx.Conn) error {
		if now, err := derivedNow(ctx, tx); err != nil || now != from {
			return err
		}
		if late {
			return d.writeLate(ctx, tx, rows, texts, blocks, &added)
		}
		added = len(texts)
		if err := d.write(ctx, tx, texts, blocks); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('`+derived+`', ?)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, rows[len(rows)-1].ID)
		return err
	})
	if errors.Is(err, errOvertaken) {
		added, err = 0, nil
	}
	return added, true, err
}

// due returns the next entries: late ones, of which only the text is new, or those after
// from.
func (d *deriver) due(ctx context.Context, from int64) (late bool, rows []dueEntry, err error) {
	err = d.store.db.SelectContext(ctx, &rows, `SELECT 0 AS id, content FROM underived ORDER BY content LIMIT ?`, d.batch)
	if err != nil || len(rows) > 0 || d.late {
		return true, rows, sqlite.Explain(err)
	}
	err = d.store.db.SelectContext(ctx, &rows, `SELECT id, content FROM messages WHERE id > ? ORDER BY id LIMIT ?`, from, d.batch)
	return false, rows, sqlite.Explain(err)
}

// dueQuery reads the texts of a list that the indexes of parts lack, in the order of the
// list. FTS5 keeps a docsize row for every document.
const dueQuery = `SELECT t.id, t.codec, t.data FROM json_each(?) j CROSS JOIN content t ON t.id = j.value
	WHERE NOT EXISTS (SELECT 1 FROM parts_fts_docsize p WHERE p.id = t.id)`

// splitTexts are texts that were split for the indexes of parts.
type splitTexts struct {
	deriver *deriver
	blocks  blocks
	texts   []derivedText
	seen    map[int64]bool
}

// add splits a text.
func (a *splitTexts) add(id int64, text string) {
	a.seen[id] = true
	a.texts = append(a.texts, derivedText{id, strings.Join(a.deriver.parts.Of(text), " ")})
	a.blocks.add(id, text)
}

// split finds the parts and trigrams in the texts of entries, those in memory first. It
// skips texts that are in the indexes already, such as those that a fork shares with its
// parent.
func (d *deriver) split(ctx context.Context, rows []dueEntry) ([]derivedText, []derivedBlock, error) {
	a := splitTexts{deriver: d, blocks: blocks{grams: &d.grams}, seen: make(map[int64]bool)}
	ids := make([]int64, 0, len(rows))
	for _, r := range rows {
		text, held := d.inHand[r.Content]
		if !held {
			ids = append(ids, r.Content)
			continue
		}
		a.add(r.Content, text)
		delete(d.inHand, r.Content) // so that another entry with this text skips it
	}
	if err := d.readDue(ctx, ids, &a); err != nil {
		return nil, nil, err
	}
	a.blocks.flush()
	return a.texts, a.blocks.full, nil
}

// readDue splits those of some texts that the indexes lack.
func (d *deriver) readDue(ctx context.Context, ids []int64, to *splitTexts) error {
	asked, err := json.Marshal(ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	found, err := d.store.db.QueryContext(ctx, dueQuery, string(asked))
	if err != nil {
		return sqlite.Explain(err)
	}
	defer found.Close()
	var raw []byte
	for found.Next() {
		var id int64
		var codec int
		var data sql.RawBytes
		if err := found.Scan(&id, &codec, &data); err != nil {
			return sqlite.Explain(err)
		}
		if to.seen[id] {
			continue
		}
		if raw, err = d.store.texts.Unpack(codec, data, raw); err != nil {
			return fmt.Errorf("read text %d: %w", id, err)
		}
		to.add(id, d.searchText(raw))
	}
	return sqlite.Explain(found.Err())
}

// blocks combines texts into documents of the index of trigrams.
type blocks struct {
	grams   *trigram.Set
	full    []derivedBlock
	texts   []byte // ids in the block being filled
	n, size int
}

// add adds a text, unless it is empty.
func (b *blocks) add(id int64, text string) {
	if text == "" {
		return
	}
	b.grams.Add(text)
	b.texts = binary.AppendVarint(b.texts, id)
	if b.n, b.size = b.n+1, b.size+len(text); b.n == blockTexts || b.size > blockBytes {
		b.flush()
	}
}

// flush completes a block.
func (b *blocks) flush() {
	if b.n > 0 {
		b.full = append(b.full, derivedBlock{b.texts, gramWords(b.grams.Grams())})
	}
	b.grams.Reset()
	b.texts, b.n, b.size = nil, 0, 0
}

// text returns the searchable text of a text, "" if it cannot be parsed.
func (d *deriver) text(ctx context.Context, id int64) (string, error) {
	raw, err := d.store.texts.Get(ctx, d.store.db, id)
	if sqlite.NoRows(err) { // purged meanwhile
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return d.searchText(raw), nil
}

// searchText returns the searchable text of a line.
func (d *deriver) searchText(raw []byte) string {
	e, err := d.parser.ParseEntry(raw)
	if err != nil {
		return ""
	}
	return history.SearchText(&e, raw)
}

// writeLate stores replaced texts, unless another process did.
func (d *deriver) writeLate(ctx context.Context, tx *sqlx.Conn, rows []dueEntry, texts []derivedText, blocks []derivedBlock, added *int) error {
	for _, r := range rows {
		res, err := tx.ExecContext(ctx, `DELETE FROM underived WHERE content = ?`, r.Content)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, errOvertaken)
		}
	}
	*added = len(texts)
	return d.write(ctx, tx, texts, blocks)
}

// errOvertaken rolls back a batch that another process has added meanwhile.
var errOvertaken = errors.New("another process was faster")

// write stores a batch.
func (d *deriver) write(ctx context.Context, tx *sqlx.Conn, texts []derivedText, blocks []derivedBlock) error {
	slices.SortFunc(texts, func(a, b derivedText) int { return cmp.Compare(a.id, b.id) })
	for _, t := range texts {
		if _, err := tx.ExecContext(ctx, `INSERT INTO parts_fts (rowid, parts) VALUES (?, ?)`, t.id, t.parts); err != nil {
			return err
		}
	}
	for _, b := range blocks {
		res, err := tx.ExecContext(ctx, `INSERT INTO blocks (texts) VALUES (?)`, b.texts)
		if err != nil {
			return err
		}
		id, err := res.LastInsertId()
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO grams_fts (rowid, grams) VALUES (?, ?)`, id, b.grams); err != nil {
			return err
		}
	}
	return nil
}

// gramWords formats trigrams as words of the index.
func gramWords(grams []trigram.Gram) string {
	b := make([]byte, 0, 5*len(grams))
	for i, g := range grams {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendGram(b, g)
	}
	return string(b)
}

// appendGram formats a trigram as four letters and digits.
func appendGram(b []byte, g trigram.Gram) []byte {
	const digits = "0123456789abcdefghijklmnopqrstuv"
	for shift := trigram.Bits - 5; shift >= 0; shift -= 5 {
		b = append(b, digits[g>>shift&31])
	}
	return b
}

// Missed counts the texts with searchable content that the index of words lacks. Most texts
// that it lacks have none.
func (s *Store) Missed(ctx context.Context) (int, error) {
	var ids []int64
	err := s.db.SelectContext(ctx, &ids, `SELECT id FROM content t WHERE NOT EXISTS (SELECT 1 FROM words_fts_docsize d WHERE d.id = t.id)
		AND NOT EXISTS (SELECT 1 FROM unindexed u WHERE u.content = t.id) AND EXISTS (SELECT 1 FROM messages m WHERE m.content = t.id)`)
	if err != nil {
		return 0, fmt.Errorf("examine history: %w", sqlite.Explain(err))
	}
	n := 0
	d := deriver{store: s}
	for _, id := range ids {
		text, err := d.text(ctx, id)
		if err != nil {
			return n, err
		}
		if text != "" {
			n++
		}
	}
	return n, nil
}
