package sqlite

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
)

var _ object.Store = (*Store)(nil)

// objectRow is a row of objects.
type objectRow struct {
	OID      int64
	ID       string
	Kind     string
	Key      string
	Nickname *string
	Versions int
	Evicted  *int64
}

const objectColumns = `o.oid, o.id, o.kind, o.key, o.nickname, o.versions, o.evicted`

func (r *objectRow) object() object.Object {
	o := object.Object{ID: r.ID, Versions: r.Versions}
	o.Key, _ = object.ParseKey(r.Key)
	if r.Nickname != nil {
		o.Nickname = *r.Nickname
	}
	if r.Evicted != nil {
		o.Evicted = *r.Evicted
	}
	return o
}

// objectTx is a transaction under way.
type objectTx struct {
	*sqlx.Tx
	prepared prepared
	ctx      context.Context
	store    *Store
	id       int64
	at       object.Time
	actor    object.Actor
	session  *int64
	// known are the objects that it has looked at.
	known map[int64]*objectRow
	purge bool // there are texts that must not be stored
	trace *Traces
}

// Submit makes changes to objects, all or none.
func (s *Store) Submit(ctx context.Context, tx object.Tx) (object.Receipt, error) {
	r, _, err := s.submit(ctx, tx)
	return r, err
}

// submit is Submit. Of what was evicted it returns the traces.
func (s *Store) submit(ctx context.Context, tx object.Tx) (object.Receipt, *Traces, error) {
	var out object.Receipt
	traces := &Traces{}
	if slices.ContainsFunc(tx.Ops, func(op object.Op) bool { return op.Do == object.Evict }) {
		if err := s.canErase(ctx); err != nil {
			return out, nil, err
		}
	}
	// See Append: once begun it is finished.
	ctx = context.WithoutCancel(ctx)
	err := s.tx(ctx, func(t *sqlx.Tx) error {
		w := &objectTx{Tx: t, ctx: ctx, store: s, actor: tx.Actor, known: make(map[int64]*objectRow), trace: traces}
		w.prepared.tx = t
		defer w.prepared.close()
		var err error
		out, err = w.run(tx)
		return err
	})
	if err != nil {
		return object.Receipt{}, nil, fmt.Errorf("write objects: %w", err)
	}
	return out, traces, nil
}

// run does what a transaction asks for.
func (w *objectTx) run(tx object.Tx) (object.Receipt, error) {
	var out object.Receipt
	if tx.Request != "" {
		err := w.GetContext(w.ctx, &out.Tx, `SELECT id FROM object_tx WHERE request = ?`, tx.Request)
		if err == nil {
			out.Repeated = true
			return out, w.GetContext(w.ctx, &out.At, `SELECT at FROM object_tx WHERE id = ?`, out.Tx)
		}
		if !none(err) {
			return out, err
		}
	}
	if err := w.begin(tx); err != nil {
		return out, err
	}
	out.Tx, out.At = w.id, w.at
	changed := false
	for i := range tx.Ops {
		r, err := w.op(&tx.Ops[i])
		if err != nil {
			return out, err
		}
		changed = changed || r.Changed
		out.Results = append(out.Results, r)
	}
	if !changed && tx.Request == "" { // nobody refers to it
		_, err := w.ExecContext(w.ctx, `DELETE FROM object_tx WHERE id = ?`, w.id)
		return out, err
	}
	return out, nil
}

// begin gives the transaction its number and its time: later than every other's.
func (w *objectTx) begin(tx object.Tx) error {
	var last struct{ ID, At int64 }
	err := w.GetContext(w.ctx, &last, `SELECT id, at FROM object_tx ORDER BY id DESC LIMIT 1`)
	if err != nil && !none(err) {
		return err
	}
	w.id, w.at = last.ID+1, max(object.TimeOf(w.store.now()), object.Time(last.At)+1)
	if tx.Session != "" {
		if w.session, err = w.intern(tx.Session); err != nil {
			return err
		}
	}
	var request *string
	if tx.Request != "" {
		request = &tx.Request
	}
	if _, err := w.ExecContext(w.ctx, `INSERT INTO object_tx (id, at, actor, session, reason, request) VALUES (?, ?, ?, ?, ?, ?)`,
		w.id, int64(w.at), string(tx.Actor), w.session, tx.Reason, request); err != nil {
		return err
	}
	return w.GetContext(w.ctx, &w.purge, `SELECT EXISTS (SELECT 1 FROM purged)`)
}

// intern returns the number of a session.
func (w *objectTx) intern(session string) (*int64, error) {
	var id int64
	err := w.GetContext(w.ctx, &id, `SELECT id FROM object_sessions WHERE session_id = ?`, session)
	if none(err) {
		err = w.GetContext(w.ctx, &id, `INSERT INTO object_sessions (session_id) VALUES (?) RETURNING id`, session)
	}
	return &id, err
}

// op makes one change.
func (w *objectTx) op(op *object.Op) (object.Result, error) {
	o, err := w.target(op)
	if err != nil {
		return object.Result{}, err
	}
	if o == nil { // a Match that nothing is there
		return object.Result{}, nil
	}
	r := object.Result{ID: o.ID, Version: o.Versions}
	switch op.Do {
	case object.Put:
		err = w.put(o, op, &r)
	case object.Delete:
		err = w.delete(o, op, &r)
	case object.Match:
		err = w.match(o, op, &r)
	case object.Evict:
		err = w.evict(o, &r)
	case object.Name:
		err = w.name(o, op, &r)
	case object.Tell:
		err = w.tell(o, op, &r)
	default:
		err = fmt.Errorf("there is no op %q", op.Do)
	}
	if err != nil {
		return r, fmt.Errorf("%s %s: %w", op.Do, o.ID, err)
	}
	return r, nil
}

// target finds the object that an op is about, or makes it.
func (w *objectTx) target(op *object.Op) (*objectRow, error) {
	o := &objectRow{}
	var err error
	if op.ID != "" {
		err = w.GetContext(w.ctx, o, `SELECT `+objectColumns+` FROM objects o WHERE o.id = ?`, op.ID)
	} else {
		err = w.GetContext(w.ctx, o, `SELECT `+objectColumns+` FROM objects o WHERE o.keyhash = ? AND o.key = ?`, keyHash(op.Key), op.Key.String())
	}
	switch {
	case none(err) && op.Do == object.Match && op.Expect == nil:
		return nil, nil
	case none(err) && op.Do == object.Match:
		return nil, fmt.Errorf("match %s: %w", op.ID, object.ErrConflict)
	case none(err) && !op.Key.IsZero() && op.Do == object.Put:
		return w.create(op.ID, op.Key)
	case none(err):
		return nil, fmt.Errorf("%s %s: %w", op.Do, op.ID, object.ErrUnknown)
	case err != nil:
		return nil, err
	}
	if same, ok := w.known[o.OID]; ok {
		return same, w.rekey(same, op)
	}
	w.known[o.OID] = o
	return o, w.rekey(o, op)
}

// rekey gives an object another key, if an op asks for it: a file was renamed.
func (w *objectTx) rekey(o *objectRow, op *object.Op) error {
	if op.ID == "" || op.Key.IsZero() || op.Key.String() == o.Key {
		return nil
	}
	if string(op.Key.Kind) != o.Kind {
		return fmt.Errorf("move %s: the kind of an object does not change", o.ID)
	}
	o.Key = op.Key.String()
	if err := w.displace(op.Key); err != nil {
		return err
	}
	_, err := w.ExecContext(w.ctx, `UPDATE objects SET key = ?, keyhash = ? WHERE oid = ?`, o.Key, keyHash(op.Key), o.OID)
	return err
}

// displace takes its key from the object that has one: a file that another was moved
// over. What it was is still to be seen in the key that it gets.
func (w *objectTx) displace(k object.Key) error {
	o := &objectRow{}
	err := w.GetContext(w.ctx, o, `SELECT `+objectColumns+` FROM objects o WHERE o.keyhash = ? AND o.key = ?`, keyHash(k), k.String())
	if none(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if k.Kind != object.KindFile {
		return fmt.Errorf("put %s: %s is that already", k.Kind, o.ID)
	}
	delete(w.known, o.OID)
	other := object.FileKey(k.Part(0)+"#"+o.ID, k.Part(1))
	if _, err := w.ExecContext(w.ctx, `UPDATE objects SET key = ?, keyhash = ? WHERE oid = ?`, other.String(), keyHash(other), o.OID); err != nil {
		return err
	}
	return w.delete(o, &object.Op{Do: object.Delete}, &object.Result{})
}

// keyHash is what a key is looked up by.
func keyHash(k object.Key) int64 {
	sum := sha256.Sum256([]byte(k.String()))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// create makes a new object, with an id of its own if none is given.
func (w *objectTx) create(id string, k object.Key) (*objectRow, error) {
	o := &objectRow{Kind: string(k.Kind), Key: k.String()}
	if _, ok := object.ParseKey(o.Key); !ok {
		return nil, fmt.Errorf("put %s: it is not what identifies a %s", o.Key, k.Kind)
	}
	if id != "" && len(id) != len(object.NewID(k, 0)) {
		return nil, fmt.Errorf("put %s: it is no id", id)
	}
	if err := w.displace(k); err != nil {
		return nil, err
	}
	for nth := 0; ; nth++ {
		if o.ID = id; id == "" {
			o.ID = object.NewID(k, nth)
		}
		err := w.GetContext(w.ctx, &o.OID, `INSERT INTO objects (id, kind, key, keyhash) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO NOTHING RETURNING oid`, o.ID, o.Kind, o.Key, keyHash(k))
		if err == nil {
			w.known[o.OID] = o
			return o, nil
		}
		if !none(err) {
			return nil, err
		}
	}
}

// match compares what is in force with what is expected.
func (w *objectTx) match(o *objectRow, op *object.Op, r *object.Result) error {
	f, err := w.inForce(o.OID, w.at)
	if err != nil {
		return err
	}
	there := f != nil && !f.Deleted
	switch {
	case op.Expect == nil && there, op.Expect != nil && (f == nil || *op.Expect != f.object()):
		return object.ErrConflict
	case f != nil:
		r.Version, r.Hashes = f.Number, f.hashes()
	}
	return nil
}

// tell records an event.
func (w *objectTx) tell(o *objectRow, op *object.Op, r *object.Result) error {
	if w.session == nil {
		return errors.New("an event is of a session, and none was given")
	}
	if op.Event == object.Deactivated && object.Kind(o.Kind).Locked() {
		return object.ErrLocked
	}
	r.Changed = true
	_, err := w.ExecContext(w.ctx, `INSERT INTO object_events (tx, session, leaf, oid, what) VALUES (?, ?, ?, ?, ?)`,
		w.id, *w.session, op.Leaf, o.OID, string(op.Event))
	return err
}

// name writes a version with another nickname.
func (w *objectTx) name(o *objectRow, op *object.Op, r *object.Result) error {
	if op.Nickname != "" && !object.ValidNickname(op.Nickname) {
		return fmt.Errorf("%w: %q: %s", object.ErrNickname, op.Nickname, object.NicknameRule)
	}
	f, err := w.inForce(o.OID, w.at)
	if err != nil {
		return err
	}
	if f == nil {
		return object.ErrNotYet
	}
	v, err := w.version(o.OID, f.Number)
	if err != nil {
		return err
	}
	d, err := w.store.document(w.ctx, w, v)
	if err != nil {
		return err
	}
	d.Nickname = op.Nickname
	if err := w.nickname(o, op.Nickname); err != nil {
		return err
	}
	h := object.HashesWith(o.ID, d, f.hashes().Content)
	return w.assert(o, object.Interval{}, newVersion{doc: d, hashes: h, content: v.Content, size: v.Size, evicted: v.Evicted}, r)
}

// nickname gives an object a nickname, which no other may have, or takes it away.
func (w *objectTx) nickname(o *objectRow, name string) error {
	if o.Nickname != nil && *o.Nickname == name || o.Nickname == nil && name == "" {
		return nil
	}
	o.Nickname = nil
	if name != "" {
		o.Nickname = &name
		var other string
		err := w.GetContext(w.ctx, &other, `SELECT id FROM objects WHERE nickname = ? AND oid <> ?`, name, o.OID)
		if err == nil {
			return fmt.Errorf("%w: %s has it", object.ErrNickname, other)
		}
		if !none(err) {
			return err
		}
	}
	_, err := w.ExecContext(w.ctx, `UPDATE objects SET nickname = ? WHERE oid = ?`, o.Nickname, o.OID)
	return err
}

// refer notes what the references of a new version are.
func (w *objectTx) refer(o *objectRow, d *object.Document) error {
	var have []struct{ Field, Target, Ref string }
	if err := w.SelectContext(w.ctx, &have, `SELECT field, target, ref FROM object_refs WHERE oid = ? AND until IS NULL`, o.OID); err != nil {
		return err
	}
	type key struct{ field, target, ref string }
	left := make(map[key]bool, len(have))
	for _, h := range have {
		left[key{h.Field, h.Target, h.Ref}] = true
	}
	for _, r := range d.References(o.ID) {
		k := key{r.Field, r.To, ""}
		if r.Ref != nil {
			b, err := json.Marshal(r.Ref)
			if err != nil {
				return err
			}
			k.ref = string(b)
		}
		if left[k] {
			delete(left, k)
			continue
		}
		if _, err := w.ExecContext(w.ctx, `INSERT OR IGNORE INTO object_refs (oid, field, target, ref, since) VALUES (?, ?, ?, ?, ?)`,
			o.OID, k.field, k.target, k.ref, o.Versions); err != nil {
			return err
		}
	}
	for k := range left {
		if _, err := w.ExecContext(w.ctx, `UPDATE object_refs SET until = ? WHERE oid = ? AND field = ? AND target = ? AND ref = ? AND until IS NULL`,
			o.Versions, o.OID, k.field, k.target, k.ref); err != nil {
			return err
		}
	}
	return nil
}
