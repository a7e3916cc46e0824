//go:build unix

// Command proc measures pictx as people and agents experience it: as whole processes, each
// next to a reference in the same run. Rounds are interleaved, so that a slower machine
// slows all of them down and the ratios mean more than the milliseconds. No result is pass
// or fail.
//
// It keeps its own memory use low, because the peak that the system reports for a child
// includes that of its parent.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/coctostan/pictx/internal/scratch"
)

// The sizes of the test data.
const (
	largeStore    = 100_000 // messages
	largeSessions = 20      // number of sessions
	messageSize   = 1000    // bytes
)

// lab holds the directory and the programs of a run.
type lab struct {
	dir   string // temporary directory
	root  string // root of the module
	pictx string
	hello string // a minimal Go program
	small string // agent directory with the recorded sessions
	large string // agent directory with largeStore messages

	output int // bytes of output that each measured turn of the hooks has in addition
}

func main() {
	pictx := flag.String("pictx", "bin/pictx", "the `program` to measure")
	rounds := flag.Int("n", 40, "rounds of the short ones")
	only := flag.Bool("hooks", false, "measure the hooks of the extension, and nothing else")
	stored := flag.Int("stored", 0, "with -hooks: so many `messages` in the project's store before; a million are about 1.4 GB")
	output := flag.Int("output", 0, "with -hooks: so many `bytes` of output more in each turn; agents limit their own tools to 50 KB")
	flag.Parse()
	if err := run(*pictx, *rounds, *output, *only, *stored); err != nil {
		fmt.Fprintln(os.Stderr, "proc:", err)
		os.Exit(1)
	}
}

func run(pictx string, rounds, output int, hooksOnly bool, stored int) error {
	dir, remove, err := scratch.Dir("pictx-bench-")
	if err != nil {
		return err
	}
	defer remove()
	if hooksOnly {
		l, err := bareLab(dir, pictx)
		if err != nil {
			return err
		}
		l.output = output
		return l.hookTimes(3*rounds, stored)
	}
	l, err := newLab(dir, pictx)
	if err != nil {
		return err
	}
	if err := l.short(rounds); err != nil {
		return err
	}
	return l.hookTimes(3*rounds, 0)
}

// short measures commands that take milliseconds.
func (l *lab) short(rounds int) error {
	event1, event10 := filepath.Join(l.dir, "event1.json"), filepath.Join(l.dir, "event10.json")
	session := filepath.Join(l.dir, "session10.jsonl")
	if err := errors.Join(
		writeEvent(event1, 1<<20), writeEvent(event10, 10<<20),
		writeSession(session, "ten", 10<<20/1250, messageSize),
	); err != nil {
		return err
	}
	cases := []*probe{
		{name: "hello, a Go program", args: []string{l.hello}},
		{name: "cat, 1 KB", args: []string{"cat"}, stdin: filepath.Join(l.root, "go.mod")},
		{name: "cat, 1 MB", args: []string{"cat"}, stdin: event1},
		{name: "cat, 10 MB", args: []string{"cat"}, stdin: event10},
		{name: "version", ref: "hello, a Go program", args: []string{l.pictx, "version"}},
		{name: "grep, recorded sessions: first row", ref: "hello, a Go program", first: true, agent: l.small, args: []string{l.pictx, "grep", "duplicate", "charge"}},
		{name: "grep, 100,000 messages: first row, rare word", ref: "hello, a Go program", first: true, agent: l.large, args: []string{l.pictx, "grep", "apply17"}},
		{name: "grep, 100,000 messages: first row, common words", ref: "hello, a Go program", first: true, agent: l.large, args: []string{l.pictx, "grep", "order", "total"}},
		{name: "grep, 100,000 messages: first row, regex", ref: "hello, a Go program", first: true, agent: l.large, args: []string{l.pictx, "grep", "--regex", "apply17[0-9]+"}},
		{name: "hook context, 1 KB", ref: "hello, a Go program", args: []string{l.pictx, "hook", "context"}, stdin: filepath.Join(l.root, "testdata", "hook", "context-1.json")},
		{name: "hook context, 1 MB", ref: "cat, 1 MB", args: []string{l.pictx, "hook", "context"}, stdin: event1},
		{name: "hook context, 10 MB", ref: "cat, 10 MB", args: []string{l.pictx, "hook", "context"}, stdin: event10},
		{name: "read a session of 10 MB", ref: "cat, 10 MB", args: []string{l.pictx, "import", "--dry-run", session}},
		{name: "plan a session of 10 MB", ref: "cat, 10 MB", args: []string{l.pictx, "prune", session}},
	}
	if err := measure(l, cases, rounds); err != nil {
		return err
	}
	fmt.Printf("%d rounds, interleaved; milliseconds, and the peak of memory, whose floor is this program's own\n\n", rounds)
	fmt.Printf("%-50s %9s %9s %9s   %s\n", "", "median", "least", "peak MB", "ratio of medians")
	for _, p := range cases {
		fmt.Printf("%-50s %9.1f %9.1f %9.1f   %s\n", p.name, ms(p.median()), ms(slices.Min(p.took)), float64(p.peak)/(1<<20), p.ratio(cases))
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (p *probe) median() time.Duration {
	sorted := slices.Sorted(slices.Values(p.took))
	return sorted[len(sorted)/2]
}

// ratio formats how many times as long as its reference a probe takes.
func (p *probe) ratio(all []*probe) string {
	i := slices.IndexFunc(all, func(q *probe) bool { return q.name == p.ref })
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%.1f x %s", float64(p.median())/float64(cmp.Or(all[i].median(), 1)), all[i].name)
}
