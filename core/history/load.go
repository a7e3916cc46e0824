package history

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
)

// Loader stores batches of several files at once. It is for one goroutine; several
// loaders of a store can be used at the same time.
type Loader interface {
	// Load stores batches in one transaction, and returns how many entries of each were
	// new: Overtaken for one that does not follow on what is remembered of its file, of
	// which nothing is stored. It keeps no reference to them.
	Load(ctx context.Context, batches []*Batch) (added []int, err error)
}

// Overtaken stands for the number of entries of a batch that Append returns ErrOvertaken for.
const Overtaken = -1

// LoadStore is a Store that stores several files at once.
type LoadStore interface {
	Store
	Loader() Loader
	// Finish puts in order what the loaders left in pieces, so that it is searched
	// faster. Without it nothing is lost.
	Finish(ctx context.Context) error
}

// How many workers a load has, and how much they may have in memory together, however
// long the messages are. They take turns in writing, which is a third of the work.
const (
	loadRecords = 16384
	loadBytes   = 12 << 20
	loadWorkers = 3
)

// IngestAll ingests files as Ingest does, several at a time, and stores several in one
// transaction. It calls done with the index and the report of each file, in any order,
// once all of the file is stored, or with the error that kept it from being read. At
// the end the store puts in order what it left. It returns only errors of the store.
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
	return st.Finish(ctx)
}

// load is one run of IngestAll.
type load struct {
	store LoadStore
	files []File
	opt   Options
	// How much one transaction may hold.
	records, bytes int

	mu   sync.Mutex
	next int // the next file to be read
	done func(file int, rep Report, err error)
}

// nextFile returns the next file, and whether there is one.
func (l *load) nextFile() (file int, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	return l.next - 1, l.next <= len(l.files)
}

// work reads files until there are no more.
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
	reports  []*Report // of the file of each batch
	finished []finishedFile
	// overtaken are the reports of files of which another process stored something meanwhile.
	overtaken []*Report
	records   []Record // of all batches
	bytes     int
	lines     arena
}

// retryOvertaken reads the finished files of which batches were overtaken.
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

// finishedFile is a file that was read to its end, or as far as it could be read.
type finishedFile struct {
	file int
	rep  *Report
	err  error
}

// read reads one file. The last batches of it may be stored later.
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

// batch returns an empty batch whose records come after those of the others.
func (g *group) batch() *Batch { return &Batch{Records: g.records[len(g.records):]} }

// full reports whether a batch fills the group.
func (g *group) full(b *Batch) bool {
	return len(g.records)+len(b.Records) >= g.load.records || g.bytes+b.bytes >= g.load.bytes
}

// add takes a batch into the group.
func (g *group) add(b *Batch, rep *Report) {
	g.batches, g.reports = append(g.batches, b), append(g.reports, rep)
	g.records = g.records[:len(g.records)+len(b.Records)]
	g.bytes += b.bytes
}

// store stores the group, reports the files that end in it, and empties it.
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
	clear(g.records) // or their texts would stay in memory
	g.batches, g.reports, g.finished, g.records, g.bytes = g.batches[:0], g.reports[:0], g.finished[:0], g.records[:0], 0
	g.lines.reset()
	return nil
}
