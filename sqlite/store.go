package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/mattn/go-sqlite3"
)

// Mode is what a connection to the store may do.
type Mode int

const (
	// Read opens an existing store without changing it.
	Read Mode = iota
	// Write opens the store for a shell command: it is made when it does not
	// exist, and migrated.
	Write
	// Hook opens the store for a hook: made when it does not exist, never
	// migrated, and never checkpointed.
	Hook
)

// busyTimeout is how long a writer waits for another one. Transactions are
// short, so this long means that something is wrong.
const busyTimeout = 30 * time.Second

// hookTimeout is how long a hook's writer waits: an agent waits for the hook.
const hookTimeout = 100 * time.Millisecond

var (
	// ErrNoStore is returned when there is no store to read.
	ErrNoStore = errors.New("there is no store yet")
	// ErrNewer is returned to writers of a store that a newer pictx made.
	ErrNewer = errors.New("it was made by a newer pictx")
	// ErrOlder is returned to hooks when the store has to be migrated first.
	ErrOlder = errors.New("it was made by an older pictx and must be migrated")
	// ErrBusy is returned when another process held the store too long.
	ErrBusy = errors.New("another process is using it")
	// ErrDamaged is returned when the file is not a sound database.
	ErrDamaged = errors.New("the database is damaged")
)

// Store is an open database.
type Store struct {
	db    *sqlx.DB
	path  string
	mode  Mode
	codec codec
	log   checkpointer
	// stored counts the entries since the last checkpoint.
	stored atomic.Int64
	bulk   bulkLoad
	now    func() time.Time
	// fts reports whether this binary can use the full-text index.
	fts    bool
	words  wordList
	holder string // of the leases that are taken
	memory memory
	texts  lastTexts
	differ differ
	met    map[int64]*metObjects // by session, of whoever writes
	named  namedFiles
}

// Open opens the store at path. now is the clock of everything it writes.
func Open(ctx context.Context, path string, mode Mode, now func() time.Time) (*Store, error) {
	if err := prepareFile(path, mode); err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	s := &Store{path: path, mode: mode, now: now}
	if mode == Write {
		s.HeldBy(os.Getpid())
	}
	err := patiently(ctx, func() error { return s.connect(ctx, dsn(path, mode)) })
	if mode == Read && cannotOpen(err) && empty(path+"-wal") {
		// A reader of a database in WAL mode needs to write beside it, unless it
		// is told that nobody writes, which an empty log and a directory that
		// cannot be written to say as well.
		err = s.connect(ctx, dsn(path, mode)+"&immutable=1")
	}
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	return s, nil
}

// connect opens the database and checks its schema.
func (s *Store) connect(ctx context.Context, dsn string) error {
	db, err := sqlx.ConnectContext(ctx, "sqlite3", dsn)
	if err != nil {
		return explain(err)
	}
	db.SetMaxOpenConns(1)
	s.db = db
	if err := s.start(ctx); err != nil {
		db.Close()
		return explain(err)
	}
	return nil
}

// cannotOpen reports whether SQLite was kept from opening or writing a file.
func cannotOpen(err error) bool {
	var se sqlite3.Error
	return errors.As(err, &se) && (se.Code == sqlite3.ErrCantOpen || se.Code == sqlite3.ErrReadonly)
}

// empty reports whether a file has no bytes or is not there.
func empty(path string) bool {
	st, err := os.Stat(path)
	return err != nil || st.Size() == 0
}

// patiently tries again while a database is busy. SQLite's own timeout does not
// cover the switch to WAL, which the first of several processes that open a new
// store is making.
func patiently(ctx context.Context, try func() error) error {
	for pause := time.Millisecond; ; pause *= 2 {
		err := try()
		if !errors.Is(err, ErrBusy) || pause > time.Second {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// prepareFile makes the directory and the file with private permissions, which
// SQLite then gives to the WAL too.
func prepareFile(path string, mode Mode) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if mode == Read {
		return ErrNoStore
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn builds the driver's data source name.
func dsn(path string, mode Mode) string {
	q := url.Values{}
	timeout := busyTimeout
	if mode == Hook {
		timeout = hookTimeout
	}
	q.Set("_busy_timeout", strconv.FormatInt(timeout.Milliseconds(), 10))
	q.Set("_foreign_keys", "1")
	// database/sql lets one goroutine at a time use a connection: SQLite need not.
	q.Set("_mutex", "no")
	// To prepare a short statement takes longer than to run it, and a process that
	// stays runs the same few again and again.
	q.Set("_stmt_cache_size", "96")
	if mode == Read {
		q.Set("mode", "ro")
		// A question goes to the same pages again and again: those above the lists of
		// an index, and of the tables that say whose a text is.
		q.Set("_cache_size", "-16000")
	} else {
		q.Set("_journal_mode", "WAL")
		q.Set("_synchronous", "NORMAL")
	}
	if mode == Write {
		// An import fills pages all over two indexes: with SQLite's default
		// cache of 2 MB most of its time goes to writing them out and back in.
		q.Set("_cache_size", "-64000")
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// start checks the schema's version and brings it up to date where that is
// allowed.
func (s *Store) start(ctx context.Context) error {
	if _, err := s.db.ExecContext(ctx, s.autoCheckpoint()); err != nil {
		return err
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if !builtWithFTS5 {
		return nil
	}
	s.fts = true
	if s.mode == Read {
		var err error
		s.fts, err = s.HasIndex(ctx)
		return err
	}
	return s.ensureIndex(ctx)
}

// autoCheckpoint says when a commit checkpoints: every 64 MB instead of every 4,
// because each costs an fsync, and in a hook, for which the agent waits, never.
func (s *Store) autoCheckpoint() string {
	if s.mode == Hook {
		return `PRAGMA wal_autocheckpoint = 0`
	}
	return `PRAGMA wal_autocheckpoint = 16000`
}

// Path is the database file.
func (s *Store) Path() string { return s.path }

// FullText reports whether this binary searches with the full-text index; without
// it searching scans.
func (s *Store) FullText() bool { return s.fts }

// Close closes the store. That of a hook it leaves to the end of the process:
// SQLite's own close would checkpoint and fsync, whatever else is set, and the
// agent would wait for it.
func (s *Store) Close() error {
	s.codec.close()
	if s.mode == Hook {
		return nil
	}
	s.log.close()
	if err := s.db.Close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}

// explain turns the driver's errors into the ones callers branch on.
func explain(err error) error {
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return err
	}
	switch se.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return fmt.Errorf("%w: %w", ErrBusy, err)
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}

// tx runs fn in a write transaction, over the connection that fn gets. It begins
// immediate: one that reads first and writes later fails with "locked" whatever the
// timeout, when another process wrote in between. It is begun and ended here, because
// database/sql's own Tx starts a goroutine for every query within it, which takes as long
// as a short query.
func (s *Store) tx(ctx context.Context, fn func(tx *sqlx.Conn) error) error {
	conn, err := s.db.Connx(ctx)
	if err != nil {
		return explain(err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return explain(err)
	}
	// Once begun it is ended, whatever became of the context.
	ended := context.WithoutCancel(ctx)
	if err := fn(conn); err != nil {
		// The transaction failed; what rolling it back says adds nothing.
		_, _ = conn.ExecContext(ended, `ROLLBACK`)
		return explain(err)
	}
	if _, err = conn.ExecContext(ended, `COMMIT`); err != nil {
		_, _ = conn.ExecContext(ended, `ROLLBACK`)
	}
	return explain(err)
}

// none reports whether err only says that a row was not found.
func none(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// SeenFrom remembers the project's key and that the store was used from root, so
// that a store can be recognised after its project was moved.
func (s *Store) SeenFrom(ctx context.Context, key, root string) error {
	err := s.tx(ctx, func(tx *sqlx.Conn) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO meta (key, value) VALUES ('project', ?) ON CONFLICT (key) DO NOTHING`, key)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO roots (path, seen) VALUES (?, ?)
			ON CONFLICT (path) DO UPDATE SET seen = excluded.seen`, root, s.now().UnixMilli())
		return err
	})
	if err != nil {
		return fmt.Errorf("remember project: %w", err)
	}
	return nil
}
