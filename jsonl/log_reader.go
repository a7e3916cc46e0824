package jsonl

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// LogReader reads a log from its oldest line on. At the end Next returns io.EOF, and may be
// called again to read lines appended since. Invalid lines are skipped. It is not safe for
// concurrent use.
type LogReader struct {
	log     Log
	files   []*os.File // the file being read, and the next
	buf     *bufio.Reader
	pending []byte // beginning of an incomplete line
	long    bool   // the incomplete line is too long to be ours
}

// maxLogLine exceeds any line that Append writes.
const maxLogLine = 64 << 10

// Open starts reading. A missing log is empty.
func (l Log) Open() (*LogReader, error) {
	r := &LogReader{log: l, buf: bufio.NewReaderSize(nil, maxLogLine)}
	current, err := l.openRead(logFile)
	if err != nil {
		return nil, err
	}
	old, err := l.openRead(oldLogFile)
	if err != nil {
		closeAll(current)
		return nil, err
	}
	if current != nil && old != nil && sameFile(current, old) {
		// Rotated in between: the present current file is the next one.
		current.Close()
		if current, err = l.openRead(logFile); err != nil {
			closeAll(old)
			return nil, err
		}
	}
	for _, f := range []*os.File{old, current} {
		if f != nil {
			r.files = append(r.files, f)
		}
	}
	if len(r.files) > 0 {
		r.buf.Reset(r.files[0])
	}
	return r, nil
}

// Close closes the files.
func (r *LogReader) Close() {
	closeAll(r.files...)
	r.files = nil
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close() // read-only: nothing can be lost
		}
	}
}

// Next returns the next entry, io.EOF when there is none yet.
func (r *LogReader) Next() (LogEntry, error) {
	for {
		line, err := r.line()
		switch {
		case err == nil:
		case !errors.Is(err, io.EOF):
			return LogEntry{}, fmt.Errorf("read log: %w", err)
		case len(r.files) == 2:
			line = r.leave()
		default:
			more, err := r.look()
			if err == nil && !more {
				err = io.EOF
			}
			if err != nil {
				return LogEntry{}, err
			}
			continue
		}
		if e, ok := parseLogLine(line); ok {
			return e, nil
		}
	}
}

// line returns the next complete line of acceptable length.
func (r *LogReader) line() ([]byte, error) {
	if len(r.files) == 0 {
		return nil, io.EOF
	}
	for {
		part, err := r.buf.ReadSlice('\n')
		if r.long = r.long || len(r.pending)+len(part) > maxLogLine; r.long {
			r.pending = nil
		} else {
			r.pending = append(r.pending, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return nil, err
		}
		line, long := r.pending, r.long
		r.pending, r.long = nil, false
		if !long {
			return line, nil
		}
	}
}

// leave moves to the next file, and returns the incomplete line at the end of the previous
// one, which will never be completed.
func (r *LogReader) leave() []byte {
	torn := r.pending
	r.pending, r.long = nil, false
	r.files[0].Close()
	r.files = r.files[1:]
	r.buf.Reset(r.files[0])
	return torn
}

// look reports whether there is more to read after the end of a file. If the log was
// rotated, the finished file is read to its end once more.
func (r *LogReader) look() (bool, error) {
	next, err := r.log.openRead(logFile)
	if err != nil || next == nil {
		return false, err
	}
	switch {
	case len(r.files) == 0:
		r.buf.Reset(next)
	case sameFile(r.files[0], next):
		next.Close()
		return r.emptied(), nil
	}
	r.files = append(r.files, next)
	return true, nil
}

// emptied goes back to the start of a file that was truncated.
func (r *LogReader) emptied() bool {
	at, err := r.files[0].Seek(0, io.SeekCurrent)
	st, serr := r.files[0].Stat()
	if err != nil || serr != nil || st.Size() >= at {
		return false
	}
	r.pending, r.long = nil, false
	_, err = r.files[0].Seek(0, io.SeekStart)
	return err == nil
}

// openRead opens one of the files, nil if it does not exist.
func (l Log) openRead(name string) (*os.File, error) {
	f, err := openNonblock(filepath.Join(l.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		f.Close()
		return nil, fmt.Errorf("read log: %s is not a file", f.Name())
	}
	return f, nil
}

func sameFile(a, b *os.File) bool {
	x, errX := a.Stat()
	y, errY := b.Stat()
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// parseLogLine parses a line. If a full disk truncated a line, the next one follows it on
// the same line. It is recognized by its beginning, which would be escaped inside a string.
func parseLogLine(line []byte) (LogEntry, bool) {
	var e LogEntry
	if json.Unmarshal(line, &e) == nil {
		return e, e.Event != "" && !e.Time.IsZero()
	}
	if i := bytes.LastIndex(line, []byte(`{"time":"`)); i > 0 {
		e = LogEntry{}
		return e, json.Unmarshal(line[i:], &e) == nil && e.Event != "" && !e.Time.IsZero()
	}
	return e, false
}

// EventTimes is how long the hooks of an event took, in milliseconds, and how many failed.
type EventTimes struct {
	Event  string  `json:"event"`
	Calls  int     `json:"calls"`
	P50    float64 `json:"p50_ms"`
	P95    float64 `json:"p95_ms"`
	Failed int     `json:"failed"`
}

// Failed reports whether an event failed, was answered too late, or was missed.
func (e LogEntry) Failed() bool {
	return e.Result == LogFailed || e.Result == LogLate || e.Result == LogMissed
}

// Times summarizes lines by event.
func Times(lines []LogEntry) []EventTimes {
	took, missed := map[string][]float64{}, map[string]int{}
	for _, e := range lines {
		took[e.Event] = append(took[e.Event], e.Ms)
		if e.Failed() {
			missed[e.Event]++
		}
	}
	var all []EventTimes
	for _, event := range slices.Sorted(maps.Keys(took)) {
		ms := took[event]
		slices.Sort(ms)
		all = append(all, EventTimes{event, len(ms), quantile(ms, 50), quantile(ms, 95), missed[event]})
	}
	return all
}

// quantile returns the smallest of the sorted values that percent of them do not exceed.
func quantile(sorted []float64, percent int) float64 {
	return sorted[max(0, (len(sorted)*percent+99)/100-1)]
}

// Last reads to the end and returns the last n wanted lines, all for 0.
func (r *LogReader) Last(ctx context.Context, n int, wanted func(LogEntry) bool) ([]LogEntry, error) {
	var lines []LogEntry
	for ctx.Err() == nil {
		e, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			if n > 0 && len(lines) > n {
				lines = lines[len(lines)-n:]
			}
			return lines, nil
		case err != nil:
			return nil, err
		case !wanted(e):
			continue
		}
		lines = append(lines, e)
		if n > 0 && len(lines) == 2*n+1000 { // bounds memory
			lines = append(lines[:0], lines[len(lines)-n:]...)
		}
	}
	return nil, ctx.Err()
}
