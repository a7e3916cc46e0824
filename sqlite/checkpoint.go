package sqlite

import (
	"context"
	"fmt"
	"sync"

	"github.com/jmoiron/sqlx"
)

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
