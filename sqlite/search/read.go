package search

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

// The batches of a scan. The goroutine that reads the first texts also inspects them, each
// where it is: most searches read few, and buffers for other goroutines cost more than these
// save. After that, one goroutine per processor inspects texts in growing parcels, a few
// parcels ahead of the consumer.
const (
	aloneTexts    = readAtOnce
	aloneBytes    = 1 << 20 // packed
	firstParcel   = 32      // texts
	largestParcel = 64      // texts
	parcelBytes   = 1 << 18 // packed bytes after which a parcel is full
)

// parcel is a number of texts that one goroutine inspects in order.
type parcel struct {
	texts []readText
	data  []byte // all texts, packed
	done  chan struct{}
}

// readText is a text that is read.
type readText struct {
	row      history.Row
	codec    int
	from, to int // range in its parcel's data
	seen     history.Inspection
	err      error
}

// reading reads the rows of one query.
type reading struct {
	scan    *scan
	readers int
	copies  grouper // the rows of the text being read

	text    readText // which this goroutine has inspected
	texts   int      // how many it has inspected
	bytes   int      // their packed size
	parcel  *parcel  // what other goroutines will inspect, nil before they begin
	size    int      // number of texts in the next parcel
	jobs    chan *parcel
	waiting []*parcel // not yet consumed, newest texts first
	free    []*parcel
	stop    atomic.Bool
	end     sync.WaitGroup
}

// read inspects the rows of a query of readColumns. The rows of one text must be
// consecutive.
func (c *scan) read(ctx context.Context, query string, args ...any) error {
	rows, err := c.store.db.QueryContext(ctx, query, args...)
	if err != nil {
		return fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	r := &reading{scan: c, readers: texts.Readers(), size: firstParcel}
	defer r.close()
	var data sql.RawBytes // packed text of this row
	for rows.Next() {
		var row rowScan
		var codec int
		if err := rows.Scan(&row.ID, &row.SessionID, &row.EntryID, &row.ParentID, &row.Type, &row.Role,
			&row.Tool, &row.IsError, &row.Time, &row.Ordinal, &row.Content, &row.Started, &codec, &data); err != nil {
			return fmt.Errorf("search history: %w", sqlite.Explain(err))
		}
		row.Copies = 1
		if g := &r.copies; len(g.out) == 0 || g.out[0].Content != row.Content {
			if err := r.endText(false); err != nil {
				return err
			}
			r.begin(codec, data)
		}
		r.copies.add(row)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("search history: %w", sqlite.Explain(err))
	}
	if err := r.endText(true); err != nil {
		return err
	}
	return r.takeAll(0)
}

// begin inspects a text, or puts it into the parcel. Its row is determined when all its
// copies are known.
func (r *reading) begin(codec int, data []byte) {
	if r.parcel != nil {
		r.parcel.put(codec, data)
		return
	}
	r.text = readText{codec: codec}
	r.scan.raw = r.scan.inspect(&r.text, data, r.scan.raw)
	r.texts++
	r.bytes += len(data)
}

// put adds a text.
func (p *parcel) put(codec int, data []byte) {
	from := len(p.data)
	p.data = append(p.data, data...)
	p.texts = append(p.texts, readText{codec: codec, from: from, to: len(p.data)})
}

// endText completes the text whose rows were read, and the parcel if it is full or the
// last.
func (r *reading) endText(last bool) error {
	if len(r.copies.out) == 0 {
		return nil
	}
	row := r.copies.out[0].row()
	r.copies.out = r.copies.out[:0]
	if p := r.parcel; p != nil {
		p.texts[len(p.texts)-1].row = row
		if !last && len(p.texts) < r.size && len(p.data) < parcelBytes {
			return nil
		}
		r.parcel = r.emptyParcel()
		return r.inspectLater(p)
	}
	if r.readers > 1 && (r.texts >= aloneTexts || r.bytes >= aloneBytes) {
		r.parcel = &parcel{}
	}
	r.text.row = row
	return r.scan.deliver(&r.text)
}

// emptyParcel returns an empty parcel.
func (r *reading) emptyParcel() *parcel {
	n := len(r.free)
	if n == 0 {
		return &parcel{}
	}
	p := r.free[n-1]
	r.free = r.free[:n-1]
	p.texts, p.data = p.texts[:0], p.data[:0]
	return p
}

// inspectLater passes a parcel to an idle goroutine, and delivers parcels that are ready
// when enough are in progress.
func (r *reading) inspectLater(p *parcel) error {
	ahead := r.readers + 2
	if r.jobs == nil {
		r.jobs = make(chan *parcel, ahead)
		for range r.readers {
			r.end.Go(r.work)
		}
	}
	p.done = make(chan struct{})
	r.jobs <- p
	r.waiting = append(r.waiting, p)
	r.size = min(2*r.size, largestParcel)
	return r.takeAll(ahead - 1)
}

// takeAll delivers the oldest parcels until only left of them remain.
func (r *reading) takeAll(left int) error {
	for len(r.waiting) > left {
		p := r.waiting[0]
		<-p.done
		r.waiting = r.waiting[1:]
		for i := range p.texts {
			if err := r.scan.deliver(&p.texts[i]); err != nil {
				return err
			}
		}
		r.free = append(r.free, p)
	}
	return nil
}

// work inspects parcels until none are left.
func (r *reading) work() {
	var raw []byte
	for p := range r.jobs {
		for i := range p.texts {
			if !r.stop.Load() {
				t := &p.texts[i]
				raw = r.scan.inspect(t, p.data[t.from:t.to], raw)
			}
		}
		close(p.done)
	}
}

// close waits for the goroutines, which use the store.
func (r *reading) close() {
	r.stop.Store(true)
	if r.jobs != nil {
		close(r.jobs)
	}
	r.end.Wait()
}

// inspect inspects one text. raw is a buffer; the result is the buffer to reuse.
func (c *scan) inspect(t *readText, packed, raw []byte) (space []byte) {
	defer func() {
		if v := recover(); v != nil {
			t.err = fmt.Errorf("search history: internal error: %v", v)
		}
	}()
	raw, err := c.store.texts.Unpack(t.codec, packed, raw)
	if err != nil {
		t.err = err
		return raw
	}
	t.seen = c.look(raw)
	return raw
}

// deliver passes the inspection of a text to the consumer.
func (c *scan) deliver(t *readText) error {
	if t.err != nil {
		return fmt.Errorf("entry %s: %w", t.row.EntryID, t.err)
	}
	c.cover.Read++
	if !c.take(t.row, t.seen) {
		return errEnough
	}
	if c.budget > 0 && c.cover.Read >= c.budget {
		c.at.Most = t.row.Content - 1
		return errBudget
	}
	return nil
}
