package objects

import (
	"context"
	"errors"
	"fmt"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// FindObjects returns the versions that match a query at its point in time, in the order in
// which the objects became known.
func (s *Store) FindObjects(ctx context.Context, q object.Query) ([]object.Version, error) {
	found, err := s.find(ctx, &q)
	for _, w := range q.Words {
		if err == nil {
			found, err = s.withWord(ctx, found, w)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("find objects: %w", sqlite.Explain(err))
	}
	return found, nil
}

// find returns the versions that meet all conditions except those on words.
func (s *Store) find(ctx context.Context, q *object.Query) ([]object.Version, error) {
	at, err := s.orNow(ctx, q.At)
	if err != nil {
		return nil, err
	}
	var out []object.Version
	err = each(ctx, s.db, func(r *versionRow) error {
		v, err := r.version()
		if err == nil && q.Matches(v) {
			out = append(out, *v)
		}
		return unlessMissing(err) // Verify reports what is damaged; others can still be found
	}, versionSelect+`WHERE `+inForceAt+` AND (?2 = '' OR o.kind = ?2) AND (?3 = '' OR o.oid IN (
		SELECT e.oid FROM object_events e JOIN object_sessions s ON s.id = e.session WHERE s.session_id = ?3)) ORDER BY o.oid`,
		int64(at), string(q.Kind), q.Session)
	return out, err
}

// withWord returns those of some versions that meet a condition on words. What tools returned and
// what was said is looked up in the index of history first.
func (s *Store) withWord(ctx context.Context, found []object.Version, w object.Word) ([]object.Version, error) {
	index, match := search.Superset(w.Words, w.Prefix)
	var ids []int64
	if err := s.db.SelectContext(ctx, &ids, `SELECT rowid FROM `+index+` WHERE `+index+` MATCH ?`, match); err != nil {
		return nil, err
	}
	may := make(map[int64]bool, len(ids))
	for _, id := range ids {
		may[id] = true
	}
	var out []object.Version
	for i := range found {
		v := &found[i]
		has := w.InCatalogue(v)
		if !has && v.Size >= 0 && !v.Purged {
			var err error
			if has, err = s.holds(ctx, v, w, may); unlessMissing(err) != nil {
				return nil, err
			}
		}
		if has != w.Not {
			out = append(out, *v)
		}
	}
	return out, nil
}

// holds reports whether the content of a version has a word. may has the lines of history that may
// have it.
func (s *Store) holds(ctx context.Context, v *object.Version, w object.Word, may map[int64]bool) (bool, error) {
	if storesText(v.Doc.Kind) {
		raw, err := s.Content(ctx, v)
		return err == nil && w.Holds(string(raw)), err
	}
	lines, err := s.lines(ctx, v)
	var p message.Parser
	for _, id := range lines {
		if !may[id] {
			continue
		}
		raw, err := s.db.Text(ctx, s.db, id)
		if err := unlessMissing(err); err != nil {
			return false, err
		}
		e, err := p.ParseEntry(raw)
		if err != nil {
			continue
		}
		said := object.Said(&e, raw)
		if v.Doc.Kind == object.KindToolcall {
			said = string(e.AppendBody(nil, raw))
		}
		if w.Holds(said) {
			return true, nil
		}
	}
	return false, err
}

// unlessMissing returns nil for what is damaged or was purged meanwhile, else err.
func unlessMissing(err error) error {
	if errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, object.ErrPurged) || sqlite.NoRows(err) {
		return nil
	}
	return err
}
