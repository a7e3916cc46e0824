//go:build unix

package objects_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/sqlhook"
	"github.com/coctostan/pictx/internal/storetest"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/store"
)

// objectCrashEnv makes TestAKilledWriterLeavesOldOrNewObjects the process that is killed.
const objectCrashEnv = "PICTX_TEST_OBJECT_CRASH"

// objectDeeds are what a process is killed at.
func objectDeeds() map[string]func(ctx context.Context, st *store.Store) error {
	k := object.FileKey("", "/a")
	text := strings.Repeat("a line that is the same in all versions\n", 20)
	return map[string]func(context.Context, *store.Store) error{
		"put": func(ctx context.Context, st *store.Store) error {
			_, err := st.Objects.Submit(ctx, object.Tx{Actor: object.ActorCapture, Session: "s", Ops: []object.Op{
				{Do: object.Put, Key: k, Doc: storetest.FileDoc("/a", text+"new"), Stat: &object.Stat{Size: 1}},
				{Do: object.Put, Key: object.FileKey("", "/b"), Doc: storetest.FileDoc("/b", "fresh"), At: 5},
				{Do: object.Record, Key: k, Event: object.Deactivated, Leaf: "l"},
			}})
			return err
		},
		"purge": func(ctx context.Context, st *store.Store) error {
			o, err := st.Objects.ByKey(ctx, k)
			if err == nil {
				err = st.Objects.Purge(ctx, []string{o.ID})
			}
			return err
		},
	}
}

func crashClock() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

func openCrash(t testing.TB, path string) *store.Store {
	t.Helper()
	st := must.Get(store.Open(context.Background(), path, sqlite.Write, crashClock))(t)
	return st
}

// Killed at any write, everything of a transaction is there or nothing, and doing it
// again ends as if nothing had happened.
//
// Holds objects 17.
func TestAKilledWriterLeavesOldOrNewObjects(t *testing.T) {
	if args := strings.Split(os.Getenv(objectCrashEnv), "|"); len(args) == 3 {
		dieAtObjects(t, args)
		return
	}
	step := 3
	if testing.Short() {
		step = 8
	}
	for _, name := range []string{"put", "purge"} {
		t.Run(name, func(t *testing.T) {
			base := filepath.Join(t.TempDir(), "base.db")
			st := openCrash(t, base)
			for i := range 3 {
				storetest.Put(t, st.Objects, "/a", strings.Repeat("a line that is the same in all versions\n", 20)+fmt.Sprint(i))
			}
			storetest.Put(t, st.Objects, "/c", "another")
			before := objectState(t, st)
			must.Do(t, errors.Join(st.Checkpoint(t.Context()), st.Close()))
			want := doneObjects(t, base, name)
			for n := 1; ; n += step {
				path := storetest.Copy(t, base)
				killed := killedAtObjects(t, name, path, n)
				half := openCrash(t, storetest.Copy(t, path))
				if got := objectState(t, half); name == "put" && got != before && got != want {
					t.Fatalf("killed at write %d it is neither as before nor as after:\n%s", n, cmp.Diff(before, got))
				}
				if found := verify(t, half); len(found) > 0 {
					t.Fatalf("killed at write %d: %v", n, found)
				}
				half.Close()
				if got := doneObjects(t, path, name); got != want {
					t.Fatalf("killed at write %d (-want +got)\n%s", n, cmp.Diff(want, got))
				}
				if !killed {
					if n < 2 {
						t.Errorf("only %d writes", n)
					}
					return
				}
			}
		})
	}
}

// doneObjects does a deed to its end in a copy, and returns what is there then.
func doneObjects(t *testing.T, path, deed string) string {
	t.Helper()
	st := openCrash(t, storetest.Copy(t, path))
	defer st.Close()
	must.Do(t, objectDeeds()[deed](t.Context(), st))
	return objectState(t, st)
}

// objectState is everything that a store gives of objects, but for what went before it
// in vain: the numbers of transactions and the events that were told twice.
func objectState(t *testing.T, st *store.Store) string {
	t.Helper()
	var b strings.Builder
	all := must.Get(st.Objects.FindObjects(t.Context(), object.Query{}))(t)
	for _, o := range all {
		fmt.Fprintln(&b, o.ID, o.Key)
		for _, v := range versions(t, st, o.ID) {
			raw, err := st.Objects.Content(t.Context(), &v)
			fmt.Fprintln(&b, v.Number, v.To == object.Forever, v.Hashes.Object, len(raw), err)
		}
		events, err := st.Objects.EventsOf(t.Context(), o.ID)
		fmt.Fprintln(&b, object.Replay(events, nil)[o.ID].State(), err)
	}
	lines := must.Get(object.ParseQuery("line", time.Now()))(t)
	found, err := st.Objects.FindObjects(t.Context(), lines)
	fmt.Fprintln(&b, len(found), err)
	return b.String()
}

func killedAtObjects(t *testing.T, deed, path string, n int) bool {
	t.Helper()
	exe := must.Get(os.Executable())(t)
	cmd := exec.Command(exe, "-test.run=^TestAKilledWriterLeavesOldOrNewObjects$")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%s|%d", objectCrashEnv, deed, path, n))
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

func dieAtObjects(t *testing.T, args []string) {
	st := openCrash(t, args[1])
	left := 0
	fmt.Sscan(args[2], &left)
	err := st.Objects.OnWrite(t.Context(), func() {
		if left--; left == 0 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	})
	if err == nil {
		err = objectDeeds()[args[0]](t.Context(), st)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// writeMany writes versions of one file that no other writer writes.
func writeMany(ctx context.Context, st *store.Store, id, who string, times int) error {
	for i := range times {
		_, err := st.Objects.Submit(ctx, object.Tx{Ops: []object.Op{{Do: object.Put, ID: id, Doc: storetest.FileDoc("/counter", fmt.Sprint(who, " ", i))}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// Writers that have the store open at once lose nothing.
//
// Holds objects 18.
func TestSeveralWritersLoseNoVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	first := storetest.Open(t, path, sqlite.Write)
	id := storetest.Put(t, first.Objects, "/counter", "0").ID
	const writers, times = 4, 25
	var wg sync.WaitGroup
	for who := range writers {
		st := must.Get(store.Open(t.Context(), path, sqlite.Write, time.Now))(t)
		wg.Go(func() {
			defer st.Close()
			if err := writeMany(t.Context(), st, id, fmt.Sprint(who), times); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	hasVersions(t, first, id, writers*times+1)
}

// hasVersions compares the number of an object's versions, which all have their content.
func hasVersions(t *testing.T, st *store.Store, id string, want int) {
	t.Helper()
	contents := make(map[string]bool)
	for _, v := range versions(t, st, id) {
		raw := must.Get(st.Objects.Content(t.Context(), &v))(t)
		contents[string(raw)] = true
	}
	if len(contents) != want {
		t.Errorf("%d different versions, want %d", len(contents), want)
	}
	if found := verify(t, st); len(found) > 0 {
		t.Errorf("verify: %v", found)
	}
}

// Who meets a store that another keeps gives up when its time is over, says why, and has
// changed nothing.
//
// Holds objects 18.
func TestAWriterOfObjectsGivesUpOnAStoreThatIsTakenAndSaysWhy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.db")
	holder := openCrash(t, path)
	id := storetest.Put(t, holder.Objects, "/counter", "0").ID
	hook := must.Get(store.Open(t.Context(), path, sqlite.Hook, crashClock))(t)
	defer hook.Close()
	put := func() error {
		ctx, stop := context.WithTimeout(t.Context(), time.Second) // a hook that an agent waits for
		defer stop()
		_, err := hook.Objects.Submit(ctx, object.Tx{Ops: []object.Op{{Do: object.Put, ID: id, Doc: storetest.FileDoc("/counter", "1")}}})
		return err
	}
	db := must.Get(sql.Open(sqlhook.Driver, path))(t)
	defer db.Close()
	conn := must.Get(db.Conn(t.Context()))(t)
	defer conn.Close()
	must.Get(conn.ExecContext(t.Context(), `BEGIN IMMEDIATE`))(t)
	if err := put(); !errors.Is(err, sqlite.ErrBusy) || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "another process is using it") {
		t.Errorf("a store that is taken: %v", err)
	}
	if got := contentAt(t, holder, id, 0); got != "0" {
		t.Errorf("it is %s now", got)
	}
	must.Get(conn.ExecContext(t.Context(), `ROLLBACK`))(t)
	if err := put(); err != nil {
		t.Errorf("a store that is free again: %v", err)
	}
	if got := contentAt(t, holder, id, 0); got != "1" {
		t.Errorf("it is %s now", got)
	}
}
