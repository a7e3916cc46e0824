//go:build unix

package repo

import (
	"errors"
	"syscall"
)

// alive reports whether a process runs, as far as this user can see.
func alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
