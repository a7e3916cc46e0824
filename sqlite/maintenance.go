package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/jmoiron/sqlx"
)

// LibraryInfo describes the SQLite this binary was built with.
type LibraryInfo struct {
	Version string
	Driver  string // "in C" or "in Go"
}

// Size returns the size of the database and its log in bytes.
func (d *DB) Size() int64 {
	var bytes int64
	for _, end := range []string{"", "-wal"} {
		if st, err := os.Stat(d.path + end); err == nil {
			bytes += st.Size()
		}
	}
	return bytes
}

// SeenFrom records the project's key and that the store was used from root. This identifies
// the store after its project was moved.
func (d *DB) SeenFrom(ctx context.Context, key, root string) error {
	err := d.Tx(ctx, func(tx *sqlx.Conn) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('project', ?) ON CONFLICT (key) DO NOTHING`, key)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO roots (path, seen) VALUES (?, ?)
			ON CONFLICT (path) DO UPDATE SET seen = excluded.seen`, root, d.now().UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("remember project: %w", err)
	}
	return nil
}

// Root returns the work tree that last used the store, "" when unknown.
func (d *DB) Root(ctx context.Context) (string, error) {
	var root string
	err := d.GetContext(ctx, &root, `SELECT path FROM roots ORDER BY seen DESC, path LIMIT 1`)
	if NoRows(err) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look up project: %w", Explain(err))
	}
	return root, nil
}

// Problems runs SQLite's integrity check and looks for dangling references. It returns
// nothing for a sound store.
func (d *DB) Problems(ctx context.Context) ([]string, error) {
	var found []string
	if err := d.SelectContext(ctx, &found, `PRAGMA quick_check(20)`); err != nil {
		if err = Explain(err); errors.Is(err, ErrDamaged) {
			return []string{err.Error()}, nil
		}
		return nil, err
	}
	var out []string
	for _, f := range found {
		if f != "ok" {
			out = append(out, f)
		}
	}
	for what, query := range map[string]string{
		"entries without text":    `SELECT count(*) FROM messages m LEFT JOIN content t ON t.id = m.content WHERE t.id IS NULL`,
		"entries without session": `SELECT count(*) FROM messages m LEFT JOIN conversations c ON c.id = m.conversation WHERE c.id IS NULL`,
	} {
		var n int
		if err := d.GetContext(ctx, &n, query); err != nil {
			return nil, Explain(err)
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d %s", n, what))
		}
	}
	return out, nil
}

// Discard closes the store and deletes it with all its contents.
func (d *DB) Discard() error {
	err := d.DB.Close()
	for _, end := range []string{"", "-wal", "-shm", markSuffix} {
		if rerr := os.Remove(d.path + end); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	if err != nil {
		return fmt.Errorf("delete store: %w", err)
	}
	return nil
}

// Checkpoint moves the log into the database and truncates it, unless another process is
// using it. A hook tries once; a command tries for as long as it waits for writers.
func (d *DB) Checkpoint(ctx context.Context) error {
	limit := d.mode.wait()
	if d.mode == Hook {
		limit = 0
	}
	began := time.Now()
	err := patiently(ctx, limit, func() error {
		return d.emptyLog(ctx, d.mode == Write && time.Since(began) >= unhurried)
	})
	if err != nil && !errors.Is(err, ErrBusy) {
		return fmt.Errorf("checkpoint store: %w", err)
	}
	return nil
}

// unhurried is how long a command waits for a moment in which nobody writes to the log, before
// it makes writers wait.
const unhurried = 2 * time.Second

// emptyLog moves and truncates the log, or returns ErrBusy when another process is using it.
// Moving keeps nobody out, but truncating keeps writers out, and must be short: it does not
// wait for readers, and begins only when hardly anything is left to move and, unless it is time
// now, no agent waits.
func (d *DB) emptyLog(ctx context.Context, now bool) (err error) {
	conn, err := d.Connx(ctx)
	if err != nil {
		return Explain(err)
	}
	defer conn.Close()
	at := context.WithoutCancel(ctx) // see lock
	if err := waitAtMost(at, conn, 0); err != nil {
		return Explain(err)
	}
	defer func() { err = errors.Join(err, Explain(waitAtMost(at, conn, d.mode.wait()))) }()
	r, err := checkpoint(ctx, conn, "PASSIVE")
	switch {
	case err != nil:
		return err
	case r.Checkpointed < r.Log, !now && marked(d.path): // a reader needs what is left, or an agent waits
		return ErrBusy
	}
	r, err = checkpoint(at, conn, "TRUNCATE")
	if err == nil && r.Busy != 0 {
		return ErrBusy
	}
	return err
}

// checkpointed is the result of a checkpoint: whether another process kept it from completing,
// how many pages the log has, and how many of them are in the database.
type checkpointed struct{ Busy, Log, Checkpointed int }

func checkpoint(ctx context.Context, conn *sqlx.Conn, how string) (checkpointed, error) {
	var r checkpointed
	err := conn.GetContext(ctx, &r, `PRAGMA wal_checkpoint(`+how+`)`)
	return r, Explain(err)
}

// Refute returns ErrDamaged when a query finds rows that a sound database cannot have.
// SQLite has no page checksums: a damaged index page may merely lack rows, and a join then
// drops them silently. The query must be a single statement, so that it sees one snapshot
// despite other writers.
func (d *DB) Refute(ctx context.Context, what, query string, args ...any) error {
	var found bool
	if err := d.GetContext(ctx, &found, `SELECT EXISTS (`+query+`)`, args...); err != nil {
		return Explain(err)
	}
	if found {
		return fmt.Errorf("%w: %s", ErrDamaged, what)
	}
	return nil
}
