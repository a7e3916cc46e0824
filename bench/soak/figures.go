//go:build unix

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"time"
)

// figures are counters.
type figures struct {
	mu       sync.Mutex
	counts   map[string]int
	runs     map[string]*runs
	failures map[string]int
}

// runs are the results of the processes of one kind.
type runs struct {
	all, killed int
	usual       time.Duration // rough duration of a process
	codes       map[int]int
}

func newFigures() *figures {
	return &figures{counts: map[string]int{}, runs: map[string]*runs{}, failures: map[string]int{}}
}

func (f *figures) count(what string) { f.add(what, 1) }

func (f *figures) add(what string, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[what] += n
}

func (f *figures) of(name string) *runs {
	if f.runs[name] == nil {
		f.runs[name] = &runs{usual: 30 * time.Millisecond, codes: map[int]int{}}
	}
	return f.runs[name]
}

// usual returns the rough duration of such a process. Kills are spread over it.
func (f *figures) usual(name string) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of(name).usual
}

// ran records the end of a process.
func (f *figures) ran(name string, r result, took time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := f.of(name)
	v.all++
	if r.killed && r.code == -1 {
		v.killed++
		return
	}
	v.codes[r.code]++
	v.usual = (v.usual*7 + took) / 8
	if r.code != 0 && len(r.said) > 0 {
		f.failures[fmt.Sprintf("%s: exit %d: %.160s", name, r.code, firstLine(r.said))]++
	}
}

func (f *figures) print(w io.Writer, worked time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all, killed := 0, f.counts["serve killed"]
	fmt.Fprintf(w, "worked for %.1f minutes with %.1f s of processor time\n\n%-24s %8s %8s   exit codes\n", worked.Minutes(), used().Seconds(), "", "runs", "killed")
	for _, name := range slices.Sorted(maps.Keys(f.runs)) {
		v := f.runs[name]
		all, killed = all+v.all, killed+v.killed
		fmt.Fprintf(w, "%-24s %8d %8d  ", name, v.all, v.killed)
		for _, c := range slices.Sorted(maps.Keys(v.codes)) {
			fmt.Fprintf(w, " %d:%d", c, v.codes[c])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%-24s %8d %8d\n\n", "together, with serve", all+f.counts["serve started"], killed)
	for _, what := range slices.Sorted(maps.Keys(f.counts)) {
		fmt.Fprintf(w, "%-36s %8d\n", what, f.counts[what])
	}
	if n := f.counts["turns whose entries were stored by a hook"]; n > 0 {
		fmt.Fprintf(w, "%-36s %8.2f %%\n", "of a hook's commits, locked", 100*float64(f.counts["hooks that met a locked store"])/float64(n))
	}
	for _, what := range slices.Sorted(maps.Keys(f.failures)) {
		fmt.Fprintf(w, "  %4d x %s\n", f.failures[what], what)
	}
	fmt.Fprintln(w)
}
