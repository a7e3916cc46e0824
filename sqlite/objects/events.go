package objects

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
)

// Events returns the events of a session, in order.
func (s *Store) Events(ctx context.Context, session string) ([]object.Event, error) {
	return s.events(ctx, `s.session_id = ?`, session)
}

// EventsOf returns the events of an object, in any session.
func (s *Store) EventsOf(ctx context.Context, id string) ([]object.Event, error) {
	return s.events(ctx, `o.id = ?`, id)
}

// StateEvents returns the events that the model and people caused in a session, in order,
// without those that were merely captured.
func (s *Store) StateEvents(ctx context.Context, session string) ([]object.Event, error) {
	return s.events(ctx, `s.session_id = ? AND x.actor IN ('agent', 'person') AND e.what <> 'discover'`, session)
}

func (s *Store) events(ctx context.Context, cond, arg string) ([]object.Event, error) {
	var out []object.Event
	err := s.db.SelectContext(ctx, &out, `SELECT e.tx, x.at AS time, s.session_id AS session, e.leaf, o.id AS object, o.key, e.what AS kind, x.actor, x.reason
		FROM object_events e JOIN object_tx x ON x.id = e.tx JOIN object_sessions s ON s.id = e.session JOIN objects o ON o.oid = e.oid
		WHERE `+cond+` ORDER BY e.seq`, arg)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", sqlite.Explain(err))
	}
	return out, nil
}

// Named returns the files that results of a session named, by the entry of the result, in
// their present versions and without deleted ones.
func (s *Store) Named(ctx context.Context, session string) (map[string][]object.Version, error) {
	now, err := s.orNow(ctx, 0)
	out := make(map[string][]object.Version)
	if err == nil {
		err = each(ctx, s.db, func(r *versionRow) error {
			v, err := r.version()
			if err == nil {
				out[r.Leaf] = append(out[r.Leaf], *v)
			}
			return err
		}, `SELECT e.leaf, `+versionColumns+` JOIN object_events e ON e.oid = o.oid JOIN object_sessions s ON s.id = e.session
			WHERE s.session_id = ?2 AND e.what = 'discover' AND o.kind = 'file' AND NOT v.deleted AND `+inForceAt+` ORDER BY e.seq`, int64(now), session)
	}
	if err != nil {
		return nil, fmt.Errorf("read what results named: %w", sqlite.Explain(err))
	}
	return out, nil
}
