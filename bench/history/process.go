//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/corpus"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
	"github.com/coctostan/pictx/workspace"
)

// process runs pictx. It returns the duration and the peak memory in bytes, and stores the
// CPU time in b.used. The exit code for "nothing found" is no failure.
func (b *bench) process(args ...string) (time.Duration, int64, error) {
	cmd := exec.Command(b.pictx, args...)
	cmd.Dir = b.corpus.CWD
	cmd.Env = append(os.Environ(), "PI_CODING_AGENT_DIR="+b.agent(), "PI_CODING_AGENT=", "PI_SESSION_ID=")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	b.used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	const nothing = 3
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == nothing {
		err = nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("%s: %w: %s", cmd, err, complaint.Bytes())
	}
	peak := int64(0)
	if use, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		peak = int64(use.Maxrss)
		if runtime.GOOS != "darwin" {
			peak *= 1024
		}
	}
	return took, peak, nil
}

func (b *bench) agent() string { return filepath.Join(b.dir, "agent") }

// imports imports the sessions into a new store unless one exists.
func (b *bench) imports() error {
	p, err := workspace.FindProject(b.corpus.CWD, b.agent())
	if err != nil {
		return err
	}
	b.store = p.StorePath()
	if _, err := os.Stat(b.store); err == nil {
		fmt.Println("import: the store is there")
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	n := float64(b.corpus.Messages)
	took, peak, err := b.process("import", filepath.Join(b.dir, "sessions"))
	if err != nil {
		return err
	}
	fmt.Printf("import, all indexes included: %.0f messages/s, %.1f s (%.1f of CPU), peak %.0f MB\n", n/took.Seconds(), took.Seconds(), b.used.Seconds(), mb(peak))
	again, _, err := b.process("import", filepath.Join(b.dir, "sessions"))
	if err != nil {
		return err
	}
	fmt.Printf("import again: %.2f s\n", again.Seconds())
	fmt.Printf("size: %.0f MB, %.2f x the text\n", mb(b.size()), float64(b.size())/float64(b.text))
	return nil
}

func mb(n int64) float64 { return float64(n) / (1 << 20) }

// size returns the size of the database and its log.
func (b *bench) size() int64 {
	total := int64(0)
	for _, end := range []string{"", "-wal"} {
		if st, err := os.Stat(b.store + end); err == nil {
			total += st.Size()
		}
	}
	return total
}

// lossless compares every line of every session with the store.
func (b *bench) lossless(ctx context.Context, st *store.Store) error {
	files, err := (pi.Sessions{}).Find(filepath.Join(b.dir, "sessions"))
	if err != nil {
		return err
	}
	same, all := 0, 0
	for _, file := range files {
		s, err := pi.Open(file)
		if err != nil {
			return err
		}
		for i := range s.Nodes {
			n := &s.Nodes[i]
			want, err := s.Line(n)
			if err != nil {
				return err
			}
			if n.ID == "" || i == 0 {
				continue
			}
			all++
			x, err := history.Expand(ctx, st.Search, n.ID, []string{s.Header.ID})
			if err == nil && bytes.Equal(x.Raw, want) {
				same++
			}
		}
		s.Close()
	}
	fmt.Printf("lossless: %d of %d messages come back byte for byte\n", same, all)
	return nil
}

// cold measures pictx grep including the start of the process.
func (b *bench) cold() error {
	var took, used []time.Duration
	peak := int64(0)
	for i := range b.rounds {
		n := b.needles[i%len(b.needles)]
		args := []string{"grep", "--json", n.Query}
		if n.Regex {
			args = []string{"grep", "--json", "--regex", n.Query}
		}
		d, p, err := b.process(args...)
		if err != nil {
			return err
		}
		took, used, peak = append(took, d), append(used, b.used), max(peak, p)
	}
	fmt.Printf("pictx grep, from the start of the process: p50 %.1f ms, p95 %.1f ms (CPU %.1f and %.1f), peak %.0f MB\n",
		ms(took, 50), ms(took, 95), ms(used, 50), ms(used, 95), mb(peak))
	return nil
}

// cpu returns the CPU time of this process. On a busy machine it says more than a clock.
func cpu() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		return 0
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}

// ms returns a percentile in milliseconds.
func ms(took []time.Duration, percent int) float64 {
	sorted := slices.Sorted(slices.Values(took))
	return float64(sorted[min(len(sorted)-1, len(sorted)*percent/100)]) / float64(time.Millisecond)
}

// turns measures how a hook stores the entries of a turn.
func (b *bench) turns(ctx context.Context) error {
	st, err := store.Open(ctx, b.store, sqlite.Hook, time.Now)
	if err != nil {
		return err
	}
	defer st.Close()
	small := corpus.History{CWD: b.corpus.CWD, Messages: 3 * b.rounds, Sessions: 1, Size: b.corpus.Size, Seed: time.Now().UnixNano()}
	dir, err := os.MkdirTemp(b.dir, "turns-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if _, err := small.WriteFiles(dir); err != nil {
		return err
	}
	files, err := (pi.Sessions{}).Find(dir)
	if err != nil {
		return err
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		return err
	}
	data = bytes.ReplaceAll(data, []byte(`"00000000-0000-7000-8000-000000000000"`), fmt.Appendf(nil, `"turns-%d"`, time.Now().UnixNano()))
	lines := bytes.SplitAfter(data, []byte("\n"))
	var took []time.Duration
	for i := 4; i+3 <= len(lines); i += 3 {
		if err := os.WriteFile(files[0], bytes.Join(lines[:i], nil), 0o600); err != nil {
			return err
		}
		start := time.Now()
		if _, err := history.Ingest(ctx, st.Entries, pi.File{Path: files[0]}, history.Options{Small: true}); err != nil {
			return err
		}
		took = append(took, time.Since(start))
	}
	fmt.Printf("a turn of 3 messages, stored as in a hook: p50 %.2f ms, p95 %.2f ms\n", ms(took, 50), ms(took, 95))
	return nil
}
