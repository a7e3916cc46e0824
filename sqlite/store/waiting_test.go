package store_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/internal/storetest"
	"github.com/coctostan/pictx/sqlite"
)

// A transaction that has begun is finished; waiting for one ends with the context.
func TestWhoWaitsToStoreEntriesOrObjectsStopsWithTheContext(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.db")
	holder, hook := storetest.Open(t, path, sqlite.Write), storetest.Open(t, path, sqlite.Hook)
	storetest.Ingest(t, holder, storetest.Session(t, "s-0", "before"))
	lock := storetest.DB(t, path)
	must.Get(lock.ExecContext(t.Context(), `BEGIN IMMEDIATE`))(t)
	file := storetest.Session(t, "s-1", "hello")
	for name, write := range map[string]func(context.Context) error{
		"entries": func(ctx context.Context) error {
			_, err := history.Ingest(ctx, hook.Entries, pi.File{Path: file}, history.Options{})
			return err
		},
		"objects": func(ctx context.Context) error {
			_, err := hook.Objects.Submit(ctx, object.Tx{})
			return err
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel) // when it waits
		if err := write(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want that it was cancelled", name, err)
		}
	}
}
