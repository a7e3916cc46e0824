package sqlite

import (
	"context"
	"errors"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
)

// evict takes the content of all versions of an object away, and what anybody wrote
// in its documents. The hashes stay.
func (w *objectTx) evict(o *objectRow, r *object.Result) error {
	var versions []versionRow
	err := w.SelectContext(w.ctx, &versions, `SELECT `+versionColumns+` FROM object_versions v JOIN objects o ON o.oid = v.oid
		WHERE v.oid = ? AND v.evicted = 0 ORDER BY v.number`, o.OID)
	if err != nil || len(versions) == 0 && (o.Evicted != nil || o.Versions == 0) {
		return err
	}
	var texts []int64
	for i := range versions {
		v := &versions[i]
		if err := w.wither(v); err != nil {
			return err
		}
		for _, id := range []*int64{v.Content, v.Doc} {
			if id != nil {
				texts = append(texts, *id)
			}
		}
	}
	r.Changed, r.Version = true, o.Versions
	if _, err := w.ExecContext(w.ctx, `UPDATE objects SET evicted = ? WHERE oid = ?`, w.id, o.OID); err != nil {
		return err
	}
	return w.store.eraseTexts(w.ctx, w.Conn, texts, true, w.trace)
}

// wither leaves of a version what a catalogue needs.
func (w *objectTx) wither(v *versionRow) error {
	d, err := w.store.document(w.ctx, w, v)
	if err != nil { // damaged: what it was is not known any more
		k, _ := object.ParseKey(v.Key)
		d = &object.Document{Kind: k.Kind}
	}
	fields, err := d.Evicted().Encode()
	if err != nil {
		return err
	}
	_, err = w.ExecContext(w.ctx, `UPDATE object_versions SET evicted = 1, content = NULL, doc = NULL, fields = ? WHERE oid = ? AND number = ?`,
		string(fields), v.OID, v.Number)
	return err
}

// usedText tells, as SQL over content t, whether something refers to a text.
const usedText = `(EXISTS (SELECT 1 FROM messages m WHERE m.content = t.id) OR ` + usedByObject + `)`

// usedByObject is usedText without the entries of sessions.
const usedByObject = `(EXISTS (SELECT 1 FROM object_versions v WHERE v.content = t.id) OR EXISTS (SELECT 1 FROM object_versions v WHERE v.doc = t.id))`

// eraseTexts deletes the texts that nothing refers to any more. What is a difference
// to one of them is stored anew. With forbid they are not stored again.
func (s *Store) eraseTexts(ctx context.Context, tx *sqlx.Conn, texts []int64, forbid bool, traces *Traces) error {
	gone := make(map[int64]bool)
	var order []int64
	for _, id := range texts {
		var free bool
		err := tx.GetContext(ctx, &free, `SELECT EXISTS (SELECT 1 FROM content t WHERE t.id = ? AND NOT `+usedText+`
			AND NOT EXISTS (SELECT 1 FROM purged p WHERE p.content = t.id))`, id)
		if err != nil {
			return err
		}
		if free && !gone[id] {
			gone[id] = true
			order = append(order, id)
		}
	}
	if err := s.loosen(ctx, tx, gone); err != nil {
		return err
	}
	// The last first: the others may be what it is a difference to.
	s.texts.forget()
	s.differ.forget()
	for i := len(order) - 1; i >= 0; i-- {
		if err := s.eraseObjectText(ctx, tx, order[i], forbid, traces); err != nil {
			return err
		}
	}
	return nil
}

// loosen stores whole what is a difference to a text that goes and stays itself.
func (s *Store) loosen(ctx context.Context, tx *sqlx.Conn, gone map[int64]bool) error {
	for id := range gone {
		var next []int64
		if err := tx.SelectContext(ctx, &next, `SELECT id FROM content WHERE base = ?`, id); err != nil {
			return err
		}
		for _, n := range next {
			if gone[n] {
				continue
			}
			raw, err := s.contentByID(ctx, tx, n)
			if errors.Is(err, ErrDamaged) {
				continue // nobody could read it before
			}
			if err != nil {
				return err
			}
			kind, data, err := s.codec.pack(raw)
			if err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE content SET codec = ?, base = NULL, data = ? WHERE id = ?`, kind, data, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// eraseObjectText deletes a text from the table and from the index of objects.
func (s *Store) eraseObjectText(ctx context.Context, tx *sqlx.Conn, id int64, forbid bool, traces *Traces) error {
	if traces != nil {
		if err := s.traceObject(ctx, tx, id, traces); err != nil {
			return err
		}
	}
	if forbid {
		if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO purged (hash, content, time) SELECT hash, NULL, ? FROM content WHERE id = ?`,
			s.now().UnixMilli(), id); err != nil {
			return err
		}
	}
	return s.erase(ctx, tx, id)
}

// traceObject remembers how a text of an object can be recognised. A damaged one
// leaves no words.
func (s *Store) traceObject(ctx context.Context, tx *sqlx.Conn, id int64, t *Traces) error {
	if err := t.notePacked(ctx, tx, id); err != nil {
		return err
	}
	if raw, err := s.contentByID(ctx, tx, id); err == nil {
		t.noteWords(string(raw))
	}
	return nil
}
