//go:build unix

package jsonl

import (
	"os"
	"syscall"
)

// nonblock lets a file be opened for reading that may be a named pipe without a writer.
const nonblock = syscall.O_NONBLOCK

// openAppend opens a file for appending, or makes it. A symbolic link in its
// place is not followed, a named pipe not waited for.
func openAppend(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|nonblock, 0o600)
}
