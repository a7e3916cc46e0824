package objects

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
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
	OID      int64
	ID       string
	Kind     object.Kind
	Key      string
	Nickname *string
	Versions int
}

const columns = `o.oid, o.id, o.kind, o.key, o.nickname, o.versions`

func (r *row) object() object.Object {
	o := object.Object{ID: r.ID, Versions: r.Versions}
	o.Key, _ = object.ParseKey(r.Key)
	if r.Nickname != nil {
		o.Nickname = *r.Nickname
	}
	return o
}

// keyHash is the hash by which a key is looked up.
func keyHash(key string) int64 {
	sum := sha256.Sum256([]byte(key))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// writer makes the changes of one transaction.
type writer struct {
	*sqlx.Conn
	ctx     context.Context
	store   *Store
	id      int64
	at      object.Time
	session *int64
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
	var last, at int64
	if _, err := w.one([]any{&last, &at}, `SELECT id, at FROM object_tx ORDER BY id DESC LIMIT 1`); err != nil {
		return err
	}
	w.id, w.at = last+1, max(object.TimeOf(w.store.db.Now()), object.Time(at)+1)
	if tx.Session != "" {
		if err := w.intern(tx.Session); err != nil {
			return err
		}
	}
	return w.do(`INSERT INTO object_tx (id, at, actor, session, reason) VALUES (?, ?, ?, ?, ?)`, w.id, int64(w.at), string(tx.Actor), w.session, tx.Reason)
}

// intern finds the number of a session, and adds a new one.
func (w *writer) intern(session string) error {
	w.session = new(int64)
	known, err := w.one([]any{w.session}, `SELECT id FROM object_sessions WHERE session_id = ?`, session)
	if err == nil && !known {
		_, err = w.one([]any{w.session}, `INSERT INTO object_sessions (session_id) VALUES (?) RETURNING id`, session)
	}
	return err
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

// target finds the object of an op, or creates it.
func (w *writer) target(op *object.Op) (*row, error) {
	o, err := w.lookUp(op.ID, op.Key)
	switch {
	case err != nil:
		return nil, err
	case o != nil:
		return o, w.rekey(o, op)
	case op.ID == "" && op.Do == object.Put:
		return w.create(op.Key)
	}
	return nil, fmt.Errorf("%s %s: %w", op.Do, op.ID, object.ErrUnknown)
}

// lookUp finds an object by its id or, without one, by its key; nil for none.
func (w *writer) lookUp(id string, k object.Key) (*row, error) {
	o := &row{}
	query, args := `o.id = ?`, []any{id}
	if id == "" {
		key := k.String()
		query, args = `o.keyhash = ? AND o.key = ?`, []any{keyHash(key), key}
	}
	found, err := w.one([]any{&o.OID, &o.ID, &o.Kind, &o.Key, &o.Nickname, &o.Versions}, `SELECT `+columns+` FROM objects o WHERE `+query, args...)
	if err != nil || !found {
		return nil, err
	}
	return o, nil
}

// rekey gives an object another key if an op asks for it, because a file was renamed.
func (w *writer) rekey(o *row, op *object.Op) error {
	if op.ID == "" || op.Key.IsZero() || op.Key.String() == o.Key {
		return nil
	}
	if op.Key.Kind != o.Kind {
		return fmt.Errorf("move %s: the kind of an object does not change", o.ID)
	}
	if err := w.displace(op.Key); err != nil {
		return err
	}
	return w.setKey(o, op.Key)
}

func (w *writer) setKey(o *row, k object.Key) error {
	o.Key = k.String()
	return w.do(`UPDATE objects SET key = ?, keyhash = ? WHERE oid = ?`, o.Key, keyHash(o.Key), o.OID)
}

// displace takes a key from its present object: a file that another was moved over. The new
// key of that object still shows what it was.
func (w *writer) displace(k object.Key) error {
	o, err := w.lookUp("", k)
	if err != nil || o == nil {
		return err
	}
	if k.Kind != object.KindFile {
		return fmt.Errorf("put %s: %s is that already", k.Kind, o.ID)
	}
	if err := w.setKey(o, object.FileKey(k.Part(0)+"#"+o.ID, k.Part(1))); err != nil {
		return err
	}
	return w.delete(o, &object.Result{})
}

// create creates an object.
func (w *writer) create(k object.Key) (*row, error) {
	o := &row{Kind: k.Kind, Key: k.String()}
	if _, ok := object.ParseKey(o.Key); !ok {
		return nil, fmt.Errorf("put %s: it is not what identifies a %s", o.Key, k.Kind)
	}
	for nth := 0; ; nth++ { // another object may have the id
		o.ID = object.NewID(k, nth)
		found, err := w.one([]any{&o.OID}, `INSERT INTO objects (id, kind, key, keyhash) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO NOTHING RETURNING oid`, o.ID, o.Kind, o.Key, keyHash(o.Key))
		if found || err != nil {
			return o, err
		}
	}
}

// record writes an event, and reports whether it did.
func (w *writer) record(o *row, op *object.Op) (bool, error) {
	if w.session == nil {
		return false, errors.New("an event is of a session, and none was given")
	}
	if op.Event == object.Deactivated && o.Kind.Locked() {
		return false, object.ErrLocked
	}
	if op.Once {
		var has bool
		_, err := w.one([]any{&has}, `SELECT EXISTS (SELECT 1 FROM object_events WHERE session = ? AND oid = ?)`, w.session, o.OID)
		if has || err != nil {
			return false, err
		}
	}
	return true, w.do(`INSERT INTO object_events (tx, session, leaf, oid, what) VALUES (?, ?, ?, ?, ?)`,
		w.id, w.session, op.Leaf, o.OID, string(op.Event))
}

// name gives an object a nickname, which no other may have, or removes it. It reports
// whether that changed anything.
func (w *writer) name(o *row, name string) (bool, error) {
	if o.Nickname != nil && *o.Nickname == name || o.Nickname == nil && name == "" {
		return false, nil
	}
	var to *string
	if name != "" {
		if !object.ValidNickname(name) {
			return false, fmt.Errorf("%w: %q: %s", object.ErrNickname, name, object.NicknameRule)
		}
		to = &name
		var other string
		taken, err := w.one([]any{&other}, `SELECT id FROM objects WHERE nickname = ? AND oid <> ?`, name, o.OID)
		if err != nil {
			return false, err
		}
		if taken {
			return false, fmt.Errorf("%w: %s has it", object.ErrNickname, other)
		}
	}
	return true, w.do(`UPDATE objects SET nickname = ? WHERE oid = ?`, to, o.OID)
}

// do runs a statement.
func (w *writer) do(query string, args ...any) error {
	_, err := w.ExecContext(w.ctx, query, args...)
	return err
}

// one reads the first row of a query into to, and reports whether there is one.
func (w *writer) one(to []any, query string, args ...any) (bool, error) {
	err := w.QueryRowxContext(w.ctx, query, args...).Scan(to...)
	if sqlite.NoRows(err) {
		return false, nil
	}
	return err == nil, err
}
