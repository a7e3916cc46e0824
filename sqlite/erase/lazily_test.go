package erase_test

import (
	"context"
	"errors"
	"testing"
)

// Free pages are left to the wipe only while it is certain to follow: what a connection
// deletes afterwards is overwritten at once, also where the rewriting stopped.
func TestSQLiteOverwritesFreePagesAgainAfterAnIndexWasRewritten(t *testing.T) {
	st, _ := secretStore(t)
	setting := func(when string, want int) {
		t.Helper()
		if got, err := st.Eraser.SecureDelete(t.Context()); err != nil || got != want {
			t.Errorf("%s: %d, %v; want %d", when, got, err, want)
		}
	}
	setting("at first", 1)
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancel(t.Context())
	for _, result := range []error{nil, stopped} {
		err := st.Eraser.Lazily(ctx, func() error {
			setting("meanwhile", 2)
			return result
		})
		if !errors.Is(err, result) {
			t.Errorf("%v, want %v", err, result)
		}
		setting("after it", 1)
	}
	err := st.Eraser.Lazily(ctx, func() error {
		cancel()
		return ctx.Err()
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	setting("after it was canceled", 1)
}
