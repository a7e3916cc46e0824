//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"
	"time"
)

// load samples how many threads of the whole machine are runnable. On an overloaded machine
// deadlines fail whatever the program does.
type load struct {
	mu              sync.Mutex
	sum, most, seen int
}

// sample takes a sample every second, where the system provides the figure.
func (l *load) sample(ctx context.Context) {
	for ctx.Err() == nil {
		var a, b, c float64
		var running int
		text, err := os.ReadFile("/proc/loadavg")
		if err != nil {
			return
		}
		if _, err := fmt.Sscanf(string(text), "%f %f %f %d/", &a, &b, &c, &running); err != nil {
			return
		}
		l.mu.Lock()
		l.sum, l.most, l.seen = l.sum+running, max(l.most, running), l.seen+1
		l.mu.Unlock()
		pause(ctx, time.Second)
	}
}

func (l *load) print(w io.Writer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seen > 0 {
		fmt.Fprintf(w, "of %d processors %.1f were wanted on average, at most %d\n\n", runtime.NumCPU(), float64(l.sum)/float64(l.seen), l.most)
	}
}
