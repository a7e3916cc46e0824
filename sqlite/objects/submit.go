package objects

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/texts"
)

// Store stores the objects of one database, with their versions in two times.
type Store struct {
	db    *sqlite.DB
	texts *texts.Store
	erase *erase.Store
	met   map[int64]*sessionObjects // by session; used within transactions only
	named namedFiles
}

// New returns the objects of a database. Evicted contents are deleted through e.
func New(db *sqlite.DB, t *texts.Store, e *erase.Store) *Store {
	return &Store{db: db, texts: t, erase: e}
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
	Kind     string
	Key      string
	Nickname *string
	Versions int
	Evicted  *int64
	// made is set on an object that this transaction created, and fresh while it has no
	// version yet, although its row already counts one; wrote when the transaction wrote a
	// version of it, and met when it recorded an event.
	made, fresh, wrote, met bool
}

const columns = `o.oid, o.id, o.kind, o.key, o.nickname, o.versions, o.evicted`

func (r *row) object() object.Object {
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

// writer makes the changes of one transaction.
type writer struct {
	statements
	store   *Store
	id      int64
	at      object.Time
	session *int64
	// known are the objects looked up so far, byKey those of them that still have their
	// key.
	known map[int64]*row
	byKey map[string]*row
	foreseen
	met   *sessionObjects // objects with events in the session, nil when not needed
	purge bool            // there are texts that must not be stored
	part  lastPart
	trace *erase.Traces
	// parser and line are buffers for the lines of results.
	parser message.Parser
	line   []byte
}

// Submit makes changes to objects atomically.
func (s *Store) Submit(ctx context.Context, tx object.Tx) (object.Receipt, error) {
	r, _, err := s.submit(ctx, tx)
	return r, err
}

// submit is Submit, and also returns the traces of what was evicted.
func (s *Store) submit(ctx context.Context, tx object.Tx) (object.Receipt, *erase.Traces, error) {
	var out object.Receipt
	traces := &erase.Traces{}
	evicts := slices.ContainsFunc(tx.Ops, func(op object.Op) bool { return op.Do == object.Evict })
	if evicts {
		if err := s.erase.Prepare(ctx); err != nil {
			return out, nil, err
		}
	}
	known := make(map[int64]*row)
	err := s.db.Tx(ctx, func(t *sqlx.Conn) error {
		w := &writer{ // transactions are always completed: see entries.Store.Append
			statements: statements{t, context.WithoutCancel(ctx)}, store: s, trace: traces,
			known: known, byKey: make(map[string]*row),
		}
		var err error
		out, err = w.run(tx)
		return err
	})
	if err != nil {
		return object.Receipt{}, nil, fmt.Errorf("write objects: %w", err)
	}
	if s.named.wrote(known); evicts {
		s.named.forget()
	}
	return out, traces, nil
}

// run carries out a transaction.
func (w *writer) run(tx object.Tx) (object.Receipt, error) {
	var out object.Receipt
	if tx.Request != "" {
		err := w.GetContext(w.ctx, &out.Tx, `SELECT id FROM object_tx WHERE request = ?`, tx.Request)
		if err == nil {
			out.Repeated = true
			return out, w.GetContext(w.ctx, &out.At, `SELECT at FROM object_tx WHERE id = ?`, out.Tx)
		}
		if !sqlite.NoRows(err) {
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
	if !changed && tx.Request == "" { // nothing refers to it
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
	var request *string
	if tx.Request != "" {
		request = &tx.Request
	}
	if err := w.do(`INSERT INTO object_tx (id, at, actor, session, reason, request) VALUES (?, ?, ?, ?, ?, ?)`,
		w.id, int64(w.at), string(tx.Actor), w.session, tx.Reason, request); err != nil {
		return err
	}
	if _, err := w.one([]any{&w.purge}, `SELECT EXISTS (SELECT 1 FROM purged)`); err != nil {
		return err
	}
	if err := foresee(w, tx.Ops); err != nil {
		return err
	}
	return w.readSession(tx.Ops)
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
	if o == nil { // a successful Match of a missing object
		return object.Result{}, nil
	}
	r := object.Result{ID: o.ID, Version: o.Versions}
	switch op.Do {
	case object.Put:
		if !op.Once || o.Versions == 0 {
			err = w.put(o, op, &r)
		}
	case object.Delete:
		err = w.delete(o, op, &r)
	case object.Match:
		err = w.match(o, op, &r)
	case object.Evict:
		err = w.evict(o, &r)
	case object.Name:
		err = w.name(o, op, &r)
	case object.Record:
		err = w.record(o, op, &r)
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
	case op.Do == object.Match && op.Expect == nil:
		return nil, nil
	case op.Do == object.Match:
		return nil, fmt.Errorf("match %s: %w", op.ID, object.ErrConflict)
	case !op.Key.IsZero() && op.Do == object.Put:
		return w.create(op.ID, op.Key)
	}
	return nil, fmt.Errorf("%s %s: %w", op.Do, op.ID, object.ErrUnknown)
}

// lookUp finds an object by its id or, without one, by its key; nil for none.
func (w *writer) lookUp(id string, k object.Key) (*row, error) {
	o := &row{}
	found, err := false, error(nil)
	if id != "" {
		found, err = w.one(o.fields(), `SELECT `+columns+` FROM objects o WHERE o.id = ?`, id)
	} else {
		key := k.String()
		if same := w.byKey[key]; same != nil || w.asked[key] {
			return same, nil
		}
		found, err = w.one(o.fields(), `SELECT `+columns+` FROM objects o WHERE o.keyhash = ? AND o.key = ?`, keyHash(key), key)
	}
	if err != nil || !found {
		return nil, err
	}
	if same, ok := w.known[o.OID]; ok {
		o = same
	}
	w.know(o)
	return o, nil
}

func (r *row) fields() []any {
	return []any{&r.OID, &r.ID, &r.Kind, &r.Key, &r.Nickname, &r.Versions, &r.Evicted}
}

// know remembers an object for the rest of the transaction.
func (w *writer) know(o *row) { w.known[o.OID], w.byKey[o.Key] = o, o }

// rekey gives an object another key if an op asks for it, because a file was renamed.
func (w *writer) rekey(o *row, op *object.Op) error {
	if op.ID == "" || op.Key.IsZero() || op.Key.String() == o.Key {
		return nil
	}
	if string(op.Key.Kind) != o.Kind {
		return fmt.Errorf("move %s: the kind of an object does not change", o.ID)
	}
	if err := w.displace(op.Key); err != nil {
		return err
	}
	return w.setKey(o, op.Key)
}

func (w *writer) setKey(o *row, k object.Key) error {
	delete(w.byKey, o.Key)
	o.Key = k.String()
	w.know(o)
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
	return w.delete(o, &object.Op{Do: object.Delete}, &object.Result{})
}

// keyHash is the hash by which a key is looked up.
func keyHash(key string) int64 {
	sum := sha256.Sum256([]byte(key))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// create creates an object, with a derived id if none is given. Its row counts one version:
// the one that is about to be put.
func (w *writer) create(id string, k object.Key) (*row, error) {
	o := &row{Kind: string(k.Kind), Key: k.String(), made: true, fresh: true}
	if _, ok := object.ParseKey(o.Key); !ok {
		return nil, fmt.Errorf("put %s: it is not what identifies a %s", o.Key, k.Kind)
	}
	if id != "" {
		if len(id) != len(object.NewID(k, 0)) {
			return nil, fmt.Errorf("put %s: this is not an id", id)
		}
		if err := w.displace(k); err != nil {
			return nil, err
		}
	}
	for nth := 0; ; nth++ {
		if o.ID = id; id == "" {
			o.ID = object.NewID(k, nth)
		}
		made, err := w.ExecContext(w.ctx, `INSERT INTO objects (id, kind, key, keyhash, versions) VALUES (?, ?, ?, ?, 1)
			ON CONFLICT (id) DO NOTHING`, o.ID, o.Kind, o.Key, keyHash(o.Key))
		if err != nil {
			return nil, err
		}
		if n, err := made.RowsAffected(); err != nil || n == 0 {
			if err != nil {
				return nil, err
			}
			continue // another object has the id
		}
		if o.OID, err = made.LastInsertId(); err != nil {
			return nil, err
		}
		w.know(o)
		return o, nil
	}
}

// match compares the version in force with the expected one.
func (w *writer) match(o *row, op *object.Op, r *object.Result) error {
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

// record writes an event.
func (w *writer) record(o *row, op *object.Op, r *object.Result) error {
	if w.session == nil {
		return errors.New("an event is of a session, and none was given")
	}
	if op.Event == object.Deactivated && object.Kind(o.Kind).Locked() {
		return object.ErrLocked
	}
	if op.Once && w.hasEvent(o) {
		return nil
	}
	r.Changed, o.met = true, true
	return w.do(`INSERT INTO object_events (tx, session, leaf, oid, what) VALUES (?, ?, ?, ?, ?)`,
		w.id, w.session, op.Leaf, o.OID, string(op.Event))
}

// name writes a version with another nickname.
func (w *writer) name(o *row, op *object.Op, r *object.Result) error {
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
	n := newVersion{doc: d, hashes: h, content: v.Content, size: v.Size, evicted: v.Evicted}
	if v.isComposed() {
		n.chat = v.Doc
	}
	return w.assert(o, object.Interval{}, n, r)
}

// nickname gives an object a nickname, which no other may have, or removes it.
func (w *writer) nickname(o *row, name string) error {
	if o.Nickname != nil && *o.Nickname == name || o.Nickname == nil && name == "" {
		return nil
	}
	o.Nickname = nil
	if name != "" {
		o.Nickname = &name
		var other string
		taken, err := w.one([]any{&other}, `SELECT id FROM objects WHERE nickname = ? AND oid <> ?`, name, o.OID)
		if err != nil {
			return err
		}
		if taken {
			return fmt.Errorf("%w: %s has it", object.ErrNickname, other)
		}
	}
	return w.do(`UPDATE objects SET nickname = ? WHERE oid = ?`, o.Nickname, o.OID)
}

// reference is a row of object_refs.
type reference struct{ field, target, ref string }

// refer stores the references of a new version.
func (w *writer) refer(o *row, d *object.Document) error {
	left := make(map[reference]bool)
	if o.Versions > 1 { // the first version has no older references
		var r reference
		err := w.each([]any{&r.field, &r.target, &r.ref}, func() { left[r] = true },
			`SELECT field, target, ref FROM object_refs WHERE oid = ? AND until IS NULL`, o.OID)
		if err != nil {
			return err
		}
	}
	for _, to := range d.References(o.ID) {
		r := reference{to.Field, to.To, ""}
		if to.Ref != nil {
			b, err := json.Marshal(to.Ref)
			if err != nil {
				return err
			}
			r.ref = string(b)
		}
		if left[r] {
			delete(left, r)
			continue
		}
		if err := w.do(`INSERT OR IGNORE INTO object_refs (oid, field, target, ref, since) VALUES (?, ?, ?, ?, ?)`,
			o.OID, r.field, r.target, r.ref, o.Versions); err != nil {
			return err
		}
	}
	for r := range left {
		if err := w.do(`UPDATE object_refs SET until = ? WHERE oid = ? AND field = ? AND target = ? AND ref = ? AND until IS NULL`,
			o.Versions, o.OID, r.field, r.target, r.ref); err != nil {
			return err
		}
	}
	return nil
}
