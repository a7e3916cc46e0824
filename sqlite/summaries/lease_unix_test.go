//go:build unix

package summaries_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/storetest"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/sqlite"
)

// leaseEnv makes TestALeaseEndsWithTheProcessThatHoldsIt the process that is killed: it
// names the store.
const leaseEnv = "PICTX_TEST_LEASE"

// Holds history 44, 45.
func TestALeaseEndsWithTheProcessThatHoldsIt(t *testing.T) {
	if path := os.Getenv(leaseEnv); path != "" {
		holdLease(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	cmd := startHolder(t, path)
	if _, err := st.Summaries.Lease(t.Context(), "s1", time.Hour, false); !errors.Is(err, summary.ErrLeased) {
		t.Fatalf("while it runs: %v", err)
	}
	must.Do(t, cmd.Process.Kill())
	// Nobody has asked how it ended yet.
	var l summary.Lease
	var err error
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); time.Sleep(time.Millisecond) {
		if l, err = st.Summaries.Lease(t.Context(), "s1", time.Hour, false); err == nil {
			break
		}
	}
	if err != nil || l.Token != 2 {
		t.Fatalf("after it was killed: token %d, %v", l.Token, err)
	}
	_ = cmd.Wait()
	former := summary.Lease{Session: "s1", Token: 1, For: time.Hour}
	if err := st.Summaries.Renew(t.Context(), former); !errors.Is(err, summary.ErrFenced) {
		t.Errorf("the former holder: %v", err)
	}
	if err := st.Summaries.PutSummary(t.Context(), former, &summary.Node{Key: "s-000000000001", Session: "s1"}); !errors.Is(err, summary.ErrFenced) {
		t.Errorf("a summary of the former holder: %v", err)
	}
	if _, err := st.Summaries.Lease(t.Context(), "s1", time.Hour, false); !errors.Is(err, summary.ErrLeased) {
		t.Errorf("a third one: %v", err)
	}
}

// holdLease takes the lease, says so and waits to be killed.
func holdLease(t *testing.T, path string) {
	st := storetest.Open(t, path, sqlite.Hook)
	st.Summaries.HeldBy(os.Getpid())
	must.Get(st.Summaries.Lease(t.Context(), "s1", time.Hour, false))(t)
	os.Stdout.WriteString("held\n")
	time.Sleep(time.Minute)
}

func startHolder(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	exe := must.Get(os.Executable())(t)
	cmd := exec.Command(exe, "-test.run=^TestALeaseEndsWithTheProcessThatHoldsIt$")
	cmd.Env = append(os.Environ(), leaseEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd
}

// What is not known to have ended keeps its lease until that runs out.
func TestALeaseOfAnUnknownProcessLastsItsTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.db")
	st := storetest.Open(t, path, sqlite.Write)
	must.Get(st.Summaries.Lease(t.Context(), "s1", time.Hour, false))(t)
	db := storetest.DB(t, path)
	var own string
	must.Do(t, db.QueryRow(`SELECT holder FROM leases`).Scan(&own))
	f := strings.Fields(own)
	if len(f) != 3 {
		t.Skipf("not run: this system tells of a process only %q", own)
	}
	for holder, free := range map[string]bool{
		"":                                   false,
		"gibberish":                          false,
		own:                                  false,
		"elsewhere 4194303 1":                false, // another machine, or container
		f[0] + " -1 1":                       false,
		f[0] + " 1 1":                        false,
		f[0] + " " + f[1] + " " + f[2] + "1": true, // another process has the number now
		f[0] + " 4194303 " + f[2]:            true,
	} {
		must.Get(db.Exec(`UPDATE leases SET holder = ?`, holder))(t)
		_, err := st.Summaries.Lease(t.Context(), "s1", time.Hour, false)
		if free && err != nil || !free && !errors.Is(err, summary.ErrLeased) {
			t.Errorf("held by %q: %v", holder, err)
		}
	}
}
