package objects

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

// versionRow is a row of object_versions with the fact that refers to it.
type versionRow struct {
	OID     int64
	ID      string
	Key     string
	Number  int
	Tx      int64
	Evicted bool
	Content *int64
	Size    int64
	Hashes  []byte
	Fields  *string
	Doc     *int64
	VF, VT  int64
	TF, TT  int64
}

// isComposed reports whether the version is of a composed chat: doc has its turns.
func (r *versionRow) isComposed() bool { return r.Fields != nil && r.Doc != nil }

const versionColumns = `o.oid, o.id, o.key, v.number, v.tx, v.evicted, v.content, v.size, v.hashes, v.fields, v.doc`

// querier is the database or a transaction.
type querier interface {
	texts.Queryer
	GetContext(ctx context.Context, dest any, query string, args ...any) error
	SelectContext(ctx context.Context, dest any, query string, args ...any) error
}

// document returns the document of a version, without the content.
func (s *Store) document(ctx context.Context, q texts.Queryer, r *versionRow) (*object.Document, error) {
	if r.Fields != nil {
		d, err := object.Decode([]byte(*r.Fields))
		if err == nil && r.isComposed() {
			d.Chat, err = s.texts.Chat(ctx, q, *r.Doc)
		}
		return d, err
	}
	if r.Doc == nil {
		return nil, fmt.Errorf("version %d of %s: %w: it says nothing", r.Number, r.ID, sqlite.ErrDamaged)
	}
	raw, err := s.texts.Get(ctx, q, *r.Doc)
	if err != nil {
		return nil, fmt.Errorf("version %d of %s: %w", r.Number, r.ID, err)
	}
	return object.Decode(raw)
}

// versionOf converts a row.
func (s *Store) versionOf(ctx context.Context, q texts.Queryer, r *versionRow) (*object.Version, error) {
	d, err := s.document(ctx, q, r)
	if err != nil {
		return nil, err
	}
	v := &object.Version{
		ID: r.ID, Number: r.Number, Tx: r.Tx, Hashes: splitHashes(r.Hashes), Doc: *d, Size: r.Size, Evicted: r.Evicted,
		Valid: object.Interval{From: object.Time(r.VF), To: object.Time(r.VT)},
		Known: object.Interval{From: object.Time(r.TF), To: object.Time(r.TT)},
	}
	v.Key, _ = object.ParseKey(r.Key)
	return v, nil
}

// version returns a version by its number.
func (w *writer) version(oid int64, number int) (*versionRow, error) {
	r := &versionRow{}
	return r, w.GetContext(w.ctx, r, `SELECT `+versionColumns+` FROM object_versions v JOIN objects o ON o.oid = v.oid
		WHERE v.oid = ? AND v.number = ?`, oid, number)
}

// lastVersion returns the version written last, nil for none.
func (w *writer) lastVersion(o *row) (*versionRow, error) {
	if o.Versions == 0 {
		return nil, nil
	}
	return w.version(o.OID, o.Versions)
}

// lastText returns the latest text of an object in a column, content or doc, nil for none.
func (w *writer) lastText(o *row, column string) (*int64, error) {
	if o.Versions == 0 {
		return nil, nil
	}
	var id *int64
	_, err := w.one([]any{&id}, `SELECT `+column+` FROM object_versions WHERE oid = +? AND `+column+` IS NOT NULL ORDER BY number DESC LIMIT 1`, o.OID)
	return id, err
}

// Resolve finds an object by its nickname, its id or a prefix of the id.
func (s *Store) Resolve(ctx context.Context, name string) (object.Object, error) {
	var rows []row
	err := s.db.SelectContext(ctx, &rows, `SELECT `+columns+` FROM objects o WHERE o.nickname = ?`, name)
	if err != nil {
		return object.Object{}, fmt.Errorf("find object %s: %w", name, sqlite.Explain(err))
	}
	if prefix, ok := object.IDPrefix(name); ok && len(rows) == 0 {
		err = s.db.SelectContext(ctx, &rows, `SELECT `+columns+` FROM objects o WHERE o.id >= ? AND o.id < ? ORDER BY o.id LIMIT 10`, prefix, prefix+"~")
		if err != nil {
			return object.Object{}, fmt.Errorf("find object %s: %w", name, sqlite.Explain(err))
		}
	}
	switch len(rows) {
	case 0:
		return object.Object{}, fmt.Errorf("find object %s: %w", name, object.ErrUnknown)
	case 1:
		return rows[0].object(), nil
	}
	e := &object.AmbiguousError{Name: name}
	for i := range rows {
		e.Candidates = append(e.Candidates, rows[i].ID)
	}
	return object.Object{}, e
}

// ByKey finds an object by its key.
func (s *Store) ByKey(ctx context.Context, k object.Key) (object.Object, error) {
	var r row
	err := s.db.GetContext(ctx, &r, `SELECT `+columns+` FROM objects o WHERE o.keyhash = ? AND o.key = ?`, keyHash(k.String()), k.String())
	if sqlite.NoRows(err) {
		err = object.ErrUnknown
	}
	if err != nil {
		return object.Object{}, fmt.Errorf("find object: %w", sqlite.Explain(err))
	}
	return r.object(), nil
}

// asOf searches the fact at a point in both times among the last facts before it in one of
// them: few at first, then more.
const asOf = `SELECT f.vf, f.vt, f.tf, f.tt, ` + versionColumns + ` FROM (
	SELECT * FROM object_facts WHERE oid = (SELECT oid FROM objects WHERE id = +?1) AND `

// asOfQueries are the SQL of Get; a test pins their plans. Each searches a limited number
// of facts, by valid or by transaction time.
func asOfQueries() [2]string {
	const rest = ` LIMIT ?4) f
	JOIN object_versions v ON v.oid = f.oid AND v.number = f.number JOIN objects o ON o.oid = f.oid
	WHERE f.vf <= ?2 AND f.vt > ?2 AND f.tf <= ?3 AND f.tt > ?3`
	return [2]string{
		asOf + `vf <= ?2 ORDER BY vf DESC, tf DESC` + rest,
		asOf + `tf <= ?3 ORDER BY tf DESC` + rest,
	}
}

// nowQuery is the SQL of Get for what is known now. For the unary plus, here and below, see
// factsNow.
const nowQuery = `SELECT f.vf, f.vt, f.tf, f.tt, ` + versionColumns + ` FROM object_facts f
	CROSS JOIN object_versions v ON v.oid = f.oid AND v.number = f.number CROSS JOIN objects o ON o.oid = f.oid
	WHERE f.oid = (SELECT oid FROM objects WHERE id = +?) AND f.tt = ` + forever + ` AND f.vf <= ? ORDER BY f.vf DESC LIMIT 1`

// Get returns the version at a point in time.
func (s *Store) Get(ctx context.Context, id string, at object.At) (*object.Version, error) {
	r, err := s.get(ctx, id, at)
	if err == nil && r == nil {
		if err = s.exists(ctx, id); err == nil {
			err = object.ErrNotYet
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read object %s: %w", id, sqlite.Explain(err))
	}
	return s.versionOf(ctx, s.db, r)
}

func (s *Store) get(ctx context.Context, id string, at object.At) (*versionRow, error) {
	at, err := s.fill(ctx, at)
	if err != nil {
		return nil, err
	}
	r := &versionRow{}
	if at.Known == object.Forever {
		err := s.db.GetContext(ctx, r, nowQuery, id, int64(at.Valid))
		if sqlite.NoRows(err) || err == nil && r.VT <= int64(at.Valid) {
			return nil, nil
		}
		return r, err
	}
	queries := asOfQueries()
	for some := 16; ; some *= 8 {
		for _, q := range queries {
			err := s.db.GetContext(ctx, r, q, id, int64(at.Valid), int64(at.Known), some)
			if err == nil || !sqlite.NoRows(err) {
				return r, err
			}
		}
		var all int
		if err := s.db.GetContext(ctx, &all, `SELECT count(*) FROM (SELECT 1 FROM object_facts
			WHERE oid = (SELECT oid FROM objects WHERE id = ?) LIMIT ?)`, id, some); err != nil || all < some {
			return nil, err
		}
	}
}

// fill sets the times that At leaves open to now.
func (s *Store) fill(ctx context.Context, at object.At) (object.At, error) {
	if at.Known == 0 {
		at.Known = object.Forever
	}
	if at.Valid != 0 {
		return at, nil
	}
	var err error
	at.Valid, err = s.present(ctx, s.db)
	return at, err
}

// present is now, or the time of the last transaction if the clock is behind that.
func (s *Store) present(ctx context.Context, q querier) (object.Time, error) {
	var last int64
	err := q.GetContext(ctx, &last, `SELECT at FROM object_tx ORDER BY id DESC LIMIT 1`)
	if err != nil && !sqlite.NoRows(err) {
		return 0, err
	}
	return max(object.TimeOf(s.db.Now()), object.Time(last)), nil
}

func (s *Store) exists(ctx context.Context, id string) error {
	var there bool
	if err := s.db.GetContext(ctx, &there, `SELECT EXISTS (SELECT 1 FROM objects WHERE id = ?)`, id); err != nil {
		return err
	}
	if !there {
		return object.ErrUnknown
	}
	return nil
}

// Content returns the content of a version, nil for none.
func (s *Store) Content(ctx context.Context, v *object.Version) ([]byte, error) {
	var content *int64
	err := s.db.GetContext(ctx, &content, `SELECT content FROM object_versions
		WHERE oid = (SELECT oid FROM objects WHERE id = ?) AND number = ?`, v.ID, v.Number)
	switch {
	case err != nil:
	case content == nil && v.Size < 0:
		return nil, nil
	case content == nil:
		err = object.ErrEvicted
	default:
		var raw []byte
		if raw, err = s.texts.Get(ctx, s.db, *content); err == nil && object.ContentHash(raw) == v.Hashes.Content {
			return bytes.Clone(raw), nil
		}
		if err == nil {
			err = fmt.Errorf("%w: its hash differs from the one stored with it", sqlite.ErrDamaged)
		}
	}
	return nil, fmt.Errorf("read content of version %d of %s: %w", v.Number, v.ID, sqlite.Explain(err))
}

// Version returns a version by its number, with the interval it was written for.
func (s *Store) Version(ctx context.Context, id string, number int) (*object.Version, error) {
	r := &versionRow{}
	err := s.db.GetContext(ctx, r, `SELECT v.vf, v.vt, x.at AS tf, `+forever+` AS tt, `+versionColumns+`
		FROM objects o JOIN object_versions v ON v.oid = o.oid JOIN object_tx x ON x.id = v.tx WHERE o.id = ? AND v.number = ?`, id, number)
	if sqlite.NoRows(err) {
		err = fmt.Errorf("%w: it has no version %d", object.ErrUnknown, number)
	}
	if err != nil {
		return nil, fmt.Errorf("read object %s: %w", id, sqlite.Explain(err))
	}
	return s.versionOf(ctx, s.db, r)
}

// History returns the versions of an object ordered by valid time.
func (s *Store) History(ctx context.Context, id string, c object.Corrections) ([]object.Version, error) {
	cond := ` AND f.tt = ` + forever
	if c {
		cond = ``
	}
	var rows []versionRow
	err := s.db.SelectContext(ctx, &rows, `SELECT f.vf, f.vt, f.tf, f.tt, `+versionColumns+` FROM objects o
		JOIN object_facts f ON f.oid = o.oid JOIN object_versions v ON v.oid = f.oid AND v.number = f.number
		WHERE o.id = +?`+cond+` ORDER BY f.vf, f.tf`, id)
	if err == nil && len(rows) == 0 {
		err = s.exists(ctx, id)
	}
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", id, sqlite.Explain(err))
	}
	out := make([]object.Version, 0, len(rows))
	for i := range rows {
		v, err := s.versionOf(ctx, s.db, &rows[i])
		if err != nil {
			return nil, err
		}
		out = append(out, *v)
	}
	return out, nil
}

const eventColumns = `e.seq, e.tx, x.at, s.session_id, e.leaf, o.id, e.what, x.actor, x.reason
	FROM object_events e JOIN object_tx x ON x.id = e.tx JOIN object_sessions s ON s.id = e.session JOIN objects o ON o.oid = e.oid`

// Events returns the events of a session, in order.
func (s *Store) Events(ctx context.Context, session string) ([]object.Event, error) {
	return s.events(ctx, `s.session_id = +?`, session)
}

// EventsOf returns the events of an object, in any session.
func (s *Store) EventsOf(ctx context.Context, id string) ([]object.Event, error) {
	return s.events(ctx, `o.id = +?`, id)
}

func (s *Store) events(ctx context.Context, cond string, arg any) ([]object.Event, error) {
	rows, err := s.db.QueryContext(ctx, `SELECT `+eventColumns+` WHERE `+cond+` ORDER BY e.seq`, arg)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", sqlite.Explain(err))
	}
	defer rows.Close()
	var out []object.Event
	for rows.Next() {
		var e object.Event
		if err := rows.Scan(&e.Seq, &e.Tx, &e.Time, &e.Session, &e.Leaf, &e.Object, &e.Kind, &e.Actor, &e.Reason); err != nil {
			return nil, fmt.Errorf("read events: %w", sqlite.Explain(err))
		}
		out = append(out, e)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read events: %w", sqlite.Explain(err))
	}
	return out, nil
}

// References returns the references from and to an object.
func (s *Store) References(ctx context.Context, id string) (from, to []object.Reference, err error) {
	const columns = `SELECT o.id, r.field, r.target, r.ref, EXISTS (SELECT 1 FROM objects t WHERE t.id = r.target) AS resolved
		FROM object_refs r JOIN objects o ON o.oid = r.oid WHERE r.until IS NULL AND `
	if from, err = s.references(ctx, columns+`o.id = +? ORDER BY r.field, r.target`, id); err != nil {
		return nil, nil, err
	}
	to, err = s.references(ctx, columns+`r.target = +? ORDER BY r.field, o.id`, id)
	return from, to, err
}

func (s *Store) references(ctx context.Context, query, id string) ([]object.Reference, error) {
	var rows []struct {
		ID, Field, Target, Ref string
		Resolved               bool
	}
	if err := s.db.SelectContext(ctx, &rows, query, id); err != nil {
		return nil, fmt.Errorf("read references of %s: %w", id, sqlite.Explain(err))
	}
	out := make([]object.Reference, 0, len(rows))
	for _, r := range rows {
		x := object.Reference{From: r.ID, Field: r.Field, To: r.Target, Resolved: r.Resolved}
		if r.Ref != "" {
			x.Ref = &object.Ref{}
			if err := json.Unmarshal([]byte(r.Ref), x.Ref); err != nil {
				return nil, fmt.Errorf("read references of %s: %w", id, err)
			}
		}
		out = append(out, x)
	}
	return out, nil
}

// Holding returns the objects whose version in force has this content, or that had it when
// they were deleted.
func (s *Store) Holding(ctx context.Context, content []byte) ([]object.Object, error) {
	now, err := s.present(ctx, s.db)
	if err != nil {
		return nil, fmt.Errorf("find content: %w", sqlite.Explain(err))
	}
	sum := sha256.Sum256(content)
	var rows []row
	err = s.db.SelectContext(ctx, &rows, `SELECT DISTINCT `+columns+` FROM content t
		JOIN object_versions v ON v.content = t.id JOIN objects o ON o.oid = v.oid
		JOIN object_facts f ON f.oid = v.oid AND f.tt = `+forever+` AND f.vf <= ?2 AND f.vt > ?2
		JOIN object_versions n ON n.oid = f.oid AND n.number = f.number
		WHERE t.hash = +?1 AND (n.number = v.number OR n.deleted AND v.number =
			(SELECT max(number) FROM object_versions x WHERE x.oid = v.oid AND x.number < n.number AND NOT x.deleted))
		ORDER BY o.oid`, sum[:], int64(now))
	if err != nil {
		return nil, fmt.Errorf("find content: %w", sqlite.Explain(err))
	}
	out := make([]object.Object, len(rows))
	for i := range rows {
		out[i] = rows[i].object()
	}
	return out, nil
}

// StatOf returns a file's metadata when it was last read, nil when unknown.
func (s *Store) StatOf(ctx context.Context, id string) (*object.Stat, error) {
	var r struct{ Size, Mtime, Inode, Device int64 }
	err := s.db.GetContext(ctx, &r, `SELECT t.size, t.mtime, t.inode, t.device FROM object_stats t JOIN objects o ON o.oid = t.oid WHERE o.id = ?`, id)
	if sqlite.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read state of %s: %w", id, sqlite.Explain(err))
	}
	return &object.Stat{Size: r.Size, ModTime: r.Mtime, Inode: uint64(r.Inode), Device: uint64(r.Device)}, nil
}

// StateEvents returns the events that the model and people caused in a session, in order,
// without those that were merely captured.
func (s *Store) StateEvents(ctx context.Context, session string) ([]object.Event, error) {
	return s.events(ctx, `s.session_id = +? AND x.actor IN ('agent', 'person') AND e.what <> 'discover'`, session)
}
