//go:build unix

package workspace

import (
	"io/fs"
	"syscall"

	"github.com/coctostan/pictx/core/object"
)

// statOf returns the identity of a file.
func statOf(st fs.FileInfo) object.Stat {
	out := object.Stat{Size: st.Size(), ModTime: st.ModTime().UnixNano()}
	if sys, ok := st.Sys().(*syscall.Stat_t); ok {
		out.Inode, out.Device = int64(sys.Ino), int64(sys.Dev)
	}
	return out
}
