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
	err := s.db.SelectContext(ctx, &out, `SELECT e.seq, e.tx, x.at AS time, s.session_id AS session, e.leaf, o.id AS object, e.what AS kind, x.actor, x.reason
		FROM object_events e JOIN object_tx x ON x.id = e.tx JOIN object_sessions s ON s.id = e.session JOIN objects o ON o.oid = e.oid
		WHERE `+cond+` ORDER BY e.seq`, arg)
	if err != nil {
		return nil, fmt.Errorf("read events: %w", sqlite.Explain(err))
	}
	return out, nil
}

// Named returns a function that lists the files that the result of a tool call of a session
// named, in their present versions and without deleted ones.
func (s *Store) Named(ctx context.Context, session string) (func(call string) []object.Version, error) {
	now, err := s.orNow(ctx, 0)
	var rows []versionRow
	if err == nil {
		err = s.db.SelectContext(ctx, &rows, versionSelect+`WHERE o.oid IN (SELECT e.oid FROM object_events e JOIN object_sessions s ON s.id = e.session
			WHERE s.session_id = ?2 AND e.what = 'discover') AND o.kind = 'file' AND `+inForceAt, int64(now), session)
	}
	if err != nil {
		return nil, fmt.Errorf("read what results named: %w", sqlite.Explain(err))
	}
	all, err := versionsOf(rows)
	if err != nil {
		return nil, err
	}
	files := make(map[string]object.Version, len(all))
	for _, v := range all {
		if v.Doc.File != nil && !v.Doc.Deleted {
			files[v.ID] = v
		}
	}
	naming, err := s.mentions(ctx, session)
	return func(call string) []object.Version {
		var out []object.Version
		for _, id := range naming.Of(call) {
			if v, ok := files[id]; ok {
				out = append(out, v)
			}
		}
		return out
	}, err
}

// mentions returns which objects the results of a session named.
func (s *Store) mentions(ctx context.Context, session string) (object.Mentions, error) {
	var n object.Mentions
	var rows []struct {
		object.Event
		Is object.Kind
	}
	err := s.db.SelectContext(ctx, &rows, `SELECT e.seq, e.leaf, o.id AS object, e.what AS kind, o.kind AS "is" FROM object_sessions s
		JOIN object_events e ON e.session = s.id JOIN objects o ON o.oid = e.oid WHERE s.session_id = ? ORDER BY e.seq`, session)
	if err != nil {
		return n, fmt.Errorf("read what results named: %w", sqlite.Explain(err))
	}
	for i := range rows {
		n.Add(&rows[i].Event, rows[i].Is == object.KindToolcall)
	}
	return n, nil
}

// Sessions lists the sessions that have objects or events.
func (s *Store) Sessions(ctx context.Context) ([]string, error) {
	var out []string
	if err := s.db.SelectContext(ctx, &out, `SELECT session_id FROM object_sessions ORDER BY id DESC`); err != nil {
		return nil, fmt.Errorf("list sessions: %w", sqlite.Explain(err))
	}
	return out, nil
}
