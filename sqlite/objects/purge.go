package objects

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/texts"
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
const hasContent = `o.kind <> '` + string(object.KindSession) + `' AND EXISTS
	(SELECT 1 FROM object_versions v WHERE v.oid = o.oid AND v.evicted = 0)`

// addHolding adds the calls and chats that contain chosen entries.
func (o *choice) addHolding(ctx context.Context) error {
	entries, sessions := make(map[[2]string]bool), make(map[string]bool)
	o.entries.Each(func(session, entry string) {
		entries[[2]string{session, entry}] = true
		sessions[session] = true
	})
	rows, err := o.store.db.QueryContext(ctx, `SELECT o.id, o.key FROM objects o WHERE `+hasContent)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var key sql.RawBytes
		if err := rows.Scan(&id, &key); err != nil {
			return err
		}
		k, ok := object.ParseKey(string(key))
		if ok && (k.Kind == object.KindToolcall && entries[[2]string{k.Session(), k.Part(1)}] || k.Kind == object.KindChat && sessions[k.Session()]) {
			o.taken[id] = true
		}
	}
	return rows.Err()
}

// addOnlyOf adds the files to which only chosen tool calls refer.
func (o *choice) addOnlyOf(ctx context.Context) error {
	by, others := make(map[string]bool), make(map[string]bool)
	rows, err := o.store.db.QueryContext(ctx, `SELECT r.target, o.id FROM object_refs r JOIN objects o ON o.oid = r.oid WHERE r.field = 'file_refs'`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var target, source string
		if err := rows.Scan(&target, &source); err != nil {
			return err
		}
		if o.taken[source] {
			by[target] = true
		} else {
			others[target] = true
		}
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	for id := range by {
		var has bool
		if err := o.store.db.GetContext(ctx, &has, `SELECT EXISTS (SELECT 1 FROM objects o WHERE o.id = ? AND `+hasContent+`)`, id); err != nil {
			return err
		}
		if has && !others[id] {
			o.taken[id] = true
		}
	}
	return nil
}

// matchAtOnce is how many versions addMatching reads at once.
const matchAtOnce = 1000

// matchedVersion is a version as addMatching reads it.
type matchedVersion struct {
	OID, Number  int64
	ID           string
	Content, Doc *int64
	Line         *int64 // the line that the content is part of
	Fields       *string
}

// addMatching adds the objects with a matching version. Damaged ones do not match. The
// content of a call is usually part of a line that Choose has read.
func (o *choice) addMatching(ctx context.Context, find history.Finder) error {
	needs := history.NeedsOf(find)
	last := matchedVersion{OID: -1}
	for {
		var some []matchedVersion
		err := o.store.db.SelectContext(ctx, &some, `SELECT v.oid, v.number, o.id, v.content, v.doc, t.base AS line, v.fields
			FROM object_versions v JOIN objects o ON o.oid = v.oid LEFT JOIN content t ON t.id = v.content AND t.codec = ?
			WHERE (v.oid, v.number) > (?, ?) AND v.evicted = 0 AND o.kind <> ? ORDER BY v.oid, v.number LIMIT ?`,
			texts.Part, last.OID, last.Number, string(object.KindSession), matchAtOnce)
		if err != nil || len(some) == 0 {
			return err
		}
		for i := range some {
			v := &some[i]
			if o.taken[v.ID] {
				continue
			}
			if v.Line != nil && o.entries.RulesOut(find, *v.Line) {
				v.Content = nil
			}
			ok, err := o.matches(ctx, v, find, needs)
			if err != nil {
				return err
			}
			if ok {
				o.taken[v.ID] = true
			}
		}
		last = some[len(some)-1]
	}
}

// matches reports whether anything in a version matches.
func (o *choice) matches(ctx context.Context, v *matchedVersion, find history.Finder, needs history.Needs) (bool, error) {
	if v.Fields != nil && !needs.RuleOut([]byte(*v.Fields)) && history.FindsInJSON(find, []byte(*v.Fields)) {
		return true, nil
	}
	if v.Fields != nil && v.Doc != nil {
		return o.matchesChat(ctx, *v.Doc, find, needs)
	}
	for _, id := range []*int64{v.Content, v.Doc} {
		if id == nil {
			continue
		}
		raw, err := o.store.texts.Get(ctx, o.store.db, *id)
		if errors.Is(err, sqlite.ErrDamaged) || err == nil && needs.RuleOut(raw) {
			continue
		}
		if err != nil {
			return false, err
		}
		if history.Finds(find, string(raw)) || id == v.Doc && history.FindsInJSON(find, raw) {
			return true, nil
		}
	}
	return false, nil
}

// matchesChat reports whether anything matches in what a composed chat has beyond its base,
// which is that of an earlier version.
func (o *choice) matchesChat(ctx context.Context, id int64, find history.Finder, needs history.Needs) (bool, error) {
	chat, text, err := o.store.texts.Growth(ctx, o.store.db, id, func(line int64) bool { return o.entries.RulesOut(find, line) })
	if errors.Is(err, sqlite.ErrDamaged) || err == nil && len(text) == 0 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	doc, err := json.Marshal(chat)
	if err != nil {
		return false, err
	}
	return !needs.RuleOut(text) && history.Finds(find, string(text)) || !needs.RuleOut(doc) && history.FindsInJSON(find, doc), nil
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
		for _, id := range []*int64{v.Content, v.Doc} {
			if id != nil {
				texts = append(texts, *id)
			}
		}
		if err := w.strip(v); err != nil {
			return err
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
	if v.isComposed() { // what is beside the turns suffices
		v.Doc = nil
	}
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
