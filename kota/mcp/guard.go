package mcp

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

// Guard runs a server that is not to outlive the process that asks it, and returns
// its exit code. KotaDB goes on when its standard input ends, which is all that is
// left to notice of a process that was killed; Guard, which stands between them,
// then ends it and everything else in its own process group.
func Guard(argv []string, in io.Reader) int {
	// What ends the group is not to end this process before the others.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	// Where a child dies with the thread that started it, it is this one.
	runtime.LockOSThread()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	dieWithParent(cmd)
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 127
	}
	ended, gone := make(chan error, 1), make(chan struct{})
	go func() { ended <- cmd.Wait() }()
	go func() {
		_, _ = io.Copy(stdin, in)
		_ = stdin.Close()
		close(gone)
	}()
	select {
	case err = <-ended:
		return exitOf(err)
	case <-gone:
	case <-signals:
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(termGrace):
	}
	killOwnGroup(cmd)
	return 1
}

// exitOf is the code that a command ended with.
func exitOf(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode()
	}
	return 1
}
