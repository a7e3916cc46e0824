package sqlite

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
)

// Mode says what a connection may do.
type Mode int

const (
	// Read opens an existing store without changing it.
	Read Mode = iota
	// Write opens the store for a shell command and creates it if it does not exist.
	Write
	// Hook opens the store for a hook. It creates the store if it does not exist and never
	// checkpoints.
	Hook
)

// busyTimeout is how long a writer waits for another one. Transactions are short, so a
// longer wait means that something is wrong.
const busyTimeout = 30 * time.Second

// hookTimeout is the minimum time that a writer in a hook waits while the agent waits for the
// hook.
const hookTimeout = 100 * time.Millisecond

// askedTimeout applies in a hook where the agent has time, as in a tool call. It is longer
// than an import holds the store for one batch. backgroundTimeout applies where the agent
// does not wait. It is longer than an erase of a large store, but short enough that
// processes of single events do not pile up.
const (
	askedTimeout      = 3 * time.Second
	backgroundTimeout = 10 * time.Second
)

// openTimeout is the minimum time for which opening a store is retried.
const openTimeout = 2 * time.Second

// tryEvery is the interval of retries while another process has the store.
const tryEvery = 5 * time.Millisecond

// wait returns how long a connection waits for another process.
func (m Mode) wait() time.Duration {
	if m == Hook {
		return hookTimeout
	}
	return busyTimeout
}

var (
	// ErrNoStore is returned when there is no store to read.
	ErrNoStore = errors.New("there is no store yet")
	// ErrNewer is returned when writing to a store of a newer pictx.
	ErrNewer = errors.New("it was made by a newer pictx")
	// ErrOlder is returned for a store of a build before the first release. Shell commands that
	// write call SetAside.
	ErrOlder = errors.New("it was made by an older pictx and must be migrated")
	// ErrBusy is returned when another process held the store too long.
	ErrBusy = errors.New("another process is using it")
	// ErrDamaged is returned when the file is not an intact database.
	ErrDamaged = errors.New("the database is damaged")
)

// DB is an open store. The packages below this one query it with the methods of sqlx.
type DB struct {
	*sqlx.DB
	path  string
	mode  Mode
	now   func() time.Time
	found int // the schema version of the file as it was opened
	// migrations are those of the program; tests add later ones.
	migrations []string
	// held is the time for which transactions have held the store since the last pause. It
	// is guarded by the connection.
	held  time.Duration
	codec codec
}

// Open opens the store at path, and migrates one of an older release. now is the clock of
// everything it writes.
func Open(ctx context.Context, path string, mode Mode, now func() time.Time) (*DB, error) {
	return openMigrated(ctx, path, mode, now, migrations())
}

// openMigrated is Open with these migrations. A reader has a writer run them, and reads then.
func openMigrated(ctx context.Context, path string, mode Mode, now func() time.Time, migrations []string) (*DB, error) {
	d, err := open(ctx, path, mode, now, migrations)
	if err != nil || mode != Read || d.found >= lastVersion(migrations) {
		return d, err
	}
	w, err := open(ctx, path, Write, now, migrations)
	if err = errors.Join(err, d.Close()); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return open(ctx, path, mode, now, migrations)
}

// open opens the store at path. A reader finds it as it is.
func open(ctx context.Context, path string, mode Mode, now func() time.Time, migrations []string) (*DB, error) {
	if err := prepareFile(path, mode); err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	d := &DB{path: path, mode: mode, now: now, migrations: migrations}
	// SQLite's own timeout does not cover the switch to WAL mode, which another process may
	// be making in a new store.
	err := patiently(ctx, openTimeout, func() error { return d.connect(ctx, dsn(path, mode)) })
	if mode == Read && cannotOpen(err) && IsEmpty(path+"-wal") {
		// A reader of a database in WAL mode needs to create files next to it. In a
		// read-only directory with an empty log nothing can write, so immutable=1 is safe.
		err = d.connect(ctx, dsn(path, mode)+"&immutable=1")
	}
	if err != nil {
		return nil, fmt.Errorf("open store %s: %w", path, err)
	}
	return d, nil
}

// connectTo opens a database, which somebody else may have made, with one connection.
func connectTo(ctx context.Context, dsn string) (*sqlx.DB, error) {
	setUpConnections()
	db, err := sqlx.ConnectContext(ctx, driverName, dsn)
	if err != nil {
		if db != nil { // opened, but it did not answer
			err = errors.Join(err, db.Close())
		}
		return nil, Explain(err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// connect opens the database and checks its schema.
func (d *DB) connect(ctx context.Context, dsn string) error {
	db, err := connectTo(ctx, dsn)
	if err != nil {
		return err
	}
	d.DB = db
	if _, err = db.ExecContext(ctx, d.pragmas()); err == nil {
		err = d.prepareSchema(ctx)
	}
	if err != nil {
		db.Close()
		return Explain(err)
	}
	return nil
}

// cannotOpen reports whether the error is that SQLite could not open or write a file.
func cannotOpen(err error) bool {
	code := resultCode(err)
	return code == codeCantOpen || code == codeReadonly
}

// IsEmpty reports whether a file is empty or does not exist.
func IsEmpty(path string) bool {
	st, err := os.Stat(path)
	return err != nil || st.Size() == 0
}

// patiently retries while the database is busy, up to limit.
func patiently(ctx context.Context, limit time.Duration, try func() error) error {
	end := time.Now().Add(limit)
	var busy error
	for {
		err := try()
		if !errors.Is(err, ErrBusy) || time.Now().After(end) {
			if err != nil && busy != nil && ctx.Err() != nil { // the context ended during the retry
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

// own rejects what somebody else may have put in place of a store: a link, anything that is
// not a regular file or, when writing, another user's file.
func own(st os.FileInfo, mode Mode) error {
	if !st.Mode().IsRegular() {
		return errors.New("it is not a regular file")
	}
	if mode != Read && !ownedByUser(st) {
		return errors.New("it belongs to another user")
	}
	return nil
}

// prepareFile creates the directory and the file with private permissions, which SQLite
// copies to the WAL.
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
	if errors.Is(err, os.ErrExist) { // another process created it first
		return prepareFile(path, mode)
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// dsn builds the driver's data source name.
func dsn(path string, mode Mode) string { return dsnWaiting(path, mode, mode.wait()) }

// dsnWaiting is dsn for a connection that waits so long for another process.
func dsnWaiting(path string, mode Mode, wait time.Duration) string {
	q := url.Values{}
	q.Set("_busy_timeout", strconv.FormatInt(wait.Milliseconds(), 10))
	q.Set("_defensive", "1") // for SQLite in Go; setUpConnections does it for the other
	q.Set("_foreign_keys", "1")
	// database/sql already serializes the use of a connection, so SQLite need not lock.
	q.Set("_mutex", "no")
	// Preparing a short statement takes longer than running it, and a long-running process
	// repeats the same few.
	q.Set("_stmt_cache_size", "96")
	if mode == Read {
		q.Set("mode", "ro")
	} else {
		q.Set("_journal_mode", "WAL")
		q.Set("_synchronous", "NORMAL")
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// pragmas returns what a connection sets besides its dsn.
//
// There is a checkpoint at a commit every 64 MB instead of every 4, because each costs an fsync.
// In a hook, for which the agent waits, there is none. Deleted content is overwritten
// immediately, not when its page is reused: otherwise the database would have to be rewritten
// after each deletion of a text. An import writes pages all over two indexes; with SQLite's
// default cache of 2 MB, most of its time would go to paging. Queries read the same pages again
// and again: the upper levels of an index, and the tables that map texts to their owners.
func (d *DB) pragmas() string {
	const common = `PRAGMA trusted_schema = OFF; `
	switch d.mode {
	case Hook:
		return common + `PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 0`
	case Write:
		return common + `PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = 16000; PRAGMA cache_size = -64000`
	}
	return common + `PRAGMA cache_size = -16000`
}

// Path returns the path of the database file.
func (d *DB) Path() string { return d.path }

// Mode returns what the connection may do.
func (d *DB) Mode() Mode { return d.mode }

// Now returns the time by the store's clock.
func (d *DB) Now() time.Time { return d.now() }

// Close closes the store. A hook's connection is left to the end of the process: SQLite's
// close would always checkpoint and fsync, and the agent would wait for it.
func (d *DB) Close() error {
	if d.mode == Hook {
		return nil
	}
	if err := d.DB.Close(); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}
