package raw

import (
	"bufio"
	"io"
	"os"

	"github.com/coctostan/pictx/core/prune"
)

// bufferSize is that of every read and write: what a pipe holds.
const bufferSize = 64 << 10

// source is an input that is read twice: once to check it, once to copy it.
type source struct {
	in    io.Reader
	at    io.ReaderAt
	size  int64 // known after reader was read to its end
	spool *spool
}

// openSource returns a source of in. A file is read in place; what can be read
// only once is kept.
func openSource(in io.Reader) *source {
	if f := regular(in); f != nil {
		return &source{in: f, at: f, size: f.Size()}
	}
	s := &spool{}
	return &source{in: in, at: s, spool: s}
}

// regular returns the rest of in if it is a regular file, else nil. A file of size 0
// does not count as one: those in /proc have contents all the same.
func regular(in io.Reader) *io.SectionReader {
	f, ok := in.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	offset, err := f.Seek(0, io.SeekCurrent)
	if err != nil || offset >= info.Size() {
		return nil
	}
	return io.NewSectionReader(f, offset, info.Size()-offset)
}

// reader returns the input for the first pass, which must read all of it.
func (s *source) reader() io.Reader {
	if s.spool == nil {
		return bufio.NewReaderSize(s.in, bufferSize)
	}
	return bufio.NewReaderSize(io.TeeReader(s.in, counted{s}), bufferSize)
}

// counted writes to a source's spool and keeps its size.
type counted struct{ s *source }

func (c counted) Write(p []byte) (int, error) {
	n, err := c.s.spool.Write(p)
	c.s.size += int64(n)
	return n, err
}

// close gives back what a spool holds.
func (s *source) close() {
	if s.spool != nil {
		s.spool.close()
	}
}

// splice puts the content of an edit in the place of a range of the input.
type splice struct {
	start, end int64
	edit       *prune.Edit
}

// writeTo writes the input to out with the splices, which are in order and do not
// overlap.
func (s *source) writeTo(out io.Writer, splices []splice) error {
	w := bufio.NewWriterSize(out, bufferSize)
	buf := make([]byte, bufferSize)
	var at int64
	for _, sp := range splices {
		if err := s.copyRange(w, buf, at, sp.start); err != nil {
			return err
		}
		if _, err := w.Write(sp.edit.Content()); err != nil {
			return err
		}
		at = sp.end
	}
	if err := s.copyRange(w, buf, at, s.size); err != nil {
		return err
	}
	return w.Flush()
}

// copyRange copies the input from start to end to w by way of buf.
func (s *source) copyRange(w io.Writer, buf []byte, start, end int64) error {
	for start < end {
		part := buf[:min(int64(len(buf)), end-start)]
		n, err := s.at.ReadAt(part, start)
		if n < len(part) {
			if err == nil || err == io.EOF { // the file became shorter
				err = io.ErrUnexpectedEOF
			}
			return err
		}
		if _, err := w.Write(part); err != nil {
			return err
		}
		start += int64(n)
	}
	return nil
}
