package objects

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/erase"
	"github.com/coctostan/pictx/sqlite/texts"
)

// Finding is a fault of the objects of a store.
type Finding struct {
	// ID is the object, "" if the finding is not about one.
	ID string `json:"id,omitempty"`
	// Version is the number of the version, 0 for the object as a whole.
	Version int    `json:"version,omitempty"`
	Problem string `json:"problem"`
}

// Report is the result of Verify.
type Report struct {
	Objects, Versions, Facts int
	Findings                 []Finding
}

// Verify reads all objects and checks that contents match their hashes, that facts of an
// object do not overlap, and that chains of deltas are not too long. Unreadable data is a
// finding, and reading continues.
func (s *Store) Verify(ctx context.Context) (Report, error) {
	v := verifier{store: s}
	problems, err := s.db.Problems(ctx)
	if err != nil {
		return v.report, fmt.Errorf("verify objects: %w", err)
	}
	for _, p := range problems {
		v.add("", 0, "%s", p)
	}
	for _, check := range []func(context.Context) error{v.versions, v.overlaps, v.chains, v.references} {
		err := check(ctx)
		if errors.Is(sqlite.Explain(err), sqlite.ErrDamaged) {
			v.add("", 0, "%v", sqlite.Explain(err))
			continue
		}
		if err != nil {
			return v.report, fmt.Errorf("verify objects: %w", sqlite.Explain(err))
		}
	}
	return v.report, nil
}

type verifier struct {
	store  *Store
	report Report
}

func (v *verifier) add(id string, version int, format string, args ...any) {
	v.report.Findings = append(v.report.Findings, Finding{id, version, fmt.Sprintf(format, args...)})
}

// versions reads every version, object by object, so that a damaged page hides as little as
// possible.
func (v *verifier) versions(ctx context.Context) error {
	var all []struct {
		OID int64
		ID  string
	}
	if err := v.store.db.SelectContext(ctx, &all, `SELECT oid, id FROM objects ORDER BY oid`); err != nil {
		return err
	}
	v.report.Objects = len(all)
	for _, o := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		var rows []versionRow
		err := v.store.db.SelectContext(ctx, &rows, `SELECT v.vf, v.vt, 0 AS tf, 0 AS tt, `+versionColumns+`
			FROM objects o JOIN object_versions v ON v.oid = o.oid WHERE o.oid = ? ORDER BY v.number`, o.OID)
		if err != nil {
			v.add(o.ID, 0, "its versions cannot be read: %v", sqlite.Explain(err))
			continue
		}
		for i := range rows {
			v.version(ctx, &rows[i])
		}
	}
	return nil
}

// version compares a version with its hashes.
func (v *verifier) version(ctx context.Context, r *versionRow) {
	v.report.Versions++
	x, err := v.store.versionOf(ctx, v.store.db, r)
	if err != nil {
		v.add(r.ID, r.Number, "what it says cannot be read: %v", err)
		return
	}
	content, known := object.ContentHash(nil), r.Size < 0
	if r.Content != nil {
		raw, err := v.store.texts.Get(ctx, v.store.db, *r.Content)
		if err != nil {
			v.add(r.ID, r.Number, "its content cannot be read: %v", err)
			return
		}
		content, known = object.ContentHash(raw), true
	}
	switch {
	case known && content != x.Hashes.Content:
		v.add(r.ID, r.Number, "its content has another hash")
	case known && !r.Evicted && object.HashesWith(r.ID, &x.Doc, content) != x.Hashes:
		v.add(r.ID, r.Number, "what it says has another hash")
	case !known && !r.Evicted:
		v.add(r.ID, r.Number, "its content is missing")
	}
}

// overlaps finds facts that are true and known at the same time.
func (v *verifier) overlaps(ctx context.Context) error {
	if err := v.store.db.GetContext(ctx, &v.report.Facts, `SELECT count(*) FROM object_facts`); err != nil {
		return err
	}
	var rows []struct {
		ID     string
		Number int
		Other  int
	}
	err := v.store.db.SelectContext(ctx, &rows, `SELECT o.id, a.number, b.number AS other FROM object_facts a
		JOIN object_facts b ON b.oid = a.oid AND b.vf >= a.vf AND b.vf < a.vt AND b.tf < a.tt AND b.tt > a.tf AND (b.vf, b.tf) > (a.vf, a.tf)
		JOIN objects o ON o.oid = a.oid LIMIT 100`)
	for _, r := range rows {
		v.add(r.ID, r.Number, "it overlaps version %d", r.Other)
	}
	if err != nil {
		return err
	}
	rows = nil
	err = v.store.db.SelectContext(ctx, &rows, `SELECT o.id, f.number FROM object_facts f JOIN objects o ON o.oid = f.oid
		WHERE NOT EXISTS (SELECT 1 FROM object_versions v WHERE v.oid = f.oid AND v.number = f.number)`)
	for _, r := range rows {
		v.add(r.ID, r.Number, "it is said to be true, and is not there")
	}
	return err
}

// chains reads the deltas, parts and composed chats to which no version refers.
func (v *verifier) chains(ctx context.Context) error {
	var ids []int64
	err := v.store.db.SelectContext(ctx, &ids, `SELECT t.id FROM content t WHERE t.codec IN (?, ?, ?) AND NOT `+erase.UsedByObject, texts.Delta, texts.Part, texts.Composed)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := v.store.texts.Get(ctx, v.store.db, id); err != nil {
			v.add("", 0, "text %d cannot be read: %v", id, err)
		}
	}
	return nil
}

// references finds references to a version with another hash.
func (v *verifier) references(ctx context.Context) error {
	refs, err := v.store.references(ctx, `SELECT o.id, r.field, r.target, r.ref, TRUE AS resolved
		FROM object_refs r JOIN objects o ON o.oid = r.oid WHERE r.ref <> '' AND instr(r.ref, ?) > 0`, `"object_hash"`)
	if err != nil {
		return err
	}
	for _, r := range refs {
		h, ok := object.ParseHash(r.Ref.Hash)
		if !ok {
			v.add(r.From, 0, "its %s to %s has no hash that can be read", r.Field, r.To)
			continue
		}
		var there bool
		err := v.store.db.GetContext(ctx, &there, `SELECT EXISTS (SELECT 1 FROM objects o JOIN object_versions v ON v.oid = o.oid
			WHERE o.id = ? AND substr(v.hashes, ?) = ?)`, r.To, 2*sha256.Size+1, h[:])
		if err != nil {
			return err
		}
		if !there {
			v.add(r.From, 0, "its %s is to a version of %s that is not there", r.Field, r.To)
		}
	}
	return nil
}
