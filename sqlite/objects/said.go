package objects

import (
	"context"

	"github.com/coctostan/pictx/core/object"
)

// Said returns what the model and people said of objects in a session, in order:
// without what was merely captured.
func (s *Store) Said(ctx context.Context, session string) ([]object.Event, error) {
	return s.events(ctx, `s.session_id = +? AND x.actor IN ('agent', 'person') AND e.what <> 'discover'`, session)
}
