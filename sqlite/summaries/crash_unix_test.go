//go:build unix

package summaries_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/coctostan/pictx/sqlite/store"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/summaries"
)

// compactEnv makes TestAKilledCompactionIsFinishedByTheNext the process that is killed: the
// store, the session file, and at which write.
const compactEnv = "PICTX_TEST_COMPACT"

// deadly is a store whose process is killed at a write.
type deadly struct {
	*summaries.Store
	left  int
	after bool
}

func (d *deadly) PutSummary(ctx context.Context, l summary.Lease, n *summary.Node) error {
	d.left--
	if d.left == 0 && !d.after {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	err := d.Store.PutSummary(ctx, l, n)
	if d.left == 0 {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return err
}

// Holds history 44.
func TestAKilledCompactionIsFinishedByTheNext(t *testing.T) {
	if args := strings.Split(os.Getenv(compactEnv), "|"); len(args) == 4 {
		st := storetest.Open(t, args[0], sqlite.Write)
		n := 0
		fmt.Sscan(args[2], &n)
		t.Fatal("it was not killed: ", compactAll(&deadly{st.Summaries, n, args[3] == "true"}, args[1]))
	}
	if testing.Short() {
		t.Skip("not run with -short: it starts many processes, one after the other")
	}
	file := must.Get(filepath.Abs(storetest.Recorded(t, "shop-main.jsonl")))(t)
	whole := storetest.Open(t, filepath.Join(t.TempDir(), "whole.db"), sqlite.Write)
	storetest.Ingest(t, whole, file)
	must.Do(t, compactAll(whole.Summaries, file))
	want := nodesOf(t, whole)
	if len(want) < 12 {
		t.Fatalf("%d summaries: too few", len(want))
	}
	// One store is killed at each write in turn, before and after it.
	path := filepath.Join(t.TempDir(), "killed.db")
	st := storetest.Open(t, path, sqlite.Write)
	storetest.Ingest(t, st, file)
	for writes := 0; ; writes++ {
		if writes > 2*len(want)+2 {
			t.Fatal("it does not come to an end")
		}
		before := len(nodesOf(t, st))
		if before == len(want) {
			break
		}
		after := writes%2 == 1
		killedOnce(t, path, file, after)
		got := len(nodesOf(t, st))
		if more := map[bool]int{true: 1, false: 0}[after]; got != before+more {
			t.Fatalf("killed after its write (%v): %d summaries, before %d", after, got, before)
		}
	}
	got := nodesOf(t, st)
	for key, n := range want {
		if g, ok := got[key]; !ok || g.Text != n.Text || fmt.Sprint(g.Sources) != fmt.Sprint(n.Sources) {
			t.Errorf("%s differs", key)
		}
	}
	if err := compactAll(st.Summaries, file); err != nil || len(nodesOf(t, st)) != len(want) {
		t.Errorf("a run after all were killed: %v, %d summaries", err, len(nodesOf(t, st)))
	}
	b := must.Get(branchOf(file))(t)
	all, _ := st.Summaries.Summaries(t.Context(), b.Session)
	at := 0
	for _, l := range b.Cover(all).Leaves {
		must.Equal(t, l.Start, at, "a leaf begins at")
		at = l.End
	}
	if at != len(b.Units) {
		t.Errorf("%d of %d messages are covered", at, len(b.Units))
	}
}

// killedOnce runs a process that is killed at its first write.
func killedOnce(t *testing.T, path, file string, after bool) {
	t.Helper()
	exe := must.Get(os.Executable())(t)
	cmd := exec.Command(exe, "-test.run=^TestAKilledCompactionIsFinishedByTheNext$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%s|1|%v", compactEnv, path, file, after))
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("the process was not killed: %v\n%s", err, out)
	}
}

func nodesOf(t *testing.T, st *store.Store) map[string]summary.Node {
	t.Helper()
	sessions, err := st.Entries.Sessions(t.Context())
	if err != nil || len(sessions) != 1 {
		t.Fatal(sessions, err)
	}
	all := must.Get(st.Summaries.Summaries(t.Context(), sessions[0].ID))(t)
	out := make(map[string]summary.Node)
	for _, n := range all {
		out[n.Key] = n
	}
	if len(out) != len(all) {
		t.Fatal("a summary is there twice")
	}
	return out
}
