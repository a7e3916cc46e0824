package sqlite_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/sqlhook"
	"github.com/coctostan/pictx/sqlite"
)

// Ctrl-C and deadlines end the context. A process has only one connection.
func TestAWriterThatWaitsForAnotherStopsWithItsContextAndKeepsNoReaderWaiting(t *testing.T) {
	t.Parallel()
	const hung = 20 * time.Second // a writer of a shell command waits longer
	path := filepath.Join(t.TempDir(), "x.db")
	open := func() *sqlite.DB {
		db := must.Get(sqlite.Open(t.Context(), path, sqlite.Write, time.Now))(t)
		t.Cleanup(func() { db.Close() })
		return db
	}
	holder, writer := open(), open()
	must.Get(holder.ExecContext(t.Context(), `BEGIN IMMEDIATE`))(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- writer.Tx(ctx, func(*sqlx.Conn) error { return errors.New("it has the lock of another") })
	}()
	time.Sleep(100 * time.Millisecond) // until it is waiting
	read, stop := context.WithTimeout(t.Context(), hung)
	defer stop()
	if _, err := writer.Version(read); err != nil {
		t.Errorf("a reader of the same process waits too: %v", err)
	}
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) || !errors.Is(err, sqlite.ErrBusy) {
			t.Errorf("%v: want that it was canceled while the store was busy", err)
		}
	case <-time.After(hung):
		t.Error("it waits although nobody wants it to")
	}
}

// The end of a session must not wait for the end of an import.
func TestAWriterOfManyTransactionsLetsAnotherIn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	open := func(mode sqlite.Mode) *sqlite.DB { return opened(t, path, mode) }
	writer, hook := open(sqlite.Write), open(sqlite.Hook)
	begun, entered := make(chan struct{}), make(chan error, 1)
	go func() {
		<-begun
		entered <- hook.Tx(t.Context(), func(*sqlx.Conn) error { return nil })
	}()
	const transactions = 12
	for i := range transactions {
		err := writer.Tx(t.Context(), func(*sqlx.Conn) error {
			if i == 0 {
				close(begun)
			}
			time.Sleep(120 * time.Millisecond) // as long as one batch of an import
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-entered:
			if err != nil {
				t.Error(err)
			}
			return
		default:
		}
	}
	t.Errorf("%d transactions one after the other left no room for another process", transactions)
	<-entered
}

// An agent does not wait for the work of a hook after its reply, so that work can wait for
// an import.
func TestAHookThatNobodyWaitsForOutlastsAnotherWriter(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	open := func(mode sqlite.Mode) *sqlite.DB { return opened(t, path, mode) }
	holder, hook := open(sqlite.Write), open(sqlite.Hook)
	must.Get(holder.ExecContext(t.Context(), `BEGIN IMMEDIATE`))(t)
	nothing := func(*sqlx.Conn) error { return nil }
	waited, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	if err := hook.Tx(waited, nothing); !errors.Is(err, sqlite.ErrBusy) {
		t.Errorf("with an agent that waits: %v, want that the store is busy", err)
	}
	released := make(chan error)
	go func() {
		time.Sleep(3300 * time.Millisecond) // longer than a tool call waits, and many times as long as an event does
		_, err := holder.ExecContext(t.Context(), `ROLLBACK`)
		released <- err
	}()
	if err := errors.Join(hook.Tx(t.Context(), nothing), <-released); err != nil {
		t.Errorf("with nobody who waits: %v", err)
	}
}

// Among many writers, one that an agent waits for would lose every time.
func TestAWriterThatAnAgentWaitsForGoesBeforeTenThatNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	holder, awaited := opened(t, path, sqlite.Write), opened(t, path, sqlite.Hook)
	var others []*sqlite.DB
	for i := range 10 {
		others = append(others, opened(t, path, []sqlite.Mode{sqlite.Hook, sqlite.Write}[i%2]))
	}
	for range 3 { // without its mark it would be the first of eleven by chance
		must.Get(holder.ExecContext(t.Context(), `BEGIN IMMEDIATE`))(t)
		order := make(chan string, 11)
		var writers sync.WaitGroup
		write := func(db *sqlite.DB, ctx context.Context, who string) {
			writers.Go(func() {
				if err := db.Tx(ctx, func(*sqlx.Conn) error { order <- who; return nil }); err != nil {
					t.Errorf("%s: %v", who, err)
				}
			})
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		write(awaited, ctx, "awaited")
		for !sqlite.Marked(path) && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		for _, db := range others {
			write(db, t.Context(), "another")
		}
		time.Sleep(50 * time.Millisecond) // until they are waiting
		must.Get(holder.ExecContext(t.Context(), `ROLLBACK`))(t)
		writers.Wait()
		stop()
		if first := <-order; first != "awaited" {
			t.Errorf("%s got the store first", first)
		}
	}
	if sqlite.Marked(path) {
		t.Error("the mark is left")
	}
}

// sessionEnd is a context that gets a deadline when its session ends.
type sessionEnd struct {
	context.Context
	ended *atomic.Bool
}

func (s sessionEnd) Deadline() (time.Time, bool) {
	return time.Now().Add(time.Second), s.ended.Load()
}

// What a turn brought may wait for others when the session ends.
func TestAWriterThatNobodyWaitedForGoesBeforeOthersOnceItsSessionEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	holder, writer := opened(t, path, sqlite.Write), opened(t, path, sqlite.Hook)
	must.Get(holder.ExecContext(t.Context(), `BEGIN IMMEDIATE`))(t)
	ended, written := new(atomic.Bool), make(chan error, 1)
	go func() {
		written <- writer.Tx(sessionEnd{t.Context(), ended}, func(*sqlx.Conn) error { return nil })
	}()
	time.Sleep(50 * time.Millisecond) // until it is waiting
	if sqlite.Marked(path) {
		t.Error("it keeps others waiting before the session ends")
	}
	ended.Store(true)
	for end := time.Now().Add(5 * time.Second); !sqlite.Marked(path); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it leaves no mark")
		}
	}
	must.Get(holder.ExecContext(t.Context(), `ROLLBACK`))(t)
	if err := <-written; err != nil {
		t.Error(err)
	}
}

// A killed process leaves its mark.
func TestAMarkThatIsLeftKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	holder, awaited, other := opened(t, path, sqlite.Write), opened(t, path, sqlite.Hook), opened(t, path, sqlite.Hook)
	mark := path + sqlite.MarkSuffix
	long := time.Now().Add(-time.Hour)
	must.Do(t, errors.Join(os.WriteFile(mark, nil, 0o600), os.Chtimes(mark, long, long)))
	nothing := func(*sqlx.Conn) error { return nil }
	if sqlite.Marked(path) {
		t.Error("it counts")
	}
	if err := other.Tx(t.Context(), nothing); err != nil {
		t.Error(err)
	}
	must.Get(holder.ExecContext(t.Context(), `BEGIN IMMEDIATE`))(t)
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	if err := awaited.Tx(ctx, nothing); !errors.Is(err, sqlite.ErrBusy) || sqlite.Explain(err).Error() != err.Error() {
		t.Errorf("%v, want that the store is busy, said once", err)
	}
	if _, err := os.Lstat(mark); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the next that waits did not clear it away: %v", err)
	}
}

// While SQLite truncates a log it keeps writers out, and it cannot truncate one that a reader
// still needs.
func TestACheckpointThatWaitsForASlowReaderKeepsNoWriterWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	command, reader, hook := opened(t, path, sqlite.Write), opened(t, path, sqlite.Read), opened(t, path, sqlite.Hook)
	write := func(db *sqlite.DB) error {
		return db.Tx(t.Context(), func(tx *sqlx.Conn) error {
			_, err := tx.ExecContext(t.Context(), `INSERT INTO meta (key, value) VALUES (hex(randomblob(8)), '')`)
			return err
		})
	}
	must.Do(t, write(command))
	var n int
	must.Get(reader.ExecContext(t.Context(), `BEGIN`))(t)
	must.Do(t, reader.GetContext(t.Context(), &n, `SELECT count(*) FROM meta`))
	if err := write(command); err != nil { // which the reader does not see
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Checkpoint(t.Context()) }()
	time.Sleep(100 * time.Millisecond) // until it is waiting
	if err := write(hook); err != nil {
		t.Errorf("a hook that nobody waits for: %v", err)
	}
	select {
	case err := <-ended:
		t.Errorf("it did not wait: %v", err)
	default:
	}
	must.Get(reader.ExecContext(t.Context(), `ROLLBACK`))(t)
	if err := <-ended; err != nil || !sqlite.IsEmpty(path+"-wal") {
		t.Errorf("the log is left: %v", err)
	}
}

// What is written to the disk while a log is truncated keeps writers out. A log that a reader
// needs cannot be truncated anyway, and one that an agent waits to write to has time.
func TestAHookTruncatesNoLogThatOthersUse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	writer, hook, reader := opened(t, path, sqlite.Hook), opened(t, path, sqlite.Hook), opened(t, path, sqlite.Read)
	asked := truncations(t, hook)
	write := func() {
		t.Helper()
		err := writer.Tx(t.Context(), func(tx *sqlx.Conn) error {
			_, err := tx.ExecContext(t.Context(), `INSERT INTO meta (key, value) VALUES (hex(randomblob(8)), '')`)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	checkpoint := func(who string, want int32) {
		t.Helper()
		must.Do(t, hook.Checkpoint(t.Context()))
		if n := asked.Load(); n != want {
			t.Errorf("with %s it is truncated %d times, want %d", who, n, want)
		}
	}
	var n int
	must.Get(reader.ExecContext(t.Context(), `BEGIN`))(t)
	must.Do(t, reader.GetContext(t.Context(), &n, `SELECT count(*) FROM meta`))
	write() // which the reader does not see
	checkpoint("a reader", 0)
	must.Get(reader.ExecContext(t.Context(), `ROLLBACK`))(t)
	must.Do(t, os.WriteFile(path+sqlite.MarkSuffix, nil, 0o600))
	checkpoint("an agent that waits", 0)
	must.Do(t, os.Remove(path+sqlite.MarkSuffix))
	checkpoint("nobody", 1)
	if !sqlite.IsEmpty(path + "-wal") {
		t.Error("the log is left")
	}
}

// To erase a text means to empty the log in the end.
func TestACommandTruncatesALogInTheEndThoughAgentsKeepWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	command := opened(t, path, sqlite.Write)
	asked := truncations(t, command)
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second) // less than a command tries
	var agents sync.WaitGroup
	defer agents.Wait()
	defer stop()
	mark := path + sqlite.MarkSuffix
	must.Do(t, os.WriteFile(mark, nil, 0o600))
	agents.Go(func() {
		for ctx.Err() == nil {
			_ = os.Chtimes(mark, time.Now(), time.Now())
			time.Sleep(10 * time.Millisecond)
		}
	})
	if err := command.Checkpoint(ctx); err != nil || asked.Load() == 0 {
		t.Errorf("it is truncated %d times: %v", asked.Load(), err)
	}
}

// truncations counts how often a connection prepares to truncate the log.
func truncations(t *testing.T, db *sqlite.DB) *atomic.Int32 {
	t.Helper()
	asked := new(atomic.Int32)
	must.Do(t, sqlhook.OnTruncate(t.Context(), db.DB, func() { asked.Add(1) }))
	return asked
}

// opened returns a store that is closed without a checkpoint at the end of the test.
func opened(t *testing.T, path string, mode sqlite.Mode) *sqlite.DB {
	t.Helper()
	db := must.Get(sqlite.Open(t.Context(), path, mode, time.Now))(t)
	t.Cleanup(func() { db.DB.Close() })
	return db
}
