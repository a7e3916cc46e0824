package objects

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

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
	var rows []objectKey
	err := s.db.SelectContext(ctx, &rows, `SELECT o.oid, o.id, o.key FROM objects o WHERE o.kind <> ? AND EXISTS
		(SELECT 1 FROM object_versions v WHERE v.oid = o.oid AND v.evicted = 0) ORDER BY o.oid`, string(object.KindSession))
	if err != nil {
		return nil, fmt.Errorf("choose objects: %w", sqlite.Explain(err))
	}
	taken := holding(c, rows)
	if err := s.onlyOf(ctx, rows, taken); err != nil {
		return nil, fmt.Errorf("choose objects: %w", sqlite.Explain(err))
	}
	for _, r := range rows {
		if everywhere == nil || taken[r.ID] {
			continue
		}
		ok, err := s.objectMatches(ctx, r.OID, everywhere)
		if err != nil {
			return nil, fmt.Errorf("choose objects: %w", sqlite.Explain(err))
		}
		if ok {
			taken[r.ID] = true
		}
	}
	return slices.Sorted(maps.Keys(taken)), nil
}

// objectKey identifies an object.
type objectKey struct {
	OID     int64
	ID, Key string
}

// holding returns the calls and chats that contain chosen entries.
func holding(c *erase.Chosen, rows []objectKey) map[string]bool {
	entries, sessions := make(map[[2]string]bool), make(map[string]bool)
	c.Each(func(session, entry string) {
		entries[[2]string{session, entry}] = true
		sessions[session] = true
	})
	taken := make(map[string]bool)
	for _, r := range rows {
		k, ok := object.ParseKey(r.Key)
		if ok && (k.Kind == object.KindToolcall && entries[[2]string{k.Session(), k.Part(1)}] || k.Kind == object.KindChat && sessions[k.Session()]) {
			taken[r.ID] = true
		}
	}
	return taken
}

// onlyOf adds the files to which only tool calls in taken refer.
func (s *Store) onlyOf(ctx context.Context, rows []objectKey, taken map[string]bool) error {
	var refs []struct{ Target, Source string }
	err := s.db.SelectContext(ctx, &refs, `SELECT DISTINCT r.target, o.id AS source FROM object_refs r JOIN objects o ON o.oid = r.oid WHERE r.field = 'file_refs'`)
	if err != nil {
		return err
	}
	by, others := make(map[string]bool), make(map[string]bool)
	for _, r := range refs {
		if taken[r.Source] {
			by[r.Target] = true
		} else {
			others[r.Target] = true
		}
	}
	for _, r := range rows {
		if by[r.ID] && !others[r.ID] {
			taken[r.ID] = true
		}
	}
	return nil
}

// objectMatches reports whether a version of an object matches. Damaged ones do not.
func (s *Store) objectMatches(ctx context.Context, oid int64, re history.Finder) (bool, error) {
	var versions []struct {
		Content, Doc *int64
		Fields       *string
	}
	err := s.db.SelectContext(ctx, &versions, `SELECT content, doc, fields FROM object_versions WHERE oid = ? AND evicted = 0`, oid)
	if err != nil {
		return false, err
	}
	for _, v := range versions {
		if v.Fields != nil && history.FindsInJSON(re, []byte(*v.Fields)) {
			return true, nil
		}
		for _, id := range []*int64{v.Content, v.Doc} {
			if id == nil {
				continue
			}
			raw, err := s.texts.Get(ctx, s.db, *id)
			if err != nil && !errors.Is(err, sqlite.ErrDamaged) {
				return false, err
			}
			if err == nil && (history.Finds(re, string(raw)) || id == v.Doc && history.FindsInJSON(re, raw)) {
				return true, nil
			}
		}
	}
	return false, nil
}

// EvictAll deletes the contents of objects. Their bytes are gone only after Scrub.
func (s *Store) EvictAll(ctx context.Context, tx object.Tx, ids []string) (*erase.Traces, error) {
	traces := &erase.Traces{}
	for batch := range slices.Chunk(ids, erase.Batch) {
		if err := ctx.Err(); err != nil {
			return traces, err
		}
		tx.Ops = nil
		for _, id := range batch {
			tx.Ops = append(tx.Ops, object.Op{Do: object.Evict, ID: id})
		}
		_, t, err := s.submit(ctx, tx)
		if err != nil {
			return traces, err
		}
		traces.Add(t)
	}
	return traces, nil
}

// evict deletes the contents of all versions of an object, and the text in its documents.
// The hashes stay.
func (w *writer) evict(o *row, r *object.Result) error {
	var versions []versionRow
	err := w.SelectContext(w.ctx, &versions, `SELECT `+versionColumns+` FROM object_versions v JOIN objects o ON o.oid = v.oid
		WHERE v.oid = ? AND v.evicted = 0 ORDER BY v.number`, o.OID)
	if err != nil || len(versions) == 0 && (o.Evicted != nil || o.Versions == 0) {
		return err
	}
	var texts []int64
	for i := range versions {
		v := &versions[i]
		if v.Fields != nil {
			w.trace.NotePlain(*v.Fields)
		}
		if err := w.strip(v); err != nil {
			return err
		}
		for _, id := range []*int64{v.Content, v.Doc} {
			if id != nil {
				texts = append(texts, *id)
			}
		}
	}
	r.Changed, r.Version = true, o.Versions
	if _, err := w.ExecContext(w.ctx, `UPDATE objects SET evicted = ? WHERE oid = ?`, w.id, o.OID); err != nil {
		return err
	}
	return w.store.erase.Unused(w.ctx, w.Conn, texts, true, w.trace)
}

// strip reduces the document of a version to what a catalogue needs.
func (w *writer) strip(v *versionRow) error {
	d, err := w.store.document(w.ctx, w, v)
	if err != nil { // damaged: only the kind is known
		k, _ := object.ParseKey(v.Key)
		d = &object.Document{Kind: k.Kind}
	}
	fields, err := d.Evicted().Encode()
	if err != nil {
		return err
	}
	_, err = w.ExecContext(w.ctx, `UPDATE object_versions SET evicted = 1, content = NULL, doc = NULL, fields = ? WHERE oid = ? AND number = ?`,
		string(fields), v.OID, v.Number)
	return err
}
