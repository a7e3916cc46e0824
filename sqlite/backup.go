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
	if err := restorable(ctx, st); err != nil {
		return "", fmt.Errorf("restore %s: %w", backup, err)
	}
	if kept, err = fill(ctx, st, to); err != nil {
		return "", fmt.Errorf("restore store: %w", Explain(err))
	}
	return kept, nil
}

// restorable returns an error unless the store is sound and of this schema, and nobody changed
// it to do more than store.
func restorable(ctx context.Context, d *DB) error {
	problems, err := d.Problems(ctx)
	schema, verr := d.Version(ctx)
	if err = errors.Join(err, verr); err == nil && len(problems) > 0 {
		err = fmt.Errorf("%w: %s", ErrDamaged, problems[0])
	}
	if err == nil {
		err = d.checkInert(ctx)
	}
	if err == nil && schema > SchemaVersion() {
		err = ErrNewer
	}
	return err
}

// checkInert returns an error when the schema has a trigger or a view. No store has any: whoever
// put one there could change or hide what is stored later.
func (d *DB) checkInert(ctx context.Context) error {
	var found []string
	err := d.SelectContext(ctx, &found, `SELECT type || ' ' || quote(name) FROM sqlite_schema WHERE type IN ('trigger', 'view') LIMIT 1`)
	if err != nil {
		return Explain(err)
	}
	if len(found) > 0 {
		return fmt.Errorf("somebody changed it: it has the %s", found[0])
	}
	return nil
}

// fill replaces what the store at to holds by what d holds. It holds the lock of writers from
// before the previous content is copied to where it is kept until the new one is committed, so
// nothing that was written is in neither. It returns the path of that copy, "" for a new store.
func fill(ctx context.Context, d *DB, to string) (kept string, err error) {
	if err := prepareFile(to, Write); err != nil {
		return "", err
	}
	isNew := IsEmpty(to)
	at := dsnWaiting(to, Write, 0) // patiently waits
	err = copyDatabase(ctx, d.DB, at, func(all copying) error {
		err := patiently(ctx, busyTimeout, func() error { return lockTarget(all) })
		if err == nil && !isNew {
			kept, err = keep(ctx, to, d.now())
		}
		if err == nil {
			err = all.Step(-1)
		}
		return err
	})
	return kept, err
}

// copying is the copying of one database over another, in one transaction of that.
type copying interface {
	// Step copies so many pages, all if negative.
	Step(pages int) error
	// PageCount is the number of pages to copy, known after the first step.
	PageCount() int
}

// lockTarget takes the lock of writers for a copy that has not begun, or returns ErrBusy. A
// driver may not report that, but the number of pages is known only with the lock.
func lockTarget(all copying) error {
	if err := all.Step(0); err != nil {
		return Explain(err)
	}
	if all.PageCount() == 0 {
		return ErrBusy
	}
	return nil
}

// keep copies a store, which nobody can write to meanwhile, next to it, with the time in its
// name, and returns that path.
func keep(ctx context.Context, path string, now time.Time) (string, error) {
	db, err := connectTo(ctx, dsn(path, Read))
	if err != nil {
		return "", err
	}
	defer db.Close()
	d := &DB{DB: db, path: path, now: func() time.Time { return now }}
	copied, err := d.copyAside(ctx)
	if err != nil {
		return "", err
	}
	return settle(copied, path+"."+now.UTC().Format(timeInName), now)
}

// Adopt replaces what the store at to holds by that of the store at from, as Restore does, and
// deletes that one unless another process has it open; stays reports whether it does.
func Adopt(ctx context.Context, from, to string, now func() time.Time) (kept string, stays bool, err error) {
	d, err := Open(ctx, from, Write, now)
	if err != nil {
		return "", false, err
	}
	if kept, err = fill(ctx, d, to); err == nil {
		stays, err = withdraw(ctx, d)
	}
	if err = errors.Join(err, d.Close()); err != nil {
		return kept, stays, fmt.Errorf("adopt store: %w", Explain(err))
	}
	return kept, stays, nil
}

// withdraw deletes the file of a store unless another process has it open: without others
// SQLite can do without the log, and removes it.
func withdraw(ctx context.Context, d *DB) (stays bool, err error) {
	var mode string
	if err := d.GetContext(ctx, &mode, `PRAGMA journal_mode = DELETE`); err != nil || mode != "delete" {
		return true, nil
	}
	return false, os.Remove(d.path)
}
