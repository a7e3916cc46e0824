package jsonl

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// sessionLock returns the lock of a session's file, in the directory of pictx.
func sessionLock(dir, file string) *flock.Flock {
	sum := sha256.Sum256([]byte(file))
	name := filepath.Join(dir, "open", hex.EncodeToString(sum[:8]))
	return lockFile(name)
}

// lockFile returns the lock of a file that only this user may open.
func lockFile(name string) *flock.Flock {
	return flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
}

// HoldSession notes that an agent has a session's file open, until this process ends. It does
// its best: a session that cannot be noted can be used all the same.
func HoldSession(dir, file string) {
	if os.MkdirAll(filepath.Join(dir, "open"), 0o700) == nil {
		_, _ = sessionLock(dir, file).TryRLock()
	}
}

// ChangeSession calls change unless an agent has a session's file open, and reports whether it
// did.
func ChangeSession(dir, file string, change func() error) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, "open")); os.IsNotExist(err) {
		return true, change()
	}
	lock := sessionLock(dir, file)
	free, err := lock.TryLock()
	if err != nil || !free {
		return false, err
	}
	defer lock.Unlock() //nolint:errcheck // the process that ends unlocks it, too
	return true, change()
}
