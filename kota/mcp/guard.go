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

// Guard runs a server that must not outlive the process that uses it, and returns its exit code.
// KotaDB keeps running when its standard input ends, which is the only sign of a killed parent.
// Guard stands between the two: when its own input ends, it kills its process group, KotaDB
// included.
func Guard(argv []string, in io.Reader) int {
	// A signal to the group must not end this process before the others.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	// On Linux the child dies with the thread that started it, so keep this thread.
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

// exitOf returns the exit code of a command.
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
