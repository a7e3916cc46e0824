package commands

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress shows on a terminal how far long work is: one line on stderr, after
// 300 ms, at most ten times a second, erased at the end.
type progress struct {
	mu    sync.Mutex
	w     io.Writer // nil when it is not a terminal
	now   func() time.Time
	verb  string
	total int64
	done  int64
	began time.Time
	last  time.Time
	shown bool
}

// progress starts a counter up to total bytes.
func (a *app) progress(verb string, total int64) *progress {
	p := &progress{verb: verb, total: total, now: a.env.Now, began: a.env.Now()}
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
	fmt.Fprintf(p.w, "\r%s %s of %s (%.0f %%)\x1b[K", p.verb, bytesText(p.done), bytesText(p.total), percent)
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
