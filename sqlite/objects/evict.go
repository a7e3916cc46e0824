package objects

import (
	"github.com/coctostan/pictx/core/object"
)

// evict deletes the contents of all versions of an object, and what was written into its
// documents. The hashes stay.
func (w *writer) evict(o *row, r *object.Result) error {
	var versions []versionRow
	err := w.SelectContext(w.ctx, &versions, `SELECT `+versionColumns+` FROM object_versions v JOIN objects o ON o.oid = v.oid
		WHERE v.oid = ? AND v.evicted = 0 ORDER BY v.number`, o.OID)
	if err != nil || len(versions) == 0 && (o.Evicted != nil || o.Versions == 0) {
		return err
	}
	var texts []int64
	for i := range versions {
		v := &versions[i]
		if err := w.strip(v); err != nil {
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
	return w.store.erase.Unused(w.ctx, w.Conn, texts, true, w.trace)
}

// strip reduces a version to what a catalogue needs.
func (w *writer) strip(v *versionRow) error {
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
