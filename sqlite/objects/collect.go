package objects

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
)

// Evictable is what evicting an object deletes, and what stays.
type Evictable struct {
	Versions int
	Texts    int   // texts that nothing else uses
	Bytes    int64 // their size
	// Shared are other objects with one of its texts, which therefore stays.
	Shared []string
	// Entries are entries of history with the same text.
	Entries []string
	// Sums are the SHA-256 of its texts, by which blobs are named.
	Sums []string
}

// WhatEvictTakes returns what evicting an object would delete.
func (s *Store) WhatEvictTakes(ctx context.Context, o object.Object) (Evictable, error) {
	var out Evictable
	var texts []struct {
		ID   int64
		Size int64
		Hash []byte
		Used bool
	}
	err := s.db.SelectContext(ctx, &texts, `SELECT t.id, t.size, t.hash, EXISTS (SELECT 1 FROM messages m WHERE m.content = t.id)
		OR EXISTS (SELECT 1 FROM object_versions x WHERE x.content = t.id AND x.oid <> o.oid) AS used
		FROM objects o JOIN object_versions v ON v.oid = o.oid JOIN content t ON t.id IN (v.content, v.doc) WHERE o.id = ? GROUP BY t.id`, o.ID)
	for _, t := range texts {
		out.Sums = append(out.Sums, hex.EncodeToString(t.Hash))
		if !t.Used {
			out.Texts++
			out.Bytes += t.Size
		}
	}
	if err == nil {
		err = s.db.GetContext(ctx, &out.Versions, `SELECT count(*) FROM objects o JOIN object_versions v ON v.oid = o.oid WHERE o.id = ? AND v.evicted = 0`, o.ID)
	}
	if err == nil {
		err = s.db.SelectContext(ctx, &out.Shared, `SELECT DISTINCT x.id FROM objects o JOIN object_versions v ON v.oid = o.oid
			JOIN object_versions w ON w.content = v.content AND w.oid <> o.oid JOIN objects x ON x.oid = w.oid
			WHERE o.id = ? ORDER BY x.id`, o.ID)
	}
	if err == nil && o.Key.Kind == object.KindToolcall {
		err = s.db.SelectContext(ctx, &out.Entries, `SELECT DISTINCT m.entry_id FROM messages m JOIN conversations c ON c.id = m.conversation
			WHERE c.session_id = ? AND m.entry_id = ?`, o.Key.Session(), o.Key.Part(1))
	}
	if err != nil {
		return out, fmt.Errorf("look at object %s: %w", o.ID, sqlite.Explain(err))
	}
	return out, nil
}

// Evict deletes the contents of all versions of an object, rewrites the database without
// them, and verifies that they are gone.
func (s *Store) Evict(ctx context.Context, tx object.Tx, id string) (erase.Remains, error) {
	tx.Ops = []object.Op{{Do: object.Evict, ID: id}}
	_, traces, err := s.submit(ctx, tx)
	if err != nil {
		return erase.Remains{}, err
	}
	return s.erase.Scrub(ctx, traces)
}

// Collected is what Collect deletes or, in a dry run, would delete.
type Collected struct {
	Texts    int   // unreferenced texts
	Bytes    int64 // their size in the store
	Versions int   // versions that lose their content
}

// superseded selects the versions that were true only until a time and still have content.
const superseded = ` FROM object_versions v WHERE v.content IS NOT NULL AND NOT EXISTS
	(SELECT 1 FROM object_facts f WHERE f.oid = v.oid AND f.number = v.number AND f.tt = ` + forever + ` AND f.vt > ?)`

// Collect deletes unreferenced texts and, unless before is 0, the contents of versions that
// were true only until then; their hashes stay. dry changes nothing.
func (s *Store) Collect(ctx context.Context, before object.Time, dry bool) (Collected, error) {
	var c Collected
	err := s.db.Tx(ctx, func(tx *sqlx.Conn) error {
		if before != 0 {
			if err := tx.GetContext(ctx, &c.Versions, `SELECT count(*)`+superseded, int64(before)); err != nil {
				return err
			}
			if _, err := tx.ExecContext(ctx, `UPDATE object_versions SET content = NULL, evicted = 1
				WHERE (oid, number) IN (SELECT v.oid, v.number`+superseded+`)`, int64(before)); err != nil {
				return err
			}
		}
		var texts []struct{ ID, Size int64 }
		if err := tx.SelectContext(ctx, &texts, `SELECT t.id, length(t.data) AS size FROM content t WHERE t.id IN (`+erase.Orphans+`) ORDER BY t.id`); err != nil {
			return err
		}
		var ids []int64
		for _, t := range texts {
			ids, c.Bytes = append(ids, t.ID), c.Bytes+t.Size
		}
		if c.Texts = len(ids); dry {
			return errDry
		}
		return s.erase.Unused(ctx, tx, ids, false, nil)
	})
	if err != nil && !errors.Is(err, errDry) {
		return c, fmt.Errorf("collect objects: %w", err)
	}
	return c, nil
}

// errDry rolls back a dry run.
var errDry = errors.New("nothing is changed")
