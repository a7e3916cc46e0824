package erase

import (
	"context"
	"crypto/sha256"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
)

// Masks returns the masks of what was purged or redacted, nil for none. They are valid
// while the store is open.
func (s *Store) Masks(ctx context.Context) (history.Masks, error) {
	var any bool
	err := s.db.GetContext(ctx, &any, `SELECT EXISTS (SELECT 1 FROM purged) OR EXISTS (SELECT 1 FROM purged_from)`)
	if err != nil || !any {
		return nil, sqlite.Explain(err)
	}
	return masks{ctx, s}, nil
}

// masks looks lines up in the store.
type masks struct {
	ctx context.Context
	*Store
}

// Mask implements history.Masks.
func (m masks) Mask(session string, line []byte) ([]byte, error) {
	hash := sha256.Sum256(line)
	var gone bool
	err := m.db.GetContext(m.ctx, &gone, `SELECT EXISTS (SELECT 1 FROM purged_from WHERE session_id = ? AND hash = ?)`, session, hash[:])
	if err != nil || gone {
		return nil, sqlite.Explain(err)
	}
	var instead int64
	err = m.db.GetContext(m.ctx, &instead, `SELECT coalesce(content, 0) FROM purged WHERE hash = ?`, hash[:])
	switch {
	case sqlite.NoRows(err):
		return line, nil
	case err != nil || instead == 0:
		return nil, sqlite.Explain(err)
	}
	return m.db.Text(m.ctx, m.db, instead)
}
