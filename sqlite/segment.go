package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// segmentMaker makes segments of the index of words in a database in memory, where
// nobody waits for it: an import has several. FTS5 keeps a segment as pages and a
// list of what they begin with, which are the same in any database but for the number
// of the segment.
type segmentMaker struct{ db *sqlx.DB }

func newSegmentMaker(ctx context.Context) (*segmentMaker, error) {
	db, err := sqlx.Open("sqlite3", "file::memory:?_mutex=no&_journal_mode=OFF&_synchronous=OFF&_cache_size=-1000")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	// One transaction is one segment, however much it is.
	_, err = db.ExecContext(ctx, createWords+`INSERT INTO words_fts (words_fts, rank) VALUES ('hashsize', 1000000000)`)
	if err != nil {
		db.Close()
		return nil, explain(err)
	}
	return &segmentMaker{db}, nil
}

func (m *segmentMaker) close() error { return m.db.Close() }

// madeSegment is a segment of the index of words that is in none yet.
type madeSegment struct {
	pages  []segmentPage
	starts []pageStart
	sizes  [][]byte // of the documents, in words
	totals []uint64 // of all documents
}

// segmentPage is a page with its number, in which that of the segment is.
type segmentPage struct {
	ID    int64
	Block []byte
}

// pageStart says with what word a page begins. Its number is the page's, and whether
// there is a list of documents beside it.
type pageStart struct {
	Term []byte
	Page int64 `db:"pgno"`
}

// make makes a segment of texts, in the order of their ids.
func (m *segmentMaker) make(ctx context.Context, texts []indexed) (*madeSegment, error) {
	err := rawTx(ctx, m.db, func(ctx context.Context, tx *sqlx.Tx, c *sqlite3.SQLiteConn) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO words_fts (words_fts) VALUES ('delete-all')`); err != nil {
			return err
		}
		insert, err := prepare(c, insertWords)
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, x := range texts {
			if _, _, err := insert.exec(ctx, x.id, x.Text, kindText(x.Role, x.Tool)); err != nil {
				return fmt.Errorf("entry %s: %w", x.EntryID, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	made := &madeSegment{}
	var totals []byte
	for _, err := range []error{
		m.db.SelectContext(ctx, &made.pages, `SELECT id, block FROM words_fts_data WHERE id > 10 ORDER BY id`),
		m.db.SelectContext(ctx, &made.starts, `SELECT term, pgno FROM words_fts_idx ORDER BY segid, term`),
		m.db.SelectContext(ctx, &made.sizes, `SELECT sz FROM words_fts_docsize ORDER BY id`),
		m.db.GetContext(ctx, &totals, `SELECT block FROM words_fts_data WHERE id = 1`),
	} {
		if err != nil {
			return nil, explain(err)
		}
	}
	for len(totals) > 0 {
		made.totals = append(made.totals, number(&totals))
	}
	if len(made.sizes) != len(texts) || len(made.totals) == 0 {
		return nil, fmt.Errorf("%d texts became %d: %w", len(texts), len(made.sizes), ErrDamaged)
	}
	return made, nil
}

// Where FTS5 has what in the number of a page: the segment's above, then whether the
// page is of a list of documents beside the others, or holds words.
const (
	segmentBits = 37
	listBit     = 1 << 36
)

// crowd is how many segments of the first size an import leaves unmerged. Of twice as
// many FTS5 would merge them all in one step, whoever writes next, and be it a hook.
const crowd = 8

// errLeft says that texts were left on the list of those that the index lacks.
var errLeft = errors.New("another process was faster")

// addTo adds the segment to the index of a store, takes its texts off the list of
// those that lack there, and reports whether the index has segments enough to merge.
func (m *madeSegment) addTo(ctx context.Context, tx *sqlx.Tx, c *sqlite3.SQLiteConn, texts []indexed) (crowded bool, err error) {
	var record []byte
	if err := tx.GetContext(ctx, &record, `SELECT block FROM words_fts_data WHERE id = 10`); err != nil {
		return false, err
	}
	st, ok := readStructure(record)
	if !ok {
		return false, errLeft // of a later FTS5, which does it itself
	}
	leaves := 0
	for _, p := range m.pages {
		if p.ID&listBit == 0 {
			leaves++
		}
	}
	id, origin := st.add(uint64(leaves), uint64(len(texts)))
	if id == 0 {
		return true, errLeft
	}
	if err := m.write(ctx, c, texts, int64(id), int64(origin)); err != nil {
		return false, err
	}
	if err := m.count(ctx, tx); err != nil {
		return false, err
	}
	_, err = tx.ExecContext(ctx, `UPDATE words_fts_data SET block = ? WHERE id = 10`, st.record())
	return len(st.levels[0].segments) >= crowd, err
}

// write writes what the segment is made of.
func (m *madeSegment) write(ctx context.Context, c *sqlite3.SQLiteConn, texts []indexed, id, origin int64) error {
	if err := eachRow(ctx, c, `DELETE FROM unindexed WHERE content = ?`, len(texts), func(i int) []driver.Value {
		return []driver.Value{texts[i].id}
	}); err != nil {
		return err
	}
	if err := eachRow(ctx, c, `INSERT INTO words_fts_data (id, block) VALUES (?, ?)`, len(m.pages), func(i int) []driver.Value {
		return []driver.Value{id<<segmentBits | m.pages[i].ID&(1<<segmentBits-1), m.pages[i].Block}
	}); err != nil {
		return err
	}
	if err := eachRow(ctx, c, `INSERT INTO words_fts_idx (segid, term, pgno) VALUES (?, ?, ?)`, len(m.starts), func(i int) []driver.Value {
		return []driver.Value{id, m.starts[i].Term, m.starts[i].Page}
	}); err != nil {
		return err
	}
	return eachRow(ctx, c, `INSERT INTO words_fts_docsize (id, sz, origin) VALUES (?, ?, ?)`, len(texts), func(i int) []driver.Value {
		return []driver.Value{texts[i].id, m.sizes[i], origin}
	})
}

// eachRow runs a statement so many times, each of which must change a row.
func eachRow(ctx context.Context, c *sqlite3.SQLiteConn, sql string, n int, args func(i int) []driver.Value) error {
	st, err := prepare(c, sql)
	if err != nil {
		return err
	}
	defer st.Close()
	for i := range n {
		_, changed, err := st.exec(ctx, args(i)...)
		if err != nil {
			return err
		}
		if changed == 0 {
			return errLeft
		}
	}
	return nil
}

// count adds the documents to those that the index has, and their words.
func (m *madeSegment) count(ctx context.Context, tx *sqlx.Tx) error {
	var block []byte
	if err := tx.GetContext(ctx, &block, `SELECT block FROM words_fts_data WHERE id = 1`); err != nil {
		return err
	}
	var sum []byte
	for _, n := range m.totals {
		sum = appendNumber(sum, number(&block)+n)
	}
	_, err := tx.ExecContext(ctx, `UPDATE words_fts_data SET block = ? WHERE id = 1`, sum)
	return err
}
