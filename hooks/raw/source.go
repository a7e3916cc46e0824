package raw

import (
	"bufio"
	"io"
	"os"

	"github.com/coctostan/pictx/core/prune/policy"
)

// bufferSize is the size of reads and writes in bytes: the capacity of a pipe.
const bufferSize = 64 << 10

// source is an input that is read twice: first to validate it, then to copy it.
type source struct {
	in    io.Reader
	at    io.ReaderAt
	size  int64 // known once reader was read to its end
	spool *spool
}

// openSource returns a source of in. A regular file is read in place; any other input is
// spooled.
func openSource(in io.Reader) *source {
	if f := regular(in); f != nil {
		return &source{in: f, at: f, size: f.Size()}
	}
	s := &spool{}
	return &source{in: in, at: s, spool: s}
}

// regular returns the rest of in if it is a regular file, else nil. A file of size 0 does
// not count, because files in /proc have that size and contents all the same.
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

// counted writes to the spool of a source and counts the bytes.
type counted struct{ s *source }

func (c counted) Write(p []byte) (int, error) {
	n, err := c.s.spool.Write(p)
	c.s.size += int64(n)
	return n, err
}

// close releases the spool.
func (s *source) close() {
	if s.spool != nil {
		s.spool.close()
	}
}

// splice replaces a range of the input with the content of an edit.
type splice struct {
	start, end int64
	edit       *policy.Edit
}

// writeTo writes the input to out with the splices applied. They must be in order and must
// not overlap.
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

// copyRange copies the input from start to end to w, through buf.
func (s *source) copyRange(w io.Writer, buf []byte, start, end int64) error {
	for start < end {
		part := buf[:min(int64(len(buf)), end-start)]
		n, err := s.at.ReadAt(part, start)
		if n < len(part) {
			if err == nil || err == io.EOF { // the file was truncated meanwhile
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
