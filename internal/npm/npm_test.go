//go:build unix

package npm

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// fakeNPM is npm for a test: it notes each call in $CALLS, takes its time, writes
// package.json long before the rest of a package, as npm does, and fails when another
// works in the same directory.
const fakeNPM = `#!/bin/sh
set -eu
echo "$@" >>"$CALLS"
dir=. prefix=
for arg in "$@"; do
	[ "$prefix" ] && dir=$arg
	prefix=
	[ "$arg" = --prefix ] && prefix=yes
	spec=$arg
done
[ -z "${BROKEN-}" ] || { mkdir -p "$dir/node_modules/half"; echo "npm error broken" >&2; exit 1; }
mkdir "$dir/working" || { echo "two work in $dir" >&2; exit 1; }
pkg=$dir/node_modules/${spec%@*}
mkdir -p "$pkg" "$dir/node_modules/.bin"
echo '{}' >"$pkg/package.json"
sleep 0.1
printf '#!/bin/sh\necho it runs\n' >"$pkg/index.js"
chmod +x "$pkg/index.js"
ln -s "../${spec%@*}/index.js" "$dir/node_modules/.bin/${pkg##*/}"
rmdir "$dir/working"
`

// withNPM puts programs before all others on PATH: npm, and what else setup.sh looks
// for. It returns the file that holds the calls of npm.
func withNPM(t *testing.T) (calls string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"npm": fakeNPM, "rg": "#!/bin/sh\n", "fd": "#!/bin/sh\n"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
	}
	calls = filepath.Join(dir, "calls")
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("CALLS", calls)
	return calls
}

// called counts the calls of npm.
func called(t *testing.T, calls string) int {
	t.Helper()
	text, err := os.ReadFile(calls)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

// left lists what a cache holds that begins with a dot.
func left(t *testing.T, cache string) []string {
	t.Helper()
	found := must.Get(filepath.Glob(filepath.Join(cache, ".[!.]*")))(t)
	return found
}

// together runs f n times at once and returns the errors.
func together(n int, f func() error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = f() })
	}
	all.Wait()
	return errors.Join(errs...)
}

func TestInstallsOfOnePackageAtOnceDoNotMix(t *testing.T) {
	calls, cache := withNPM(t), filepath.Join(t.TempDir(), "cache")
	err := together(4, func() error {
		pkg, err := Install(t.Context(), cache, "@scope/name", "1.2.3")
		if err == nil {
			_, err = os.Stat(filepath.Join(pkg, "index.js")) // what npm writes last
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	n := called(t, calls)
	must.Not(t, n != 1, "npm was called %d times, want 1", n)
	rest := left(t, cache)
	must.Not(t, len(rest) > 0, "these are left: %q", rest)
}

func TestAnInstallReplacesWhatAnotherLeftIncomplete(t *testing.T) {
	withNPM(t)
	cache := t.TempDir()
	half := filepath.Join(cache, "name-1.2.3", "node_modules", "half")
	must.Do(t, os.MkdirAll(half, 0o700))
	// A process that was killed leaves the lock's file, but does not hold the lock.
	must.Do(t, os.WriteFile(filepath.Join(cache, "name-1.2.3.lock"), nil, 0o600))
	must.Get(Install(t.Context(), cache, "name", "1.2.3"))(t)
	_, err := os.Stat(half)
	must.Not(t, !errors.Is(err, os.ErrNotExist), "what was incomplete is still there: %v", err)
}

func TestAFailedInstallLeavesNothing(t *testing.T) {
	withNPM(t)
	cache := t.TempDir()
	t.Setenv("BROKEN", "1")
	if _, err := Install(t.Context(), cache, "name", "1.2.3"); err == nil || !strings.Contains(err.Error(), "npm error broken") {
		t.Errorf("%v, want what npm says", err)
	}
	if _, err := os.Stat(filepath.Join(cache, "name-1.2.3")); !errors.Is(err, os.ErrNotExist) || len(left(t, cache)) > 0 {
		t.Errorf("something is left: %v, %q", err, left(t, cache))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Install(ended, cache, "name", "1.2.3"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was canceled", err)
	}
}

// setup runs testdata/record/setup.sh, which installs pi. It reads the script, so that
// the go command runs the tests again when it has changed.
func setup(t *testing.T, cache string) error {
	const script = "../../testdata/record/setup.sh"
	if _, err := os.ReadFile(script); err != nil {
		return err
	}
	cmd := exec.CommandContext(t.Context(), "sh", script)
	cmd.Env = append(os.Environ(), "PICTX_PI_CACHE="+cache)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return errors.New(err.Error() + ": " + string(out))
	}
	if want := "ready: " + cache + "\n"; !strings.HasSuffix(string(out), want) {
		return errors.New(string(out) + ", want at its end " + want)
	}
	for _, name := range []string{
		"bin/node", "bin/rg", "bin/fd", "pi073/node_modules/@mariozechner/pi-coding-agent/index.js",
		"pi087/node_modules/@earendil-works/pi-coding-agent/index.js", "pi160/node_modules/@earendil-works/pi-coding-agent/index.js",
	} {
		if _, err := os.Stat(filepath.Join(cache, name)); err != nil {
			return err
		}
	}
	return nil
}

func TestSetupsOfPiAtOnceDoNotMix(t *testing.T) {
	for _, lock := range []string{"flock", "link"} {
		t.Run(lock, func(t *testing.T) {
			calls, cache := withNPM(t), t.TempDir()
			if lock == "link" {
				hide(t, "flock")
			}
			// The lock of one that was killed: its number is above those of processes.
			must.Do(t, os.Symlink("99999999", filepath.Join(cache, ".owner")))
			must.Do(t, together(3, func() error { return setup(t, cache) }))
			n := called(t, calls)
			must.Not(t, n != 4, "npm was called %d times, want once for each of 4", n)
			rest, _ := filepath.Glob(filepath.Join(cache, ".installing-*"))
			must.Not(t, len(rest) > 0, "these are left: %q", rest)
			err := setup(t, cache)
			must.Not(t, err != nil || called(t, calls) != 4, "a complete setup installs again: %v", err)
		})
	}
}

// hide leaves everything on PATH but a program.
func hide(t *testing.T, program string) {
	t.Helper()
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, program)); err != nil {
			dirs = append(dirs, dir)
			continue
		}
		others := t.TempDir()
		found := must.Get(os.ReadDir(dir))(t)
		for _, f := range found {
			if f.Name() == program {
				continue
			}
			must.Do(t, os.Symlink(filepath.Join(dir, f.Name()), filepath.Join(others, f.Name())))
		}
		dirs = append(dirs, others)
	}
	t.Setenv("PATH", strings.Join(dirs, string(os.PathListSeparator)))
}

func TestASetupReplacesWhatAnotherLeftIncomplete(t *testing.T) {
	calls, cache := withNPM(t), t.TempDir()
	t.Setenv("BROKEN", "1")
	if err := setup(t, cache); err == nil {
		t.Fatal("a broken npm passes")
	}
	rest, _ := filepath.Glob(filepath.Join(cache, "node22"))
	must.Not(t, len(rest) > 0, "half of an install is in its place: %q", rest)
	os.Unsetenv("BROKEN")
	before := called(t, calls)
	must.Do(t, os.MkdirAll(filepath.Join(cache, "pi087", "node_modules", "half"), 0o755))
	if err := setup(t, cache); err != nil || called(t, calls) != before+4 {
		t.Errorf("%d calls of npm, want 4: %v", called(t, calls)-before, err)
	}
	if _, err := os.Stat(filepath.Join(cache, "pi087", "node_modules", "half")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was incomplete is still there: %v", err)
	}
}
