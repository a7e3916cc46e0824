package sqlite

import (
	"context"
	"fmt"
)

// Refute returns ErrDamaged when a query that finds what cannot be in a sound database
// finds something. SQLite has no checksums of pages: a damaged page of an index may only
// lack rows, and a join drops them without a word. The query is one statement, so that what
// other processes write makes no difference to it.
func (d *DB) Refute(ctx context.Context, what, query string, args ...any) error {
	var found bool
	if err := d.GetContext(ctx, &found, `SELECT EXISTS (`+query+`)`, args...); err != nil {
		return Explain(err)
	}
	if found {
		return fmt.Errorf("%w: %s", ErrDamaged, what)
	}
	return nil
}
