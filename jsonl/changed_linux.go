package jsonl

import (
	"io/fs"
	"syscall"
)

// changed is when a file or what is known of it was last changed, in nanoseconds.
// No program can set it.
func changed(st fs.FileInfo) int64 {
	if s, ok := st.Sys().(*syscall.Stat_t); ok {
		return s.Ctim.Nano()
	}
	return 0
}
