package entries

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
	"github.com/coctostan/pictx/sqlite/texts"
)

var _ history.LoadStore = (*Store)(nil)

// bulkLoad is the state that the loaders of a store share.
type bulkLoad struct {
	once  sync.Once
	err   error
	turn  sync.Mutex // held while storing, so that a load derives only its own entries
	loads atomic.Int64
	texts atomic.Int64 // since the last Finish
}

// Loader returns a loader for one goroutine of an import.
func (s *Store) Loader() history.Loader { return &loader{store: s} }

// Finish merges the segments that the preceding loads left in the index of words.
func (s *Store) Finish(ctx context.Context) error {
	return s.search.MergeLoaded(ctx, s.bulk.texts.Swap(0))
}

type loader struct {
	store  *Store
	packed []byte // buffer with the texts of the last load
}

// Load stores batches. It compresses texts outside of any lock, so that several loaders do
// so concurrently, and completes the indexes of parts while it has the texts in memory.
// Segments of the index of words are left to Finish, unless there are too many.
func (l *loader) Load(ctx context.Context, batches []*history.Batch) ([]int, error) {
	s := l.store
	s.bulk.once.Do(func() {
		// Checkpoints run beside the load. While it writes they never reach the end of the
		// log, so it starts over only after one of the load's own commits has copied the
		// rest: at a quarter of a gigabyte.
		_, s.bulk.err = s.db.ExecContext(ctx, `PRAGMA wal_autocheckpoint = 62500`)
	})
	if s.bulk.err != nil {
		return nil, fmt.Errorf("store sessions: %w", sqlite.Explain(s.bulk.err))
	}
	n, err := l.pack(batches)
	if err != nil {
		return nil, err
	}
	s.bulk.turn.Lock()
	defer s.bulk.turn.Unlock()
	defer s.db.CheckpointAfter(n)
	added, done, err := s.appendAll(ctx, batches, true)
	s.bulk.texts.Add(int64(n))
	if err == nil {
		err = search.DeriveLoaded(ctx, s.search, done.after, done.fresh)
	}
	if err == nil && s.bulk.loads.Add(1)%search.MergeThreshold == 0 {
		err = s.search.MergeWords(ctx, func() bool { return ctx.Err() != nil })
	}
	return added, err
}

// pack compresses the texts of batches into the loader's buffer, and counts them.
func (l *loader) pack(batches []*history.Batch) (n int, err error) {
	l.packed = l.packed[:0]
	for _, b := range batches {
		n += len(b.Records)
		for i := range b.Records {
			r := &b.Records[i]
			from := len(l.packed)
			kind, data, err := l.store.texts.PackInto(r.Raw, l.packed[from:])
			if err != nil {
				return 0, err
			}
			if r.Packed = (history.Packed{Codec: kind, Data: data}); kind == texts.Plain {
				continue
			}
			if from+len(data) > cap(l.packed) { // packed texts keep the old buffer
				l.packed = make([]byte, 0, max(1<<20, 2*cap(l.packed)))
				continue
			}
			l.packed = l.packed[:from+len(data)]
		}
	}
	return n, nil
}
