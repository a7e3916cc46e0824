package objects

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
	"github.com/coctostan/pictx/sqlite/texts"
)

// catchUpBatch is how many texts are indexed per transaction.
const catchUpBatch = 500

// findPage is how many objects one query reads.
const findPage = 2000

// FindObjects returns the versions that match a query at its point in time, in the order in
// which the objects became known. The turns of chats are left out: Get reads them.
func (s *Store) FindObjects(ctx context.Context, q object.Query) ([]object.Version, error) {
	f := finder{store: s, query: q, latest: q.At == object.At{}}
	var out []object.Version
	var err error
	if f.at, err = s.fill(ctx, q.At); err == nil {
		out, err = f.run(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("find objects: %w", sqlite.Explain(err))
	}
	return out, nil
}

// finder is the state of one FindObjects.
type finder struct {
	store  *Store
	query  object.Query
	at     object.At
	latest bool // the index can answer
	words  []object.Term
	found  []map[int64]bool // by word: texts that the index of objects finds
	parts  []map[int64]bool // by word: texts in lines that the index of history finds
	lacks  map[int64]bool   // texts that are not indexed
	said   inChats
}

func (f *finder) run(ctx context.Context) ([]object.Version, error) {
	if f.words = f.query.Words(); len(f.words) > 0 {
		if err := f.ask(ctx); err != nil {
			return nil, err
		}
	}
	var out []object.Version
	for last := int64(0); ; {
		rows, err := f.rows(ctx, last, findPage)
		if err != nil {
			return nil, err
		}
		page, err := f.page(ctx, rows, len(out))
		if err != nil {
			return nil, err
		}
		if out = append(out, page...); len(rows) < findPage || f.query.Limit > 0 && len(out) == f.query.Limit {
			return out, nil
		}
		last = rows[len(rows)-1].OID
	}
}

// rows reads at most n objects after one.
func (f *finder) rows(ctx context.Context, last int64, n int) ([]versionRow, error) {
	query, args := f.sql(n)
	var rows []versionRow
	err := f.store.db.SelectContext(ctx, &rows, query, append([]any{last}, args...)...)
	return rows, err
}

// again is admit for an object whose text was erased after its row was read.
func (f *finder) again(ctx context.Context, oid int64) (*object.Version, error) {
	rows, err := f.rows(ctx, oid-1, 1)
	if err != nil || len(rows) == 0 || rows[0].OID != oid {
		return nil, err
	}
	return f.admit(ctx, &rows[0])
}

// page returns the matching versions of rows; have is the number of earlier matches.
func (f *finder) page(ctx context.Context, rows []versionRow, have int) ([]object.Version, error) {
	var out []object.Version
	for i := range rows {
		v, err := f.admit(ctx, &rows[i])
		if sqlite.NoRows(err) {
			v, err = f.again(ctx, rows[i].OID)
		}
		if err != nil {
			return nil, err
		}
		if v != nil {
			out = append(out, *v)
		}
		if f.query.Limit > 0 && have+len(out) == f.query.Limit {
			break
		}
	}
	return out, nil
}

// sql returns the query of a page of n objects.
func (f *finder) sql(n int) (string, []any) {
	args := []any{int64(f.at.Valid), int64(f.at.Valid)}
	cond := `f.vf <= ? AND f.vt > ?`
	if f.at.Known == object.Forever {
		cond += ` AND f.tt = ` + forever
	} else {
		cond += ` AND f.tf <= ? AND f.tt > ?`
		args = append(args, int64(f.at.Known), int64(f.at.Known))
	}
	if kinds := f.query.Kinds(); kinds != nil {
		cond += ` AND o.kind IN (''` + strings.Repeat(", ?", len(kinds)) + `)`
		for _, k := range kinds {
			args = append(args, string(k))
		}
	}
	return `SELECT f.vf, f.vt, f.tf, f.tt, ` + versionColumns + ` FROM object_facts f
		JOIN object_versions v ON v.oid = f.oid AND v.number = f.number JOIN objects o ON o.oid = f.oid
		WHERE f.oid > ? AND ` + cond + fmt.Sprintf(` ORDER BY f.oid LIMIT %d`, n), args
}

// admit returns the version of a row if it matches the query, else nil.
func (f *finder) admit(ctx context.Context, r *versionRow) (*object.Version, error) {
	brief := *r
	if r.isComposed() { // no condition is about its turns
		brief.Doc = nil
	}
	v, err := f.store.versionOf(ctx, f.store.db, &brief)
	if err != nil || !f.query.Matches(v) {
		if errors.Is(err, sqlite.ErrDamaged) { // Verify reports it; others can still be found
			err = nil
		}
		return nil, err
	}
	text, read := "", false
	for i, t := range f.words {
		has := t.InCatalogue(v)
		sure := has || r.Content == nil
		if !sure && f.found != nil && r.isComposed() {
			if has, sure, err = f.said.in(ctx, f.store, i, t, *r.Content); err != nil {
				return nil, err
			}
		}
		switch {
		case sure:
		case f.found != nil && !r.isComposed() && !f.lacks[*r.Content] && !f.unsure(i, v, *r.Content):
			has = f.found[i][*r.Content] || f.parts[i][*r.Content]
		default:
			if !read {
				raw, err := f.store.texts.Get(ctx, f.store.db, *r.Content)
				if err != nil && !errors.Is(err, sqlite.ErrDamaged) {
					return nil, err
				}
				text, read = string(raw), true
			}
			has = t.Holds(text)
		}
		if has == t.Not {
			return nil, nil
		}
	}
	return v, nil
}

// ask looks the words up in the indexes, if they cover the point in time.
func (f *finder) ask(ctx context.Context) error {
	s := f.store
	if !f.latest || !s.db.FullText() {
		return nil
	}
	if has, err := s.hasObjectIndex(ctx); err != nil || !has {
		return err
	}
	if _, err := s.CatchUp(ctx); err != nil {
		return err
	}
	var ids []int64
	if err := s.db.SelectContext(ctx, &ids, `SELECT content FROM object_unindexed
		UNION ALL SELECT t.id FROM unindexed u JOIN content t ON t.base = u.content WHERE t.codec = ?`, texts.Part); err != nil {
		return err
	}
	f.lacks, f.found, f.parts = set(ids), nil, nil
	for _, t := range f.words {
		words, prefix := t.Phrase()
		all := `"` + strings.Join(words, `" AND "`) + `"`
		if prefix {
			all += "*"
		}
		index, match := search.Superset(words, prefix)
		if err := s.db.SelectContext(ctx, &ids, `SELECT rowid FROM objects_fts WHERE objects_fts MATCH ?`, all); err != nil {
			return err
		}
		f.found = append(f.found, set(ids))
		if err := s.db.SelectContext(ctx, &ids, `SELECT t.id FROM `+index+` w CROSS JOIN content t ON t.base = w.rowid
			WHERE `+index+` MATCH ? AND t.codec = ?`, match, texts.Part); err != nil {
			return err
		}
		f.parts = append(f.parts, set(ids))
	}
	return f.said.ask(ctx, s, f.query.Kinds(), f.words)
}

// unsure reports whether a text that an index finds must be read to decide about a
// condition.
func (f *finder) unsure(i int, v *object.Version, content int64) bool {
	t := f.words[i]
	words, _ := t.Phrase()
	return f.parts[i][content] || len(words) > 1 && f.found[i][content] // an index of stems, and one without positions
}

func set(ids []int64) map[int64]bool {
	out := make(map[int64]bool, len(ids))
	for _, id := range ids {
		out[id] = true
	}
	return out
}

// hasObjectIndex reports whether the store has the full-text index of objects.
func (s *Store) hasObjectIndex(ctx context.Context) (bool, error) {
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(*) FROM sqlite_master WHERE name = 'objects_fts'`)
	return n > 0, sqlite.Explain(err)
}

// CatchUp updates the full-text index of objects: it adds contents in force and removes
// others, and returns the number of contents it checked. Only shell commands do this, and
// only with full-text search; until then unindexed contents are read.
func (s *Store) CatchUp(ctx context.Context) (int, error) {
	if !s.db.FullText() || s.db.Mode() != sqlite.Write {
		return 0, nil
	}
	total := 0
	for {
		n := 0
		err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
			var err error
			n, err = s.catchUpSome(ctx, tx)
			return err
		})
		total += n
		if err != nil {
			return total, fmt.Errorf("index objects: %w", err)
		}
		if n < catchUpBatch {
			return total, nil
		}
	}
}

func (s *Store) catchUpSome(ctx context.Context, tx *sqlx.Conn) (int, error) {
	var ids []int64
	if err := tx.SelectContext(ctx, &ids, `SELECT content FROM object_unindexed ORDER BY content LIMIT ?`, catchUpBatch); err != nil {
		return 0, err
	}
	for _, id := range ids {
		if err := s.indexObject(ctx, tx, id); err != nil {
			return 0, err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM object_unindexed WHERE content = ?`, id); err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

// indexObject adds a content to the index if it is in force, and otherwise removes it. A
// part of a line, or a composed chat, is in the index of history instead.
func (s *Store) indexObject(ctx context.Context, tx *sqlx.Conn, id int64) error {
	now, err := s.present(ctx, tx)
	if err != nil {
		return err
	}
	var in struct{ Force, Known bool }
	err = tx.GetContext(ctx, &in, `SELECT EXISTS (SELECT 1 FROM object_versions v JOIN object_facts f ON f.oid = v.oid AND f.number = v.number
			WHERE v.content = ?1 AND f.tt = `+forever+` AND f.vt > ?2)
			AND EXISTS (SELECT 1 FROM content WHERE id = ?1 AND codec NOT IN (?3, ?4)) AS force,
		EXISTS (SELECT 1 FROM objects_fts_docsize WHERE id = ?1) AS known`, id, int64(now), texts.Part, texts.Composed)
	switch {
	case err != nil || in.Force == in.Known:
		return err
	case in.Known:
		return s.erase.Unlist(ctx, tx, id)
	}
	raw, err := s.texts.Get(ctx, tx, id)
	if errors.Is(err, sqlite.ErrDamaged) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO objects_fts (rowid, text) VALUES (?, ?)`, id, string(raw))
	return err
}

// ListAll lists the contents of all versions as unindexed, after the index was emptied.
func ListAll(ctx context.Context, tx *sqlx.Conn) error {
	_, err := tx.ExecContext(ctx, `INSERT OR IGNORE INTO object_unindexed (content)
		SELECT DISTINCT v.content FROM object_versions v JOIN content t ON t.id = v.content WHERE t.codec NOT IN (?, ?)`, texts.Part, texts.Composed)
	return err
}
