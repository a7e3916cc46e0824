//go:build unix

package pi

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// identity identifies the file itself: it survives a rename, but not a replacement.
func identity(st fs.FileInfo) string {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}

// openNonblock opens a file for reading, without waiting for a writer if it is a named
// pipe.
func openNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}
