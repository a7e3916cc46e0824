package history

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"

	"github.com/coctostan/pictx/core/message"
)

// File is a session that Ingest reads: a file, or its equivalent in a database.
type File interface {
	// Info describes the present state of the session.
	Info() (FileInfo, error)
	// Open reads lines from a position on.
	Open(from message.Position) (Lines, error)
	// Before returns bytes that show whether the session up to a position is unchanged: for
	// a file, the last bytes before it.
	Before(at message.Position) ([]byte, error)
}

// Lines yields the lines of a session, io.EOF after the last.
type Lines interface {
	Next() (message.Line, error)
	Position() message.Position
	Close() error
}

// FileInfo identifies one state of a session. While all fields are equal, the session was
// not written to.
type FileInfo struct {
	Path     string // absolute for a file
	Identity string // device and inode, "" when not applicable
	Size     int64  // in bytes, as positions count them
	ModTime  int64  // Unix nanoseconds
}

// FileState is what a store remembers of a session file.
type FileState struct {
	// FileInfo is the file as it was read. Until all of it is stored its Size is a
	// negative mark, which the store keeps without interpreting it.
	FileInfo
	Header   message.Header
	Position message.Position
	// Tail is the hash of File.Before at Position. While it matches, the file was only
	// appended to; otherwise it was replaced.
	Tail []byte
}

// Record is one entry in the form that stores keep.
type Record struct {
	EntryID  string
	ParentID string
	Ordinal  int // index among the file's entries, 0 is the header
	Type     message.EntryType
	Role     message.Role
	Tool     string
	IsError  bool
	Time     int64 // Unix milliseconds
	Hash     [sha256.Size]byte
	// Unmasked is the hash of the line as the agent wrote it if Raw was masked, else zero.
	Unmasked [sha256.Size]byte
	Raw      []byte // the line as pi wrote it or masked, without its line end
	Text     string // the searchable text, "" without any
	// Name is set when the entry names the session.
	Name string
	// Packed is Raw as encoded for the store.
	Packed Packed
}

// Packed is a text in the form a store keeps it.
type Packed struct {
	Codec int
	Data  []byte
}

// Batch is what one transaction stores: entries, and the position after them.
type Batch struct {
	State FileState
	// Known is what the store must remember of the file for the batch to apply.
	Known   FileState
	Records []Record
	bytes   int
}

// Store is what Ingest needs of a database.
type Store interface {
	// FileState returns the state of the file at path, nil if it was never read.
	FileState(ctx context.Context, path string) (*FileState, error)
	// Encode prepares a batch for Append without a lock. It may run while another batch is
	// being appended.
	Encode(b *Batch) error
	// Append stores a batch in one transaction and returns how many of its entries were
	// new. It returns ErrOvertaken when Known is not what the store remembers.
	Append(ctx context.Context, b *Batch) (added int, err error)
}

// ErrOvertaken is returned for a batch of a file that another process has stored in the
// meantime: the batch may be older than what is stored.
var ErrOvertaken = errors.New("another process stored the session meanwhile")

// StoreError is a failure of the store rather than of a session file; the next file would
// fail the same way.
type StoreError struct{ Err error }

// Error implements error.
func (e *StoreError) Error() string { return e.Err.Error() }

// Unwrap returns the store's own error.
func (e *StoreError) Unwrap() error { return e.Err }

// Problem is a line that could not be stored.
type Problem struct {
	Line   int    `json:"line"`
	Offset int64  `json:"offset"`
	Torn   bool   `json:"torn"` // the last line is incomplete; it will be read when it is complete
	Cause  string `json:"cause"`
}

// String formats the problem as "line 12: …".
func (p Problem) String() string { return fmt.Sprintf("line %d: %s", p.Line, p.Cause) }

// ProblemOf returns the problem of a line that could not be read.
func ProblemOf(l *message.Line) Problem {
	return Problem{Line: l.Number, Offset: l.Offset, Torn: errors.Is(l.Err, message.ErrTorn), Cause: l.Err.Error()}
}

// Report is what an ingest did with one file.
type Report struct {
	Path      string    `json:"path"`
	Session   string    `json:"session"`
	Entries   int       `json:"entries"` // read this time
	Added     int       `json:"added"`   // new entries among them
	Bytes     int64     `json:"bytes"`   // read this time
	Unchanged bool      `json:"unchanged"`
	Replaced  bool      `json:"replaced"` // not the file that was read before
	Problems  []Problem `json:"problems"`
}

const (
	batchBytes   = 4 << 20 // three files are read at a time, each a batch ahead
	batchRecords = 8192
	smallRecords = 256
	smallBytes   = 1 << 20
)

// sizePartly is in place of a file's size until its last batch is stored.
const sizePartly = -1

// Options change what Ingest does.
type Options struct {
	// DryRun reads and counts without storing.
	DryRun bool
	// Small stores in small transactions, so that other writers need not wait long.
	Small bool
	// Progress is called with the number of bytes read since the last call.
	Progress func(bytes int64)
}

// Ingest stores what is new in a session file. It reads only what was appended since the
// last time, or all of a file that was replaced. Each batch is stored with the position it
// reached, so that an interrupted run continues where it stopped.
func Ingest(ctx context.Context, st Store, f File, opt Options) (Report, error) {
	for added := 0; ; {
		in, err := begin(ctx, st, f, opt)
		in.rep.Added = added
		if err == nil && !in.rep.Unchanged {
			err = in.run(ctx)
		}
		if !errors.Is(err, ErrOvertaken) {
			return *in.rep, err
		}
		added = in.rep.Added
	}
}

// ingest is one run over one file.
type ingest struct {
	store       Store
	file        File
	opt         Options
	rep         *Report
	state       FileState
	known       FileState // what the store remembers once it has the previous batches
	text        []byte    // buffer for the text of an entry
	resumedAt   message.Position
	resumedTail []byte // the tail at resumedAt
	lastRead    []byte // the last bytes read, with 0 for bytes between lines
	lastReadEnd int64  // offset of their end
	rewritten   bool   // the file changed while it was read
}

// begin finds the position to read from. It always returns an ingest, for its report.
func begin(ctx context.Context, st Store, f File, opt Options) (*ingest, error) {
	info, err := f.Info()
	in := &ingest{store: st, file: f, opt: opt, rep: &Report{Path: info.Path, Problems: []Problem{}}}
	if err != nil {
		return in, err
	}
	known, err := st.FileState(ctx, info.Path)
	if err != nil {
		return in, &StoreError{err}
	}
	in.state.FileInfo, in.state.Header.ID = info, FallbackID(info.Path)
	if known == nil {
		return in, nil
	}
	in.known, in.rep.Session = *known, known.Header.ID
	if known.FileInfo == info {
		in.rep.Unchanged = true
		return in, nil
	}
	return in, in.resume(known)
}

// resume continues from the position of an earlier run if the file still begins with what
// was read then. It compares only the end of that part. A file that was replaced, as tools
// that synchronize files do, may differ before it.
func (in *ingest) resume(known *FileState) error {
	if in.state.Identity == known.Identity && in.state.Size >= known.Position.Offset {
		tail, err := in.tail(known.Position)
		if err != nil {
			return err
		}
		if bytes.Equal(tail, known.Tail) {
			in.state.Header, in.state.Position = known.Header, known.Position
			in.resumedAt, in.resumedTail = known.Position, tail
			return nil
		}
	}
	in.rep.Replaced = true
	return nil
}

// tail hashes what precedes a position.
func (in *ingest) tail(at message.Position) ([]byte, error) {
	b, err := in.file.Before(at)
	if err != nil {
		return nil, err
	}
	return hashTail(b), nil
}

func hashTail(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:16]
}

// keepLastRead keeps the last bytes of the lines read so far.
func (in *ingest) keepLastRead(l *message.Line) {
	const most = 4 << 10
	gap := l.Offset - in.lastReadEnd
	if gap < 0 || gap > most || len(l.Raw) > most {
		in.lastRead, gap = in.lastRead[:0], 0
	}
	in.lastRead = append(append(in.lastRead, make([]byte, gap)...), l.Raw[max(0, len(l.Raw)-most):]...)
	if n := len(in.lastRead); n > 2*most {
		in.lastRead = in.lastRead[:copy(in.lastRead, in.lastRead[n-most:])]
	}
	in.lastReadEnd = l.Offset + int64(len(l.Raw))
}

// verify hashes what precedes a position, and reports whether the file is still the one
// that was read: an agent may rewrite it in place meanwhile.
func (in *ingest) verify(at message.Position) ([]byte, bool, error) {
	b, err := in.file.Before(at)
	if err != nil {
		return nil, false, err
	}
	from := at.Offset - int64(len(b)) - (in.lastReadEnd - int64(len(in.lastRead))) // where b begins in lastRead
	for i, c := range b {
		if n := from + int64(i); n >= 0 && n < int64(len(in.lastRead)) && in.lastRead[n] != 0 && in.lastRead[n] != c {
			return nil, false, nil
		}
	}
	if in.resumedAt.Offset == 0 {
		return hashTail(b), true, nil
	}
	before, err := in.tail(in.resumedAt)
	return hashTail(b), bytes.Equal(before, in.resumedTail), err
}

// run stores batch by batch. A goroutine reads, hashes and encodes the next batch
// meanwhile.
func (in *ingest) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	batches := make(chan *Batch, 1)
	failed := make(chan error, 1)
	go func() {
		defer close(batches)
		failed <- in.read(ctx, batches)
	}()
	for b := range batches {
		if in.opt.DryRun {
			in.rep.Added += len(b.Records)
			continue
		}
		n, err := in.store.Append(ctx, b)
		if err != nil {
			cancel()
			<-failed
			return &StoreError{err}
		}
		in.rep.Added += n
	}
	return <-failed
}

// batchLimit returns a function that reports whether a batch is full. The first batches are
// small, so that the writer can start early.
func (in *ingest) batchLimit() func(*Batch) bool {
	limit, most, size := batchRecords/16, batchRecords, batchBytes
	if in.opt.Small {
		limit, most, size = smallRecords, smallRecords, smallBytes
	}
	return func(b *Batch) bool {
		if len(b.Records) < limit && b.bytes < size {
			return false
		}
		limit = min(2*limit, most)
		return true
	}
}

// encode prepares a batch for the store and sends it.
func (in *ingest) encode(ctx context.Context, b *Batch, out chan<- *Batch) error {
	if !in.opt.DryRun {
		if err := in.store.Encode(b); err != nil {
			return &StoreError{err}
		}
	}
	select {
	case out <- b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// read reads the file, and sends it in batches.
func (in *ingest) read(ctx context.Context, out chan<- *Batch) error {
	lines, err := in.file.Open(in.state.Position)
	if err != nil {
		return err
	}
	defer lines.Close()
	start := in.state.Position.Offset
	b, full := &Batch{}, in.batchLimit()
	for {
		l, err := lines.Next()
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return err
		}
		if !last {
			in.rep.Bytes = lines.Position().Offset - start
			in.keepLastRead(&l)
			if l.Err != nil {
				in.rep.Problems = append(in.rep.Problems, ProblemOf(&l))
				continue
			}
			if in.add(b, l); !full(b) {
				continue
			}
		}
		if err := in.checkpoint(ctx, b, lines.Position(), last); err != nil {
			return err
		}
		if err := in.encode(ctx, b, out); err != nil || last {
			return err
		}
		b = &Batch{}
	}
}

// checkpoint records in a batch how far the file was read. Until the last batch the file
// counts as changed, so that an interrupted run is resumed.
func (in *ingest) checkpoint(ctx context.Context, b *Batch, pos message.Position, last bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if in.opt.Progress != nil {
		in.opt.Progress(pos.Offset - in.state.Position.Offset)
	}
	in.state.Position = pos
	tail, same, err := in.verify(pos)
	if err != nil {
		return err
	}
	in.rewritten = in.rewritten || !same
	if in.rewritten { // no file has an empty tail: the next run reads it from the start
		tail, last = []byte{}, false
	}
	in.state.Tail = tail
	b.State = in.state
	if !last {
		b.State.Size = sizePartly
	}
	b.Known, in.known = in.known, b.State
	in.rep.Session = b.State.Header.ID
	return nil
}

// add adds an entry to the batch.
func (in *ingest) add(b *Batch, l message.Line) {
	e := &l.Entry
	if e.Header != nil && l.Ordinal == 0 {
		in.state.Header = *e.Header
		in.state.Header.ID = cmp.Or(e.Header.ID, FallbackID(in.state.Path))
	}
	in.state.Header.Identify(e, l.Ordinal)
	in.rep.Entries++
	if in.opt.DryRun { // entries are only counted
		b.Records = append(b.Records, Record{})
		return
	}
	r := Record{
		EntryID: e.ID, ParentID: e.ParentID, Ordinal: l.Ordinal, Type: e.Type,
		Role: e.Message.Role, Tool: e.Message.ToolName, IsError: e.Message.IsError,
		Time: e.Time, Hash: sha256.Sum256(l.Raw), Raw: bytes.Clone(l.Raw), Name: e.Name,
	}
	if r.Time == 0 {
		r.Time = e.Message.Timestamp
	}
	in.text = AppendSearchText(in.text[:0], e, l.Raw)
	r.Text = string(in.text)
	b.Records = append(b.Records, r)
	b.bytes += len(l.Raw) + len(r.Text)
}

// FallbackID identifies the session of a file whose header is missing or unreadable. path
// is absolute.
func FallbackID(path string) string {
	sum := sha256.Sum256([]byte(path))
	return fmt.Sprintf("file-%x", sum[:8])
}
