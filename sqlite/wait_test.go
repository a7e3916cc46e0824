package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/sqlite"
)

// Ctrl-C and deadlines end the context. A process has only one connection.
func TestAWriterThatWaitsForAnotherStopsWithItsContextAndKeepsNoReaderWaiting(t *testing.T) {
	t.Parallel()
	const hung = 20 * time.Second // a writer of a shell command waits longer
	path := filepath.Join(t.TempDir(), "x.db")
	open := func() *sqlite.DB {
		db, err := sqlite.Open(t.Context(), path, sqlite.Write, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	}
	holder, writer := open(), open()
	if _, err := holder.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- writer.Tx(ctx, func(*sqlx.Conn) error { return errors.New("it has the lock of another") })
	}()
	time.Sleep(100 * time.Millisecond) // until it is waiting
	read, stop := context.WithTimeout(t.Context(), hung)
	defer stop()
	if _, err := writer.DataVersion(read); err != nil {
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
	if _, err := holder.ExecContext(t.Context(), `BEGIN IMMEDIATE`); err != nil {
		t.Fatal(err)
	}
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

// opened returns a store that is closed without a checkpoint at the end of the test.
func opened(t *testing.T, path string, mode sqlite.Mode) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(t.Context(), path, mode, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.DB.Close() })
	return db
}
