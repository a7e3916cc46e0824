package commands

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/coctostan/pictx/core/text"
)

// progress shows on a terminal how far long work is: one line on stderr, after
// 300 ms, at most ten times a second, erased at the end.
type progress struct {
	mu    sync.Mutex
	w     io.Writer // nil when it is not a terminal
	now   func() time.Time
	verb  string
	unit  func(int64) string // writes an amount
	total int64
	done  int64
	began time.Time
	last  time.Time
	shown bool
	text  func(int64) string // writes an amount
}

// progress starts a counter up to total bytes.
func (a *app) progress(verb string, total int64) *progress {
	return a.progressOf(verb, total, text.Bytes)
}

// progressOf starts a counter of something else.
func (a *app) progressOf(verb string, total int64, format func(int64) string) *progress {
	p := &progress{verb: verb, unit: text.Bytes, total: total, now: a.env.Now, began: a.env.Now(), text: format}
	if a.env.ErrTerminal {
		p.w = a.env.Err
	}
	return p
}

// add counts n bytes more.
func (p *progress) add(n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	now := p.now()
	if p.w == nil || now.Sub(p.began) < 300*time.Millisecond || now.Sub(p.last) < 100*time.Millisecond {
		return
	}
	p.last, p.shown = now, true
	percent := 100.0
	if p.total > 0 {
		percent = min(100, float64(p.done)/float64(p.total)*100)
	}
	fmt.Fprintf(p.w, "\r%s %s of %s (%.0f %%)\x1b[K", p.verb, p.text(p.done), p.text(p.total), percent)
}

// to counts up to n.
func (p *progress) to(n int64) {
	p.mu.Lock()
	more := n - p.done
	p.mu.Unlock()
	p.add(more)
}

// end erases the line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
	p.w = nil
}
