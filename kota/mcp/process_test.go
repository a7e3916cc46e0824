//go:build unix

package mcp

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/kota"
)

// gone waits until none of these processes is running.
func gone(t *testing.T, pids []int) {
	t.Helper()
	if len(pids) == 0 {
		t.Error("nothing was started")
	}
	for _, pid := range pids {
		for end := time.Now().Add(20 * time.Second); alive(pid); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Errorf("process %d still runs", pid)
				break
			}
		}
	}
}

// alive reports whether a process is running. A zombie is not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// Holds kota 62.
func TestTheServerIsStartedOnceAndEndsWithItsChildren(t *testing.T) {
	t.Parallel()
	e, log := indexed(t, "child")
	for range 3 {
		if _, err := e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts", Dependents: true}); err != nil {
			t.Fatal(err)
		}
	}
	pids := started(t, log)
	if len(pids) != 2 {
		t.Errorf("%d processes were started, want a server and its child", len(pids))
	}
	if e.Process() != "running" {
		t.Errorf("the server is %s", e.Process())
	}
	e.Close()
	gone(t, pids)
	if e.Process() != "stopped" {
		t.Errorf("the server is %s", e.Process())
	}
}

// asksAndWaits is the environment variable that makes the next test run as the process to kill.
const asksAndWaits = "PICTX_TEST_ASKS_AND_WAITS"

// Holds kota 62.
func TestTheServerEndsWhenItsClientIsKilled(t *testing.T) {
	if dir := os.Getenv(asksAndWaits); dir != "" {
		asksThenWaits(t, dir)
		return
	}
	t.Parallel()
	before, log := indexed(t, "child")
	before.Close()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTheServerEndsWhenItsClientIsKilled$")
	dir := t.TempDir() // it cannot clean up
	cmd.Env = append(before.opts.Environ, asksAndWaits+"="+before.opts.Root+"\n"+before.opts.Dir, "TMPDIR="+dir, "GOTMPDIR="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(30 * time.Second); len(started(t, log)) < 2 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	pids := started(t, log)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone(t, pids)
}

// asksThenWaits asks a question that is never answered.
func asksThenWaits(t *testing.T, dirs string) {
	o, _ := options(t, "", "")
	o.Environ = os.Environ()
	o.Root, o.Dir, _ = strings.Cut(dirs, "\n")
	e := open(t, o)
	_, _ = e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts", Dependents: true})
	time.Sleep(time.Minute)
}

// Holds kota 63.
func TestATimeoutNamesTheToolAndLeavesNoProcess(t *testing.T) {
	t.Parallel()
	for tool, ask := range map[string]func(e *Engine) error{
		toolDeps: func(e *Engine) error {
			_, err := e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts"})
			return err
		},
		toolUsages: func(e *Engine) error {
			_, err := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "cart"})
			return err
		},
		toolIndex: func(e *Engine) error { return e.Index(t.Context()) },
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			e, log := indexed(t, "child hang:"+tool)
			e.opts.Query, e.opts.Index = 300*time.Millisecond, 300*time.Millisecond
			err := ask(e)
			var late *TimeoutError
			if !errors.As(err, &late) || late.Tool != tool || err.Error() != "ask KotaDB: "+tool+" took longer than 300ms and was stopped" {
				t.Errorf("got %v", err)
			}
			gone(t, started(t, log))
			if _, err := e.Search(t.Context(), kota.SearchQuery{Text: "cart"}); err != nil && tool != toolIndex {
				t.Errorf("the next question: %v", err)
			}
		})
	}
}

// Holds kota 63.
func TestAServerThatNeverStartsIsStopped(t *testing.T) {
	t.Parallel()
	e, log := indexed(t, "mute child")
	e.client.launch.limit = 5 * time.Second
	_, err := e.Search(t.Context(), kota.SearchQuery{Text: "cart"})
	if !errors.As(err, new(*StartError)) || !strings.Contains(err.Error(), "it did not answer within 5s") {
		t.Errorf("got %v", err)
	}
	gone(t, started(t, log))
}

func TestAnInterruptedQuestionEndsTheServer(t *testing.T) {
	t.Parallel()
	e, log := indexed(t, "hang:"+toolSearch)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if _, err := e.Search(ctx, kota.SearchQuery{Text: "cart"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	gone(t, started(t, log))
}
