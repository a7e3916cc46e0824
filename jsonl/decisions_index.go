package jsonl

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/coctostan/pictx/core/decision"
)

// A log that is long has an index in a file of its own, which is a cache: it may be
// deleted at any time, is made again when it does not fit, and what is wrong with it
// is nobody's error. Beside it stands a stamp that says which file it was last seen
// to fit: as long as that file is untouched, nothing of it is read to find out.

// The bounds of logs that have an index, in bytes.
const (
	leastIndexed = 1 << 20   // shorter logs are read as a whole as quickly
	mostAfter    = 256 << 10 // what may stand after what the index covers
	mostIndex    = 1 << 30
)

// staleWrite is after how long an index that somebody is writing was given up.
const staleWrite = time.Minute

// index is the index of a log, as far as it was read.
type index struct {
	*decision.Index
	file *os.File
	head string // what its stamp goes by
}

// stamp says which file an index was seen to fit.
type stamp struct {
	Index string `json:"index"`
	File  string `json:"file"`
	Size  int64  `json:"size"`
	Mod   int64  `json:"mod"`
	// Change is when the system last changed it, 0 where it does not say: a program
	// can set the other time back.
	Change int64 `json:"change"`
}

// stampOf is the stamp of a file.
func stampOf(index string, st fs.FileInfo) stamp {
	return stamp{index, identity(st), st.Size(), st.ModTime().UnixNano(), changed(st)}
}

// LoadFor returns as much of the log, and of what it comes to, as a need asks for.
// What it says is what Load says.
func (d *Decisions) LoadFor(need decision.Need) (*decision.Log, *decision.State, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.loadFor(need)
}

func (d *Decisions) loadFor(need decision.Need) (*decision.Log, *decision.State, error) {
	path, err := d.target()
	if err != nil {
		return nil, nil, err
	}
	f, now, err := openLog(path)
	if err != nil || f == nil || now.Size() < d.least() || d.same(now) {
		if f != nil {
			f.Close()
		}
		return d.load()
	}
	defer f.Close()
	log, state, err := d.indexed(f, now, need)
	if err == nil {
		return log, state, nil
	}
	if !errors.Is(err, decision.ErrNeed) {
		d.forget()
		return d.reindex(f, now)
	}
	return d.load()
}

// least is how long a log must be to have an index.
func (d *Decisions) least() int64 {
	switch {
	case d.Index == "":
		return maxDecisions + 1
	case d.Least > 0:
		return d.Least
	}
	return leastIndexed
}

// openLog opens a log, nil when it is not there.
func openLog(path string) (*os.File, fs.FileInfo, error) {
	f, err := openNonblock(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read decisions: %w", err)
	}
	st, err := f.Stat()
	switch {
	case err != nil:
	case !st.Mode().IsRegular():
		err = fmt.Errorf("read decisions %s: it is not a file", path)
	case st.Size() > maxDecisions:
		err = fmt.Errorf("read decisions %s: it has %d bytes, at most %d", path, st.Size(), maxDecisions)
	default:
		return f, st, nil
	}
	f.Close()
	return nil, nil, err
}

// indexed reads what is needed by the index.
func (d *Decisions) indexed(f *os.File, now fs.FileInfo, need decision.Need) (*decision.Log, *decision.State, error) {
	x, err := d.openIndex()
	if err != nil {
		return nil, nil, err
	}
	if now.Size() < x.Covers() || now.Size()-x.Covers() > mostAfter || x.MaxLine() != decision.LineLimit(d.MaxLine) {
		return nil, nil, fmt.Errorf("read decisions: %w", decision.ErrIndex)
	}
	mine := stampOf(x.head, now)
	if !d.stamped(mine) {
		if err := covers(x, f); err != nil {
			return nil, nil, err
		}
		d.stampIt(mine)
	}
	more, err := readRange(f, x.Covers(), now.Size())
	if err != nil {
		return nil, nil, err
	}
	return x.Load(need, f, more)
}

// openIndex opens the index, once.
func (d *Decisions) openIndex() (*index, error) {
	if d.index != nil {
		if st, err := os.Stat(d.Index); err == nil {
			if was, err := d.index.file.Stat(); err == nil && os.SameFile(st, was) {
				return d.index, nil
			}
		}
		d.forget()
	}
	f, err := openNonblock(d.Index)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	st, err := f.Stat()
	if err == nil && (!st.Mode().IsRegular() || st.Size() > mostIndex) {
		err = decision.ErrIndex
	}
	x := &index{file: f}
	if err == nil {
		x.Index, err = decision.OpenIndex(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("open index: %w", err)
	}
	x.head = fmt.Sprintf("%s %d", x.Digest(), x.Covers())
	d.index = x
	return x, nil
}

// forget closes the index.
func (d *Decisions) forget() {
	if d.index != nil {
		d.index.file.Close()
		d.index = nil
	}
}

// Close closes what is open of the index. The log can still be used.
func (d *Decisions) Close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.forget()
}

// covers reports whether a log begins as an index says.
func covers(x *index, f *os.File) error {
	sum := sha256.New()
	n, err := io.Copy(sum, io.NewSectionReader(f, 0, x.Covers()))
	if err != nil || n != x.Covers() || hex.EncodeToString(sum.Sum(nil)) != x.Digest() {
		return errors.Join(fmt.Errorf("read decisions: %w: the log was rewritten", decision.ErrIndex), err)
	}
	return nil
}

// reindex reads the whole log and makes its index.
func (d *Decisions) reindex(f *os.File, now fs.FileInfo) (*decision.Log, *decision.State, error) {
	data, err := readRange(f, 0, now.Size())
	if err != nil {
		d.info = nil
		return nil, nil, err
	}
	d.log, d.tail = decision.ReadLines(data, d.MaxLine), tailOf(data)
	d.state, d.info = decision.Replay(d.log.Events), now
	if b, err := decision.BuildIndex(data, d.log, d.state); err == nil && d.writeIndex(b) == nil {
		// Only a file that stood still while it was read is known to be what was read.
		if x, err := d.openIndex(); err == nil {
			if after, err := f.Stat(); err == nil && stampOf(x.head, after) == stampOf(x.head, now) {
				d.stampIt(stampOf(x.head, now))
			}
		}
	}
	return d.log, d.state, nil
}

// writeIndex puts an index in its place. Another process that is writing one is left
// alone.
func (d *Decisions) writeIndex(b []byte) error {
	if err := os.MkdirAll(filepath.Dir(d.Index), 0o700); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	d.forget()
	return putCache(d.Index, b)
}

// putCache writes a file beside its place, and then puts it there.
func putCache(path string, b []byte) error {
	name := path + ".new"
	if st, err := os.Lstat(name); err == nil && time.Since(st.ModTime()) > staleWrite {
		os.Remove(name)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(name, path)
	}
	if err != nil {
		os.Remove(name)
		return fmt.Errorf("write index: %w", err)
	}
	return nil
}

// stampPath is where the stamp of an index lies.
func (d *Decisions) stampPath() string { return d.Index + ".at" }

// stampBytes is a stamp as its file has it: a checksum and what it is of.
func stampBytes(s stamp) []byte {
	b, _ := json.Marshal(s) // strings and numbers
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(b), b)
}

// stamped reports whether the index was seen to fit the file as it is now.
func (d *Decisions) stamped(now stamp) bool {
	b, err := os.ReadFile(d.stampPath())
	return err == nil && string(b) == string(stampBytes(now))
}

// stampIt says that the index fits a file. Without it the file is looked at again.
func (d *Decisions) stampIt(now stamp) { _ = putCache(d.stampPath(), stampBytes(now)) }

// restamp says that the index still fits after what was appended by us to the file
// that it fitted before.
func (d *Decisions) restamp(path string, before fs.FileInfo, wrote int) {
	if d.index == nil || before == nil || !d.stamped(stampOf(d.index.head, before)) {
		return
	}
	now, err := os.Stat(path)
	if err == nil && os.SameFile(before, now) && now.Size() == before.Size()+int64(wrote) {
		d.stampIt(stampOf(d.index.head, now))
	}
}

// dropIndex deletes the index: the log is about to be another one.
func (d *Decisions) dropIndex() {
	d.forget()
	if d.Index != "" {
		os.Remove(d.Index)
		os.Remove(d.stampPath())
	}
}
