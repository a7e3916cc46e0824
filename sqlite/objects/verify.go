package objects

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
)

// Verify reads all versions of objects and returns what is wrong with them: stored contents
// that cannot be read or do not have their hash. Reading continues after a fault.
func (s *Store) Verify(ctx context.Context) ([]string, error) {
	var oids []int64
	if err := s.db.SelectContext(ctx, &oids, `SELECT oid FROM objects ORDER BY oid`); err != nil {
		if errors.Is(sqlite.Explain(err), sqlite.ErrDamaged) {
			return []string{fmt.Sprintf("objects cannot be read: %v", err)}, nil
		}
		return nil, fmt.Errorf("verify objects: %w", sqlite.Explain(err))
	}
	var out []string
	for _, oid := range oids {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		var rows []versionRow // object by object, so that a damaged page hides as little as possible
		if err := s.db.SelectContext(ctx, &rows, versionSelect+`WHERE o.oid = ? ORDER BY v.number`, oid); err != nil {
			out = append(out, fmt.Sprintf("versions of object %d cannot be read: %v", oid, sqlite.Explain(err)))
			continue
		}
		for i := range rows {
			if err := s.check(ctx, &rows[i]); err != nil {
				out = append(out, fmt.Sprintf("version %d of object %s: %v", rows[i].Number, rows[i].ID, err))
			}
		}
	}
	return out, nil
}

// check compares a version with its hashes.
func (s *Store) check(ctx context.Context, r *versionRow) error {
	v, err := r.version()
	if err != nil || v.Purged {
		return err
	}
	if v.Size < 0 || storesText(v.Doc.Kind) {
		raw, err := s.Content(ctx, v)
		if err != nil {
			return err
		}
		if object.ContentHash(raw) != v.Hashes.Content {
			return errors.New("its content has another hash")
		}
	}
	if object.HashesWith(v.ID, &v.Doc, v.Hashes.Content) != v.Hashes {
		return errors.New("its document has another hash")
	}
	return nil
}
