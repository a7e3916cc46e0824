//go:build unix

package jsonl

import (
	"fmt"
	"io/fs"
	"syscall"
)

// identity names the file itself, which survives a rename and not a replacement.
func identity(st fs.FileInfo) string {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return fmt.Sprintf("%d:%d", s.Dev, s.Ino)
	}
	return ""
}
