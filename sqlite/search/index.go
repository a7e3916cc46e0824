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

// Store searches the history of one database, and maintains the indexes for that.
type Store struct {
	db      *sqlite.DB
	parsers chan *lineParser // that are idle: to parse a line without what earlier lines left behind takes twice as long
}

// keptParsers is how many parsers are kept.
const keptParsers = 16

// New returns the search of a database.
func New(db *sqlite.DB) *Store { return &Store{db: db, parsers: make(chan *lineParser, keptParsers)} }

// lineParser is a parser with a buffer for the text of a line.
type lineParser struct {
	message.Parser
	text []byte
}

// keptText is the maximum size in bytes of a buffer that is kept for other lines.
const keptText = 1 << 20

// read calls fn with the entry in a stored line and its searchable text, unless the line
// cannot be parsed. Both are valid only during the call: the next line overwrites them.
func (s *Store) read(raw []byte, fn func(e *message.Entry, text []byte)) {
	var p *lineParser
	select {
	case p = <-s.parsers:
	default:
		p = &lineParser{}
	}
	if e, err := p.ParseEntry(raw); err == nil {
		p.text = history.AppendSearchText(p.text[:0], &e, raw)
		fn(&e, p.text)
	}
	if cap(p.text) > keptText {
		p.text = nil
	}
	select {
	case s.parsers <- p:
	default:
	}
}

// document is what the indexes have of a text. The indexes keep no copy of it: to remove a text
// takes making its document again.
type document struct {
	id             int64
	prose, machine string
	kind           string // role and tool
	text           string // prose and machine, and an end: two characters before it begin a trigram, too
}

func newDocument(id int64, role message.Role, tool, text string) document {
	d := document{id: id, text: text + "\n\n", kind: string(role) + " " + tool}
	d.prose, d.machine = history.Prose(role, text)
	return d
}

// documentOf returns the document of a stored text; ok is false when it has no searchable text.
func (s *Store) documentOf(ctx context.Context, q sqlx.QueryerContext, id int64) (d document, ok bool, err error) {
	raw, err := s.db.Text(ctx, q, id)
	if err != nil {
		return d, false, err
	}
	s.read(raw, func(e *message.Entry, text []byte) {
		d, ok = newDocument(id, e.Message.Role, e.Message.ToolName, string(text)), len(text) > 0
	})
	return d, ok, nil
}

// The statements that add a document to the indexes, and that remove it.
const (
	addWords    = `INSERT INTO words_fts (rowid, prose, machine, kind) VALUES (?, ?, ?, ?)`
	addGrams    = `INSERT INTO grams_fts (rowid, text) VALUES (?, ?)`
	removeWords = `INSERT INTO words_fts (words_fts, rowid, prose, machine, kind) VALUES ('delete', ?, ?, ?, ?)`
	removeGrams = `INSERT INTO grams_fts (grams_fts, rowid, text) VALUES ('delete', ?, ?)`
)

// putAll runs two statements for each of some documents.
func putAll(ctx context.Context, tx *sqlx.Conn, all []document, words, grams string) error {
	if len(all) == 0 {
		return nil
	}
	w, err := tx.PreparexContext(ctx, words)
	if err != nil {
		return err
	}
	defer w.Close()
	g, err := tx.PreparexContext(ctx, grams)
	if err != nil {
		return err
	}
	defer g.Close()
	// A document with a lower id than the previous one makes FTS5 flush what it has in memory.
	slices.SortFunc(all, func(a, b document) int { return cmp.Compare(a.id, b.id) })
	for _, d := range all {
		_, err := w.ExecContext(ctx, d.id, d.prose, d.machine, d.kind)
		if err == nil {
			_, err = g.ExecContext(ctx, d.id, d.text)
		}
		if err != nil {
			return fmt.Errorf("index text %d: %w", d.id, err)
		}
	}
	return nil
}

// NewText is a text that is not known to be in the indexes, with its entry.
type NewText struct {
	ID    int64
	Known bool // stored before, for an object or an entry that is gone
	*history.Record
}

// Add adds new texts to the indexes.
func (s *Store) Add(ctx context.Context, tx *sqlx.Conn, fresh []NewText) error {
	var all []document
	for _, x := range fresh {
		if x.Known {
			if has, err := indexed(ctx, tx, x.ID); err != nil {
				return err
			} else if has {
				continue
			}
		}
		all = append(all, newDocument(x.ID, x.Role, x.Tool, x.Text))
	}
	return putAll(ctx, tx, all, addWords, addGrams)
}

// indexed reports whether the indexes have a text: FTS5 keeps a row for each.
func indexed(ctx context.Context, tx *sqlx.Conn, id int64) (has bool, err error) {
	err = tx.GetContext(ctx, &has, `SELECT EXISTS (SELECT 1 FROM words_fts_docsize WHERE id = ?)`, id)
	return has, err
}

// IndexOne indexes one stored text.
func (s *Store) IndexOne(ctx context.Context, tx *sqlx.Conn, id int64) error {
	has, err := indexed(ctx, tx, id)
	if err != nil || has {
		return err
	}
	d, ok, err := s.documentOf(ctx, tx, id)
	if err == nil && ok {
		err = putAll(ctx, tx, []document{d}, addWords, addGrams)
	}
	return err
}

// Remove removes a text, which is still stored, from the indexes. What they had of it is left in
// the file until they are merged.
func (s *Store) Remove(ctx context.Context, tx *sqlx.Conn, id int64) error {
	if has, err := indexed(ctx, tx, id); !has || err != nil {
		return err
	}
	d, ok, err := s.documentOf(ctx, tx, id)
	if err != nil || !ok {
		return err
	}
	return putAll(ctx, tx, []document{d}, removeWords, removeGrams)
}

// Rebuild makes the indexes again from the stored texts, in one transaction.
func (s *Store) Rebuild(ctx context.Context) error {
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		var ids []int64
		err := sqlite.ResetIndexes(ctx, tx)
		if err == nil {
			err = tx.SelectContext(ctx, &ids, `SELECT DISTINCT content FROM messages ORDER BY content`)
		}
		for n := 0; err == nil && n < len(ids); n++ {
			err = s.IndexOne(ctx, tx, ids[n])
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("rebuild index: %w", err)
	}
	return nil
}

// Missed counts the texts with searchable content that the indexes lack. Most texts that they
// lack have none.
func (s *Store) Missed(ctx context.Context) (int, error) {
	var ids []int64
	err := s.db.SelectContext(ctx, &ids, `SELECT id FROM content t WHERE NOT EXISTS (SELECT 1 FROM words_fts_docsize d WHERE d.id = t.id)
		AND EXISTS (SELECT 1 FROM messages m WHERE m.content = t.id)`)
	if err != nil {
		return 0, fmt.Errorf("examine history: %w", sqlite.Explain(err))
	}
	n := 0
	for _, id := range ids {
		_, ok, err := s.documentOf(ctx, s.db, id)
		if err != nil {
			return n, err
		}
		if ok {
			n++
		}
	}
	return n, nil
}
