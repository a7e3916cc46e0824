package objects

import (
	"context"
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
	taken := make(map[string]bool) // by id
	err := s.addHolding(ctx, c, taken)
	if err == nil {
		err = s.addOnlyOf(ctx, taken)
	}
	if err == nil && everywhere != nil {
		err = s.addMatching(ctx, everywhere, taken)
	}
	if err != nil {
		return nil, fmt.Errorf("choose objects: %w", sqlite.Explain(err))
	}
	return slices.Sorted(maps.Keys(taken)), nil
}

// hasContent is an SQL condition over objects o: Of may return the object.
const hasContent = `o.kind <> 'session' AND EXISTS (SELECT 1 FROM object_versions v WHERE v.oid = o.oid AND v.purged = 0)`

// addHolding adds the calls and chats that consist of chosen entries.
func (s *Store) addHolding(ctx context.Context, c *erase.Chosen, taken map[string]bool) error {
	entries, sessions := make(map[[2]string]bool), make(map[string]bool)
	c.Each(func(session, entry string) {
		entries[[2]string{session, entry}] = true
		sessions[session] = true
	})
	return each(ctx, s.db, func(r *row) error {
		k := r.Key
		if k.Kind == object.KindToolcall && entries[[2]string{k.Session(), k.Part(1)}] || k.Kind == object.KindChat && sessions[k.Session()] {
			taken[r.ID] = true
		}
		return nil
	}, `SELECT o.id, o.key FROM objects o WHERE `+hasContent)
}

// addOnlyOf adds the files to which only chosen tool calls refer.
func (s *Store) addOnlyOf(ctx context.Context, taken map[string]bool) error {
	by, others := make(map[string]bool), make(map[string]bool)
	type reference struct{ File, Call string }
	err := each(ctx, s.db, func(r *reference) error {
		if taken[r.Call] {
			by[r.File] = true
		} else {
			others[r.File] = true
		}
		return nil
	}, `SELECT o.id AS file, c.id AS call FROM objects c JOIN object_versions d ON d.oid = c.oid JOIN json_each(d.doc, '$.toolcall.file_refs') j
		JOIN objects o ON o.id = j.value WHERE c.kind = 'toolcall' AND `+hasContent)
	for id := range by {
		if !others[id] {
			taken[id] = true
		}
	}
	return err
}

// addMatching adds the objects with a match in the document or the stored content of a
// version. Damaged ones do not match. Entries are chosen by what they say themselves.
func (s *Store) addMatching(ctx context.Context, find history.Finder, taken map[string]bool) error {
	quick := history.RegexOf(find)
	texts := make(map[int64][]string) // the objects of each, to be read
	err := each(ctx, s.db, func(r *versionRow) error {
		if history.FindsInJSON(find, []byte(r.Document)) {
			taken[r.ID] = true
		} else if r.Content != nil {
			texts[*r.Content] = append(texts[*r.Content], r.ID)
		}
		return nil
	}, `SELECT o.id, v.content, v.doc AS document FROM object_versions v JOIN objects o ON o.oid = v.oid WHERE v.purged = 0 AND o.kind <> 'session'`)
	if err != nil {
		return err
	}
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		ids := slices.DeleteFunc(texts[text], func(id string) bool { return taken[id] })
		if len(ids) == 0 {
			continue
		}
		raw, err := s.db.Text(ctx, s.db, text)
		if err := unlessMissing(err); err != nil {
			return err
		}
		if err == nil && !quick.Dismisses(raw) && history.Finds(find, string(raw)) {
			for _, id := range ids {
				taken[id] = true
			}
		}
	}
	return nil
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

// purge purges some objects: of each version its hashes and what a catalogue needs are left.
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
			d, err := object.Decode([]byte(r.Document))
			if err != nil { // damaged: only the kind is known
				d = &object.Document{Kind: r.Key.Kind}
			}
			doc, err := d.Purged().Encode()
			if err == nil {
				_, err = tx.ExecContext(ctx, `UPDATE object_versions SET purged = 1, content = NULL, doc = ? WHERE oid = ? AND number = ?`, string(doc), r.OID, r.Number)
			}
			if err != nil {
				return err
			}
		}
	}
	return s.erase.Unused(ctx, tx, gone)
}
