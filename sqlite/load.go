package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"

	"github.com/coctostan/pictx/core/history"
)

var _ history.LoadStore = (*Store)(nil)

// segmentTexts is how many texts an import makes a segment of the index of words of,
// beside that index. Fewer are put into it one by one.
const segmentTexts = 1024

// bulk is the connection of an import. What it writes into an index it writes into
// the tables that FTS5 keeps it in, and so it never asks FTS5: that would not see it.
// That of the store does, as it sees what any process wrote.
type bulk struct {
	mu    sync.Mutex
	db    *sqlx.DB
	runes runes
}

// bulkSettings are those of the connection: checkpoints are begun beside it, and only
// when there are none for long its own commit does that, at a gigabyte.
const bulkSettings = `PRAGMA wal_autocheckpoint = 250000; PRAGMA cache_size = -32000`

// besideBulk are those of the store's own connection beside it, which merges segments
// from one end to the other: the pages that are in memory belong to the import.
const besideBulk = `PRAGMA cache_size = -4000`

// open opens the connection, once.
func (b *bulk) open(s *Store) (*sqlx.DB, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.db != nil {
		return b.db, nil
	}
	db, err := sqlx.Open("sqlite3", dsn(s.path, Write))
	if err != nil {
		return nil, explain(err)
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(bulkSettings)
	if err == nil {
		_, err = s.db.Exec(besideBulk)
	}
	if err != nil {
		db.Close()
		return nil, explain(err)
	}
	b.db = db
	return db, nil
}

func (b *bulk) close() {
	b.runes.close()
	if b.db != nil {
		_ = b.db.Close()
	}
}

// Loader returns what one goroutine of an import stores with.
func (s *Store) Loader() history.Loader { return &loader{store: s} }

type loader struct {
	store  *Store
	gather *gatherer
	maker  *segmentMaker
	packed []byte // texts of the last load
}

// Close implements history.Loader.
func (l *loader) Close() error {
	if l.maker == nil {
		return nil
	}
	return l.maker.close()
}

// Load stores batches. It packs texts and makes the index of their words outside of
// any lock, so that several loaders do that at once. Until it is there its texts are
// on the list of those that lack in the index, where searches see them, and the next
// command if this one is killed.
func (l *loader) Load(ctx context.Context, batches []*history.Batch) ([]int, error) {
	s := l.store
	texts, err := l.pack(batches)
	if err != nil {
		return nil, err
	}
	defer s.checkpointAfter(texts)
	if !s.fts || texts < s.segmentFrom {
		added, _, err := s.appendTo(ctx, s.db, batches, s.fts)
		return added, err
	}
	db, err := s.bulk.open(s)
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", s.path, err)
	}
	added, fresh, err := s.appendTo(ctx, db, batches, false)
	if err == nil && len(fresh) > 0 && ctx.Err() == nil {
		err = l.index(ctx, db, fresh)
	}
	return added, err
}

// pack compresses the texts of batches into the loader's own space, and counts them.
func (l *loader) pack(batches []*history.Batch) (texts int, err error) {
	l.packed = l.packed[:0]
	for _, b := range batches {
		texts += len(b.Records)
		for i := range b.Records {
			r := &b.Records[i]
			from := len(l.packed)
			kind, data, err := l.store.codec.packInto(r.Raw, l.packed[from:])
			if err != nil {
				return 0, err
			}
			if r.Packed = (history.Packed{Codec: kind, Data: data}); kind == codecPlain {
				continue
			}
			if from+len(data) > cap(l.packed) { // what is packed stays where it is
				l.packed = make([]byte, 0, max(1<<20, 2*cap(l.packed)))
				continue
			}
			l.packed = l.packed[:from+len(data)]
		}
	}
	return texts, nil
}

// index makes a segment of the index of words from texts, in the order of their ids,
// and adds it.
func (l *loader) index(ctx context.Context, db *sqlx.DB, fresh []indexed) error {
	made, err := l.segment(ctx, fresh)
	if err != nil {
		return fmt.Errorf("index text: %w", err)
	}
	crowded := false
	err = rawTx(context.WithoutCancel(ctx), db, func(ctx context.Context, tx *sqlx.Tx, c *sqlite3.SQLiteConn) (err error) {
		crowded, err = made.addTo(ctx, tx, c, fresh)
		return err
	})
	if errors.Is(err, errLeft) {
		_, err = l.store.CatchUp(ctx) // what others did not index
	}
	if err == nil && crowded {
		err = l.store.merge(ctx, func() bool { return ctx.Err() != nil }, "words_fts")
	}
	return err
}

// segment makes a segment, or has FTS5 make it where that is needed.
func (l *loader) segment(ctx context.Context, fresh []indexed) (*madeSegment, error) {
	if l.gather == nil {
		l.gather = newGatherer(&l.store.bulk.runes)
	}
	made, err := l.gather.make(ctx, fresh)
	if made != nil || err != nil {
		return made, err
	}
	if l.maker == nil {
		if l.maker, err = newSegmentMaker(ctx); err != nil {
			return nil, err
		}
	}
	return l.maker.make(ctx, fresh)
}
