package console

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows on a terminal how far long work is: one line on stderr, after
// 300 ms, at most ten times a second, erased at the end.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer // nil when it is not a terminal
	now   func() time.Time
	verb  string
	Total int64
	done  int64
	began time.Time
	last  time.Time
	shown bool
	text  func(int64) string // writes an amount
}

// NewProgress starts a counter up to total, of amounts that format writes. w is the
// terminal, nil to show nothing.
func NewProgress(w io.Writer, now func() time.Time, verb string, total int64, format func(int64) string) *Progress {
	return &Progress{w: w, now: now, verb: verb, Total: total, began: now(), text: format}
}

// Add counts n bytes more.
func (p *Progress) Add(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	now := p.now()
	if p.w == nil || now.Sub(p.began) < 300*time.Millisecond || now.Sub(p.last) < 100*time.Millisecond {
		return
	}
	p.last, p.shown = now, true
	percent := 100.0
	if p.Total > 0 {
		percent = min(100, float64(p.done)/float64(p.Total)*100)
	}
	fmt.Fprintf(p.w, "\r%s %s of %s (%.0f %%)\x1b[K", p.verb, p.text(p.done), p.text(p.Total), percent)
}

// To counts up to n.
func (p *Progress) To(n int64) {
	p.mu.Lock()
	more := n - p.done
	p.mu.Unlock()
	p.Add(more)
}

// End erases the line.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.w = nil
}

// Hush leaves out remarks and warnings on the way to w: lines that begin with the
// program's name, and their hints. Errors and questions stay. It takes whole lines.
func Hush(w io.Writer) io.Writer { return &hushed{to: w} }

type hushed struct {
	to   io.Writer
	left bool // the last line was left out
}

// Write takes whole lines.
func (h *hushed) Write(p []byte) (int, error) {
	for line := range bytes.Lines(p) {
		switch {
		case bytes.HasPrefix(line, []byte("pictx: ")):
			h.left = !bytes.HasPrefix(line, []byte("pictx: error: "))
		case !bytes.HasPrefix(line, []byte("hint: ")):
			h.left = false
		}
		if h.left {
			continue
		}
		if _, err := h.to.Write(line); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Unhushed is what Hush writes to, for forms, or w itself.
func Unhushed(w io.Writer) io.Writer {
	if h, ok := w.(*hushed); ok {
		return h.to
	}
	return w
}
