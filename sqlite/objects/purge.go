package objects

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
)

// Of returns the ids of the objects with text of chosen entries: the tool calls whose
// results these are, the chats of their sessions, and the files that no other tool call
// refers to. With everywhere it adds every object with a matching version. Objects without
// content are left out.
func (s *Store) Of(ctx context.Context, c *erase.Chosen, everywhere history.Finder) ([]string, error) {
	o := choice{store: s, entries: c, taken: make(map[string]bool)}
	err := o.addHolding(ctx)
	if err == nil {
		err = o.addOnlyOf(ctx)
	}
	if err == nil && everywhere != nil {
		err = o.addMatching(ctx, everywhere)
	}
	if err != nil {
		return nil, fmt.Errorf("choose objects: %w", sqlite.Explain(err))
	}
	return slices.Sorted(maps.Keys(o.taken)), nil
}

// choice chooses objects.
type choice struct {
	store   *Store
	entries *erase.Chosen
	taken   map[string]bool // the ids
}

// hasContent is an SQL condition over objects o: Of may return the object.
const hasContent = `o.kind <> 'session' AND EXISTS (SELECT 1 FROM object_versions v WHERE v.oid = o.oid AND v.purged = 0)`

// addHolding adds the calls and chats that consist of chosen entries.
func (o *choice) addHolding(ctx context.Context) error {
	entries, sessions := make(map[[2]string]bool), make(map[string]bool)
	o.entries.Each(func(session, entry string) {
		entries[[2]string{session, entry}] = true
		sessions[session] = true
	})
	return o.each(ctx, `SELECT o.id, o.key FROM objects o WHERE `+hasContent, func(id, key string) {
		k, ok := object.ParseKey(key)
		if ok && (k.Kind == object.KindToolcall && entries[[2]string{k.Session(), k.Part(1)}] || k.Kind == object.KindChat && sessions[k.Session()]) {
			o.taken[id] = true
		}
	})
}

// addOnlyOf adds the files to which only chosen tool calls refer.
func (o *choice) addOnlyOf(ctx context.Context) error {
	by, others := make(map[string]bool), make(map[string]bool)
	err := o.each(ctx, `SELECT j.value, o.id FROM objects o JOIN object_versions v ON v.oid = o.oid JOIN json_each(v.doc, '$.toolcall.file_refs') j
		JOIN objects o2 ON o2.id = j.value WHERE o.kind = 'toolcall' AND EXISTS (SELECT 1 FROM object_versions x WHERE x.oid = o2.oid AND x.purged = 0)`,
		func(file, call string) {
			if o.taken[call] {
				by[file] = true
			} else {
				others[file] = true
			}
		})
	for id := range by {
		if !others[id] {
			o.taken[id] = true
		}
	}
	return err
}

// each calls fn with the rows of a query for two texts.
func (o *choice) each(ctx context.Context, query string, fn func(a, b string)) error {
	rows, err := o.store.db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var a, b sql.RawBytes
		if err := rows.Scan(&a, &b); err != nil {
			return err
		}
		fn(string(a), string(b))
	}
	return rows.Err()
}

// matchAtOnce is how many versions addMatching reads at once.
const matchAtOnce = 1000

// addMatching adds the objects with a match in the document or the stored content of a
// version. Damaged ones do not match. Entries are chosen by what they say themselves.
func (o *choice) addMatching(ctx context.Context, find history.Finder) error {
	type row struct {
		OID, At, Number int64
		ID, Doc         string
		Content         *int64
	}
	quick := history.RegexOf(find)
	last := row{OID: -1}
	for {
		var some []row
		err := o.store.db.SelectContext(ctx, &some, `SELECT v.oid, v.at, v.number, o.id, v.content, v.doc FROM object_versions v JOIN objects o ON o.oid = v.oid
			WHERE (v.oid, v.at, v.number) > (?, ?, ?) AND v.purged = 0 AND o.kind <> 'session' ORDER BY v.oid, v.at, v.number LIMIT ?`,
			last.OID, last.At, last.Number, matchAtOnce)
		if err != nil || len(some) == 0 {
			return err
		}
		for _, v := range some {
			if o.taken[v.ID] {
				continue
			}
			ok := history.FindsInJSON(find, []byte(v.Doc))
			if !ok && v.Content != nil {
				raw, err := o.store.db.Text(ctx, o.store.db, *v.Content)
				if err != nil && !errors.Is(err, sqlite.ErrDamaged) {
					return err
				}
				ok = err == nil && !quick.Dismisses(raw) && history.Finds(find, string(raw))
			}
			if ok {
				o.taken[v.ID] = true
			}
		}
		last = some[len(some)-1]
	}
}

// Purge deletes the contents of all versions of objects, and the text in their documents.
// The hashes stay. The bytes are gone only after Scrub.
func (s *Store) Purge(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	if err := s.erase.Prepare(ctx); err != nil {
		return err
	}
	for batch := range slices.Chunk(ids, erase.Batch) {
		err := ctx.Err()
		if err == nil {
			err = s.db.Tx(ctx, func(tx *sqlx.Conn) error { return s.purge(ctx, tx, batch) })
		}
		if err != nil {
			return fmt.Errorf("purge objects: %w", err)
		}
	}
	return nil
}

// purge purges some objects.
func (s *Store) purge(ctx context.Context, tx *sqlx.Conn, ids []string) error {
	var gone []int64
	for _, id := range ids {
		var rows []versionRow
		if err := tx.SelectContext(ctx, &rows, versionSelect+`WHERE o.id = ? AND v.purged = 0`, id); err != nil {
			return err
		}
		for i := range rows {
			r := &rows[i]
			if r.Content != nil {
				gone = append(gone, *r.Content)
			}
			if err := strip(ctx, tx, r); err != nil {
				return err
			}
		}
	}
	return s.erase.Unused(ctx, tx, gone)
}

// strip reduces a version to its hashes and what a catalogue needs.
func strip(ctx context.Context, tx *sqlx.Conn, r *versionRow) error {
	d, err := object.Decode([]byte(r.Doc))
	if err != nil { // damaged: only the kind is known
		k, _ := object.ParseKey(r.Key)
		d = &object.Document{Kind: k.Kind}
	}
	doc, err := d.Purged().Encode()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE object_versions SET purged = 1, content = NULL, doc = ? WHERE oid = ? AND at = ? AND number = ?`,
		string(doc), r.OID, r.At, r.Number)
	return err
}
