package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
)

// Backup copies the store into a new file, as it is at one moment, while others
// write to it. The file must not exist.
func (s *Store) Backup(ctx context.Context, to string) error {
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("back up store: %w", err)
	}
	if _, err := s.db.ExecContext(ctx, `VACUUM INTO ?`, to); err != nil {
		_ = os.Remove(to) // empty, or a part
		return fmt.Errorf("back up store: %w", explain(err))
	}
	return nil
}

// Restore puts a copy of a backup in the place of the store at to. The store that is
// there is kept beside it, with the time in its name; its path is returned.
func Restore(ctx context.Context, backup, to string, now func() time.Time) (kept string, err error) {
	st, err := Open(ctx, backup, Read, now)
	if err != nil {
		return "", err
	}
	h, err := st.Check(ctx, false)
	if err = errors.Join(err, st.Close()); err == nil && len(h.Problems) > 0 {
		err = fmt.Errorf("%w: %s", ErrDamaged, h.Problems[0])
	}
	if err == nil && h.Schema > SchemaVersion() {
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

// newest is the copy beside a store that was not there before, "" for none.
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

// copyFile copies a file into a private one.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// Vacuum deletes texts that nothing refers to any more and writes the database anew
// without free space. It returns how many texts went.
func (s *Store) Vacuum(ctx context.Context) (int, error) {
	var ids []int64
	err := s.db.SelectContext(ctx, &ids, orphans)
	if err != nil {
		return 0, fmt.Errorf("vacuum store: %w", explain(err))
	}
	if len(ids) > 0 {
		if err := s.canErase(ctx); err != nil {
			return 0, err
		}
	}
	for some := range slices.Chunk(ids, purgeBatch) {
		err := s.tx(ctx, func(tx *sqlx.Conn) error {
			gone := setOf(some)
			if err := s.loosen(ctx, tx, gone); err != nil {
				return err
			}
			for _, id := range some {
				if err := s.erase(ctx, tx, id); err != nil {
					return err
				}
			}
			return s.eraseFromBlocks(ctx, tx, gone)
		})
		if err != nil {
			return 0, fmt.Errorf("vacuum store: %w", err)
		}
	}
	_, err = s.Scrub(ctx, &Traces{})
	return len(ids), err
}

// orphans finds the texts that nothing refers to.
const orphans = `SELECT id FROM content t WHERE NOT ` + usedText + `
	AND NOT EXISTS (SELECT 1 FROM purged p WHERE p.content = t.id)`
