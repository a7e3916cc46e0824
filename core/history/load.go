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
	working := make(chan struct{}, min(runtime.GOMAXPROCS(0), loadWorkers))
	var reporting sync.Mutex
	var all sync.WaitGroup
	for i, f := range files {
		working <- struct{}{}
		all.Go(func() {
			defer func() { <-working }()
			if ctx.Err() != nil {
				return
			}
			rep, err := Ingest(ctx, st, f, opt)
			if errors.As(err, new(*StoreError)) {
				cancel(err)
			}
			reporting.Lock()
			defer reporting.Unlock()
			if ctx.Err() == nil {
				done(i, rep, err)
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}
