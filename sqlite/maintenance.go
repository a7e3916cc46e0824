package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// LibraryInfo describes the SQLite this binary was built with.
type LibraryInfo struct {
	Version  string
	FullText bool // FTS5 is in it
}

// Library describes the SQLite this binary was built with.
func Library() LibraryInfo {
	version, _, _ := sqlite3.Version()
	return LibraryInfo{Version: version, FullText: builtWithFTS5}
}

// Size returns the bytes that the database and its log take.
func (d *DB) Size() int64 {
	var bytes int64
	for _, end := range []string{"", "-wal"} {
		if st, err := os.Stat(d.path + end); err == nil {
			bytes += st.Size()
		}
	}
	return bytes
}

// DataVersion returns SQLite's count of the commits by others: what was read stays true
// while it does not change.
func (d *DB) DataVersion(ctx context.Context) (int64, error) {
	var v int64
	err := d.GetContext(ctx, &v, `PRAGMA data_version`)
	return v, Explain(err)
}

// SeenFrom remembers the project's key and that the store was used from root, so
// that a store can be recognised after its project was moved.
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

// Root is the work tree that the store was last used from, "" when none is known.
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

// Problems runs SQLite's check and looks for rows that point nowhere. Of a sound store it
// returns none.
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
		// A build without FTS5 cannot check the index's own tables.
		if f != "ok" && !strings.Contains(f, "no such module") {
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

// Exposed lists the files of the store that others than their owner may read.
func (d *DB) Exposed() ([]string, error) {
	var out []string
	for _, p := range []string{d.path, d.path + "-wal", d.path + "-shm"} {
		st, err := os.Stat(p)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, fmt.Errorf("check permissions: %w", err)
		case st.Mode().Perm()&0o077 != 0:
			out = append(out, p)
		}
	}
	return out, nil
}

// Narrow lets only the owner read the files of the store.
func (d *DB) Narrow() error {
	exposed, err := d.Exposed()
	if err != nil {
		return err
	}
	for _, p := range exposed {
		st, err := os.Stat(p)
		if err == nil {
			err = os.Chmod(p, st.Mode().Perm()&^0o077)
		}
		if err != nil {
			return fmt.Errorf("narrow permissions: %w", err)
		}
	}
	return nil
}

// Discard closes the store and deletes it, with everything that is in it.
func (d *DB) Discard() error {
	err := d.DB.Close()
	for _, end := range []string{"", "-wal", "-shm"} {
		if rerr := os.Remove(d.path + end); rerr != nil && !errors.Is(rerr, os.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	if err != nil {
		return fmt.Errorf("delete store: %w", err)
	}
	return nil
}

// checkpointer copies the write-ahead log into the database while an import goes
// on, over a connection of its own. Left to the end it would all be done after
// the last batch, when there is nothing else to do beside it.
type checkpointer struct {
	mu   sync.Mutex
	db   *sqlx.DB
	busy bool
	done sync.WaitGroup
}

// start begins a checkpoint, unless one is under way. It never waits for
// writers and does not make them wait; what fails is done at the end.
func (c *checkpointer) start(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy {
		return
	}
	c.busy = true
	c.done.Go(func() {
		c.run(path)
		c.mu.Lock()
		c.busy = false
		c.mu.Unlock()
	})
}

func (c *checkpointer) run(path string) {
	if c.db == nil {
		db, err := sqlx.Open("sqlite3", dsn(path, Hook))
		if err != nil {
			return
		}
		db.SetMaxOpenConns(1)
		c.db = db
	}
	_, _ = c.db.ExecContext(context.Background(), `PRAGMA wal_checkpoint(PASSIVE)`)
}

// close waits for the checkpoint under way.
func (c *checkpointer) close() {
	c.done.Wait()
	if c.db != nil {
		_ = c.db.Close()
	}
}

// checkpointRecords is after how many entries, which only an import stores, the log is
// copied into the database. It is many: an index of hashes is written to all over, and
// a page that was written often is copied once.
const checkpointRecords = 16384

// CheckpointAfter notes that entries were stored, and begins a checkpoint when an import
// stored many.
func (d *DB) CheckpointAfter(records int) {
	if n := d.stored.Add(int64(records)); d.mode == Write && n >= checkpointRecords {
		d.stored.Add(-n)
		d.log.start(d.path)
	}
}

// Checkpoint moves the log into the database file and empties it, unless another process
// is using it. Hooks leave it to commands, or to when the agent rests.
func (d *DB) Checkpoint(ctx context.Context) error {
	if _, err := d.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		return fmt.Errorf("checkpoint store: %w", Explain(err))
	}
	return nil
}

// Refute returns ErrDamaged when a query that finds what cannot be in a sound database
// finds something. SQLite has no checksums of pages: a damaged page of an index may only
// lack rows, and a join drops them without a word. The query is one statement, so that what
// other processes write makes no difference to it.
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
