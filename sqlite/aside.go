package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
)

// Aside describes a store of an older schema that was set aside under another name.
type Aside struct {
	Path   string // its present path
	Schema int
}

// SetAside copies a store of a build before the first release to another name next to it and
// then, in one transaction, empties the original and creates a new store in it. A process that is
// killed leaves either the old or the new state, and other processes may have the store open.
// Nothing is deleted before the copy is complete. It returns nil when another process did
// the same first.
func SetAside(ctx context.Context, path string, now func() time.Time) (*Aside, error) {
	db, err := connectTo(ctx, dsn(path, Write))
	if err != nil {
		return nil, fmt.Errorf("set store aside: %w", err)
	}
	d := &DB{DB: db, path: path, mode: Write, now: now}
	a, err := d.setAside(ctx)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, fmt.Errorf("set store aside: %w", Explain(err))
	}
	return a, nil
}

// setAside is SetAside for an open store.
func (d *DB) setAside(ctx context.Context) (*Aside, error) {
	const tries = 10 // another process may write between the copy and the lock
	for range tries {
		before, err := d.snapshot(ctx, d.DB)
		if err != nil || before.schema == 0 || before.schema >= firstVersion {
			return nil, err
		}
		copied, err := d.copyAside(ctx)
		if err != nil {
			return nil, err
		}
		a, err := d.replace(ctx, before, copied)
		_ = os.Remove(copied) // still there unless replace renamed it
		if a != nil || err != nil {
			_, _ = d.ExecContext(ctx, `VACUUM`) // when this fails, the file stays large until it fills up again
			return a, err
		}
	}
	return nil, ErrBusy
}

// snapshot detects writes to a store: its schema version, and SQLite's count of commits by
// other connections.
type snapshot struct{ schema, commits int }

func (d *DB) snapshot(ctx context.Context, q sqlx.QueryerContext) (v snapshot, err error) {
	if err = sqlx.GetContext(ctx, q, &v.schema, `PRAGMA user_version`); err == nil {
		err = sqlx.GetContext(ctx, q, &v.commits, `PRAGMA data_version`)
	}
	return v, err
}

// copyPart is part of the names of unfinished copies. A copy older than oldCopy was left by
// a killed process.
const (
	copyPart = ".copy-"
	oldCopy  = time.Hour
)

// sweepCopies removes unfinished copies of killed processes.
func (d *DB) sweepCopies() {
	dir := filepath.Dir(d.path)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), filepath.Base(d.path)+copyPart) && d.now().Sub(info.ModTime()) > oldCopy {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next run tries again
		}
	}
}

// copyAside copies the store to an unfinished copy that only the owner can read.
func (d *DB) copyAside(ctx context.Context) (string, error) {
	d.sweepCopies()
	f, err := os.CreateTemp(filepath.Dir(d.path), filepath.Base(d.path)+copyPart+"*")
	if err != nil {
		return "", err
	}
	name := f.Name()
	err = f.Close()
	if err == nil { // VACUUM INTO accepts an existing file if it is empty
		_, err = d.ExecContext(ctx, `VACUUM INTO ?`, name)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	return name, nil
}

// replace gives a copy its final name and creates a new store in place of the old one. It
// returns nil when the old one was written to since the snapshot.
func (d *DB) replace(ctx context.Context, before snapshot, copied string) (a *Aside, err error) {
	// Tables that refer to each other are dropped in any order.
	if _, err := d.ExecContext(ctx, `PRAGMA foreign_keys = OFF`); err != nil {
		return nil, err
	}
	err = d.Tx(ctx, func(tx *sqlx.Conn) error {
		now, err := d.snapshot(ctx, tx)
		if err != nil || now != before {
			return err
		}
		a = &Aside{Schema: before.schema}
		if a.Path, err = settle(copied, fmt.Sprintf("%s.schema-%d", d.path, before.schema), d.now()); err != nil {
			return err
		}
		return d.begin(ctx, tx)
	})
	return a, err
}

// begin empties a database and creates the tables of a new store.
func (d *DB) begin(ctx context.Context, tx *sqlx.Conn) error {
	const tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`
	for _, query := range []string{tables + ` AND sql LIKE 'CREATE VIRTUAL TABLE%'`, tables} { // virtual tables first, because dropping one drops others
		var names []string
		if err := tx.SelectContext(ctx, &names, query); err != nil {
			return err
		}
		for _, n := range names {
			if _, err := tx.ExecContext(ctx, `DROP TABLE "`+strings.ReplaceAll(n, `"`, `""`)+`"`); err != nil {
				return err
			}
		}
	}
	if _, err := tx.ExecContext(ctx, `PRAGMA user_version = 0`); err != nil {
		return err
	}
	return migrate(ctx, tx, migrations())
}

// timeInName is the form of times in names of files.
const timeInName = "20060102T150405"

// settle renames a copy of a store to an unused name that begins with base, with the time added
// if necessary, and returns it. Nothing that has such a name is overwritten.
func settle(copied, base string, now time.Time) (string, error) {
	name := base + ".bak"
	for n := 0; ; n++ {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return name, errors.Join(f.Close(), os.Rename(copied, name))
		}
		if !errors.Is(err, os.ErrExist) {
			return "", errors.Join(err, os.Remove(copied))
		}
		name = fmt.Sprintf("%s.%s.bak", base, now.Add(time.Duration(n)*time.Second).UTC().Format(timeInName))
	}
}
