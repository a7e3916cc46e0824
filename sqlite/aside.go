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

// Aside is a store of an older schema that was kept under another name, and what of it
// no session file has.
type Aside struct {
	Path   string // where it is now
	Schema int

	Summaries int
	Objects   int
	Versions  int // of objects
	Marks     int // of results that are pruned
	Pins      int
	Purged    int // texts that would be stored again
	Sessions  int // whose files are gone
}

// SetAside copies a store of an older schema to another name beside it and makes a new
// one in its place, in one transaction: a process that is killed leaves the one or the
// other, and other processes may have the store open meanwhile. Nothing of the old one is
// deleted before its copy is whole. It returns nil when another process did so before.
func SetAside(ctx context.Context, path string, now func() time.Time) (*Aside, error) {
	db, err := sqlx.ConnectContext(ctx, "sqlite3", dsn(path, Write))
	if err != nil {
		return nil, fmt.Errorf("set store aside: %w", Explain(err))
	}
	db.SetMaxOpenConns(1)
	d := &DB{DB: db, path: path, mode: Write, now: now}
	a, err := d.setAside(ctx)
	if err = errors.Join(err, db.Close()); err != nil {
		return nil, fmt.Errorf("set store aside: %w", Explain(err))
	}
	return a, nil
}

// setAside is SetAside of a store that is open.
func (d *DB) setAside(ctx context.Context) (*Aside, error) {
	const tries = 10 // another process may write between the copy and the lock
	for range tries {
		before, err := d.snapshot(ctx, d.DB)
		if err != nil || before.schema == 0 || before.schema >= schemaVersion {
			return nil, err
		}
		copied, err := d.copyAside(ctx)
		if err != nil {
			return nil, err
		}
		a, err := d.replace(ctx, before, copied)
		_ = os.Remove(copied) // it is there still when it did not become the store's copy
		if a != nil || err != nil {
			_, _ = d.ExecContext(ctx, `VACUUM`) // the file may stay large until it is filled again
			return a, err
		}
	}
	return nil, ErrBusy
}

// snapshot shows whether a store was written to: its schema, and SQLite's count
// of commits by other connections.
type snapshot struct{ schema, commits int }

func (d *DB) snapshot(ctx context.Context, q sqlx.QueryerContext) (v snapshot, err error) {
	if err = sqlx.GetContext(ctx, q, &v.schema, `PRAGMA user_version`); err == nil {
		err = sqlx.GetContext(ctx, q, &v.commits, `PRAGMA data_version`)
	}
	return v, err
}

// copyPart is in the names of copies that are being made; oldCopy is the age from which
// one is taken for what a killed process left.
const (
	copyPart = ".copy-"
	oldCopy  = time.Hour
)

// sweepCopies removes what killed processes left of copies.
func (d *DB) sweepCopies() {
	dir := filepath.Dir(d.path)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), filepath.Base(d.path)+copyPart) && d.now().Sub(info.ModTime()) > oldCopy {
			_ = os.Remove(filepath.Join(dir, e.Name())) // what cannot be removed now is there next time
		}
	}
}

// copyAside copies the store to a file that is not its copy yet, for the owner alone.
func (d *DB) copyAside(ctx context.Context) (string, error) {
	d.sweepCopies()
	f, err := os.CreateTemp(filepath.Dir(d.path), filepath.Base(d.path)+copyPart+"*")
	if err != nil {
		return "", err
	}
	name := f.Name()
	err = f.Close()
	if err == nil { // SQLite copies into a file that is there when it is empty
		_, err = d.ExecContext(ctx, `VACUUM INTO ?`, name)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	return name, nil
}

// replace gives a copy its name and makes a new store in the place of the old one, unless
// that was written to since the snapshot: then it returns nil.
func (d *DB) replace(ctx context.Context, before snapshot, copied string) (a *Aside, err error) {
	// Tables that refer to each other go in any order.
	if _, err := d.ExecContext(ctx, `PRAGMA foreign_keys = OFF`); err != nil {
		return nil, err
	}
	err = d.Tx(ctx, func(tx *sqlx.Conn) error {
		now, err := d.snapshot(ctx, tx)
		if err != nil || now != before {
			return err
		}
		a = &Aside{Schema: before.schema, Path: freeName(fmt.Sprintf("%s.schema-%d", d.path, before.schema), d.now())}
		if err := a.count(ctx, tx); err != nil {
			return err
		}
		if err := os.Rename(copied, a.Path); err != nil {
			return err
		}
		return d.begin(ctx, tx)
	})
	return a, err
}

// begin empties a database and makes the tables of a new store.
func (d *DB) begin(ctx context.Context, tx *sqlx.Conn) error {
	const tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`
	for _, query := range []string{tables + ` AND sql LIKE 'CREATE VIRTUAL TABLE%'`, tables} { // the first take others with them
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
	return createTables(ctx, tx)
}

// count finds out what only this store has.
func (a *Aside) count(ctx context.Context, conn *sqlx.Conn) error {
	for query, to := range map[string]*int{
		`SELECT count(*) FROM summaries`:       &a.Summaries,
		`SELECT count(*) FROM objects`:         &a.Objects,
		`SELECT count(*) FROM object_versions`: &a.Versions,
		`SELECT count(*) FROM marks`:           &a.Marks,
		`SELECT count(*) FROM pins`:            &a.Pins,
		`SELECT count(*) FROM purged`:          &a.Purged,
	} {
		if err := conn.GetContext(ctx, to, query); err != nil && !noTable(err) {
			return Explain(err)
		}
	}
	var files []string
	if err := conn.SelectContext(ctx, &files, `SELECT path FROM files`); err != nil && !noTable(err) {
		return Explain(err)
	}
	for _, f := range files {
		if _, err := os.Stat(f); errors.Is(err, os.ErrNotExist) {
			a.Sessions++
		}
	}
	return nil
}

// noTable reports whether a query failed because an older schema lacks a table.
func noTable(err error) bool { return strings.Contains(err.Error(), "no such table") }

// freeName is a name for a store that no file has, with the time in it if need be.
func freeName(base string, now time.Time) string {
	name := base + ".bak"
	for n := 0; ; n++ {
		if _, err := os.Lstat(name); errors.Is(err, os.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf("%s.%s.bak", base, now.Add(time.Duration(n)*time.Second).UTC().Format("20060102T150405"))
	}
}
