package sqlite

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/jmoiron/sqlx"
)

//go:embed schema.sql
var schema string

// schemaVersion is the number of the schema, which PRAGMA user_version has. Up to 9 they
// were those of migrations.
const schemaVersion = 10

// Clean is the key in meta of a store in which what is deleted was always overwritten: since it
// was made, or since it was rewritten as a whole.
const Clean = "clean"

// SchemaVersion is the version of the schema this binary writes.
func SchemaVersion() int { return schemaVersion }

// Version returns the version of the open database's schema.
func (d *DB) Version(ctx context.Context) (int, error) {
	var v int
	if err := d.GetContext(ctx, &v, `PRAGMA user_version`); err != nil {
		return 0, fmt.Errorf("read schema version: %w", Explain(err))
	}
	return v, nil
}

// prepareSchema makes the tables of a new store. It refuses one of an older schema, for
// which there is SetAside, and to write to one of a newer.
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
		// Another process may have made them since.
		if err := tx.GetContext(ctx, &have, `PRAGMA user_version`); err != nil || have != 0 {
			return err
		}
		return createTables(ctx, tx)
	})
}

// createTables makes the tables of a new store.
func createTables(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, schema+fmt.Sprintf(`INSERT INTO meta (key, value) VALUES ('`+Clean+`', '');
		PRAGMA user_version = %d`, schemaVersion))
	return err
}
