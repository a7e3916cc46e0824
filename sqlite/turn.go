package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/jmoiron/sqlx"
)

// Whoever finds the store free gets it. Among many writers, one that an agent waits for, as
// at the end of a session, could thus lose every time until its deadline. So it leaves a
// mark beside the store while it waits, and those that nobody waits for stay behind it. Work
// that nobody waited for has a deadline, too, once its session ends, and its process with it.

// staleMark is the age in time at which a mark no longer counts: whoever left it was killed,
// or has stopped waiting. It is also how long others stay behind.
const staleMark = askedTimeout

// noAgent is a time that no agent waits for. A later deadline only bounds background work.
const noAgent = 2 * time.Minute

// awaited reports whether an agent waits for what is done with ctx.
func (d *DB) awaited(ctx context.Context) bool {
	end, bounded := ctx.Deadline()
	return d.mode == Hook && bounded && time.Until(end) < noAgent
}

// markSuffix makes the path of a mark from that of the store.
const markSuffix = "-waiting"

// marked reports whether a writer that an agent waits for is waiting for the store at path.
func marked(path string) bool {
	st, err := os.Lstat(path + markSuffix)
	return err == nil && time.Since(st.ModTime()).Abs() < staleMark
}

// leaveMark leaves a mark, and reports whether it did: another writer may have. Without one
// a writer merely waits longer, so errors are ignored.
func leaveMark(path string) bool {
	f, err := os.OpenFile(path+markSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		return f.Close() == nil
	}
	if errors.Is(err, fs.ErrExist) && !marked(path) {
		_ = os.Remove(path + markSuffix)
	}
	return false
}

// lockInTurn begins a write transaction. It waits for other writers, above all for those
// that agents wait for.
func (d *DB) lockInTurn(ctx context.Context) (conn *sqlx.Conn, err error) {
	left, began := false, time.Now()
	defer func() {
		if left {
			_ = os.Remove(d.path + markSuffix)
		}
	}()
	err = patiently(ctx, d.patience(ctx), func() (err error) {
		awaited := d.awaited(ctx) // the session may have ended meanwhile
		if !awaited && time.Since(began) < staleMark && marked(d.path) {
			return fmt.Errorf("%w: an agent waits for it", ErrBusy)
		}
		conn, err = d.lock(ctx)
		if awaited && !left && errors.Is(err, ErrBusy) {
			left = leaveMark(d.path)
		}
		return err
	})
	return conn, err
}
