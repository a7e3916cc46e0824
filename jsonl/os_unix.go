//go:build unix

package jsonl

import (
	"os"
	"syscall"
)

// openNonblock opens a file for reading; a named pipe does not wait for a writer.
func openNonblock(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
}

// openAppend opens a file for appending, or makes it. A symbolic link in its
// place is not followed, a named pipe not waited for.
func openAppend(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
}
