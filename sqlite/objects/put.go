package objects

import (
	"cmp"
	"crypto/sha256"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
)

// put writes a version of an object.
func (w *writer) put(o *row, op *object.Op, r *object.Result) error {
	if st := op.Stat; st != nil {
		if err := w.do(`INSERT OR REPLACE INTO object_stats (oid, size, mtime, inode, device) VALUES (?, ?, ?, ?, ?)`,
			o.OID, st.Size, st.ModTime, st.Inode, st.Device); err != nil {
			return err
		}
	}
	d := *op.Doc
	return w.write(o, &d, cmp.Or(op.At, w.at), r)
}

// delete writes that an object does not exist any more.
func (w *writer) delete(o *row, r *object.Result) error {
	v, err := versionAt(w.ctx, w, o.ID, w.at)
	if err != nil || v == nil {
		return err
	}
	now, err := v.version()
	if err != nil {
		return err
	}
	return w.write(o, now.Doc.Tombstone(), w.at, r)
}

// write stores a version that became known at a time, unless the object was in that state
// then.
func (w *writer) write(o *row, d *object.Document, at object.Time, r *object.Result) error {
	doc, err := d.Encode() // replaces invalid UTF-8
	if err != nil {
		return err
	}
	h := object.HashesOf(o.ID, d)
	before, err := versionAt(w.ctx, w, o.ID, at)
	if err != nil {
		return err
	}
	if before != nil && splitHashes(before.Hash).Object == h.Object {
		r.Version = before.Number
		return nil
	}
	size, purged := int64(-1), false
	var content *int64
	if d.Content != nil {
		size = int64(len(d.Content))
		if storesText(o.Key.Kind) {
			if content, err = w.text(d.Content, at); err != nil {
				return err
			}
			purged = content == nil
		}
	}
	o.Versions++
	r.Changed, r.Version = true, o.Versions
	err = w.do(`INSERT INTO object_versions (oid, at, number, deleted, purged, content, size, hashes, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		o.OID, int64(at), o.Versions, d.Deleted, purged, content, size, joinHashes(h), string(doc))
	if err == nil {
		err = w.do(`UPDATE objects SET versions = ? WHERE oid = ?`, o.Versions, o.OID)
	}
	return err
}

// storesText reports whether the contents of a kind are stored. Those of others are in
// entries of history.
func storesText(k object.Kind) bool { return k == object.KindFile || k == object.KindSystemPrompt }

// text stores a text and returns its id, nil for one that was purged.
func (w *writer) text(raw []byte, at object.Time) (*int64, error) {
	hash := sha256.Sum256(raw)
	var gone bool
	if _, err := w.get(&gone, `SELECT EXISTS (SELECT 1 FROM purged WHERE hash = ?)`, hash[:]); err != nil || gone {
		return nil, err
	}
	var id int64
	known, err := w.get(&id, `SELECT id FROM content WHERE hash = ?`, hash[:])
	if err != nil || known {
		return &id, err
	}
	kind, data, err := w.store.db.Pack(raw)
	if err != nil {
		return nil, err
	}
	id = sqlite.TextID(int64(at)/1000, hash)
	for {
		res, err := w.ExecContext(w.ctx, `INSERT INTO content (id, hash, codec, size, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			id, hash[:], kind, len(raw), data)
		if err != nil {
			return nil, err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return &id, err
		}
		if id, err = sqlite.FreeTextID(w.ctx, w.Conn, id); err != nil {
			return nil, err
		}
	}
}

// hashSize is the size of one hash in bytes; three are stored in one value.
const hashSize = len(object.Hash{})

func splitHashes(b []byte) (h object.Hashes) {
	if len(b) == 3*hashSize {
		copy(h.Content[:], b)
		copy(h.Meta[:], b[hashSize:])
		copy(h.Object[:], b[2*hashSize:])
	}
	return h
}

func joinHashes(h object.Hashes) []byte {
	b := make([]byte, 0, 3*hashSize)
	return append(append(append(b, h.Content[:]...), h.Meta[:]...), h.Object[:]...)
}
