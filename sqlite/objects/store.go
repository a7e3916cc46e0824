package objects

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
)

// Store stores the objects of one database.
type Store struct {
	db    *sqlite.DB
	erase *erase.Store
}

// New returns the objects of a database. Purged contents are deleted through e.
func New(db *sqlite.DB, e *erase.Store) *Store {
	return &Store{db: db, erase: e}
}

var (
	_ object.Writer   = (*Store)(nil)
	_ object.Finder   = (*Store)(nil)
	_ object.Versions = (*Store)(nil)
	_ object.Journal  = (*Store)(nil)
)

// Ports returns the store as the ports for capturing and controlling objects.
func (s *Store) Ports() object.Store {
	return object.Store{Writer: s, Finder: s, Versions: s, Journal: s}
}

// row is a row of objects.
type row struct {
	OID int64
	object.Object
}

const columns = `o.oid, o.id, o.key, coalesce(o.nickname, '') AS nickname, o.versions`

// keyHash is the hash by which a key is looked up.
func keyHash(key string) int64 {
	sum := sha256.Sum256([]byte(key))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// byKey is a condition over objects o: the object has a key.
func byKey(k object.Key) (string, []any) {
	key := k.String()
	return `o.keyhash = ? AND o.key = ?`, []any{keyHash(key), key}
}

// setKey gives an object another key.
func setKey(ctx context.Context, tx sqlx.ExecerContext, oid int64, k object.Key) error {
	key := k.String()
	_, err := tx.ExecContext(ctx, `UPDATE objects SET key = ?, keyhash = ? WHERE oid = ?`, key, keyHash(key), oid)
	return err
}

// writer makes the changes of one transaction.
type writer struct {
	*sqlx.Conn
	ctx   context.Context
	store *Store
	id    int64
	at    object.Time
}

// Submit makes changes to objects atomically.
func (s *Store) Submit(ctx context.Context, tx object.Tx) (object.Receipt, error) {
	var out object.Receipt
	err := s.db.Tx(ctx, func(t *sqlx.Conn) error {
		// Transactions are always completed: see entries.Store.Append.
		w := &writer{Conn: t, ctx: context.WithoutCancel(ctx), store: s}
		var err error
		out, err = w.run(tx)
		return err
	})
	if err != nil {
		return object.Receipt{}, fmt.Errorf("write objects: %w", err)
	}
	return out, nil
}

// run carries out a transaction.
func (w *writer) run(tx object.Tx) (object.Receipt, error) {
	if err := w.begin(tx); err != nil {
		return object.Receipt{}, err
	}
	out := object.Receipt{Tx: w.id, At: w.at}
	changed := false
	for i := range tx.Ops {
		r, err := w.op(&tx.Ops[i])
		if err != nil {
			return out, err
		}
		changed = changed || r.Changed
		out.Results = append(out.Results, r)
	}
	if !changed { // nothing refers to it
		return out, w.do(`DELETE FROM object_tx WHERE id = ?`, w.id)
	}
	return out, nil
}

// begin gives the transaction its number, and a time later than that of every other.
func (w *writer) begin(tx object.Tx) error {
	var last struct {
		ID int64
		At object.Time
	}
	if _, err := w.get(&last, `SELECT id, at FROM object_tx ORDER BY id DESC LIMIT 1`); err != nil {
		return err
	}
	w.id, w.at = last.ID+1, max(object.TimeOf(w.store.db.Now()), last.At+1)
	if tx.Session != "" {
		if err := w.do(`INSERT INTO object_sessions (session_id) VALUES (?) ON CONFLICT DO NOTHING`, tx.Session); err != nil {
			return err
		}
	}
	return w.do(`INSERT INTO object_tx (id, at, actor, session, reason) VALUES (?, ?, ?, (SELECT id FROM object_sessions WHERE session_id = ?), ?)`,
		w.id, int64(w.at), string(tx.Actor), tx.Session, tx.Reason)
}

// op makes one change.
func (w *writer) op(op *object.Op) (object.Result, error) {
	o, err := w.target(op)
	if err != nil {
		return object.Result{}, err
	}
	r := object.Result{ID: o.ID, Version: o.Versions}
	switch op.Do {
	case object.Put:
		if !op.Once || o.Versions == 0 {
			err = w.put(o, op, &r)
		}
	case object.Delete:
		err = w.delete(o, &r)
	case object.Name:
		r.Changed, err = w.name(o, op.Nickname)
	case object.Record:
		r.Changed, err = w.record(o, op)
	default:
		err = fmt.Errorf("there is no op %q", op.Do)
	}
	if err != nil {
		return r, fmt.Errorf("%s %s: %w", op.Do, o.ID, err)
	}
	return r, nil
}

// target finds the object of an op, or creates it. A Put gives it another key when its file was
// renamed.
func (w *writer) target(op *object.Op) (*row, error) {
	o, err := w.lookUp(op.ID, op.Key)
	switch {
	case err != nil:
		return nil, err
	case o == nil && op.ID == "" && op.Do == object.Put:
		return w.create(op.Key)
	case o == nil:
		return nil, fmt.Errorf("%s %s: %w", op.Do, op.ID, object.ErrUnknown)
	case op.ID == "" || op.Key.IsZero() || op.Key.String() == o.Key.String():
		return o, nil
	case op.Key.Kind != object.KindFile || o.Key.Kind != object.KindFile:
		return nil, fmt.Errorf("move %s: only files can be moved", o.ID)
	}
	if err := w.displace(op.Key); err != nil {
		return nil, err
	}
	return o, w.setKey(o, op.Key)
}

// lookUp finds an object by its id or, without one, by its key; nil for none.
func (w *writer) lookUp(id string, k object.Key) (*row, error) {
	cond, args := `o.id = ?`, []any{id}
	if id == "" {
		cond, args = byKey(k)
	}
	o := &row{}
	found, err := w.get(o, `SELECT `+columns+` FROM objects o WHERE `+cond, args...)
	if err != nil || !found {
		return nil, err
	}
	return o, nil
}

func (w *writer) setKey(o *row, k object.Key) error {
	o.Key = k
	return setKey(w.ctx, w, o.OID, k)
}

// displace takes a key from its present object: a file that another was moved over. The new
// key of that object still shows what it was.
func (w *writer) displace(k object.Key) error {
	o, err := w.lookUp("", k)
	if err != nil || o == nil {
		return err
	}
	if err := w.setKey(o, object.FileKey(k.Part(0)+"#"+o.ID, k.Part(1))); err != nil {
		return err
	}
	return w.delete(o, &object.Result{})
}

// create creates an object.
func (w *writer) create(k object.Key) (*row, error) {
	o := &row{Object: object.Object{Key: k}}
	key := k.String()
	if _, ok := object.ParseKey(key); !ok {
		return nil, fmt.Errorf("put %s: it is not what identifies a %s", key, k.Kind)
	}
	for nth := 0; ; nth++ { // another object may have the id
		o.ID = object.NewID(k, nth)
		found, err := w.get(&o.OID, `INSERT INTO objects (id, kind, key, keyhash) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO NOTHING RETURNING oid`, o.ID, string(k.Kind), key, keyHash(key))
		if found || err != nil {
			return o, err
		}
	}
}

// record writes an event, and reports whether it did.
func (w *writer) record(o *row, op *object.Op) (bool, error) {
	if op.Event == object.Deactivated && o.Key.Kind.Locked() {
		return false, object.ErrLocked
	}
	res, err := w.ExecContext(w.ctx, `INSERT INTO object_events (tx, session, leaf, oid, what)
		SELECT id, session, ?2, ?3, ?4 FROM object_tx x WHERE id = ?1 AND NOT (?5 AND EXISTS (SELECT 1 FROM object_events e WHERE e.session = x.session AND e.oid = ?3))`,
		w.id, op.Leaf, o.OID, string(op.Event), op.Once)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// name gives an object a nickname, which no other may have, or removes it. It reports
// whether that changed anything.
func (w *writer) name(o *row, name string) (bool, error) {
	if o.Nickname == name {
		return false, nil
	}
	if name != "" && !object.ValidNickname(name) {
		return false, fmt.Errorf("%w: %q: %s", object.ErrNickname, name, object.NicknameRule)
	}
	var other string
	taken, err := w.get(&other, `SELECT id FROM objects WHERE nickname = ? AND oid <> ?`, name, o.OID)
	if err != nil {
		return false, err
	}
	if taken {
		return false, fmt.Errorf("%w: %s has it", object.ErrNickname, other)
	}
	return true, w.do(`UPDATE objects SET nickname = nullif(?, '') WHERE oid = ?`, name, o.OID)
}

// do runs a statement.
func (w *writer) do(query string, args ...any) error {
	_, err := w.ExecContext(w.ctx, query, args...)
	return err
}

// get reads the first row of a query, and reports whether there is one.
func (w *writer) get(to any, query string, args ...any) (bool, error) {
	err := w.GetContext(w.ctx, to, query, args...)
	if sqlite.NoRows(err) {
		return false, nil
	}
	return err == nil, err
}
