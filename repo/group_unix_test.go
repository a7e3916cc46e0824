//go:build unix

package repo_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/repo"
)

// slowGit puts a git into PATH that is a script.
func slowGit(t *testing.T, script string) {
	t.Helper()
	bin := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\n"+script), 0o700))
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
}

// holding starts a command with a pipe that whatever it starts holds too. The reader ends
// when none of them is left.
func holding(t *testing.T, cmd *exec.Cmd) *bufio.Reader {
	t.Helper()
	r, w, err := os.Pipe()
	must.Do(t, err)
	t.Cleanup(func() { r.Close() })
	cmd.ExtraFiles = []*os.File{w}
	must.Do(t, cmd.Start())
	w.Close()
	return bufio.NewReader(r)
}

func TestGitEndsWithItsChildren(t *testing.T) {
	slowGit(t, "sleep 600 &\necho ready >&3\nwait\n")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cmd := must.Get(repo.Git(ctx, t.TempDir(), "log"))(t)
	held := holding(t, cmd)
	if line, err := held.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("it ended as if nothing had happened")
	}
	if _, err := io.Copy(io.Discard, held); err != nil { // until the last of them has ended
		t.Error(err)
	}
}

// TestGitOfAKilledProcess is that process.
func TestGitOfAKilledProcess(t *testing.T) {
	if os.Getenv("TEST_KILLED_WITH_GIT") == "" {
		t.Skip("TestGitDoesNotOutliveAProcessThatIsKilled runs it")
	}
	cmd, err := repo.Git(t.Context(), t.TempDir(), "log")
	if err == nil {
		cmd.ExtraFiles = []*os.File{os.NewFile(3, "held")}
		err = cmd.Run()
	}
	t.Error(err)
}

func TestGitDoesNotOutliveAProcessThatIsKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a process with its parent")
	}
	slowGit(t, "echo ready >&3\nexec sleep 600\n")
	cmd := exec.Command(os.Args[0], "-test.run=^TestGitOfAKilledProcess$")
	dir := t.TempDir() // it cannot clean up
	cmd.Env = append(os.Environ(), "TEST_KILLED_WITH_GIT=1", "TMPDIR="+dir, "GOTMPDIR="+dir)
	held := holding(t, cmd)
	if line, err := held.ReadString('\n'); line != "ready\n" {
		t.Fatal(line, err)
	}
	must.Do(t, cmd.Process.Kill())
	_ = cmd.Wait()
	if _, err := io.Copy(io.Discard, held); err != nil {
		t.Error(err)
	}
}

func TestAProgramThatHangsEndsWithItsChildren(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "held")
	must.Do(t, syscall.Mkfifo(fifo, 0o600))
	ended := make(chan error, 1)
	go func() {
		held, err := os.Open(fifo)
		if err == nil {
			_, err = io.Copy(io.Discard, held) // until the last of them has ended
		}
		ended <- err
	}()
	_, _, err := repo.Outside(t.Context(), 2*time.Second, os.Environ(), []string{"sh", "-c", `exec 3> "$0"; sleep 600 & wait`, fifo}, "")
	if err == nil || !strings.Contains(err.Error(), "took longer than") {
		t.Error(err)
	}
	must.Do(t, <-ended)
}
