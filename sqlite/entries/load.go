package entries

import (
	"context"
	"fmt"
	"sync"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

var _ history.LoadStore = (*Store)(nil)

// bulkLoad is the state that the loaders of a store share.
type bulkLoad struct {
	once sync.Once
	err  error
}

// Loader returns a loader for one goroutine of an import.
func (s *Store) Loader() history.Loader { return &loader{store: s} }

type loader struct {
	store  *Store
	packed []byte // buffer with the texts of the last load
}

// Load stores batches. It compresses texts outside of any lock, so that several loaders do
// so concurrently.
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
	defer s.db.CheckpointAfter(n)
	return s.appendAll(ctx, batches)
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
