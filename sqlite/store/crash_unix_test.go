//go:build unix

package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/store"
)

// crashEnv makes TestAKilledChangeOfTheStoreIsFinishedByRepeatingIt act as the process to be killed. Its value names
// the deed, the store, the session file, and the write at which to die.
const crashEnv = "PICTX_TEST_CRASH"

// secret is the pattern that the purges of these tests delete.
const secret = `marmalade\w*`

// deeds returns the operations during which a process is killed.
func deeds() map[string]func(ctx context.Context, st *store.Store, file string) error {
	deed := func(run func(context.Context, *store.Store, *erase.Chosen) error) func(context.Context, *store.Store, string) error {
		return func(ctx context.Context, st *store.Store, _ string) error {
			c, err := st.Eraser.Choose(ctx, erase.Selection{Match: regexp.MustCompile(secret)})
			if err != nil {
				return err
			}
			if err := run(ctx, st, c); err != nil {
				return err
			}
			_, err = st.Eraser.Scrub(ctx)
			return err
		}
	}
	return map[string]func(context.Context, *store.Store, string) error{
		"ingest": func(ctx context.Context, st *store.Store, file string) error {
			_, err := history.Ingest(ctx, st.Entries, pi.File{Path: file}, history.Options{})
			return err
		},
		"load": func(ctx context.Context, st *store.Store, file string) error {
			var failed error
			err := history.IngestAll(ctx, st.Entries, []history.File{pi.File{Path: file}, pi.File{Path: forkOf(file)}}, history.Options{},
				func(_ int, _ history.Report, err error) { failed = errors.Join(failed, err) })
			return errors.Join(err, failed)
		},
		"rebuild": func(ctx context.Context, st *store.Store, _ string) error {
			return st.Search.Rebuild(ctx)
		},
		"purge": deed(func(ctx context.Context, st *store.Store, c *erase.Chosen) error {
			return st.Eraser.Purge(ctx, c)
		}),
		"redact": deed(func(ctx context.Context, st *store.Store, c *erase.Chosen) error {
			return st.Eraser.Redact(ctx, c, regexp.MustCompile(secret))
		}),
	}
}

// crashSession writes a session of a few messages, some of which match secret.
func crashSession(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"crash","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}` + "\n")
	for i, text := range []string{"one marmaladeJar here", "two fetchUserName", "three 決定済み", "four marmalade again"} {
		fmt.Fprintf(&b, `{"type":"message","id":"cccc%04d","timestamp":"2026-03-02T09:00:%02d.000Z","message":{"role":"user","content":%q}}`+"\n", i, i, text)
	}
	file := filepath.Join(t.TempDir(), "crash.jsonl")
	fork := strings.Replace(b.String(), `"id":"crash"`, `"id":"fork"`, 1) +
		`{"type":"message","id":"cccc0009","timestamp":"2026-03-02T09:00:09.000Z","message":{"role":"user","content":"five t\u00fcte marmalade"}}` + "\n"
	for path, text := range map[string]string{file: b.String(), forkOf(file): fork} {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return file
}

// forkOf returns the path of a fork of a session with one more message.
func forkOf(file string) string { return file + ".fork.jsonl" }

// stateOf describes everything that a store returns: entries, texts, search results.
func stateOf(t *testing.T, path string) string {
	t.Helper()
	st := storetest.Open(t, path, sqlite.Write)
	defer st.Close()
	var b strings.Builder
	for _, r := range storetest.Rows(t, st) {
		raw := must.Get(st.Search.Raw(t.Context(), r, nil))(t)
		fmt.Fprintln(&b, r.Session, r.EntryID, r.Ordinal, r.Time, string(raw))
	}
	for _, q := range []history.Query{
		{Text: "marmalade"}, {Text: "marmaladeJar"}, {Text: "UserName"}, {Text: "決定"}, {Text: "etchuse"}, {Text: "m.rmalade", Regex: true}, {Text: "t[wh]", Regex: true}, {Text: "redacted"},
	} {
		res := must.Get(history.Search(t.Context(), st.Search, q))(t)
		fmt.Fprintln(&b, q.Text, res.Step, strings.Join(storetest.IDs(res), " "))
	}
	found := must.Get(st.Examine(t.Context()))(t)
	fmt.Fprintln(&b, found)
	return b.String()
}

// After a kill at any write, completed steps persist, and repeating the deed yields the
// same state as without the kill.
//
// Holds history 1, 72.
func TestAKilledChangeOfTheStoreIsFinishedByRepeatingIt(t *testing.T) {
	if args := strings.Split(os.Getenv(crashEnv), "|"); len(args) == 4 {
		dieAt(t, args)
		return
	}
	file := crashSession(t)
	step := 5
	if testing.Short() {
		step = 8
	}
	for _, name := range []string{"ingest", "load", "rebuild", "purge", "redact"} {
		t.Run(name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "base.db")
			prepare(t, base, file, name)
			want := finished(t, base, file, name)
			for n := 1; ; n += step {
				if n > 400 {
					t.Fatal("it does not come to an end")
				}
				path := storetest.Copy(t, base)
				killed := runKilled(t, name, path, file, n)
				if got := finished(t, path, file, name); got != want {
					t.Fatalf("killed at write %d (-want +got)\n%s", n, cmp.Diff(want, got))
				}
				if !killed {
					if n < 5 {
						t.Errorf("only %d writes", n)
					}
					return
				}
			}
		})
	}
}

// prepare creates the store that a deed starts from.
func prepare(t *testing.T, path, file, deed string) {
	t.Helper()
	st := storetest.Open(t, path, sqlite.Write)
	defer st.Close()
	before := []string{"ingest"}
	if deed == "ingest" || deed == "load" {
		before = nil
	}
	for _, d := range before {
		must.Do(t, deeds()[d](t.Context(), st, file))
	}
	must.Do(t, st.Checkpoint(t.Context()))
}

// finished completes a deed in a copy and returns the resulting state.
func finished(t *testing.T, path, file, deed string) string {
	t.Helper()
	path = storetest.Copy(t, path)
	st := storetest.Open(t, path, sqlite.Write)
	err := deeds()[deed](t.Context(), st, file)
	must.Do(t, errors.Join(err, st.Close()))
	return stateOf(t, path)
}

// runKilled runs a deed in a process that is killed at its nth write. It reports whether
// the process was killed: false when it had fewer writes.
func runKilled(t *testing.T, deed, path, file string, n int) bool {
	t.Helper()
	exe := must.Get(os.Executable())(t)
	cmd := exec.Command(exe, "-test.run=^TestAKilledChangeOfTheStoreIsFinishedByRepeatingIt$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%s|%s|%d", crashEnv, deed, path, file, n))
	out, err := cmd.CombinedOutput()
	if err == nil {
		return false
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the process was not killed: %v\n%s", err, out)
	}
	return true
}

// dieAt runs a deed and kills its own process at a write.
func dieAt(t *testing.T, args []string) {
	st := storetest.Open(t, args[1], sqlite.Write)
	left := 0
	fmt.Sscan(args[3], &left)
	err := st.OnWrite(t.Context(), func() {
		if left--; left == 0 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	})
	if err == nil {
		err = deeds()[args[0]](t.Context(), st, args[2])
	}
	if err != nil {
		t.Fatal(err)
	}
}
