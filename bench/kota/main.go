//go:build unix

// Command kota measures pictx kota as an agent uses it: as whole processes on a generated
// project, next to a git grep of the same project in the same run. Rounds are interleaved, so
// that a slow phase of the machine affects all figures alike; ratios mean more than milliseconds.
// It asserts nothing.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/coctostan/pictx/internal/scratch"
	"github.com/coctostan/pictx/internal/tree"
)

func main() {
	pictx := flag.String("pictx", "bin/pictx", "the `program` to measure")
	files := flag.Int("files", 7000, "`number` of source files")
	rounds := flag.Int("n", 7, "rounds")
	at := flag.String("tree", "", "measure on this `directory` instead, a git work tree where -file may be edited")
	file := flag.String("file", "packages/p000/src/f0/m000.ts", "the `file` to ask about")
	symbol := flag.String("symbol", "make000", "the `symbol` to ask about, declared in that file")
	flag.Parse()
	if err := run(*pictx, *files, *rounds, *at, *file, *symbol); err != nil {
		fmt.Fprintln(os.Stderr, "kota:", err)
		os.Exit(1)
	}
}

// lab holds the directories and programs of one run.
type lab struct {
	pictx, dir, agent string
}

// figure is the measurements of one command.
type figure struct {
	name    string
	program string
	args    []string
	prepare func() error // before each run; may be nil
	wall    []time.Duration
	cpu     []time.Duration
	rss     int64 // maximum resident set size in KB
}

func run(pictx string, files, rounds int, at, file, symbol string) error {
	pictx, err := filepath.Abs(pictx)
	if err != nil {
		return err
	}
	tmp, remove, err := scratch.Dir("pictx-kota-")
	if err != nil {
		return err
	}
	defer remove()
	l := &lab{pictx: pictx, dir: filepath.Join(tmp, "tree"), agent: filepath.Join(tmp, "agent")}
	if at != "" {
		l.dir = at
	} else if err := l.generate(files); err != nil {
		return err
	}
	return l.measure(rounds, file, symbol)
}

// generate writes a project and commits it to git.
func (l *lab) generate(files int) error {
	if err := tree.Write(l.dir, files, 1); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q", "."}, {"add", "-A"}, {"-c", "user.name=x", "-c", "user.email=x@example.invalid", "commit", "-qm", "first"}} {
		if out, err := l.command("git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git: %w: %s", err, out)
		}
	}
	return nil
}

func (l *lab) measure(rounds int, file, symbol string) error {
	kota := func(name string, args ...string) *figure {
		return &figure{name: name, program: l.pictx, args: append([]string{"kota"}, args...)}
	}
	cold := kota("index, cold", "index", "--yes", "--fresh")
	edited := kota("deps of a hub after one edit", "deps", file)
	figures := []*figure{
		{name: "git grep -c import (reference)", program: "git", args: []string{"grep", "-c", "import"}},
		cold,
		kota("status, unchanged", "status"),
		edited,
		kota("deps of a hub", "deps", file),
		kota("deps, depth 5", "deps", file, "--depth", "5"),
		kota("usages", "usages", symbol, "--file", file),
		kota("impact of a hub", "impact", "--modify", file),
		kota("context", "context", file),
		kota("map", "map"),
		kota("cycles", "map", "--cycles"),
		kota("search --scope symbols", "search", "make", "--scope", "symbols"),
		kota("search", "search", "replace"),
	}
	for i := range rounds {
		cold.prepare = func() error { return os.RemoveAll(l.agent) }
		edited.prepare = func() error { return l.touch(file, i) }
		for _, f := range figures {
			if err := f.time(l); err != nil {
				return err
			}
		}
	}
	l.print(figures)
	return l.touch(file, -1)
}

// touch appends a comment to a file, or removes it when i is negative.
func (l *lab) touch(file string, i int) error {
	p := filepath.Join(l.dir, filepath.FromSlash(file))
	data, err := os.ReadFile(p)
	if err != nil {
		return err
	}
	const mark = "\n// edited "
	if at := bytes.LastIndex(data, []byte(mark)); at >= 0 {
		data = data[:at]
	}
	if i >= 0 {
		data = fmt.Appendf(data, "%s%d\n", mark, i)
	}
	return os.WriteFile(p, data, 0o600)
}

func (l *lab) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir = l.dir
	cmd.Env = append(os.Environ(), "PI_CODING_AGENT_DIR="+l.agent)
	return cmd
}

// time runs the command once.
func (f *figure) time(l *lab) error {
	if f.prepare != nil {
		if err := f.prepare(); err != nil {
			return err
		}
	}
	cmd := l.command(f.program, f.args...)
	began := time.Now()
	err := cmd.Run()
	f.wall = append(f.wall, time.Since(began))
	var ee *exec.ExitError
	if err != nil && !errors.As(err, &ee) {
		return err
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		return fmt.Errorf("%s: exit code %d", f.name, code)
	}
	f.cpu = append(f.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		f.rss = max(f.rss, int64(ru.Maxrss))
	}
	return nil
}

func (l *lab) print(figures []*figure) {
	fmt.Printf("%-34s %9s %9s %9s %9s %7s\n", "milliseconds from start to end", "median", "least", "cpu", "x ref", "MB")
	reference := median(figures[0].wall)
	for _, f := range figures {
		fmt.Printf("%-34s %9.0f %9.0f %9.0f %9.2f %7.0f\n", f.name, ms(median(f.wall)), ms(slices.Min(f.wall)), ms(median(f.cpu)),
			float64(median(f.wall))/float64(reference), float64(f.rss)/1024)
	}
	found, _ := filepath.Glob(filepath.Join(l.agent, "pictx", "*.kota"))
	for _, p := range found {
		if st, err := os.Stat(p); err == nil {
			fmt.Printf("the index takes %.1f MB\n", float64(st.Size())/1e6)
		}
	}
}

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
