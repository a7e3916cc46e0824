//go:build unix

package pi

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// identity names the file itself, which survives a rename and not a replacement.
func identity(st fs.FileInfo) string {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}

// openNonblock opens a file for reading; a named pipe does not wait for a writer.
func openNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
