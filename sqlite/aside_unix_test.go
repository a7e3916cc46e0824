//go:build unix

package sqlite_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
)

// asideEnv makes TestSetAsideThatIsKilledLosesNothing act as the process to be killed. Its
// value names the store and the step at which to die.
const asideEnv = "PICTX_TEST_ASIDE"

// Holds history 72.
func TestSetAsideThatIsKilledLosesNothing(t *testing.T) {
	if arg := os.Getenv(asideEnv); arg != "" {
		var path string
		left := 0
		fmt.Sscan(arg, &left, &path)
		err := sqlite.SetAsideStepwise(t.Context(), path, func() {
			if left--; left == 0 {
				syscall.Kill(os.Getpid(), syscall.SIGKILL)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	exe := must.Get(os.Executable())(t)
	older, _ := olderStore(t)
	for step := 1; ; step++ {
		path := storetest.Copy(t, older)
		cmd := exec.Command(exe, "-test.run=^TestSetAsideThatIsKilledLosesNothing$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %s", asideEnv, step, path))
		ended := cmd.Run() == nil
		if _, err := sqlite.SetAside(t.Context(), path, time.Now); err != nil {
			t.Fatalf("killed at step %d: %v", step, err)
		}
		kept, err := filepath.Glob(path + ".schema-9*.bak")
		if err != nil || len(kept) == 0 {
			t.Fatalf("killed at step %d: %v, %v", step, kept, err)
		}
		for _, k := range kept {
			wantWhole(t, k)
		}
		st := storetest.Open(t, path, sqlite.Write)
		if n := storetest.Ingest(t, st, storetest.Sessions(t)[0]).Added; n == 0 {
			t.Errorf("killed at step %d: nothing is stored again", step)
		}
		if ended {
			if step < 3 {
				t.Errorf("only %d steps", step)
			}
			return
		}
	}
}
