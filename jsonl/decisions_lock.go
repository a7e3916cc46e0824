package jsonl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// The files beside the log: the lock, and the .gitignore that keeps it out of git.
const (
	decisionsLock   = "decisions.lock"
	decisionsIgnore = ".gitignore"
)

// ErrDecisionsBusy is a log that another process has locked for too long.
var ErrDecisionsBusy = errors.New("another process is writing")

// lockPoll is how often a lock is tried.
const lockPoll = 3 * time.Millisecond

// lock keeps other writers out until the returned function is called or this process
// ends. It creates the directory of the log.
func (d *Decisions) lock(ctx context.Context, path string) (func(), error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("write decisions: %w", err)
	}
	if err := ignoreLock(dir); err != nil {
		return nil, err
	}
	name := filepath.Join(dir, decisionsLock)
	if st, err := os.Lstat(name); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("write decisions: %s is not a file", name)
	}
	l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	wait, cancel := context.WithTimeout(ctx, cmp.Or(d.Wait, decisionsWait))
	defer cancel()
	ok, err := l.TryLockContext(wait, lockPoll)
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("write decisions: %w", ctx.Err())
	case errors.Is(err, context.DeadlineExceeded), err == nil && !ok:
		return nil, fmt.Errorf("write decisions: %w%s", ErrDecisionsBusy, holder(name))
	case err != nil:
		return nil, fmt.Errorf("write decisions: %w", err)
	}
	// The pid is for those that wait: without it the lock holds all the same.
	_ = os.WriteFile(name, strconv.AppendInt(nil, int64(os.Getpid()), 10), 0o600)
	return func() { _ = l.Unlock() }, nil
}

// holder names the process that has a lock.
func holder(lock string) string {
	b, err := os.ReadFile(lock)
	pid := strings.TrimSpace(string(b))
	if _, perr := strconv.Atoi(pid); err != nil || perr != nil {
		return ""
	}
	return ": process " + pid
}

// ignoreLock keeps the lock and backups out of git.
func ignoreLock(dir string) error {
	name := filepath.Join(dir, decisionsIgnore)
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	err := os.WriteFile(name, []byte(decisionsLock+"\n*.bak\n"+replacing+"*\n"), 0o644)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write decisions: %w", err)
	}
	return nil
}
