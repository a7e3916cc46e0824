package cli

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress shows the progress of long work on a terminal: a line that appears after 300 ms,
// changes at most ten times a second, and is erased at the end.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer // nil if it is not a terminal
	now   func() time.Time
	verb  string
	Total int64
	done  int64
	began time.Time
	last  time.Time
	shown bool
	text  func(int64) string // formats an amount
}

// Add adds n to the progress.
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

// To sets the progress to n.
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

// Hush returns a writer that drops remarks and warnings: lines that begin with the
// program's name, and their hints. Errors and questions pass. Writes must consist of whole
// lines.
func Hush(w io.Writer) io.Writer { return &hushed{to: w} }

type hushed struct {
	to   io.Writer
	left bool // the last line was dropped
}

// Write implements io.Writer for whole lines.
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

// Unhushed returns the writer behind Hush, which forms need, or w itself.
func Unhushed(w io.Writer) io.Writer {
	if h, ok := w.(*hushed); ok {
		return h.to
	}
	return w
}
