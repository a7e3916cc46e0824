package workspace

import (
	"runtime"
	"testing"
)

// Windows names the variable Path, and takes both for the same.
func TestVariablesAreFoundByTheNamesThatTheSystemTakesForTheSame(t *testing.T) {
	for name, want := range map[string]bool{"Path": true, "PATH": runtime.GOOS == "windows", "Pat": false, "": false} {
		if got := (&Process{Environ: []string{"Path=x=y"}}).Getenv(name) == "x=y"; got != want {
			t.Errorf("%q is found: %v, want %v", name, got, want)
		}
	}
}
