package objects

import (
	"context"
	"errors"

	"github.com/coctostan/pictx/sqlite"
	"github.com/jmoiron/sqlx"
)

// statements runs the statements of one transaction. The driver keeps them prepared, see
// dsn.
type statements struct {
	*sqlx.Conn
	ctx context.Context
}

// do runs a statement.
func (d statements) do(query string, args ...any) error {
	_, err := d.ExecContext(d.ctx, query, args...)
	return err
}

// exec runs a statement, and returns how many rows it changed.
func (d statements) exec(query string, args ...any) (int64, error) {
	res, err := d.ExecContext(d.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// one reads the first row of a query, and reports whether there is one.
func (d statements) one(to []any, query string, args ...any) (bool, error) {
	err := d.QueryRowxContext(d.ctx, query, args...).Scan(to...)
	if sqlite.NoRows(err) {
		return false, nil
	}
	return err == nil, err
}

// each calls fn for every row of a query, which to has then.
func (d statements) each(to []any, fn func(), query string, args ...any) error {
	rows, err := d.QueryContext(d.ctx, query, args...)
	if err != nil {
		return err
	}
	for rows.Next() && err == nil {
		if err = rows.Scan(to...); err == nil {
			fn()
		}
	}
	return errors.Join(err, rows.Err(), rows.Close())
}
