package history

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// Loader stores batches of several files together. A Loader must not be used concurrently,
// but several loaders of a store may be.
type Loader interface {
	// Load stores batches in one transaction and returns how many entries of each were new,
	// or Overtaken for a batch that was not stored because it does not apply to what the
	// store remembers of its file. It does not retain the batches.
	Load(ctx context.Context, batches []*Batch) (added []int, err error)
}

// Overtaken replaces the number of new entries where Append would return ErrOvertaken.
const Overtaken = -1

// LoadStore is a Store that can store several files together.
type LoadStore interface {
	Store
	Loader() Loader
}

// The number of workers of a load, and the limits of what they hold in memory together.
// They take turns at writing, which is a third of the work.
const (
	loadRecords = 16384
	loadBytes   = 12 << 20
	loadWorkers = 3
)

// IngestAll ingests files like Ingest, several at a time, and stores several in one
// transaction. It calls done with the index and report of each file, in any order, once the
// whole file is stored, or with the error that prevented reading it. It returns only errors
// of the store.
func IngestAll(ctx context.Context, st LoadStore, files []File, opt Options, done func(file int, rep Report, err error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	workers := min(runtime.GOMAXPROCS(0), loadWorkers, len(files))
	l := &load{store: st, files: files, opt: opt, done: done, records: loadRecords / max(1, workers), bytes: loadBytes / max(1, workers)}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			if err := l.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return nil
}

// load is one run of IngestAll.
type load struct {
	store LoadStore
	files []File
	opt   Options
	// The limits of one transaction.
	records, bytes int

	mu   sync.Mutex
	next int // index of the next file
	done func(file int, rep Report, err error)
}

// nextFile returns the index of the next file, and whether there is one.
func (l *load) nextFile() (file int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	return l.next - 1, l.next <= len(l.files)
}

// work reads files until none are left.
func (l *load) work(ctx context.Context) error {
	g := &group{load: l, loader: l.store.Loader(), records: make([]Record, 0, l.records)}
	for {
		file, ok := l.nextFile()
		if !ok {
			return g.store(ctx)
		}
		if err := g.read(ctx, file); err != nil {
			return err
		}
	}
}

// group is what one transaction stores: batches of several files.
type group struct {
	load     *load
	loader   Loader
	batches  []*Batch
	reports  []*Report // parallel to batches
	finished []finishedFile
	// overtaken are the reports of files that another process has stored in the meantime.
	overtaken []*Report
	records   []Record // of all batches
	bytes     int
	lines     arena
}

// retryOvertaken ingests the finished files again of which batches were overtaken.
func (g *group) retryOvertaken(ctx context.Context) error {
	for _, e := range g.finished {
		if e.err != nil || !slices.Contains(g.overtaken, e.rep) {
			continue
		}
		added := e.rep.Added
		rep, err := Ingest(ctx, g.load.store, g.load.files[e.file], g.load.opt)
		if failed := (*StoreError)(nil); errors.As(err, &failed) {
			return err
		}
		*e.rep = rep
		e.rep.Added += added
		g.overtaken = slices.DeleteFunc(g.overtaken, func(r *Report) bool { return r == e.rep })
	}
	return nil
}

// finishedFile is a file that was read to its end or to an error.
type finishedFile struct {
	file int
	rep  *Report
	err  error
}

// read reads one file. Its last batches may be stored later.
func (g *group) read(ctx context.Context, file int) error {
	in, err := begin(ctx, g.load.store, g.load.files[file], g.load.opt)
	if err == nil && !in.rep.Unchanged {
		in.lines = &g.lines
		err = in.read(ctx, g.batch(), g.full, func(b *Batch) (*Batch, error) {
			g.add(b, in.rep)
			if !g.full(&Batch{}) {
				return g.batch(), nil
			}
			if err := g.store(ctx); err != nil {
				return nil, err
			}
			return g.batch(), nil
		})
	}
	if failed := (*StoreError)(nil); errors.As(err, &failed) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	g.finished = append(g.finished, finishedFile{file, in.rep, err})
	return nil
}

// batch returns an empty batch whose records follow those of the others.
func (g *group) batch() *Batch { return &Batch{Records: g.records[len(g.records):]} }

// full reports whether a batch fills the group.
func (g *group) full(b *Batch) bool {
	return len(g.records)+len(b.Records) >= g.load.records || g.bytes+b.bytes >= g.load.bytes
}

// add adds a batch to the group.
func (g *group) add(b *Batch, rep *Report) {
	g.batches, g.reports = append(g.batches, b), append(g.reports, rep)
	g.records = g.records[:len(g.records)+len(b.Records)]
	g.bytes += b.bytes
}

// store stores the group, reports the finished files, and empties it.
func (g *group) store(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(g.batches) > 0 {
		added, err := g.loader.Load(ctx, g.batches)
		if err != nil {
			return &StoreError{err}
		}
		for i, n := range added {
			if n == Overtaken {
				g.overtaken = append(g.overtaken, g.reports[i])
				continue
			}
			g.reports[i].Added += n
		}
	}
	if err := g.retryOvertaken(ctx); err != nil {
		return err
	}
	g.load.mu.Lock()
	for _, e := range g.finished {
		g.load.done(e.file, *e.rep, e.err)
	}
	g.load.mu.Unlock()
	clear(g.records) // release their texts
	g.batches, g.reports, g.finished, g.records, g.bytes = g.batches[:0], g.reports[:0], g.finished[:0], g.records[:0], 0
	g.lines.reset()
	return nil
}
