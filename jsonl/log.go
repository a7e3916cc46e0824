package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/coctostan/pictx/core/text"
)

// Log is the log of the hooks: what was asked, how long it took and what the result was,
// one JSON object per line, without any content. It has at most two files, hooks.jsonl and
// the older hooks.jsonl.1. Any number of processes may append concurrently: lines are
// written whole, and lost only with their file.
type Log struct {
	Dir string // created if missing
	Max int64  // maximum size of a file in bytes; 0 means 5 MB
}

// The values of LogEntry.Result.
const (
	LogOK        = "ok"        // answered in time
	LogLate      = "late"      // answered after the agent stopped waiting
	LogFailed    = "failed"    // the handler failed; nothing was changed
	LogCancelled = "cancelled" // cancelled by the agent
	LogMissed    = "missed"    // the agent reports an event without an answer
)

// LogEntry is a line of the log.
type LogEntry struct {
	Time      time.Time `json:"time"`
	Event     string    `json:"event"`
	Session   string    `json:"session,omitempty"`
	Project   string    `json:"project,omitempty"`   // key of its store
	Transport string    `json:"transport,omitempty"` // serve or oneshot
	Ms        float64   `json:"ms"`                  // until the reply was ready
	Bytes     int       `json:"bytes"`               // size of the request
	Result    string    `json:"result"`
	Decision  string    `json:"decision,omitempty"` // what was done, one line without content
	Error     string    `json:"error,omitempty"`    // one line
	Asked     string    `json:"asked,omitempty"`    // the request without its texts, with debug
}

const (
	logFile     = "hooks.jsonl"
	oldLogFile  = "hooks.jsonl.1"
	logLockFile = "hooks.lock"
	logMax      = 5_000_000
	// maxLogField keeps a line within what systems write atomically.
	maxLogField = 500
)

// MarshalJSON formats the time in UTC with milliseconds, in constant width.
func (e LogEntry) MarshalJSON() ([]byte, error) {
	type plain LogEntry
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(struct {
		Time string `json:"time"`
		plain
	}{e.Time.UTC().Format(text.TimeForm), plain(e)})
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Append adds a line without waiting for other processes. After an error the line is not in
// the log, which should stop nothing.
func (l Log) Append(e LogEntry) error {
	for _, field := range []*string{&e.Event, &e.Session, &e.Project, &e.Transport, &e.Result, &e.Decision, &e.Error, &e.Asked} {
		*field = clip(*field)
	}
	line, err := e.MarshalJSON()
	if err != nil {
		return fmt.Errorf("append to log: %w", err)
	}
	f, err := l.open(int64(len(line) + 1))
	if err != nil {
		return fmt.Errorf("append to log: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("append to log: %w", err)
	}
	return nil
}

// clip shortens a text to one line of limited length.
func clip(s string) string {
	if len(s) > maxLogField {
		s = text.CutBytes(s, maxLogField) + text.Ellipsis
	}
	if strings.ContainsAny(s, "\r\n\t") {
		s = text.Line(s)
	}
	return s
}

// open opens the file to append a line to.
func (l Log) open(line int64) (*os.File, error) {
	f, size, err := l.openCurrent()
	if errors.Is(err, fs.ErrNotExist) {
		if err = os.MkdirAll(l.Dir, 0o700); err == nil {
			f, size, err = l.openCurrent()
		}
	}
	if err != nil || size == 0 || size+line <= l.max() {
		return f, err
	}
	seen, err := f.Stat()
	f.Close() // Windows renames no file that is open
	if err == nil {
		l.rotate(seen, line)
	}
	f, _, err = l.openCurrent()
	return f, err
}

func (l Log) max() int64 {
	if l.Max > 0 {
		return l.Max
	}
	return logMax
}

func (l Log) openCurrent() (*os.File, int64, error) {
	f, err := openAppend(filepath.Join(l.Dir, logFile))
	if err != nil {
		return nil, 0, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = errors.New(f.Name() + " is not a file")
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, st.Size(), nil
}

// rotate makes the current file the old one. If another process is rotating, or it fails,
// the log just grows beyond its limit: that is better than waiting.
func (l Log) rotate(seen os.FileInfo, line int64) {
	lock := lockFile(filepath.Join(l.Dir, logLockFile))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return
	}
	defer lock.Unlock() //nolint:errcheck // the process that ends unlocks it, too
	// A previous holder of the lock may have rotated already, so check again.
	path := filepath.Join(l.Dir, logFile)
	now, err := os.Lstat(path)
	if err == nil && os.SameFile(now, seen) && now.Size()+line > l.max() {
		// After a failure the log just stays too long.
		_ = os.Rename(path, filepath.Join(l.Dir, oldLogFile))
	}
}
