package pi

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

var _ history.File = File{}

// File implements history.File for a session file on disk.
type File struct {
	Path string
}

// Info implements history.File.
func (f File) Info() (history.FileInfo, error) {
	path, err := filepath.Abs(f.Path)
	if err != nil {
		return history.FileInfo{Path: f.Path}, fmt.Errorf("find session: %w", err)
	}
	st, err := os.Stat(path)
	if err != nil {
		return history.FileInfo{Path: path}, fmt.Errorf("open session: %w", err)
	}
	if !st.Mode().IsRegular() {
		return history.FileInfo{Path: path}, notAFile(path)
	}
	return history.FileInfo{Path: path, Identity: identity(st), Size: st.Size(), ModTime: st.ModTime().UnixNano()}, nil
}

// Open implements history.File: it reads lines from a position on.
func (f File) Open(from message.Position) (history.Lines, error) {
	file, err := openRegular(f.Path)
	if err != nil {
		return nil, err
	}
	if _, err := file.Seek(from.Offset, io.SeekStart); err != nil {
		file.Close()
		return nil, fmt.Errorf("read session %s: %w", f.Path, err)
	}
	return &openFile{Reader: NewReader(file, from), file: file}, nil
}

type openFile struct {
	*Reader
	file *os.File
}

func (o *openFile) Close() error { return o.file.Close() }

// provingBytes is the number of bytes before a position that are compared to recognise a
// rewritten file.
const provingBytes = 4096

// Before implements history.File: it returns the last bytes before a position.
func (f File) Before(at message.Position) ([]byte, error) {
	file, err := openRegular(f.Path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	b := make([]byte, min(provingBytes, at.Offset))
	if _, err := file.ReadAt(b, at.Offset-int64(len(b))); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read session %s: %w", f.Path, err)
	}
	return b, nil
}

// openRegular opens a regular file. It fails for a directory, a named pipe or a device, and
// does not wait for one.
func openRegular(path string) (*os.File, error) {
	f, err := openNonblock(path)
	if err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = notAFile(path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func notAFile(path string) error { return fmt.Errorf("open session %s: it is not a file", path) }
