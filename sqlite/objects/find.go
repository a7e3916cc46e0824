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
	f := finder{store: s, words: q.Words}
	found, err := f.find(ctx, &q)
	if err == nil && len(q.Words) > 0 {
		found, err = f.withWords(ctx, found)
	}
	if err != nil {
		return nil, fmt.Errorf("find objects: %w", sqlite.Explain(err))
	}
	return found, nil
}

// finder is the state of one FindObjects.
type finder struct {
	store *Store
	words []object.Word
	may   []map[int64]bool // by word: lines of entries that may have it
}

// find returns the versions that meet all conditions except those on words.
func (f *finder) find(ctx context.Context, q *object.Query) ([]object.Version, error) {
	at, err := f.store.orNow(ctx, q.At)
	if err != nil {
		return nil, err
	}
	var out []object.Version
	err = each(ctx, f.store.db, func(r *versionRow) error {
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

// withWords returns those of some versions that meet the conditions on words.
func (f *finder) withWords(ctx context.Context, found []object.Version) ([]object.Version, error) {
	if err := f.ask(ctx); err != nil {
		return nil, err
	}
	var out []object.Version
	for i := range found {
		ok, err := f.admits(ctx, &found[i])
		if err != nil {
			return nil, err
		}
		if ok {
			out = append(out, found[i])
		}
	}
	return out, nil
}

// ask looks the words up in the index of history, which has what tools returned and what was
// said in chats.
func (f *finder) ask(ctx context.Context) error {
	s := f.store
	for _, w := range f.words {
		index, match := search.Superset(w.Words, w.Prefix)
		var ids []int64
		if err := s.db.SelectContext(ctx, &ids, `SELECT rowid FROM `+index+` WHERE `+index+` MATCH ?`, match); err != nil {
			return err
		}
		may := make(map[int64]bool, len(ids))
		for _, id := range ids {
			may[id] = true
		}
		f.may = append(f.may, may)
	}
	return nil
}

// admits reports whether a version meets the conditions on words.
func (f *finder) admits(ctx context.Context, v *object.Version) (bool, error) {
	for i, w := range f.words {
		has := w.InCatalogue(v)
		if !has && v.Size >= 0 && !v.Purged {
			var err error
			if has, err = f.holds(ctx, i, v); err != nil {
				return false, err
			}
		}
		if has == w.Not {
			return false, nil
		}
	}
	return true, nil
}

// holds reports whether the content of a version has the i-th word. What cannot be read has
// none.
func (f *finder) holds(ctx context.Context, i int, v *object.Version) (bool, error) {
	if storesText(v.Doc.Kind) {
		raw, err := f.store.Content(ctx, v)
		return err == nil && f.words[i].Holds(string(raw)), unlessMissing(err)
	}
	lines, err := f.store.lines(ctx, v)
	var p message.Parser
	for _, id := range lines {
		if !f.may[i][id] {
			continue
		}
		raw, err := f.store.db.Text(ctx, f.store.db, id)
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
		if f.words[i].Holds(said) {
			return true, nil
		}
	}
	return false, unlessMissing(err)
}

// unlessMissing returns nil for what is damaged or was purged meanwhile, else err.
func unlessMissing(err error) error {
	if errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, object.ErrPurged) || sqlite.NoRows(err) {
		return nil
	}
	return err
}
