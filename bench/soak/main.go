//go:build unix

// Command soak is a stress test. It works on one project like ten agents and a careless
// user, kills its processes at random, and keeps a model of everything that was
// acknowledged: entries, decisions, objects and blobs. At the end it compares the model
// with the real state. The exit code is 1 when something is lost, damaged or left behind.
// It prints a seed that reproduces its choices, though not the timing of the machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

func main() {
	pictx := flag.String("pictx", "bin/pictx", "the `program` to soak")
	minutes := flag.Float64("minutes", 60, "how many `minutes` it works; checking comes after")
	seed := flag.Int64("seed", time.Now().UnixNano(), "the `number` that its choices follow from")
	agents := flag.Int("agents", 10, "`agents` at once")
	cpu := flag.Float64("cpu", 0.5, "how many processor `cores` it may use on average")
	kills := flag.Float64("kills", 0.15, "the `share` of processes that are killed")
	keep := flag.Bool("keep", false, "keep its directory")
	flag.Parse()
	s := &soak{seed: *seed, cores: *cpu, kills: *kills, truth: newTruth(), figures: newFigures()}
	if err := s.run(*pictx, *agents, time.Duration(*minutes*float64(time.Minute)), *keep); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// soak is one run.
type soak struct {
	seed    int64
	cores   float64
	kills   float64
	dir     string // contains everything below
	pictx   string // a copy, by which its processes are recognized
	began   time.Time
	truth   *truth
	figures *figures
}

// errFound is the error of a run with findings.
var errFound = errors.New("what was acknowledged is not what is there")

func (s *soak) run(pictx string, agents int, length time.Duration, keep bool) error {
	if err := s.settle(pictx); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	fmt.Printf("soak: seed %d, %d agents, %s, at most %.2g cores, in %s\n", s.seed, agents, length, s.cores, s.dir)
	s.began = time.Now()
	var wanted load
	go wanted.sample(ctx)
	s.work(ctx, agents)
	worked := time.Since(s.began)
	found := s.check(context.Background())
	s.figures.print(os.Stdout, worked)
	wanted.print(os.Stdout)
	for i, f := range found {
		if i == 40 {
			fmt.Printf("  and %d more\n", len(found)-i)
			break
		}
		fmt.Println("  " + f)
	}
	if len(found) > 0 || keep {
		fmt.Printf("everything is kept in %s\n", s.dir)
	} else if err := os.RemoveAll(s.dir); err != nil {
		return err
	}
	if len(found) > 0 {
		return fmt.Errorf("%w: %d findings; repeat with -seed %d", errFound, len(found), s.seed)
	}
	fmt.Println("nothing was lost, nothing came back, nothing is left")
	return nil
}

// settle creates the directories, the repository and a copy of the program.
func (s *soak) settle(pictx string) error {
	dir, err := os.MkdirTemp("", "pictx-soak-")
	if err != nil {
		return err
	}
	s.dir, s.pictx = dir, filepath.Join(dir, "bin", "pictx")
	for _, d := range []string{"bin", "home", "tmp", "project", "agent/sessions/project"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return err
		}
	}
	program, err := os.ReadFile(pictx)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.pictx, program, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "model"), []byte(model), 0o700); err != nil {
		return err
	}
	settings := "trust = [\"" + s.project() + "\"]\n[blobs]\ntools = [\"bash\"]\n"
	if err := os.MkdirAll(filepath.Join(s.agentDir(), "pictx"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(s.agentDir(), "pictx.toml"), []byte(settings), 0o600); err != nil {
		return err
	}
	return s.beginRepository()
}

func (s *soak) project() string  { return filepath.Join(s.dir, "project") }
func (s *soak) agentDir() string { return filepath.Join(s.dir, "agent") }

// work runs all workers until the time is over.
func (s *soak) work(ctx context.Context, agents int) {
	var all sync.WaitGroup
	n := int64(0)
	worker := func(work func(context.Context, *rand.Rand)) {
		n++
		rng := rand.New(rand.NewSource(s.seed + n))
		all.Go(func() {
			for ctx.Err() == nil {
				s.breathe(ctx)
				work(ctx, rng)
			}
		})
	}
	for range agents {
		worker(s.playSession)
	}
	for _, w := range []func(context.Context, *rand.Rand){s.imports, s.compacts, s.erases, s.decides, s.controls, s.spills} {
		worker(w)
	}
	all.Wait()
}

// breathe waits until the processor usage is below the limit.
func (s *soak) breathe(ctx context.Context) {
	for ctx.Err() == nil && used() > time.Duration(s.cores*float64(time.Since(s.began)))+time.Second {
		pause(ctx, 50*time.Millisecond)
	}
}

// used returns the processor time of this process and its finished children.
func used() time.Duration {
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if syscall.Getrusage(who, &u) == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
