package sqlite

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// A full-text index is made of segments, one for each transaction that wrote into it,
// and every word that is asked for is looked up in each. Whoever writes merges a few of
// them; the rest is left to those who have time.
const (
	mergePages = 512 // pages of one transaction, which others wait for
	hookPages  = 64  // in a hook, beside which the agent goes on
	mergeFrom  = 4   // segments of one size that are merged: FTS5's usermerge
)

// merge merges segments of the full-text indexes, in short transactions, until there
// are few or stop says so.
func (s *Store) merge(ctx context.Context, stop func() bool) error {
	pages := mergePages
	if s.mode == Hook {
		pages = hookPages
	}
	for _, index := range []string{"words_fts", "parts_fts", "grams_fts"} {
		var before []byte
		for stop == nil || !stop() {
			now, err := s.structure(ctx, index)
			if err != nil {
				return err
			}
			// An index that stays as it is has nothing to merge, whatever it says.
			if !manySegments(now) || bytes.Equal(now, before) {
				break
			}
			before = now
			err = s.tx(ctx, func(tx *sqlx.Tx) error {
				_, err := tx.ExecContext(ctx, `INSERT INTO `+index+` (`+index+`, rank) VALUES ('merge', ?)`, pages)
				return err
			})
			if err != nil {
				return fmt.Errorf("merge index: %w", err)
			}
		}
	}
	return nil
}

// structure is what FTS5 notes of the segments of an index.
func (s *Store) structure(ctx context.Context, index string) ([]byte, error) {
	const record = 10 // its number among the index's data
	var b []byte
	err := s.db.GetContext(ctx, &b, `SELECT block FROM `+index+`_data WHERE id = ?`, record)
	if err != nil && !none(err) {
		return nil, fmt.Errorf("read index: %w", explain(err))
	}
	return b, nil
}

// manySegments tells whether an index has segments to merge, by what FTS5 notes of it: a
// count of changes, a mark of the format, the numbers of levels, of segments and of
// writes; then each level with the number of segments that are being merged, that of all,
// and eight numbers of each. What is not understood has none.
func manySegments(record []byte) bool {
	const cookie, numbers = 4, 8
	mark := []byte{0xff, 0, 0, 1}
	if len(record) < cookie || !bytes.HasPrefix(record[cookie:], mark) {
		return false
	}
	r := record[cookie+len(mark):]
	levels := number(&r)
	number(&r)
	number(&r)
	for ; levels > 0 && len(r) > 0; levels-- {
		merging, segments := number(&r), number(&r)
		if merging > 0 || segments >= mergeFrom {
			return true
		}
		for n := segments * numbers; n > 0 && len(r) > 0; n-- {
			number(&r)
		}
	}
	return false
}

// number takes a number as SQLite writes it: seven bits a byte, the highest first, the
// ninth byte whole. It is 0 where there is none.
func number(b *[]byte) (n uint64) {
	const longest = 9
	for i, c := range *b {
		if i == longest-1 {
			*b = (*b)[longest:]
			return n<<8 | uint64(c)
		}
		n = n<<7 | uint64(c&0x7f)
		if c < 0x80 {
			*b = (*b)[i+1:]
			return n
		}
	}
	*b = nil
	return 0
}
