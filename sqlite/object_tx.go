package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"

	"github.com/mattn/go-sqlite3"
)

// direct talks to the driver itself: for the ten short statements that a version
// takes, the work of database/sql would be half of a turn. The driver keeps the
// statements prepared, see dsn.
type direct struct {
	ctx  context.Context
	conn *sqlite3.SQLiteConn
	args []driver.NamedValue
	row  []driver.Value
}

// do runs a statement.
func (d *direct) do(query string, args ...any) error {
	rows, err := d.query(query, args)
	if err != nil {
		return err
	}
	return rows.Close()
}

// one reads the first row of a query, and reports whether there is one.
func (d *direct) one(to []any, query string, args ...any) (bool, error) {
	found := false
	err := d.rows(to, func() bool { found = true; return false }, query, args...)
	return found, err
}

// each calls fn for every row of a query, which to has then.
func (d *direct) each(to []any, fn func(), query string, args ...any) error {
	return d.rows(to, func() bool { fn(); return true }, query, args...)
}

func (d *direct) rows(to []any, fn func() bool, query string, args ...any) error {
	rows, err := d.query(query, args)
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if err = d.next(rows, to); err == nil {
			more = fn()
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, rows.Close())
}

func (d *direct) query(query string, args []any) (driver.Rows, error) {
	d.args = d.args[:0]
	for i, a := range args {
		d.args = append(d.args, driver.NamedValue{Ordinal: i + 1, Value: plain(a)})
	}
	return d.conn.QueryContext(d.ctx, query, d.args)
}

// exec runs a statement, and returns how many rows it changed. For a long text it is
// better than do, with which the driver would keep a copy.
func (d *direct) exec(query string, args ...any) (int64, error) {
	named := make([]driver.NamedValue, len(args))
	for i, a := range args {
		named[i] = driver.NamedValue{Ordinal: i + 1, Value: plain(a)}
	}
	res, err := d.conn.ExecContext(d.ctx, query, named)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// next reads a row.
func (d *direct) next(rows driver.Rows, to []any) error {
	if cap(d.row) < len(to) {
		d.row = make([]driver.Value, len(to))
	}
	row := d.row[:len(to)]
	if err := rows.Next(row); err != nil {
		return err
	}
	for i, v := range row {
		if !assign(to[i], v) {
			return fmt.Errorf("column %d is %T: %w", i+1, v, ErrDamaged)
		}
	}
	return nil
}

// plain is a value as the driver takes it.
func plain(a any) driver.Value {
	switch a := a.(type) {
	case int:
		return int64(a)
	case *int64:
		if a == nil {
			return nil
		}
		return *a
	case *string:
		if a == nil {
			return nil
		}
		return *a
	}
	return a
}

// assign puts a value of the driver where it is wanted, and reports whether it is of the
// right type.
func assign(to any, v driver.Value) bool {
	ok := true
	switch to := to.(type) {
	case *int64:
		*to, ok = v.(int64)
	case *int:
		var n int64
		n, ok = v.(int64)
		*to = int(n)
	case *bool:
		var n int64
		n, ok = v.(int64)
		*to = n != 0
	case *string:
		*to, ok = v.(string)
	case *[]byte:
		*to, ok = v.([]byte)
	case **int64:
		*to, ok = optional[int64](v)
	case **string:
		*to, ok = optional[string](v)
	default:
		ok = false
	}
	return ok
}

// optional is a value that may be NULL.
func optional[T any](v driver.Value) (*T, bool) {
	if v == nil {
		return nil, true
	}
	x, ok := v.(T)
	return &x, ok
}
