package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/jmoiron/sqlx"
)

//go:embed migrations/*.sql
var migrations embed.FS

// scripts returns the migrations in order. Their number is the version of the
// schema.
func scripts() ([]string, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	out := make([]string, len(files))
	for i, f := range files {
		b, err := migrations.ReadFile(f)
		if err != nil {
			return nil, err
		}
		out[i] = string(b)
	}
	return out, nil
}

// SchemaVersion is the version of the schema this binary writes.
func SchemaVersion() int {
	all, err := scripts()
	if err != nil {
		return 0
	}
	return len(all)
}

// Version returns the version of the open database's schema.
func (s *Store) Version(ctx context.Context) (int, error) {
	var v int
	if err := s.db.GetContext(ctx, &v, `PRAGMA user_version`); err != nil {
		return 0, fmt.Errorf("read schema version: %w", explain(err))
	}
	return v, nil
}

// migrate brings the schema up to date. All pending scripts run in one
// transaction, so that a migration that is killed leaves the old schema. Two
// processes that migrate at once wait for each other.
func (s *Store) migrate(ctx context.Context) error {
	all, err := scripts()
	if err != nil {
		return err
	}
	have, err := s.Version(ctx)
	if err != nil || have == len(all) {
		return err
	}
	switch {
	case have > len(all) && s.mode != Read:
		return fmt.Errorf("%w (schema %d, this one knows %d)", ErrNewer, have, len(all))
	case s.mode == Read && have == 0:
		return ErrNoStore
	case s.mode == Read:
		return nil
	case s.mode == Hook && have > 0:
		return fmt.Errorf("%w (schema %d of %d)", ErrOlder, have, len(all))
	}
	if have > 0 {
		if err := s.backup(ctx, have); err != nil {
			return fmt.Errorf("copy it before migrating: %w", err)
		}
	}
	return s.tx(ctx, func(tx *sqlx.Conn) error { return applyScripts(ctx, tx, all) })
}

// applyScripts runs what is still pending, now that no other process can.
func applyScripts(ctx context.Context, tx *sqlx.Conn, all []string) error {
	var have int
	if err := tx.GetContext(ctx, &have, `PRAGMA user_version`); err != nil {
		return err
	}
	for ; have < len(all); have++ {
		if _, err := tx.ExecContext(ctx, all[have]); err != nil {
			return fmt.Errorf("migrate to schema %d: %w", have+1, err)
		}
	}
	_, err := tx.ExecContext(ctx, fmt.Sprintf(`PRAGMA user_version = %d`, have))
	return err
}

// backup copies the database beside itself before it is migrated, for the owner alone. A
// copy that was begun before and not ended is made again.
func (s *Store) backup(ctx context.Context, version int) error {
	name := fmt.Sprintf("%s.schema-%d.bak", s.path, version)
	begun := fmt.Sprintf("%s.%d", name, os.Getpid())
	// SQLite copies into a file that is there when it is empty.
	f, err := os.OpenFile(begun, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := s.db.ExecContext(ctx, `VACUUM INTO ?`, begun); err != nil {
		return errors.Join(explain(err), os.Remove(begun))
	}
	return os.Rename(begun, name)
}
