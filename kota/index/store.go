package index

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
)

// magic begins every index. The last two digits are the version of the format and of the results of
// scanning and resolving. An index of another version is rebuilt.
const magic = "pictx kota 27\n"

// encoder writes an index.
type encoder struct{ codec.Encoder }

// decoder reads an index.
type decoder struct{ codec.Decoder }

// encode returns an index as bytes: magic, checksum, content. The same tree always gives the same
// bytes.
func (t *tree) encode() []byte {
	e := &encoder{codec.Encoder{B: make([]byte, 0, 1<<20)}}
	e.B = codec.Begin(e.B, magic)
	e.Str(t.root)
	e.Flag(t.git)
	at := make(map[string]int, len(t.files))
	for i := range t.files {
		at[t.files[i].path] = i
	}
	e.Num(len(t.files))
	last := ""
	for i := range t.files {
		f := &t.files[i]
		e.Front(&last, f.path)
		e.Num(int(f.role)<<6 | int(f.kind)<<4 | int(f.skip))
		e.stamp(f.stamp, f.hash)
		e.Str(f.facts)
		e.Num(len(f.edges))
		for _, l := range f.edges {
			e.link(l, at)
		}
	}
	last = ""
	e.Num(len(t.others))
	for _, p := range t.others {
		e.Front(&last, p)
	}
	e.Num(len(t.watch))
	for _, w := range t.watch {
		e.Str(w.path)
		e.Flag(w.there)
		e.stamp(w.stamp, w.hash)
	}
	e.Num(len(t.notes))
	for _, n := range t.notes {
		e.Str(n)
	}
	codec.Seal(e.B, magic)
	return e.B
}

func (e *encoder) stamp(s stamp, hash [16]byte) {
	e.Long(s.size)
	e.Long(s.mtime)
	e.Long(s.ctime - s.mtime)
	e.B = append(e.B, hash[:]...)
}

func (d *decoder) stamp() (s stamp, hash [16]byte) {
	s.size, s.mtime = d.Long(), d.Long()
	s.ctime = s.mtime + d.Long()
	if len(d.B) < len(hash) {
		d.Fail()
		return s, hash
	}
	d.B = d.B[copy(hash[:], d.B):]
	return s, hash
}

func (e *encoder) link(l link, at map[string]int) {
	e.Num(int(l.kind)<<5 | int(l.status)<<2 | codec.Bits(l.inferred, l.typeOnly))
	if l.status == lang.Found {
		e.Num(at[l.to])
	}
}

// decode reads the output of encode, of about size bytes.
func decode(r io.Reader, size int64) (*tree, error) {
	b, err := codec.Content(r, magic, size)
	if err != nil {
		return nil, err
	}
	d := &decoder{codec.Decoder{B: b}}
	t := &tree{root: d.Str(), git: d.Num() != 0}
	d.files(t)
	last := ""
	t.others = make([]string, d.Count())
	for i := range t.others {
		t.others[i] = d.Front(&last)
	}
	t.watch = make([]watchedFile, d.Count())
	for i := range t.watch {
		w := &t.watch[i]
		w.path, w.there = d.Str(), d.Num() != 0
		w.stamp, w.hash = d.stamp()
	}
	for range d.Count() {
		t.notes = append(t.notes, d.Str())
	}
	if d.Bad || !t.point() {
		return nil, codec.ErrDamaged
	}
	return t, nil
}

// linkBlock is for how many links memory is allocated at once.
const linkBlock = 2048

// files reads the files. Their links refer to files by number, until point adds the paths.
func (d *decoder) files(t *tree) {
	t.files = make([]file, d.Count())
	last := ""
	var block []link
	for i := range t.files {
		f := &t.files[i]
		f.path = d.Front(&last)
		n := d.Num()
		f.role, f.kind, f.skip = lang.Role(n>>6), Kind(n>>4&3), Skip(n&15)
		f.stamp, f.hash = d.stamp()
		f.know(d.Str())
		links := d.Count()
		if links > len(block) {
			block = make([]link, max(links, linkBlock))
		}
		f.edges, block = block[:links:links], block[links:]
		for k := range f.edges {
			n := d.Num()
			l := link{kind: lang.Kind(n >> 5), status: lang.Status(n >> 2 & 7), inferred: n&1 != 0, typeOnly: n&2 != 0}
			if l.status == lang.Found {
				l.at = int32(d.Num())
			}
			f.edges[k] = l
		}
	}
}

// point adds the paths of files to links that refer to them by number. It reports false for a number
// that is out of range.
func (t *tree) point() bool {
	for i := range t.files {
		for j := range t.files[i].edges {
			l := &t.files[i].edges[j]
			if l.status != lang.Found {
				continue
			}
			if l.at < 0 || int(l.at) >= len(t.files) {
				return false
			}
			l.to = t.files[l.at].path
		}
	}
	return true
}

// load reads an index, and returns the time at which its files were checked. An error is
// fs.ErrNotExist or one that rebuilding the index repairs.
func load(name, root string) (*tree, time.Time, error) {
	st, err := os.Lstat(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	if !st.Mode().IsRegular() {
		return nil, time.Time{}, fmt.Errorf("read index %s: it is not a file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	t, err := decode(f, st.Size())
	if err == nil && t.root != root {
		err = codec.ErrDamaged
	}
	return t, st.ModTime(), err
}

// oldTemp is the age from which a temporary file counts as abandoned.
const oldTemp = time.Hour

// save replaces the index atomically and returns its size. looked is when its files were checked,
// and becomes the modification time of the index file: a file that changed at that time or later
// may have changed unnoticed.
func (t *tree) save(name string, looked time.Time) (size int, err error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, fmt.Errorf("write index: %w", err)
	}
	sweepTemps(dir, filepath.Base(name), looked)
	f, err := os.CreateTemp(dir, filepath.Base(name)+".tmp-*")
	if err != nil {
		return 0, fmt.Errorf("write index: %w", err)
	}
	b := t.encode()
	_, err = f.Write(b)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Chtimes(f.Name(), looked, looked)
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return 0, fmt.Errorf("write index: %w", err)
	}
	return len(b), nil
}

// sweepTemps removes the temporary files of killed writers.
func sweepTemps(dir, base string, now time.Time) {
	left, _ := filepath.Glob(filepath.Join(dir, base+".tmp-*"))
	for _, p := range left {
		if st, err := os.Lstat(p); err == nil && now.Sub(st.ModTime()) > oldTemp {
			_ = os.Remove(p)
		}
	}
}
