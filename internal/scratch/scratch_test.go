//go:build unix

package scratch

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// waits is the environment variable that makes the test run as the process to interrupt.
const waits = "PICTX_TEST_SCRATCH"

func TestAnInterruptedBenchmarkLeavesNothing(t *testing.T) {
	if os.Getenv(waits) != "" {
		dir, _, err := Dir("pictx-scratch-")
		if err == nil {
			err = os.WriteFile(dir+"/file", nil, 0o600)
		}
		if _, werr := os.Stdout.WriteString(dir + "\n"); err != nil || werr != nil {
			t.Fatal(err, werr)
		}
		select {}
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestAnInterruptedBenchmarkLeavesNothing$")
		cmd.Env = append(os.Environ(), waits+"=1", "TMPDIR="+t.TempDir())
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		must.Do(t, err)
		dir, err := bufio.NewReader(out).ReadString('\n')
		if dir = strings.TrimSpace(dir); err != nil || !strings.Contains(dir, "pictx-scratch-") {
			t.Fatalf("%q %v", dir, err)
		}
		must.Do(t, cmd.Process.Signal(signal))
		var ended *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &ended) || ended.ExitCode() != interrupted {
			t.Errorf("%v: it ended with %v", signal, err)
		}
		if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%v: its directory is left: %v", signal, err)
		}
	}
}
