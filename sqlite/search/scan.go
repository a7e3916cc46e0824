package search

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// readColumns are the columns that a scan reads.
const readColumns = columns + `, t.codec, t.data`

// joinsOn are the tables of a scan beside the one that selects the texts, whose ids are in a
// column.
func joinsOn(column string) string {
	return ` CROSS JOIN messages m INDEXED BY messages_content ON m.content = ` + column + ` CROSS JOIN conversations c ON c.id = m.conversation `
}

// scanQuery is the SQL that reads every text that a filter admits and that may meet a need,
// newest first; a test pins its plans. The content table is in the order of time, so nothing is
// sorted. For one session it reads only that session's texts.
func scanQuery(f history.Filter, need history.Need, at span) (string, []any) {
	cond, args := Where(f)
	args = append([]any{at.Least, at.Most}, args...)
	switch {
	case len(need) > 0:
		return `SELECT ` + readColumns + ` FROM grams_fts g LEFT JOIN content t ON t.id = g.rowid` + joinsOn("g.rowid") +
			`WHERE g.grams_fts MATCH ? AND g.rowid >= ? AND g.rowid <= ? AND ` + cond + ` ORDER BY g.rowid DESC`, append([]any{matchNeed(need)}, args...)
	case len(f.Sessions) == 1:
		return `SELECT ` + readColumns + ` FROM conversations c
			CROSS JOIN messages m INDEXED BY messages_span ON m.conversation = c.id LEFT JOIN content t ON t.id = m.content
			WHERE m.content >= ? AND m.content <= ? AND ` + cond + ` ORDER BY m.content DESC`, args
	}
	return `SELECT ` + readColumns + ` FROM content t` + joinsOn("t.id") + `WHERE t.id >= ? AND t.id <= ? AND ` + cond + ` ORDER BY t.id DESC`, args
}

// seen is what an inspection of a line found.
type seen struct {
	size int    // bytes of searchable text
	held uint64 // as Matcher.Held returns it
}

// look matches a line. A scan spends its time here, on all processors.
func (s *Store) look(m history.Matcher, raw []byte) (out seen) {
	re, _ := m.(*history.Regex)
	if re != nil && re.Rejects(raw) {
		return seen{size: len(raw)}
	}
	s.read(raw, func(_ *message.Entry, body []byte) {
		if out.size = len(body); out.size > 0 && (re == nil || !re.Dismisses(body)) {
			out.held = m.Held(string(body))
		}
	})
	return out
}

// The sizes of batches of a scan. The first is small, because most scans soon have enough.
const (
	firstBatch   = 32 // texts
	largestBatch = 1024
	batchBytes   = 4 << 20 // packed
	aloneTexts   = 32      // texts up to which other goroutines cost more than they save
)

// packedText is a text of a batch.
type packedText struct {
	row      history.Row
	codec    int
	from, to int // range in the batch's data
	seen     seen
	err      error
}

// batch is a number of texts that are unpacked and matched on all processors.
type batch struct {
	store   *Store
	matcher history.Matcher
	list    []packedText
	data    []byte
	rooms   [][]byte // a buffer for each goroutine
}

// scan matches the texts of a query of readColumns in which the rows of one text follow each
// other, and passes them to take in order until that returns false.
func (s *Store) scan(ctx context.Context, m history.Matcher, take func(history.Row, seen) bool, query string, args ...any) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	b := &batch{store: s, matcher: m, rooms: make([][]byte, max(1, sqlite.Readers()))}
	var g grouper // the rows of the text that is read
	var data sql.RawBytes
	for size := firstBatch; rows.Next(); {
		var r rowScan
		var codec sql.NullInt64
		if err := rows.Scan(append(r.fields(), &codec, &data)...); err != nil {
			return fmt.Errorf("search history: %w", sqlite.Explain(err))
		}
		if !codec.Valid {
			return fmt.Errorf("search history: %w: the text of entry %s is missing", sqlite.ErrDamaged, r.EntryID)
		}
		if len(g) == 0 || g[0].Content != r.Content {
			if len(b.list) >= size || len(b.data) >= batchBytes {
				size = min(2*size, largestBatch)
				if more, err := b.pass(take); !more || err != nil {
					return err
				}
			}
			b.list = append(b.list, packedText{codec: int(codec.Int64), from: len(b.data), to: len(b.data) + len(data)})
			b.data = append(b.data, data...)
			g = g[:0]
		}
		g.add(r)
		b.list[len(b.list)-1].row = g[0].Row
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	_, err = b.pass(take)
	return err
}

// pass matches the texts of the batch and empties it. more is false when take returned false.
func (b *batch) pass(take func(history.Row, seen) bool) (more bool, err error) {
	var next atomic.Int64
	var end sync.WaitGroup
	work := func(i int) {
		for at := next.Add(1) - 1; at < int64(len(b.list)); at = next.Add(1) - 1 {
			b.rooms[i] = b.inspect(&b.list[at], b.rooms[i])
		}
	}
	if len(b.list) > aloneTexts {
		for i := range len(b.rooms) - 1 {
			end.Go(func() { work(i + 1) })
		}
	}
	work(0)
	end.Wait()
	for i := range b.list {
		t := &b.list[i]
		if t.err != nil {
			return false, fmt.Errorf("entry %s: %w", t.row.EntryID, t.err)
		}
		if !take(t.row, t.seen) {
			return false, nil
		}
	}
	b.list, b.data = b.list[:0], b.data[:0]
	return true, nil
}

// inspect unpacks and matches a text. room is a buffer; the result is the buffer to reuse.
func (b *batch) inspect(t *packedText, room []byte) (space []byte) {
	defer func() {
		if v := recover(); v != nil {
			t.err = fmt.Errorf("search history: internal error: %v", v)
		}
	}()
	if room, t.err = b.store.db.Unpack(t.codec, b.data[t.from:t.to], room); t.err == nil {
		t.seen = b.store.look(b.matcher, room)
	}
	return room
}
