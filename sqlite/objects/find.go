package objects

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/object"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/search"
)

// findPage is how many objects one query reads.
const findPage = 2000

// FindObjects returns the versions that match a query at its point in time, in the order in
// which the objects became known.
func (s *Store) FindObjects(ctx context.Context, q object.Query) ([]object.Version, error) {
	f := finder{store: s, query: q, words: q.Words()}
	out, err := f.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("find objects: %w", sqlite.Explain(err))
	}
	return out, nil
}

// finder is the state of one FindObjects.
type finder struct {
	store *Store
	query object.Query
	words []object.Term
	may   []map[int64]bool // by word: lines of entries that may have it; nil without an index
}

func (f *finder) run(ctx context.Context) ([]object.Version, error) {
	at, err := f.store.orNow(ctx, f.query.At)
	if err == nil {
		err = f.ask(ctx)
	}
	if err != nil {
		return nil, err
	}
	var out []object.Version
	for last := int64(0); ; {
		var rows []versionRow
		query, args := f.sql()
		if err := f.store.db.SelectContext(ctx, &rows, query, append([]any{int64(at), last}, args...)...); err != nil {
			return nil, err
		}
		for i := range rows {
			v, err := rows[i].version()
			if errors.Is(err, sqlite.ErrDamaged) { // Verify reports it; others can still be found
				continue
			}
			ok := false
			if err == nil {
				ok, err = f.admits(ctx, v)
			}
			if err != nil {
				return nil, err
			}
			if ok {
				out = append(out, *v)
			}
		}
		if len(rows) < findPage {
			return out, nil
		}
		last = rows[len(rows)-1].OID
	}
}

// sql returns the query of a page of objects after the one with the id ?2.
func (f *finder) sql() (string, []any) {
	cond, args := inForceAt, []any(nil)
	if kinds := f.query.Kinds(); kinds != nil {
		cond += ` AND o.kind IN (''` + strings.Repeat(", ?", len(kinds)) + `)`
		for _, k := range kinds {
			args = append(args, string(k))
		}
	}
	return versionSelect + `WHERE o.oid > ?2 AND ` + cond + fmt.Sprintf(` ORDER BY o.oid LIMIT %d`, findPage), args
}

// ask looks the words up in the index of history, which has what tools returned and what was
// said in chats.
func (f *finder) ask(ctx context.Context) error {
	s := f.store
	for _, t := range f.words {
		index, match := search.Superset(t.Phrase())
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

// admits reports whether a version matches the query.
func (f *finder) admits(ctx context.Context, v *object.Version) (bool, error) {
	if !f.query.Matches(v) {
		return false, nil
	}
	for i, t := range f.words {
		has := t.InCatalogue(v)
		if !has && v.Size >= 0 && !v.Purged {
			var err error
			if has, err = f.holds(ctx, i, v); err != nil {
				return false, err
			}
		}
		if has == t.Not {
			return false, nil
		}
	}
	return true, nil
}

// holds reports whether the content of a version has the i-th word. What cannot be read has
// none.
func (f *finder) holds(ctx context.Context, i int, v *object.Version) (bool, error) {
	var lines []int64
	var err error
	switch v.Doc.Kind {
	case object.KindToolcall:
		var line int64
		line, err = f.store.resultLine(ctx, v.Key)
		lines = []int64{line}
	case object.KindChat:
		lines, err = f.store.chatLines(ctx, v)
	default:
		raw, err := f.store.Content(ctx, v)
		return err == nil && f.words[i].Holds(string(raw)), unlessMissing(err)
	}
	var p message.Parser
	for _, id := range lines {
		if f.may != nil && !f.may[i][id] {
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
	return false, err
}

// unlessMissing returns nil for a text that is damaged or was purged meanwhile, else err.
func unlessMissing(err error) error {
	if errors.Is(err, sqlite.ErrDamaged) || errors.Is(err, object.ErrPurged) || sqlite.NoRows(err) {
		return nil
	}
	return err
}
