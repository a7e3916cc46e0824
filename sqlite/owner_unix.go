//go:build unix

package sqlite

import (
	"os"
	"syscall"
)

// ownedByUser reports whether a file belongs to the user or to root.
func ownedByUser(st os.FileInfo) bool {
	sys, ok := st.Sys().(*syscall.Stat_t)
	return !ok || sys.Uid == 0 || int(sys.Uid) == os.Geteuid() || os.Geteuid() == 0
}
