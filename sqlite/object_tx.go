package sqlite

import (
	"context"
	"database/sql"

	"github.com/jmoiron/sqlx"
)

// prepared are the statements of a transaction that were prepared in it: a turn makes
// the same few changes again and again, and to prepare a statement takes longer than
// to run it.
type prepared struct {
	tx   *sqlx.Tx
	list map[string]*sqlx.Stmt
}

func (p *prepared) of(ctx context.Context, query string) (*sqlx.Stmt, error) {
	if st, ok := p.list[query]; ok {
		return st, nil
	}
	st, err := p.tx.PreparexContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if p.list == nil {
		p.list = make(map[string]*sqlx.Stmt)
	}
	p.list[query] = st
	return st, nil
}

func (p *prepared) close() {
	for _, st := range p.list {
		st.Close()
	}
}

// GetContext is that of the transaction, with a prepared statement.
func (w *objectTx) GetContext(ctx context.Context, to any, query string, args ...any) error {
	st, err := w.prepared.of(ctx, query)
	if err != nil {
		return err
	}
	return st.GetContext(ctx, to, args...)
}

// SelectContext is that of the transaction, with a prepared statement.
func (w *objectTx) SelectContext(ctx context.Context, to any, query string, args ...any) error {
	st, err := w.prepared.of(ctx, query)
	if err != nil {
		return err
	}
	return st.SelectContext(ctx, to, args...)
}

// ExecContext is that of the transaction, with a prepared statement.
func (w *objectTx) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	st, err := w.prepared.of(ctx, query)
	if err != nil {
		return nil, err
	}
	return st.ExecContext(ctx, args...)
}
