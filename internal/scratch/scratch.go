// Package scratch makes the temporary directories of benchmarks. It must not be used by
// anything that ships: it ends the process.
package scratch

import (
	"os"
	"os/signal"
	"syscall"
)

// interrupted is the exit code of a process that was interrupted.
const interrupted = 130

// Dir creates a temporary directory whose name begins so. remove deletes it; so does an
// interrupt, which ends the process.
func Dir(begins string) (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", begins); err != nil {
		return "", nil, err
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		_ = os.RemoveAll(dir)
		os.Exit(interrupted)
	}()
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}
