package objects

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
)

// versionRow is a row of object_versions with its object. Only version sets its Hashes and Doc.
type versionRow struct {
	OID int64
	object.Version
	Content  *int64
	Hash     []byte
	Document string
	Leaf     string // of the event that it was read with
}

// forever is the SQL literal of object.Forever.
const forever = `9223372036854775807`

// versionSelect selects versions v with their objects o.
const versionSelect = `SELECT ` + versionColumns

// versionColumns are the columns of a versionRow, and where they come from.
const versionColumns = columns + `, v.number, v.at AS "from", v.purged, v.content, v.size, v.hashes AS hash, v.doc AS document,
	coalesce((SELECT min(n.at) FROM object_versions n WHERE n.oid = v.oid AND (n.at, n.number) > (v.at, v.number)), ` + forever + `) AS "to"
	FROM objects o JOIN object_versions v ON v.oid = o.oid `

// version returns the version of a row.
func (r *versionRow) version() (*object.Version, error) {
	d, err := object.Decode([]byte(r.Document))
	if err != nil {
		return nil, fmt.Errorf("version %d of %s: %w: %w", r.Number, r.ID, sqlite.ErrDamaged, err)
	}
	v := r.Version
	v.Doc, v.Hashes = *d, splitHashes(r.Hash)
	return &v, nil
}

// each calls fn with the rows of a query, each of which is valid until it returns.
func each[T any](ctx context.Context, q sqlx.QueryerContext, fn func(*T) error, query string, args ...any) error {
	rows, err := q.QueryxContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var r T
		if err := rows.StructScan(&r); err != nil {
			return err
		}
		if err := fn(&r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// inForceAt is an SQL condition: a version v of object o is in force at the time ?1.
const inForceAt = `(v.at, v.number) = (SELECT x.at, x.number FROM object_versions x WHERE x.oid = o.oid AND x.at <= ?1 ORDER BY x.at DESC, x.number DESC LIMIT 1)`

// atQuery reads the version of an object in force at a time; a test pins its plan.
const atQuery = versionSelect + `WHERE o.id = ?2 AND v.at <= ?1 ORDER BY v.at DESC, v.number DESC LIMIT 1`

// versionAt returns the version of an object in force at a time, nil for none.
func versionAt(ctx context.Context, q sqlx.QueryerContext, id string, at object.Time) (*versionRow, error) {
	r := &versionRow{}
	err := sqlx.GetContext(ctx, q, r, atQuery, int64(at), id)
	if sqlite.NoRows(err) {
		return nil, nil
	}
	return r, err
}

// Get returns the version in force at a time, 0 for now.
func (s *Store) Get(ctx context.Context, id string, at object.Time) (*object.Version, error) {
	at, err := s.orNow(ctx, at)
	var r *versionRow
	if err == nil {
		r, err = versionAt(ctx, s.db, id, at)
	}
	if err == nil && r == nil {
		if _, err = s.one(ctx, `o.id = ?`, id); err == nil {
			err = object.ErrNotYet
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read object %s: %w", id, sqlite.Explain(err))
	}
	return r.version()
}

// orNow returns a time, and for 0 the present or the time of the last transaction if the
// clock is behind that.
func (s *Store) orNow(ctx context.Context, at object.Time) (object.Time, error) {
	if at != 0 {
		return at, nil
	}
	var last int64
	err := s.db.GetContext(ctx, &last, `SELECT at FROM object_tx ORDER BY id DESC LIMIT 1`)
	if err != nil && !sqlite.NoRows(err) {
		return 0, err
	}
	return max(object.TimeOf(s.db.Now()), object.Time(last)), nil
}

// History returns the versions of an object in the order of time.
func (s *Store) History(ctx context.Context, id string) ([]object.Version, error) {
	var out []object.Version
	err := each(ctx, s.db, func(r *versionRow) error {
		v, err := r.version()
		if err == nil {
			out = append(out, *v)
		}
		return err
	}, versionSelect+`WHERE o.id = ? ORDER BY v.at, v.number`, id)
	if err == nil && len(out) == 0 {
		err = object.ErrUnknown
	}
	if err != nil {
		return nil, fmt.Errorf("read history of %s: %w", id, sqlite.Explain(err))
	}
	return out, nil
}

// Content returns the content of a version, nil for none.
func (s *Store) Content(ctx context.Context, v *object.Version) ([]byte, error) {
	raw, err := s.content(ctx, v)
	if err != nil {
		return nil, fmt.Errorf("read content of version %d of %s: %w", v.Number, v.ID, sqlite.Explain(err))
	}
	return raw, nil
}

func (s *Store) content(ctx context.Context, v *object.Version) ([]byte, error) {
	switch {
	case v.Size < 0:
		return nil, nil
	case v.Purged:
		return nil, object.ErrPurged
	case !storesText(v.Doc.Kind):
		return s.composed(ctx, v)
	}
	var id *int64
	err := s.db.GetContext(ctx, &id, `SELECT v.content FROM objects o JOIN object_versions v ON v.oid = o.oid WHERE o.id = ? AND v.number = ?`, v.ID, v.Number)
	if err == nil && id == nil {
		err = object.ErrPurged // since v was read
	}
	if err != nil {
		return nil, err
	}
	raw, err := s.db.Text(ctx, s.db, *id)
	if err == nil && object.ContentHash(raw) != v.Hashes.Content {
		err = fmt.Errorf("%w: its hash differs from the one stored with it", sqlite.ErrDamaged)
	}
	return bytes.Clone(raw), err
}

// Resolve finds an object by its nickname, its id or a prefix of the id.
func (s *Store) Resolve(ctx context.Context, name string) (object.Object, error) {
	var rows []row
	err := s.db.SelectContext(ctx, &rows, `SELECT `+columns+` FROM objects o WHERE o.nickname = ?`, name)
	if prefix, ok := object.IDPrefix(name); ok && len(rows) == 0 && err == nil {
		err = s.db.SelectContext(ctx, &rows, `SELECT `+columns+` FROM objects o WHERE o.id >= ? AND o.id < ? ORDER BY o.id LIMIT 10`, prefix, prefix+"~")
	}
	if err == nil && len(rows) == 0 {
		err = object.ErrUnknown
	}
	if err != nil {
		return object.Object{}, fmt.Errorf("find object %s: %w", name, sqlite.Explain(err))
	}
	if len(rows) == 1 {
		return rows[0].Object, nil
	}
	e := &object.AmbiguousError{Name: name}
	for i := range rows {
		e.Candidates = append(e.Candidates, rows[i].ID)
	}
	return object.Object{}, e
}

// ByKey finds an object by its key.
func (s *Store) ByKey(ctx context.Context, k object.Key) (object.Object, error) {
	cond, args := byKey(k)
	return s.one(ctx, cond, args...)
}

// LastAt finds the file that was the last one to have a path, before it was moved.
func (s *Store) LastAt(ctx context.Context, path string) (object.Object, error) {
	return s.one(ctx, `o.oid = (SELECT v.oid FROM object_versions v WHERE v.doc ->> '$.file.path' = ? ORDER BY v.at DESC LIMIT 1)`, path)
}

// one finds the object of which a condition is true, else object.ErrUnknown.
func (s *Store) one(ctx context.Context, cond string, args ...any) (object.Object, error) {
	var r row
	err := s.db.GetContext(ctx, &r, `SELECT `+columns+` FROM objects o WHERE `+cond, args...)
	if sqlite.NoRows(err) {
		err = object.ErrUnknown
	}
	if err != nil {
		return object.Object{}, fmt.Errorf("find object: %w", sqlite.Explain(err))
	}
	return r.Object, nil
}

// Holding returns the objects whose version in force has this content, or that had it when
// they were deleted.
func (s *Store) Holding(ctx context.Context, content []byte) ([]object.Object, error) {
	sum := sha256.Sum256(content)
	now, err := s.orNow(ctx, 0)
	var rows []row
	if err == nil {
		err = s.db.SelectContext(ctx, &rows, `SELECT DISTINCT `+columns+` FROM content t JOIN object_versions v ON v.content = t.id JOIN objects o ON o.oid = v.oid
			WHERE t.hash = ?2 AND v.number = (SELECT x.number FROM object_versions x WHERE x.oid = o.oid AND x.at <= ?1 AND NOT x.deleted
				ORDER BY x.at DESC, x.number DESC LIMIT 1) ORDER BY o.oid`, int64(now), sum[:])
	}
	if err != nil {
		return nil, fmt.Errorf("find content: %w", sqlite.Explain(err))
	}
	out := make([]object.Object, len(rows))
	for i := range rows {
		out[i] = rows[i].Object
	}
	return out, nil
}

// StatOf returns a file's metadata when it was last read, nil when unknown.
func (s *Store) StatOf(ctx context.Context, id string) (*object.Stat, error) {
	st := &object.Stat{}
	err := s.db.GetContext(ctx, st, `SELECT t.size, t.mtime AS modtime, t.inode, t.device FROM object_stats t JOIN objects o ON o.oid = t.oid WHERE o.id = ?`, id)
	if sqlite.NoRows(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read state of %s: %w", id, sqlite.Explain(err))
	}
	return st, nil
}
