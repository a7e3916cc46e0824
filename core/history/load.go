package history

import (
	"context"
	"errors"
	"runtime"
	"sync"
)

// loadWorkers is how many files are read at a time. They take turns at writing, which is a
// third of the work.
const loadWorkers = 3

// IngestAll ingests files like Ingest, several at a time. It calls done with the index and
// report of each file, in any order but never concurrently, once the whole file is stored, or
// with the error that prevented reading it. It returns only errors of the store.
func IngestAll(ctx context.Context, st Store, files []File, opt Options, done func(file int, rep Report, err error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := make(chan int)
	var reporting sync.Mutex
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), loadWorkers, len(files)) {
		wg.Go(func() {
			for i := range next {
				rep, err := Ingest(ctx, st, files[i], opt)
				if errors.As(err, new(*StoreError)) {
					cancel(err)
				}
				reporting.Lock()
				if ctx.Err() == nil {
					done(i, rep, err)
				}
				reporting.Unlock()
			}
		})
	}
	for i := 0; i < len(files) && ctx.Err() == nil; i++ {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	return context.Cause(ctx)
}
