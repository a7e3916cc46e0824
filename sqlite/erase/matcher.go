package erase

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

// The limits of a batch of lines, which are matched on all processors.
const (
	batchLines = 512
	batchBytes = 1 << 20 // packed
)

// matcher matches lines and keeps the rows of those that match.
type matcher struct {
	store *Store
	find  history.Finder // nil matches every line
	quick *history.Regex // nil unless find is a regular expression

	batch   []packedLine
	data    []byte // of the batch
	readers []lineReader
	out     []chosenRow
}

// packedLine is a line of a batch.
type packedLine struct {
	row      chosenRow
	hash     [sha256.Size]byte
	codec    int
	from, to int // range in the batch's data
	matches  bool
	err      error
}

// lineReader has the buffers of a goroutine that matches lines.
type lineReader struct {
	parser message.Parser
	line   []byte
}

func newMatcher(s *Store, find history.Finder) *matcher {
	return &matcher{store: s, find: find, quick: history.RegexOf(find), readers: make([]lineReader, texts.Readers())}
}

// read appends those of some rows that match.
func (m *matcher) read(rows *sqlx.Rows) error {
	var hash, data sql.RawBytes
	for rows.Next() {
		var l packedLine
		r := &l.row
		if err := rows.Scan(&r.ID, &r.SessionID, &r.EntryID, &r.Type, &r.Content, &r.Size, &hash, &l.codec, &data); err != nil {
			return err
		}
		if m.find == nil {
			m.out = append(m.out, *r)
			continue
		}
		if copy(l.hash[:], hash); len(hash) != len(l.hash) {
			l.err = errOtherHash
		}
		l.from = len(m.data)
		m.data = append(m.data, data...)
		l.to = len(m.data)
		m.batch = append(m.batch, l)
		if len(m.batch) == batchLines || len(m.data) >= batchBytes {
			if err := m.match(); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return m.match()
}

// match empties the batch.
func (m *matcher) match() error {
	var next atomic.Int64
	var end sync.WaitGroup
	for i := range m.readers {
		end.Go(func() {
			for at := next.Add(1) - 1; at < int64(len(m.batch)); at = next.Add(1) - 1 {
				m.look(&m.readers[i], &m.batch[at])
			}
		})
	}
	end.Wait()
	for i := range m.batch {
		l := &m.batch[i]
		switch {
		case l.err != nil:
			return fmt.Errorf("read entry %s: %w", l.row.EntryID, l.err)
		case l.matches:
			m.out = append(m.out, l.row)
		}
	}
	m.batch, m.data = m.batch[:0], m.data[:0]
	return nil
}

// errOtherHash is returned for a text that was changed after it was stored.
var errOtherHash = fmt.Errorf("%w: its hash differs from the one stored with it", sqlite.ErrDamaged)

// look matches a line.
func (m *matcher) look(r *lineReader, l *packedLine) {
	if l.err != nil {
		return
	}
	if r.line, l.err = m.store.texts.Unpack(l.codec, m.data[l.from:l.to], r.line); l.err != nil {
		return
	}
	if sum := sha256.Sum256(r.line); !bytes.Equal(sum[:], l.hash[:]) {
		l.err = errOtherHash
		return
	}
	if m.quick.Rejects(r.line) {
		return
	}
	if keys, quick := m.find.(history.Redactor); quick && !keys.Suspect(r.line) {
		return
	}
	l.matches = history.Matches(&r.parser, r.line, m.find)
}
