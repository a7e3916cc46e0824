package objects

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
)

// EachTransaction calls fn with every transaction of the objects, in order.
func (s *Store) EachTransaction(ctx context.Context, fn func(*object.Transaction) error) error {
	var rows []struct {
		ID      int64
		At      int64
		Actor   string
		Session string
		Reason  string
		Request string
	}
	err := s.db.SelectContext(ctx, &rows, `SELECT x.id, x.at, x.actor, coalesce(s.session_id, '') AS session, x.reason, coalesce(x.request, '') AS request
		FROM object_tx x LEFT JOIN object_sessions s ON s.id = x.session ORDER BY x.id`)
	if err != nil {
		return fmt.Errorf("export objects: %w", sqlite.Explain(err))
	}
	e := exporter{Store: s}
	e.written, err = e.writtenBy(ctx)
	if err != nil {
		return fmt.Errorf("export objects: %w", sqlite.Explain(err))
	}
	for _, r := range rows {
		tx := &object.Transaction{ID: r.ID, At: object.Time(r.At), Actor: object.Actor(r.Actor), Session: r.Session, Reason: r.Reason, Request: r.Request}
		if err := e.fill(ctx, tx); err != nil {
			return fmt.Errorf("export transaction %d: %w", r.ID, err)
		}
		if err := fn(tx); err != nil {
			return err
		}
	}
	return nil
}

// exporter reads the effects of transactions.
type exporter struct {
	*Store
	written map[int64][][2]int64 // versions, as object and number, by transaction
}

// writtenBy returns the versions that each transaction wrote.
func (e *exporter) writtenBy(ctx context.Context) (map[int64][][2]int64, error) {
	var rows []struct{ Tx, OID, Number int64 }
	err := e.db.SelectContext(ctx, &rows, `SELECT tx, oid, number FROM object_versions ORDER BY oid, number`)
	out := make(map[int64][][2]int64)
	for _, r := range rows {
		out[r.Tx] = append(out[r.Tx], [2]int64{r.OID, r.Number})
	}
	return out, err
}

// fill adds the versions, events and evictions of a transaction.
func (e *exporter) fill(ctx context.Context, tx *object.Transaction) error {
	for _, w := range e.written[tx.ID] {
		v, err := e.version(ctx, w[0], w[1])
		if err != nil {
			return err
		}
		tx.Versions = append(tx.Versions, *v)
	}
	var err error
	if tx.Events, err = e.events(ctx, `e.tx = ?`, tx.ID); err != nil {
		return err
	}
	return e.db.SelectContext(ctx, &tx.Evicted, `SELECT id FROM objects WHERE evicted = ? ORDER BY oid`, tx.ID)
}

// version reads a version with its content.
func (e *exporter) version(ctx context.Context, oid, number int64) (*object.Written, error) {
	r := &versionRow{}
	err := e.db.GetContext(ctx, r, `SELECT v.vf, v.vt, 0 AS tf, 0 AS tt, `+versionColumns+`
		FROM object_versions v JOIN objects o ON o.oid = v.oid WHERE v.oid = ? AND v.number = ?`, oid, number)
	if err != nil {
		return nil, sqlite.Explain(err)
	}
	v, err := e.versionOf(ctx, e.db, r)
	if err != nil {
		return nil, err
	}
	v.Doc.Content, err = e.Content(ctx, v)
	if err != nil && !errors.Is(err, object.ErrEvicted) {
		return nil, err
	}
	return &object.Written{ID: v.ID, Key: v.Key, Doc: v.Doc, Valid: v.Valid, Hashes: v.Hashes, Size: v.Size, Evicted: v.Evicted}, nil
}

// Sessions lists the sessions that have objects or events.
func (s *Store) Sessions(ctx context.Context) ([]string, error) {
	var out []string
	if err := s.db.SelectContext(ctx, &out, `SELECT session_id FROM object_sessions ORDER BY id DESC`); err != nil {
		return nil, fmt.Errorf("list sessions: %w", sqlite.Explain(err))
	}
	return out, nil
}

// All lists the objects in the order in which they became known.
func (s *Store) All(ctx context.Context) ([]object.Object, error) {
	var rows []row
	if err := s.db.SelectContext(ctx, &rows, `SELECT `+columns+` FROM objects o ORDER BY o.oid`); err != nil {
		return nil, fmt.Errorf("list objects: %w", sqlite.Explain(err))
	}
	out := make([]object.Object, len(rows))
	for i := range rows {
		out[i] = rows[i].object()
	}
	return out, nil
}
