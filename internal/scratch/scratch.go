// Package scratch makes the temporary directories of benchmarks, and deletes them even when
// they are interrupted. It must not be used by anything that ships: it ends the process.
package scratch

import (
	"os"
	"os/signal"
	"syscall"
)

// interrupted is the exit code of a process that was interrupted.
const interrupted = 130

// Dir creates a temporary directory whose name begins with prefix. remove deletes it; so does
// an interrupt, after which the process ends.
func Dir(prefix string) (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp("", prefix); err != nil {
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
