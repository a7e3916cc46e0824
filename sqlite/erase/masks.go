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
	return func(session string, line []byte) ([]byte, error) {
		hash := sha256.Sum256(line)
		instead, gone, err := sqlite.PurgedAs(ctx, s.db, session, hash[:])
		switch {
		case err != nil || gone && instead == 0:
			return nil, sqlite.Explain(err)
		case gone:
			return s.db.Text(ctx, s.db, instead)
		}
		return line, nil
	}, nil
}
