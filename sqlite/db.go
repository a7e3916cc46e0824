package sqlite

import (
	"context"
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
	// exist.
	Write
	// Hook opens the store for a hook: made when it does not exist, and never
	// checkpointed.
	Hook
)

// busyTimeout is how long a writer waits for another one. Transactions are
// short, so this long means that something is wrong.
const busyTimeout = 30 * time.Second

// hookTimeout is how long a hook's writer waits: an agent waits for the hook.
const hookTimeout = 100 * time.Millisecond

// askedTimeout is how long a hook's writer waits where an agent has time, as for a tool:
// longer than an import holds the store for a batch. Where the agent has gone on it waits
// backgroundTimeout: longer than an erase of a large store takes, and not so long that
// processes of single events pile up.
const (
	askedTimeout      = 3 * time.Second
	backgroundTimeout = 10 * time.Second
)

// openTimeout is how long whoever opens a store tries, at least.
const openTimeout = 2 * time.Second

// tryEvery is how often whoever waits for another process looks whether it is done.
const tryEvery = 5 * time.Millisecond

// wait is how long a connection waits for another process.
func (m Mode) wait() time.Duration {
	if m == Hook {
		return hookTimeout
	}
	return busyTimeout
}

var (
	// ErrNoStore is returned when there is no store to read.
	ErrNoStore = errors.New("there is no store yet")
	// ErrNewer is returned to writers of a store that a newer pictx made.
	ErrNewer = errors.New("it was made by a newer pictx")
	// ErrOlder is returned when the store is of an older schema: a shell command that
	// writes sets it aside.
	ErrOlder = errors.New("it was made by an older pictx and must be migrated")
	// ErrBusy is returned when another process held the store too long.
	ErrBusy = errors.New("another process is using it")
	// ErrDamaged is returned when the file is not a sound database.
	ErrDamaged = errors.New("the database is damaged")
)

// DB is an open store. It is for the packages below this one, which know SQL: what they
// ask goes through the methods of sqlx.
type DB struct {
	*sqlx.DB
	path string
	mode Mode
	now  func() time.Time
	// fts reports whether this binary can use the full-text indexes.
	fts    bool
	log    checkpointer
	file   *os.File
	stored atomic.Int64 // entries since the last checkpoint
	// held is for how long transactions held the store since the last pause. Who has the
	// connection has it.
	held time.Duration
}

// Open opens the store at path. now is the clock of everything it writes.
func Open(ctx context.Context, path string, mode Mode, now func() time.Time) (*DB, error) {
	if err := prepareFile(path, mode); err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	d := &DB{path: path, mode: mode, now: now}
	// SQLite's own timeout does not cover the switch to WAL, which the first of several
	// processes that open a new store is making.
	err := patiently(ctx, openTimeout, func() error { return d.connect(ctx, dsn(path, mode)) })
	if mode == Read && CannotOpen(err) && IsEmpty(path+"-wal") {
		// A reader of a database in WAL mode needs to write beside it, unless it
		// is told that nothing writes, which an empty log in a directory that cannot be
		// written to implies.
		err = d.connect(ctx, dsn(path, mode)+"&immutable=1")
	}
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	return d, nil
}

// connect opens the database and checks its schema.
func (d *DB) connect(ctx context.Context, dsn string) error {
	db, err := sqlx.ConnectContext(ctx, "sqlite3", dsn)
	if err != nil {
		return Explain(err)
	}
	db.SetMaxOpenConns(1)
	d.DB = db
	if err := d.start(ctx); err != nil {
		db.Close()
		return Explain(err)
	}
	return nil
}

// CannotOpen reports whether SQLite was kept from opening or writing a file.
func CannotOpen(err error) bool {
	var se sqlite3.Error
	return errors.As(err, &se) && (se.Code == sqlite3.ErrCantOpen || se.Code == sqlite3.ErrReadonly)
}

// IsEmpty reports whether a file has no bytes or is not there.
func IsEmpty(path string) bool {
	st, err := os.Stat(path)
	return err != nil || st.Size() == 0
}

// patiently tries again while a database is busy, for some time.
func patiently(ctx context.Context, limit time.Duration, try func() error) error {
	end := time.Now().Add(limit)
	var busy error
	for {
		err := try()
		if !errors.Is(err, ErrBusy) || time.Now().After(end) {
			if err != nil && busy != nil && ctx.Err() != nil { // it ended while it tried again
				err = fmt.Errorf("%w: %w", err, busy)
			}
			return err
		}
		busy = err
		select {
		case <-time.After(tryEvery):
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		}
	}
}

// own refuses what somebody else may have put in the place of a store: a link, anything
// that is not a file or, where it is written to, the file of another user.
func own(st os.FileInfo, mode Mode) error {
	if !st.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	if mode != Read && !ownedByUser(st) {
		return errors.New("it belongs to another user")
	}
	return nil
}

// prepareFile makes the directory and the file with private permissions, which
// SQLite then gives to the WAL too.
func prepareFile(path string, mode Mode) error {
	if st, err := os.Lstat(path); err == nil {
		return own(st, mode)
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if mode == Read {
		return ErrNoStore
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, os.ErrExist) { // another process was first
		return prepareFile(path, mode)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn builds the driver's data source name.
func dsn(path string, mode Mode) string {
	q := url.Values{}
	q.Set("_busy_timeout", strconv.FormatInt(mode.wait().Milliseconds(), 10))
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
		// What is deleted is overwritten at once, and not only when its page is used: it must
		// not be necessary to rewrite the database so that a text is gone.
		q.Set("_secure_delete", "on")
	}
	if mode == Write {
		// An import fills pages all over two indexes: with SQLite's default
		// cache of 2 MB most of its time goes to writing them out and back in.
		q.Set("_cache_size", "-64000")
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// start checks the schema's version, and makes what a new store lacks.
func (d *DB) start(ctx context.Context) error {
	// What a file that somebody made says of its schema runs nothing.
	if _, err := d.ExecContext(ctx, d.autoCheckpoint()+`; PRAGMA trusted_schema = OFF`); err != nil {
		return err
	}
	if err := d.prepareSchema(ctx); err != nil {
		return err
	}
	if !builtWithFTS5 {
		return nil
	}
	d.fts = true
	if d.mode == Read {
		var err error
		d.fts, err = d.HasIndex(ctx)
		return err
	}
	return d.ensureIndex(ctx)
}

// autoCheckpoint says when a commit checkpoints: every 64 MB instead of every 4,
// because each costs an fsync, and in a hook, for which the agent waits, never.
func (d *DB) autoCheckpoint() string {
	if d.mode == Hook {
		return `PRAGMA wal_autocheckpoint = 0`
	}
	return `PRAGMA wal_autocheckpoint = 16000`
}

// Path is the database file.
func (d *DB) Path() string { return d.path }

// File is the open database file, to read. It stays open as long as the
// store: whoever closes a file gives up all locks that the process has on it, SQLite's too.
func (d *DB) File() (*os.File, error) {
	if d.file != nil {
		return d.file, nil
	}
	var err error
	d.file, err = os.Open(d.path)
	return d.file, err
}

// Mode is what the connection may do.
func (d *DB) Mode() Mode { return d.mode }

// Now is the time by the clock of the store.
func (d *DB) Now() time.Time { return d.now() }

// FullText reports whether this binary searches with the full-text index; without
// it searching scans.
func (d *DB) FullText() bool { return d.fts }

// Close closes the store. That of a hook it leaves to the end of the process:
// SQLite's own close would checkpoint and fsync, whatever else is set, and the
// agent would wait for it.
func (d *DB) Close() error {
	if d.mode == Hook {
		return nil
	}
	d.log.close()
	err := d.DB.Close()
	if d.file != nil {
		_ = d.file.Close()
	}
	if err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}
