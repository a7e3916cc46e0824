package jsonl

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coctostan/pictx/core/decision"
	"github.com/coctostan/pictx/repo"
)

// Decisions is the log of decisions of a project. What was read is kept until the file
// changes, and of a file that grew only the end is read. Any number of processes may
// append to it, one after the other.
type Decisions struct {
	root string
	path string
	// Wait is how long to wait for another process that appends; 5 s when 0.
	Wait time.Duration

	mu    sync.Mutex
	info  fs.FileInfo
	log   *decision.Log
	state *decision.State
	tail  []byte // the end of what was read, by which a file that only grew is known
}

// decisionsWait is how long a writer waits for another.
const decisionsWait = 5 * time.Second

// tailLength is how much of the end of a log is compared before it is read on.
const tailLength = 256

// maxDecisions bounds the size of a log, in bytes: a sparse file in its place must not
// fill the memory.
const maxDecisions = 1 << 30

// DecisionsPath is the path of a project's log.
func DecisionsPath(root string) string {
	return filepath.Join(root, ".pi", "decision-memory", "decisions.jsonl")
}

// OpenDecisions returns the log of the project at root. It opens and creates nothing.
func OpenDecisions(root string) *Decisions {
	return &Decisions{root: root, path: DecisionsPath(root)}
}

// Path is the log's file.
func (d *Decisions) Path() string { return d.path }

// target is the path of the log after following links, which must stay inside the
// project.
func (d *Decisions) target() (string, error) {
	path, err := repo.Resolve(d.root, d.path)
	if err != nil {
		return "", fmt.Errorf("open decisions: %w", err)
	}
	return path, nil
}

// Load returns the log and its state. A log that does not exist is empty. Both are
// shared and must not be changed.
func (d *Decisions) Load() (*decision.Log, *decision.State, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	log, state, err := d.load()
	if err != nil {
		return nil, nil, err
	}
	shared := *log // what is appended later changes d.log
	return &shared, state, nil
}

func (d *Decisions) load() (*decision.Log, *decision.State, error) {
	f, now, err := d.openLog()
	switch {
	case err != nil:
		return nil, nil, err
	case f == nil:
		d.info, d.log, d.state, d.tail = nil, decision.Read(nil), decision.Replay(nil), nil
		return d.log, d.state, nil
	}
	defer f.Close()
	if d.same(now) {
		return d.log, d.state, nil
	}
	return d.log, d.state, d.readFrom(f, now)
}

// openLog opens a log; the file is nil when it does not exist.
func (d *Decisions) openLog() (*os.File, fs.FileInfo, error) {
	path, err := d.target()
	if err != nil {
		return nil, nil, err
	}
	f, err := repo.OpenFile(d.root, path, os.O_RDONLY|nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read decisions: %w", err)
	}
	st, err := f.Stat()
	switch {
	case err != nil:
	case !st.Mode().IsRegular():
		err = fmt.Errorf("read decisions %s: it is not a file", path)
	case st.Size() > maxDecisions:
		err = fmt.Errorf("read decisions %s: it has %d bytes, at most %d", path, st.Size(), maxDecisions)
	default:
		return f, st, nil
	}
	f.Close()
	return nil, nil, err
}

// same reports whether the file is unchanged since it was read, by identity, size and
// time.
func (d *Decisions) same(now fs.FileInfo) bool {
	return d.info != nil && os.SameFile(d.info, now) && d.info.Size() == now.Size() && d.info.ModTime().Equal(now.ModTime())
}

// readFrom reads what was appended to the file when it only grew, else the whole file.
func (d *Decisions) readFrom(f *os.File, now fs.FileInfo) error {
	if d.grown(f, now) {
		more, err := readRange(f, d.log.Size, now.Size())
		if err != nil {
			return err
		}
		d.log.Extend(more)
		d.tail = tailOf(append(d.tail, more...))
	} else {
		data, err := readRange(f, 0, now.Size())
		if err != nil {
			d.info = nil
			return err
		}
		d.log = decision.Read(data)
		d.tail = tailOf(data)
	}
	d.state, d.info = decision.Replay(d.log.Events), now
	return nil
}

// grown reports whether the file is the one that was read, with more after it.
func (d *Decisions) grown(f *os.File, now fs.FileInfo) bool {
	if d.info == nil || !d.log.Whole || !os.SameFile(d.info, now) || now.Size() <= d.log.Size || len(d.tail) == 0 {
		return false
	}
	was, err := readRange(f, d.log.Size-int64(len(d.tail)), d.log.Size)
	return err == nil && bytes.Equal(was, d.tail)
}

func tailOf(b []byte) []byte { return bytes.Clone(b[max(0, len(b)-tailLength):]) }

func readRange(f *os.File, from, to int64) ([]byte, error) {
	b := make([]byte, to-from)
	n, err := f.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read decisions: %w", err)
	}
	return b[:n], nil
}

// Bytes returns the log's bytes, none when it does not exist.
func (d *Decisions) Bytes() ([]byte, error) {
	path, err := d.target()
	if err != nil {
		return nil, err
	}
	b, err := repo.Read(d.root, path, maxDecisions)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

// Update appends the events that change returns, in one write that is synced to disk.
// The log is locked while change runs, so that no other process appends in between.
// When change fails or returns no events, nothing is written.
func (d *Decisions) Update(ctx context.Context, change func(*decision.Log, *decision.State) ([]decision.Event, error)) error {
	return d.locked(ctx, func(path string) error {
		log, state, err := d.load()
		if err != nil {
			return err
		}
		if err := log.Writable(); err != nil {
			return err
		}
		events, err := change(log, state)
		if err != nil || len(events) == 0 {
			return err
		}
		return d.append(path, decision.Lines(log.Whole, events))
	})
}

// append appends lines in one write. After a partial write the file is truncated to its former
// length.
func (d *Decisions) append(path string, lines []byte) error {
	f, err := repo.OpenFile(d.root, path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666) // the umask decides
	if err != nil {
		return fmt.Errorf("write decisions: %w", err)
	}
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		f.Close()
		return errors.Join(err, fmt.Errorf("write decisions %s: it is not a file", path))
	}
	n, err := f.Write(lines)
	if err == nil {
		err = f.Sync()
	}
	if err != nil && n > 0 {
		err = errors.Join(err, f.Truncate(st.Size()))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("write decisions: %w", err)
	}
	return nil
}

// Rewrite replaces the log's bytes by what change returns, so that a crash leaves either
// the old log or the new one whole. With backup set the old log is kept beside it, at
// the path that is returned. Unchanged bytes are not written.
func (d *Decisions) Rewrite(ctx context.Context, backup bool, change func(data []byte) ([]byte, error)) (saved string, err error) {
	err = d.locked(ctx, func(path string) error {
		repo.Sweep(filepath.Dir(path)) // a killed process may have left texts that were to be redacted
		old, err := repo.Read(d.root, path, maxDecisions)
		if err != nil {
			return err
		}
		if err := decision.Read(old).Writable(); err != nil {
			return err
		}
		data, err := change(bytes.Clone(old))
		if err != nil || bytes.Equal(data, old) {
			return err
		}
		if backup {
			saved = path + ".bak"
			if err := repo.Write(d.root, saved, old, 0o600); err != nil {
				return fmt.Errorf("rewrite decisions: %w", err)
			}
		}
		return d.replace(path, old, data)
	})
	return saved, err
}

// KeepAside appends lines that were taken out of the log to a file beside it, which only
// its owner may read, and returns its path. It is called from within Rewrite, which holds
// the lock.
func (d *Decisions) KeepAside(lines []byte) (string, error) {
	path, err := d.target()
	if err != nil {
		return "", err
	}
	path += ".damaged"
	f, err := openAppend(path)
	if err != nil {
		return "", fmt.Errorf("set lines aside: %w", err)
	}
	_, err = f.Write(lines)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", fmt.Errorf("set lines aside: %w", err)
	}
	return path, nil
}

// replace replaces the log, unless a program that does not know the lock appended to it
// meanwhile.
func (d *Decisions) replace(path string, old, data []byte) error {
	st, err := os.Stat(path)
	if err == nil && st.Size() != int64(len(old)) {
		err = errors.New("another program changed it meanwhile")
	}
	if err != nil {
		return fmt.Errorf("rewrite decisions: %w", err)
	}
	d.info = nil
	if err := repo.Write(d.root, path, data, st.Mode().Perm()); err != nil {
		return fmt.Errorf("rewrite decisions: %w", err)
	}
	return nil
}

// The files beside the log: the lock, and the .gitignore that keeps it out of git.
const (
	decisionsLock   = "decisions.lock"
	decisionsIgnore = ".gitignore"
)

// ErrDecisionsBusy is a log that another process has locked for too long.
var ErrDecisionsBusy = errors.New("another process is writing")

// lockPoll is how often a lock is tried.
const lockPoll = 10 * time.Millisecond

// locked calls do with the path of the log while other writers are kept out.
func (d *Decisions) locked(ctx context.Context, do func(path string) error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	path, err := d.target()
	if err != nil {
		return err
	}
	unlock, err := d.lock(ctx, path)
	if err != nil {
		return err
	}
	defer unlock()
	return do(path)
}

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
	l := lockFile(name)
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
	err := os.WriteFile(name, []byte(decisionsLock+"\n*.bak\n"+repo.Temporary+"*\n"), 0o644)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write decisions: %w", err)
	}
	return nil
}
