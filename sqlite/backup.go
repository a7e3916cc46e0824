package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// Restore replaces the store at to by a copy of a backup. It keeps the previous store next
// to it, with the time in its name, and returns that path.
func Restore(ctx context.Context, backup, to string, now func() time.Time) (kept string, err error) {
	if real, err := filepath.EvalSymlinks(backup); err == nil { // the user may name the backup by a link
		backup = real
	}
	st, err := Open(ctx, backup, Read, now)
	if errors.Is(err, ErrNoStore) && !IsEmpty(backup) {
		err = fmt.Errorf("restore %s: it is a database of another program", backup)
	}
	if err != nil {
		return "", err
	}
	problems, err := st.Problems(ctx)
	schema, verr := st.Version(ctx)
	ierr := st.checkInert(ctx)
	if err = errors.Join(err, verr, st.Close()); err == nil && len(problems) > 0 {
		err = fmt.Errorf("%w: %s", ErrDamaged, problems[0])
	}
	if err == nil {
		err = ierr
	}
	if err == nil && schema > SchemaVersion() {
		err = ErrNewer
	}
	if err != nil {
		return "", fmt.Errorf("restore %s: %w", backup, err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return "", fmt.Errorf("restore store: %w", err)
	}
	copied := to + ".restoring"
	if err := copyFile(backup, copied); err != nil {
		return "", fmt.Errorf("restore store: %w", err)
	}
	before, err := filepath.Glob(to + ".*.bak")
	if err != nil {
		return "", fmt.Errorf("restore store: %w", err)
	}
	if err := Move(ctx, copied, to, now); err != nil {
		_ = os.Remove(copied)
		return "", err
	}
	return newest(to, before)
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

// newest returns the copy next to a store that was not in before, "" for none.
func newest(path string, before []string) (string, error) {
	after, err := filepath.Glob(path + ".*.bak")
	if err != nil {
		return "", err
	}
	for _, f := range after {
		known := false
		for _, b := range before {
			known = known || b == f
		}
		if !known {
			return f, nil
		}
	}
	return "", nil
}

// copyFile copies a file to one that only the owner can read.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	_ = os.Remove(to) // a remnant of another run, or a link
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// Move moves the store at from to to. A store that exists at to is kept next to it, with
// the time in its name.
func Move(ctx context.Context, from, to string, now func() time.Time) error {
	d, err := Open(ctx, from, Write, now)
	if err != nil {
		return err
	}
	if err := errors.Join(d.Checkpoint(ctx), d.Close()); err != nil {
		return fmt.Errorf("move store: %w", err)
	}
	if _, err := os.Stat(to); err == nil {
		kept := fmt.Sprintf("%s.%s.bak", to, now().UTC().Format("20060102T150405"))
		old, err := Open(ctx, to, Write, now)
		if err != nil {
			return err
		}
		if err := errors.Join(old.Checkpoint(ctx), old.Close(), os.Rename(to, kept)); err != nil {
			return fmt.Errorf("move store: %w", err)
		}
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		// The log is empty after the checkpoint. Left behind, it would be taken for that of
		// another database.
		_ = os.Remove(from + suffix)
		_ = os.Remove(to + suffix)
	}
	if err := os.Rename(from, to); err != nil {
		return fmt.Errorf("move store: %w", err)
	}
	return nil
}
