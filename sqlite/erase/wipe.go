package erase

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/sqlite"
)

// Every writing connection has secure_delete on, so deleted rows and freed pages are
// overwritten, except for pages that the indexes free just before a wipe. SQLite leaves gaps:
// when it moves rows to another page, the old bytes stay in a page that remains in use, and a
// later deletion overwrites only the new place. VACUUM would close them by writing everything
// again. wipe overwrites only what nothing uses.
//
// That writes to the file beside SQLite. It is safe because no byte that SQLite ever reads
// changes, and because of three things: the write lock is held, so no page changes
// meanwhile; the log is empty, so the file has the latest version of every page; and the
// transaction ends with a change, after which every connection, of whatever process, reads
// pages again before it changes one: none writes unused bytes back that it read before.

// attempts is how often wipe tries to find the log empty while others write.
const attempts = 3

// wipe overwrites all bytes of the database that nothing uses, and records that no scrub is
// due any more. It returns false when it cannot: while another process keeps the log from
// being emptied, or when a page has parts that are not known here.
func (s *Store) wipe(ctx context.Context) (done bool, err error) {
	for range attempts {
		if err := s.db.Checkpoint(ctx); err != nil {
			return false, err
		}
		if !sqlite.IsEmpty(s.db.Path() + "-wal") {
			continue
		}
		if done, err = s.wipeNow(ctx); done || err != nil {
			break
		}
	}
	if errors.Is(err, errOtherFile) {
		return false, nil
	}
	return done, err
}

// wipeNow does it if the log is empty. It uses a connection of its own, which has read no
// page yet.
func (s *Store) wipeNow(ctx context.Context) (done bool, err error) {
	f, err := s.db.File()
	if err != nil {
		return false, err
	}
	fresh, err := sqlite.Open(ctx, s.db.Path(), sqlite.Write, s.db.Now)
	if err != nil {
		return false, err
	}
	err = fresh.Tx(ctx, func(tx *sqlx.Conn) error {
		if !sqlite.IsEmpty(s.db.Path() + "-wal") {
			return nil
		}
		var roots []uint32
		if err := tx.SelectContext(ctx, &roots, `SELECT rootpage FROM sqlite_schema WHERE rootpage > 0`); err != nil {
			return err
		}
		st, err := f.Stat()
		if err != nil {
			return err
		}
		w, err := unusedPlaces(ctx, f, st.Size(), roots)
		if err == nil {
			err = w.overwrite(f)
		}
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			return err
		}
		done = true
		return settled(ctx, tx)
	})
	return done && err == nil, errors.Join(err, fresh.Close())
}

// settled records that no scrub is due any more. It changes a page even if none was.
func settled(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('`+Unscrubbed+`', '1') ON CONFLICT (key) DO UPDATE SET value = value || '1';
		DELETE FROM meta WHERE key = '`+Unscrubbed+`'`)
	return err
}
