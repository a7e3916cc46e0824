package sqlite

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jmoiron/sqlx"
)

//go:embed schema.sql
var schema string

// schemaVersion is the number of the schema, stored in PRAGMA user_version. Numbers up to 9
// were used by migrations.
const schemaVersion = 16

// SchemaVersion returns the schema version that this binary writes.
func SchemaVersion() int { return schemaVersion }

// Version returns the schema version of the open database.
func (d *DB) Version(ctx context.Context) (int, error) {
	var v int
	if err := d.GetContext(ctx, &v, `PRAGMA user_version`); err != nil {
		return 0, fmt.Errorf("read schema version: %w", Explain(err))
	}
	return v, nil
}

// prepareSchema creates the tables of a new store. It refuses a store of an older schema,
// which SetAside handles, and writing to one of a newer schema.
func (d *DB) prepareSchema(ctx context.Context) error {
	have, err := d.Version(ctx)
	switch {
	case err != nil || have == schemaVersion:
		return err
	case have > schemaVersion && d.mode != Read:
		return fmt.Errorf("%w (schema %d, this one knows %d)", ErrNewer, have, schemaVersion)
	case have > schemaVersion:
		return nil
	case have > 0:
		return fmt.Errorf("%w (schema %d of %d)", ErrOlder, have, schemaVersion)
	case d.mode == Read:
		return ErrNoStore
	}
	return d.Tx(ctx, func(tx *sqlx.Conn) error {
		// Another process may have created them meanwhile.
		if err := tx.GetContext(ctx, &have, `PRAGMA user_version`); err != nil || have != 0 {
			return err
		}
		return createTables(ctx, tx)
	})
}

// createTables creates the tables of a new store.
func createTables(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, schema+createIndex+fmt.Sprintf(`PRAGMA user_version = %d`, schemaVersion))
	return err
}
