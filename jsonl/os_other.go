//go:build !unix

package jsonl

import "os"

func openNonblock(path string) (*os.File, error) { return os.Open(path) }

func openAppend(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}

// tryLock locks nothing: where there is no such lock a file that another process
// has open cannot be renamed either.
func tryLock(path string) (*os.File, bool) {
	f, err := openAppend(path)
	return f, err == nil
}

// syncDir does nothing where directories cannot be synced.
func syncDir(string) error { return nil }
