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
	var ids []string
	if err := s.db.SelectContext(ctx, &ids, `SELECT id FROM objects ORDER BY oid`); err != nil {
		if errors.Is(sqlite.Explain(err), sqlite.ErrDamaged) {
			return []string{fmt.Sprintf("objects cannot be read: %v", err)}, nil
		}
		return nil, fmt.Errorf("verify objects: %w", sqlite.Explain(err))
	}
	var out []string
	for _, id := range ids { // one by one, so that a damaged page hides as little as possible
		if err := ctx.Err(); err != nil {
			return out, err
		}
		all, err := s.History(ctx, id)
		if err != nil {
			out = append(out, fmt.Sprintf("object %s: %v", id, err))
		}
		for i := range all {
			if err := s.check(ctx, &all[i]); err != nil {
				out = append(out, fmt.Sprintf("version %d of object %s: %v", all[i].Number, id, err))
			}
		}
	}
	return out, nil
}

// check compares a version with its hashes.
func (s *Store) check(ctx context.Context, v *object.Version) error {
	if v.Purged {
		return nil
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
