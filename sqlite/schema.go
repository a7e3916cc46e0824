package sqlite

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jmoiron/sqlx"
)

//go:embed schema.sql
var schema string

// firstVersion is the number of the first released schema, as PRAGMA user_version has it. Stores
// of lower numbers are of builds before it: SetAside replaces them.
const firstVersion = 17

// migrations returns what makes a store, in order. The first is a new store of firstVersion, and
// each other changes a store of the number before it. A released one never changes: to change the
// schema, append a statement here. It runs in one transaction, and hooks run it, too, so it takes
// milliseconds.
func migrations() []string {
	return []string{
		schema + createIndex,
	}
}

// SchemaVersion returns the schema version that this binary writes.
func SchemaVersion() int { return lastVersion(migrations()) }

// lastVersion returns the schema version after all migrations.
func lastVersion(migrations []string) int { return firstVersion + len(migrations) - 1 }

// Version returns the schema version of the open database.
func (d *DB) Version(ctx context.Context) (int, error) {
	var v int
	if err := d.GetContext(ctx, &v, `PRAGMA user_version`); err != nil {
		return 0, fmt.Errorf("read schema version: %w", Explain(err))
	}
	return v, nil
}

// prepareSchema creates the tables of a new store and migrates one of an older release, unless
// it is only read. It refuses a store of a build before the first release, which SetAside
// replaces, and writing to one of a newer schema.
func (d *DB) prepareSchema(ctx context.Context) error {
	var err error
	d.found, err = d.Version(ctx)
	last := lastVersion(d.migrations)
	switch {
	case err != nil || d.found == last:
		return err
	case d.found > last && d.mode != Read:
		return fmt.Errorf("%w (schema %d, this one knows %d)", ErrNewer, d.found, last)
	case d.found > 0 && d.found < firstVersion:
		return fmt.Errorf("%w (schema %d of %d)", ErrOlder, d.found, last)
	case d.found > 0 && d.mode == Read:
		return nil
	case d.mode == Read:
		return ErrNoStore
	}
	return d.Tx(ctx, func(tx *sqlx.Conn) error { return migrate(ctx, tx, d.migrations) })
}

// migrate runs the migrations that the database has not seen: all of them in an empty one. Another
// process may have run them meanwhile.
func migrate(ctx context.Context, tx *sqlx.Conn, migrations []string) error {
	var have int
	if err := tx.GetContext(ctx, &have, `PRAGMA user_version`); err != nil {
		return err
	}
	for i, change := range migrations {
		version := firstVersion + i
		if version <= have {
			continue
		}
		if _, err := tx.ExecContext(ctx, change+fmt.Sprintf(`; PRAGMA user_version = %d`, version)); err != nil {
			return fmt.Errorf("migrate store to schema %d: %w", version, err)
		}
	}
	return nil
}
