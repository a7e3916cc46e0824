package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Backup writes a consistent copy of the store to a new file while others may write to the
// store. The file must not exist.
func (d *DB) Backup(ctx context.Context, to string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	if _, err := d.ExecContext(ctx, `VACUUM INTO ?`, to); err != nil {
		_ = os.Remove(to) // empty or incomplete
		return fmt.Errorf("back up store: %w", Explain(err))
	}
	return nil
}

// Restore replaces what the store at to holds by a backup, in one transaction: others may have
// the store open. It keeps a copy of the previous store next to it, with the time in its name,
// and returns that path, "" when there was none.
func Restore(ctx context.Context, backup, to string, now func() time.Time) (kept string, err error) {
	if real, err := filepath.EvalSymlinks(backup); err == nil { // the user may name the backup by a link
		backup = real
	}
	st, err := open(ctx, backup, Read, now, migrations()) // whoever opens what is restored migrates it
	if errors.Is(err, ErrNoStore) && !IsEmpty(backup) {
		err = fmt.Errorf("restore %s: it is a database of another program", backup)
	}
	if err != nil {
		return "", err
	}
	defer st.Close()
	if err := st.restorable(ctx); err != nil {
		return "", fmt.Errorf("restore %s: %w", backup, err)
	}
	if kept, err = st.fill(ctx, to, false); err != nil {
		return "", fmt.Errorf("restore store: %w", Explain(err))
	}
	return kept, nil
}

// restorable returns an error unless the store is sound and of this schema, and nobody changed
// it to do more than store: no store has a trigger or a view, which could change or hide what is
// stored later.
func (d *DB) restorable(ctx context.Context) error {
	problems, err := d.Problems(ctx)
	if err == nil && len(problems) > 0 {
		err = fmt.Errorf("%w: %s", ErrDamaged, problems[0])
	}
	if err != nil {
		return err
	}
	if d.found > SchemaVersion() {
		return ErrNewer
	}
	var active []string
	err = d.SelectContext(ctx, &active, `SELECT type || ' ' || quote(name) FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 1`)
	if err == nil && len(active) > 0 {
		err = fmt.Errorf("somebody changed it: it has the %s", active[0])
	}
	return Explain(err)
}

// Adopt replaces what the store at to holds by that of the store at from, as Restore does, and
// deletes that one unless another process has it open; stays reports whether it does.
func Adopt(ctx context.Context, from, to string, now func() time.Time) (kept string, stays bool, err error) {
	d, err := Open(ctx, from, Write, now)
	if err != nil {
		return "", false, err
	}
	if kept, err = d.fill(ctx, to, false); err == nil {
		// Without others SQLite can do without the log, and removes it.
		var mode string
		if stays = d.GetContext(ctx, &mode, `PRAGMA journal_mode = DELETE`) != nil || mode != "delete"; !stays {
			err = os.Remove(from)
		}
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return kept, stays, fmt.Errorf("adopt store: %w", Explain(err))
	}
	return kept, stays, nil
}

// SetAside replaces a store of a build before the first release by a new one, as Restore does. It
// returns the path of the copy, "" when another process did the same first.
func SetAside(ctx context.Context, path string, now func() time.Time) (kept string, err error) {
	dir, err := os.MkdirTemp("", "pictx-")
	if err != nil {
		return "", fmt.Errorf("set store aside: %w", err)
	}
	defer os.RemoveAll(dir)
	fresh, err := Open(ctx, filepath.Join(dir, "new.db"), Write, now)
	if err != nil {
		return "", err
	}
	defer fresh.Close()
	if kept, err = fresh.fill(ctx, path, true); errors.Is(err, errCurrent) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("set store aside: %w", Explain(err))
	}
	return kept, nil
}

// errCurrent is returned for a store that SetAside need not replace.
var errCurrent = errors.New("it has this schema already")

// fill replaces what the store at to holds by what d holds, with old only if that is of a build
// before the first release. It holds the lock of writers from before the previous content is copied
// to where it is kept until the new one is committed, so nothing that was written is in neither. It
// returns the path of that copy, "" for a new store.
func (d *DB) fill(ctx context.Context, to string, old bool) (kept string, err error) {
	if err := prepareFile(to, Write); err != nil {
		return "", err
	}
	isNew := IsEmpty(to)
	at := dsnWaiting(to, Write, 0) // patiently waits
	err = patiently(ctx, busyTimeout, func() error {
		return copyDatabase(ctx, d.DB, at, func(step func(pages int) error, count func() int) error {
			// A driver may not say that the store is busy, but it knows the number of pages to copy only
			// with the lock of writers.
			err := Explain(step(0))
			if err == nil && count() == 0 {
				err = ErrBusy
			}
			if err == nil && !isNew {
				kept, err = keep(ctx, to, d.now(), old)
			}
			if err == nil {
				err = step(-1)
			}
			return err
		})
	})
	return kept, err
}

// keep copies a store, which nobody can write to meanwhile, next to it, with the time or its
// old schema in its name, and returns that path. Nothing that has such a name is overwritten.
func keep(ctx context.Context, path string, now time.Time, old bool) (string, error) {
	db, err := connectTo(ctx, dsn(path, Read))
	if err != nil {
		return "", err
	}
	defer db.Close()
	d := &DB{DB: db, path: path}
	name := now.UTC().Format("20060102T150405")
	if old {
		schema, err := d.Version(ctx)
		if err == nil && (schema == 0 || schema >= firstVersion) {
			err = errCurrent
		}
		if err != nil {
			return "", err
		}
		name = fmt.Sprintf("schema-%d", schema)
	}
	again := ""
	for n := 2; ; n++ {
		file := fmt.Sprintf("%s.%s%s.bak", path, name, again)
		if err := d.Backup(ctx, file); !errors.Is(err, os.ErrExist) {
			return file, err
		}
		again = fmt.Sprintf("-%d", n)
	}
}
