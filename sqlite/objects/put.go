package objects

import (
	"context"
	"errors"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

// fact is a row of object_facts in force, with the hashes of its version.
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

// forever is the SQL literal for the end of an unbounded interval.
const forever = `9223372036854775807`

const factColumns = `f.vf, f.vt, f.tf, f.number, v.deleted, v.hashes`

// CROSS JOIN keeps SQLite from reading all versions of an object instead. The unary plus
// keeps SQLite from preparing the statement again for each value, which would otherwise
// affect the plan where it sorts.
const factsNow = `SELECT ` + factColumns + ` FROM object_facts f CROSS JOIN object_versions v ON v.oid = f.oid AND v.number = f.number
	WHERE f.oid = +?1 AND f.tt = ` + forever

func (f *fact) columns() []any {
	return []any{&f.VF, &f.VT, &f.TF, &f.Number, &f.Deleted, &f.Hashes}
}

// inForce returns the fact that is true at a time as far as is known now, nil for none.
func (w *writer) inForce(oid int64, at object.Time) (*fact, error) {
	f := &fact{}
	found, err := w.one(f.columns(), factsNow+` AND f.vf <= ?2 ORDER BY f.vf DESC LIMIT 1`, oid, int64(at))
	if err != nil || !found || f.VT <= int64(at) {
		return nil, err
	}
	return f, nil
}

// ahead returns the facts in force from the one that is true at the beginning of an
// interval on. Of earlier facts only the last can still be true then.
func (w *writer) ahead(oid int64, i object.Interval) ([]fact, error) {
	var out []fact
	var f fact
	err := w.each(f.columns(), func() { out = append(out, f) }, factsNow+` AND f.vf < ?3 AND f.vt > ?2 AND f.vf >= coalesce(
		(SELECT max(b.vf) FROM object_facts b WHERE b.oid = +?1 AND b.tt = `+forever+` AND b.vf <= ?2), ?2) ORDER BY f.vf`,
		oid, int64(i.From), int64(i.To))
	return out, err
}

// newVersion is a version to be written by put, delete or name.
type newVersion struct {
	doc     *object.Document
	fields  []byte // doc as JSON
	hashes  object.Hashes
	content *int64
	chat    *int64 // the composed text that has the turns of doc, nil when doc is stored itself
	size    int64
	evicted bool // the content must not be stored
	inLines bool // the content is made of lines of entries, which the index of history has
}

// put writes a version of an object.
func (w *writer) put(o *row, op *object.Op, r *object.Result) error {
	d := *op.Doc
	if err := d.Check(object.Kind(o.Kind)); err != nil {
		return err
	}
	if d.Nickname == "" && o.Nickname != nil {
		d.Nickname = *o.Nickname
	}
	if op.Stat != nil {
		if err := w.putStat(o.OID, op.Stat); err != nil {
			return err
		}
	}
	var fields []byte
	var err error
	if len(op.Lines) == 0 || d.Chat == nil || !encodesAsItIs(&d) {
		op.Lines = nil
		if fields, err = d.Encode(); err != nil { // replaces invalid UTF-8
			return err
		}
	}
	n := newVersion{doc: &d, fields: fields, hashes: object.HashesOf(o.ID, &d), size: -1}
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
	if n.chat, err = w.composed(o, op.Lines, &d); err != nil {
		return err
	}
	if n.content = n.chat; n.chat != nil {
		n.size, n.inLines = int64(len(d.Content)), true
	} else if d.Content != nil {
		n.size = int64(len(d.Content))
		if n.content, n.inLines, err = w.contentOf(o, op, d.Content, i.From); err != nil {
			return err
		}
		n.evicted = n.content == nil
	}
	return w.write(o, i, facts, n, r)
}

// delete writes that an object does not exist for an interval.
func (w *writer) delete(o *row, op *object.Op, r *object.Result) error {
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

// assert writes a version, unless the object is already in that state.
func (w *writer) assert(o *row, valid object.Interval, n newVersion, r *object.Result) error {
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

// place determines the interval of a version, the facts that overlap it, and whether they
// already say the same. An interval without an end extends to the next change.
func (w *writer) place(o *row, valid object.Interval, h object.Hashes) (i object.Interval, same bool, facts []fact, err error) {
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

// nextChange returns the first time after at when something else is true.
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

// covered reports whether facts give the object this hash throughout an interval.
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

// write stores a version with the fact that it is true in an interval. Overlapping facts
// end now; what they say about the time before and after the interval becomes new facts.
func (w *writer) write(o *row, i object.Interval, facts []fact, n newVersion, r *object.Result) error {
	if err := w.insert(o, i, n); err != nil {
		return err
	}
	r.Changed, r.Version, r.Hashes = true, o.Versions, n.hashes
	for _, f := range facts {
		if err := w.close(o.OID, f); err != nil {
			return err
		}
		if err := w.do(`INSERT OR IGNORE INTO object_unindexed (content)
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

// close ends a fact. A fact of this transaction is deleted, since it was never known.
func (w *writer) close(oid int64, f fact) error {
	if f.TF == int64(w.at) {
		return w.do(`DELETE FROM object_facts WHERE oid = ? AND vf = ? AND tf = ?`, oid, f.VF, f.TF)
	}
	return w.do(`UPDATE object_facts SET tt = ? WHERE oid = ? AND vf = ? AND tf = ?`, int64(w.at), oid, f.VF, f.TF)
}

func (w *writer) fact(oid int64, i object.Interval, number int) error {
	return w.do(`INSERT INTO object_facts (oid, vf, vt, tf, tt, number) VALUES (?, ?, ?, ?, `+forever+`, ?)`,
		oid, int64(i.From), int64(i.To), int64(w.at), number)
}

// longDoc is the size in bytes from which on a document is stored as a text, as a delta to
// the previous one.
const longDoc = 512

// insert stores a version.
func (w *writer) insert(o *row, i object.Interval, n newVersion) error {
	inline, doc, err := w.encode(o, i, &n)
	if err != nil {
		return err
	}
	o.Versions++
	if err := w.do(`INSERT INTO object_versions
		(oid, number, tx, vf, vt, deleted, evicted, content, size, hashes, fields, doc) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		o.OID, o.Versions, w.id, int64(i.From), int64(i.To), n.doc.Deleted, n.evicted, n.content, n.size, joinHashes(n.hashes), inline, doc); err != nil {
		return err
	}
	if !o.fresh {
		if err := w.do(`UPDATE objects SET versions = ? WHERE oid = ?`, o.Versions, o.OID); err != nil {
			return err
		}
	}
	o.fresh, o.wrote = false, true
	if n.content != nil && !n.inLines {
		if err := w.do(`INSERT OR IGNORE INTO object_unindexed (content) SELECT id FROM content WHERE id = ? AND codec NOT IN (?, ?)`, n.content, texts.Part, texts.Composed); err != nil {
			return err
		}
	}
	return w.refer(o, n.doc)
}

// encode returns a version's document as it is stored: inline in its row or, if it is long,
// as a text. Of a composed chat both are set: the turns are in the text. What must not be
// stored is removed.
func (w *writer) encode(o *row, i object.Interval, n *newVersion) (inline *string, doc *int64, err error) {
	fields := n.fields
	if n.chat != nil {
		fields, err = withoutTurns(n.doc).Encode()
		text := string(fields)
		return &text, n.chat, err
	}
	if fields == nil {
		if fields, err = n.doc.Encode(); err != nil {
			return nil, nil, err
		}
	}
	if len(fields) >= longDoc {
		var like *int64
		if o.Kind == string(object.KindChat) { // a chat's document repeats its content
			like = n.content
		}
		// The line end distinguishes it from every line of a session.
		if doc, err = w.text(o, newText{column: `doc`, raw: append(fields, '\n'), at: i.From, like: like}); doc != nil || err != nil {
			return nil, doc, err
		}
		n.evicted = true
		if fields, err = n.doc.Evicted().Encode(); err != nil {
			return nil, nil, err
		}
	}
	text := string(fields)
	return &text, nil, nil
}

// putStat stores a file's metadata.
func (w *writer) putStat(oid int64, st *object.Stat) error {
	return w.do(`INSERT INTO object_stats (oid, size, mtime, inode, device) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (oid) DO UPDATE SET size = excluded.size, mtime = excluded.mtime, inode = excluded.inode, device = excluded.device`,
		oid, st.Size, st.ModTime, int64(st.Inode), int64(st.Device))
}

// sessionObjects caches which objects a session has events of, up to one event. Events are
// only ever added, so the cache stays valid whichever process writes; the next transaction
// reads those added since.
type sessionObjects struct {
	last int64 // Seq of the last event read
	oids map[int64]bool
}

// maxSessions is how many sessions are cached.
const maxSessions = 8

// readSession reads which objects the session has events of, if an op needs that. It reads
// before the transaction writes, because writes may be rolled back.
func (w *writer) readSession(ops []object.Op) error {
	if w.session == nil || !slices.ContainsFunc(ops, func(op object.Op) bool { return op.Do == object.Record && op.Once }) {
		return nil
	}
	// A transaction holds the store's only connection, which also protects this map.
	all := w.store.met
	if all == nil || len(all) > maxSessions {
		all = make(map[int64]*sessionObjects)
		w.store.met = all
	}
	if w.met = all[*w.session]; w.met == nil {
		w.met = &sessionObjects{oids: make(map[int64]bool)}
		all[*w.session] = w.met
	}
	var seq, oid int64
	return w.each([]any{&seq, &oid}, func() { w.met.last, w.met.oids[oid] = max(seq, w.met.last), true },
		`SELECT seq, oid FROM object_events WHERE session = ? AND seq > ?`, w.session, w.met.last)
}

// hasEvent reports whether the session has an event of an object.
func (w *writer) hasEvent(o *row) bool {
	return o.met || !o.made && w.met.oids[o.OID]
}

// statements runs the statements of one transaction. The driver keeps them prepared.
type statements struct {
	*sqlx.Conn
	ctx context.Context
}

// do runs a statement.
func (d statements) do(query string, args ...any) error {
	_, err := d.ExecContext(d.ctx, query, args...)
	return err
}

// exec runs a statement and returns the number of changed rows.
func (d statements) exec(query string, args ...any) (int64, error) {
	res, err := d.ExecContext(d.ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// one reads the first row of a query into to, and reports whether there is one.
func (d statements) one(to []any, query string, args ...any) (bool, error) {
	err := d.QueryRowxContext(d.ctx, query, args...).Scan(to...)
	if sqlite.NoRows(err) {
		return false, nil
	}
	return err == nil, err
}

// first reads the first row of a query into to and calls fn while the row is valid. It
// reports whether there is one.
func (d statements) first(to []any, fn func() error, query string, args ...any) (found bool, err error) {
	rows, err := d.QueryContext(d.ctx, query, args...)
	if err != nil {
		return false, err
	}
	if found = rows.Next(); found {
		if err = rows.Scan(to...); err == nil {
			err = fn()
		}
	}
	return found, errors.Join(err, rows.Err(), rows.Close())
}

// each reads every row of a query into to and calls fn.
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
