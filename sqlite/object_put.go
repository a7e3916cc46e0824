package sqlite

import (
	"github.com/coctostan/pictx/core/object"
)

// fact is a row of object_facts in force, with what its version is compared by.
type fact struct {
	VF, VT  int64
	TF      int64
	Number  int
	Deleted bool
	Hashes  []byte
}

func (f *fact) interval() object.Interval {
	return object.Interval{From: object.Time(f.VF), To: object.Time(f.VT)}
}

func (f *fact) hashes() object.Hashes { return splitHashes(f.Hashes) }

func (f *fact) object() object.Hash { return f.hashes().Object }

// hashSize is the size of one hash in bytes; three of them are kept in one value.
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

// forever is the end of what has none, as SQL.
const forever = `9223372036854775807`

const factColumns = `f.vf, f.vt, f.tf, f.number, v.deleted, v.hashes`

// CROSS JOIN keeps SQLite from looking at all versions of an object instead.
const factsNow = ` FROM object_facts f CROSS JOIN object_versions v ON v.oid = f.oid AND v.number = f.number
	WHERE f.oid = ? AND f.tt = ` + forever

// inForce returns the fact that is true at a time as far as is known, nil for none.
func (w *objectTx) inForce(oid int64, at object.Time) (*fact, error) {
	f := &fact{}
	err := w.GetContext(w.ctx, f, `SELECT `+factColumns+factsNow+` AND f.vf <= ? ORDER BY f.vf DESC LIMIT 1`, oid, int64(at))
	if none(err) || err == nil && f.VT <= int64(at) {
		return nil, nil
	}
	return f, err
}

// ahead returns the facts in force from the one that is true at the beginning of an
// interval on.
func (w *objectTx) ahead(oid int64, i object.Interval) ([]fact, error) {
	first, err := w.inForce(oid, i.From)
	if err != nil {
		return nil, err
	}
	from := int64(i.From)
	if first != nil {
		from = first.VF
	}
	var out []fact
	err = w.SelectContext(w.ctx, &out, `SELECT `+factColumns+factsNow+` AND f.vf >= ? AND f.vf < ? ORDER BY f.vf`, oid, from, int64(i.To))
	return out, err
}

// newVersion is what put, delete and name write.
type newVersion struct {
	doc     *object.Document
	hashes  object.Hashes
	content *int64
	size    int64
	evicted bool // the content may not be kept
}

// put writes a version of an object.
func (w *objectTx) put(o *objectRow, op *object.Op, r *object.Result) error {
	d := *op.Doc
	if err := d.Check(object.Kind(o.Kind)); err != nil {
		return err
	}
	if d.Nickname == "" && o.Nickname != nil {
		d.Nickname = *o.Nickname
	}
	if op.Stat != nil {
		if err := w.saw(o.OID, op.Stat); err != nil {
			return err
		}
	}
	if _, err := d.Encode(); err != nil { // what is no UTF-8 is replaced
		return err
	}
	n := newVersion{doc: &d, hashes: object.HashesOf(o.ID, &d), size: -1}
	if op.Gone != nil {
		n.hashes, n.size, n.evicted = *op.Gone, op.Size, true
	}
	i, same, facts, err := w.place(o, op.Valid, n.hashes)
	if err != nil {
		return err
	}
	if same {
		r.Hashes, r.Version = n.hashes, facts[0].Number
		return nil
	}
	if i.Contains(w.at) {
		if err := w.nickname(o, d.Nickname); err != nil {
			return err
		}
	}
	if d.Content != nil {
		n.size = int64(len(d.Content))
		base, err := w.lastText(o, `content`)
		if err != nil {
			return err
		}
		if n.content, err = w.text(d.Content, base, i.From); err != nil {
			return err
		}
		n.evicted = n.content == nil
	}
	return w.write(o, i, facts, n, r)
}

// delete writes that an object is gone for a time.
func (w *objectTx) delete(o *objectRow, op *object.Op, r *object.Result) error {
	last, err := w.lastVersion(o)
	if err != nil || last == nil {
		return err
	}
	d, err := w.store.document(w.ctx, w, last)
	if err != nil {
		return err
	}
	d = d.Tombstone()
	if o.Nickname != nil {
		d.Nickname = *o.Nickname
	}
	return w.assert(o, op.Valid, newVersion{doc: d, hashes: object.HashesOf(o.ID, d), size: -1}, r)
}

// assert writes a version, unless the object is like that already.
func (w *objectTx) assert(o *objectRow, valid object.Interval, n newVersion, r *object.Result) error {
	i, same, facts, err := w.place(o, valid, n.hashes)
	if err != nil {
		return err
	}
	if same {
		r.Hashes, r.Version = n.hashes, facts[0].Number
		return nil
	}
	return w.write(o, i, facts, n, r)
}

// place finds out when a version is true, which facts that touches, and whether they
// say the same. An interval without an end goes to the next change.
func (w *objectTx) place(o *objectRow, valid object.Interval, h object.Hashes) (i object.Interval, same bool, facts []fact, err error) {
	i = valid
	if i.From == 0 {
		i.From = w.at
	}
	open := i.To == 0
	if open {
		i.To = object.Forever
	}
	if i.From >= i.To {
		return i, false, nil, errEmptyInterval
	}
	if o.Versions > 0 {
		if facts, err = w.ahead(o.OID, i); err != nil {
			return i, false, nil, err
		}
	}
	if open {
		i.To = nextChange(facts, i.From)
		for n := range facts {
			if facts[n].VF >= int64(i.To) {
				facts = facts[:n]
				break
			}
		}
	}
	return i, covered(facts, i, h.Object), facts, nil
}

// nextChange is when something else is true than at a time.
func nextChange(facts []fact, at object.Time) object.Time {
	if len(facts) == 0 {
		return object.Forever
	}
	if facts[0].VF > int64(at) {
		return object.Time(facts[0].VF)
	}
	end, was := facts[0].VT, facts[0].object()
	for _, f := range facts[1:] {
		if f.VF != end || f.object() != was {
			break
		}
		end = f.VT
	}
	return object.Time(end)
}

// covered tells whether facts say of a whole interval that an object has a hash.
func covered(facts []fact, i object.Interval, h object.Hash) bool {
	at := int64(i.From)
	for n := range facts {
		f := &facts[n]
		if f.VF > at || f.object() != h {
			return false
		}
		at = f.VT
	}
	return at >= int64(i.To)
}

// write stores a version and makes room for it among the facts: those that it
// touches are known until now, and what they say of before and after it goes on.
func (w *objectTx) write(o *objectRow, i object.Interval, facts []fact, n newVersion, r *object.Result) error {
	if err := w.insert(o, i, n); err != nil {
		return err
	}
	r.Changed, r.Version, r.Hashes = true, o.Versions, n.hashes
	for _, f := range facts {
		if err := w.close(o.OID, f); err != nil {
			return err
		}
		if _, err := w.ExecContext(w.ctx, `INSERT OR IGNORE INTO object_unindexed (content)
			SELECT content FROM object_versions WHERE oid = ? AND number = ? AND content IS NOT NULL`, o.OID, f.Number); err != nil {
			return err
		}
		old := f.interval()
		if old.From < i.From {
			if err := w.fact(o.OID, object.Interval{From: old.From, To: i.From}, f.Number); err != nil {
				return err
			}
		}
		if old.To > i.To {
			if err := w.fact(o.OID, object.Interval{From: i.To, To: old.To}, f.Number); err != nil {
				return err
			}
		}
	}
	return w.fact(o.OID, i, o.Versions)
}

// close ends a fact. One that this transaction made never was.
func (w *objectTx) close(oid int64, f fact) error {
	if f.TF == int64(w.at) {
		_, err := w.ExecContext(w.ctx, `DELETE FROM object_facts WHERE oid = ? AND vf = ? AND tf = ?`, oid, f.VF, f.TF)
		return err
	}
	_, err := w.ExecContext(w.ctx, `UPDATE object_facts SET tt = ? WHERE oid = ? AND vf = ? AND tf = ?`, int64(w.at), oid, f.VF, f.TF)
	return err
}

func (w *objectTx) fact(oid int64, i object.Interval, number int) error {
	_, err := w.ExecContext(w.ctx, `INSERT INTO object_facts (oid, vf, vt, tf, tt, number) VALUES (?, ?, ?, ?, `+forever+`, ?)`,
		oid, int64(i.From), int64(i.To), int64(w.at), number)
	return err
}

// longDoc is the size in bytes from which a document is kept as a text, as a
// difference to the one before.
const longDoc = 512

// insert stores a version.
func (w *objectTx) insert(o *objectRow, i object.Interval, n newVersion) error {
	fields, err := n.doc.Encode()
	if err != nil {
		return err
	}
	var inline *string
	var doc *int64
	if len(fields) < longDoc {
		text := string(fields)
		inline = &text
	} else {
		base, err := w.lastText(o, `doc`)
		if err != nil {
			return err
		}
		// The line end makes it differ from every line of a session.
		if doc, err = w.text(append(fields, '\n'), base, i.From); err != nil {
			return err
		}
	}
	if inline == nil && doc == nil { // it must not be kept
		fields, err := n.doc.Withered().Encode()
		if err != nil {
			return err
		}
		text := string(fields)
		inline, n.evicted = &text, true
	}
	o.Versions++
	if _, err := w.ExecContext(w.ctx, `INSERT INTO object_versions
		(oid, number, tx, vf, vt, deleted, evicted, content, size, hashes, fields, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		o.OID, o.Versions, w.id, int64(i.From), int64(i.To), n.doc.Deleted, n.evicted, n.content, n.size, joinHashes(n.hashes), inline, doc); err != nil {
		return err
	}
	if _, err := w.ExecContext(w.ctx, `UPDATE objects SET versions = ? WHERE oid = ?`, o.Versions, o.OID); err != nil {
		return err
	}
	if n.content != nil {
		if _, err := w.ExecContext(w.ctx, `INSERT OR IGNORE INTO object_unindexed (content) VALUES (?)`, *n.content); err != nil {
			return err
		}
	}
	return w.refer(o, n.doc)
}

// saw remembers how a file looks.
func (w *objectTx) saw(oid int64, st *object.Stat) error {
	_, err := w.ExecContext(w.ctx, `INSERT INTO object_stats (oid, size, mtime, inode, device) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (oid) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, inode = excluded.inode, device = excluded.device`,
		oid, st.Size, st.ModTime, int64(st.Inode), int64(st.Device))
	return err
}
