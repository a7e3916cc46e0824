package objects

import (
	"context"

	"github.com/coctostan/pictx/core/object"
)

// Said returns the events that the model and people caused in a session, in order, without
// those that were merely captured.
func (s *Store) Said(ctx context.Context, session string) ([]object.Event, error) {
	return s.events(ctx, `s.session_id = +? AND x.actor IN ('agent', 'person') AND e.what <> 'discover'`, session)
}
