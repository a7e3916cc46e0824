package jsonl

import (
	"bytes"
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

// LogReader reads a log from its oldest line on.
type LogReader struct {
	Log Log

	file fs.FileInfo // that was read last, nil at the beginning
	at   int         // up to where
}

// Read returns the lines that were written since the last call, at first all. What is no entry is
// skipped, and an incomplete last line waits for the next call.
func (r *LogReader) Read() (out []LogEntry, err error) {
	now, data, err := r.Log.contents(logFile)
	if err != nil {
		return nil, err
	}
	if !same(now, r.file) {
		was, old, err := r.Log.contents(oldLogFile)
		if err != nil {
			return nil, err
		}
		from := 0
		if same(was, r.file) {
			from = min(r.at, len(old))
		}
		out = entriesOf(old[from:])
		if r.file, r.at = now, 0; now == nil || same(now, was) { // it is being rotated
			r.file, r.at = was, len(old)
			return out, nil
		}
	}
	if r.at > len(data) { // it was emptied
		r.at = 0
	}
	whole := data[r.at : r.at+bytes.LastIndexByte(data[r.at:], '\n')+1]
	r.at += len(whole)
	return append(out, entriesOf(whole)...), nil
}

// contents reads one of the files. info is nil if it does not exist.
func (l Log) contents(name string) (info fs.FileInfo, data []byte, err error) {
	f, err := os.OpenFile(filepath.Join(l.Dir, name), os.O_RDONLY|nonblock, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read log: %w", err)
	}
	defer f.Close()
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = errors.New(f.Name() + " is not a file")
	}
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(f, maxLogFile))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("read log: %w", err)
	}
	return info, data, nil
}

// maxLogFile exceeds the size of any file that Append writes to.
const maxLogFile = 64 << 20

// same reports whether both are the same existing file.
func same(a, b fs.FileInfo) bool { return a != nil && b != nil && os.SameFile(a, b) }

// entriesOf parses lines.
func entriesOf(text []byte) (out []LogEntry) {
	for line := range bytes.Lines(text) {
		if e, ok := parseLogLine(line); ok {
			out = append(out, e)
		}
	}
	return out
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
