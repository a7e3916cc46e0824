package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/sqlite"
)

// BranchStatus returns whether entries are on the branches of their sessions, and which
// summaries cover them.
func (s *Store) BranchStatus(ctx context.Context, rows []history.Row) ([]history.BranchStatus, error) {
	out := make([]history.BranchStatus, len(rows))
	if err := s.markOffBranch(ctx, rows, out); err != nil {
		return nil, fmt.Errorf("look up branches: %w", sqlite.Explain(err))
	}
	if err := s.markCovered(ctx, rows, out); err != nil {
		return nil, fmt.Errorf("look up summaries: %w", sqlite.Explain(err))
	}
	return out, nil
}

// markReplaced marks the entries for which their session's file now has another text.
func markReplaced(ctx context.Context, db *sqlite.DB, rows []history.Row, out []history.BranchStatus) error {
	ids := make([]int64, len(rows)) // 0 for a summary
	for i, r := range rows {
		if r.Role != history.RoleSummary {
			ids[i] = r.ID
		}
	}
	asked, err := json.Marshal(ids)
	if err != nil {
		return err
	}
	var found []int
	err = db.SelectContext(ctx, &found, replacedQuery, string(asked))
	for _, i := range found {
		out[i].Replaced = true
	}
	return err
}

// replacedQuery returns the places in a list of rows of which the entry was stored again. A test
// pins its plan.
const replacedQuery = `SELECT j.key FROM json_each(?) j CROSS JOIN messages r ON r.id = j.value WHERE EXISTS (
	SELECT 1 FROM messages v WHERE v.entry_id = r.entry_id AND v.conversation = r.conversation AND v.id > r.id)`

// position is the location of an entry in one of the sessions that have it.
type position struct {
	Content      int64
	Conversation int64
	Ordinal      int
}

// markOffBranch marks the entries that are off the branch in all sessions that have them.
func (s *Store) markOffBranch(ctx context.Context, rows []history.Row, out []history.BranchStatus) error {
	places, err := positions(ctx, s.db, rows)
	if err != nil {
		return err
	}
	least := make(map[int64]int) // by session, the first ordinal of interest
	for _, p := range places {
		if first, ok := least[p.Conversation]; !ok || p.Ordinal < first {
			least[p.Conversation] = p.Ordinal
		}
	}
	byID, err := branches(ctx, s.db, least)
	if err != nil {
		return err
	}
	if err := markReplaced(ctx, s.db, rows, out); err != nil {
		return err
	}
	known, on := make(map[int64]bool), make(map[int64]bool)
	for _, p := range places {
		known[p.Content] = true
		on[p.Content] = on[p.Content] || byID[p.Conversation].has(p.Ordinal)
	}
	for i, r := range rows {
		out[i].OffBranch = known[r.Content] && !on[r.Content]
	}
	return nil
}

// positions returns the positions of rows. Summaries have none.
func positions(ctx context.Context, db *sqlite.DB, rows []history.Row) ([]position, error) {
	var ids []any
	for _, r := range rows {
		if r.Role != history.RoleSummary {
			ids = append(ids, r.Content)
		}
	}
	var out []position
	if len(ids) == 0 {
		return nil, nil
	}
	err := db.SelectContext(ctx, &out, `SELECT content, conversation, ordinal FROM messages WHERE content IN (?`+strings.Repeat(", ?", len(ids)-1)+`)`, ids...)
	return out, err
}

// branch is the path to a session's last entry, as inclusive ranges of ordinals.
type branch [][2]int

// has reports whether the entry with an ordinal is on the branch.
func (b branch) has(ordinal int) bool {
	for _, r := range b {
		if r[0] <= ordinal && ordinal <= r[1] {
			return true
		}
	}
	return false
}

// turn is an entry whose parent is not the preceding entry of the file: there its session
// went back.
type turn struct {
	Conversation int64
	Ordinal      int
	ParentID     string `db:"parent_id"`
}

// turnsQuery finds the turns of sessions, each after an ordinal. A test pins its plan. One
// query asks about all sessions of a page: SQLite prepares it again for every value that is
// compared in the presence of a partial index.
const turnsQuery = `SELECT m.conversation, m.ordinal, m.parent_id FROM json_each(?) f
	CROSS JOIN messages m INDEXED BY messages_turn ON m.conversation = CAST(f.key AS INTEGER) AND m.ordinal > f.value
	WHERE m.turn = 1`

// branches finds the branches of sessions, each back to the entry with an ordinal.
func branches(ctx context.Context, db *sqlite.DB, least map[int64]int) (map[int64]branch, error) {
	asked, err := json.Marshal(least)
	if err != nil {
		return nil, err
	}
	var all []turn
	if err := db.SelectContext(ctx, &all, turnsQuery, string(asked)); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b turn) int { return cmp.Compare(b.Ordinal, a.Ordinal) })
	turns := make(map[int64][]turn)
	for _, t := range all {
		turns[t.Conversation] = append(turns[t.Conversation], t)
	}
	out := make(map[int64]branch, len(least))
	for id := range least {
		if out[id], err = branchBy(ctx, db, turns[id]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// branchBy finds the branch of a session by its turns, the last first. It jumps from one to
// the next; all other entries have their predecessor as parent.
func branchBy(ctx context.Context, db *sqlite.DB, turns []turn) (branch, error) {
	var out branch
	at := math.MaxInt
	for _, t := range turns {
		if t.Ordinal > at {
			continue // on an abandoned branch
		}
		out = append(out, [2]int{t.Ordinal, at})
		if t.ParentID == "" {
			return out, nil
		}
		at = t.Ordinal - 1
		err := db.GetContext(ctx, &at, `SELECT ordinal FROM messages WHERE entry_id = ? AND conversation = ? AND ordinal < ? LIMIT 1`,
			t.ParentID, t.Conversation, t.Ordinal)
		if err != nil && !sqlite.NoRows(err) { // if the parent was purged, assume that nothing was abandoned
			return nil, err
		}
	}
	return append(out, [2]int{0, at}), nil
}

// markCovered finds the summaries that were made from rows. Summaries by a model take
// precedence over extracts, and newer ones over older ones.
func (s *Store) markCovered(ctx context.Context, rows []history.Row, out []history.BranchStatus) error {
	ids := make([]any, len(rows))
	for i, r := range rows {
		ids[i] = r.EntryID
	}
	if len(ids) == 0 {
		return nil
	}
	var found []struct {
		Source string
		Key    string
		From   string `db:"session_id"`
		First  string `db:"first_entry"`
	}
	err := s.db.SelectContext(ctx, &found, `SELECT x.source, s.key, s.session_id, s.first_entry FROM summary_sources x JOIN summaries s ON s.id = x.summary
		WHERE x.source IN (?`+strings.Repeat(", ?", len(ids)-1)+`) ORDER BY s.kind = '`+string(summary.Extract)+`', s.id DESC`, ids...)
	if err != nil {
		return err
	}
	for i, r := range rows {
		for _, f := range found {
			if out[i].Summary != "" || f.Source != r.EntryID {
				continue
			}
			// Ids of entries are short; another session may have the same.
			same := f.From == r.Session || r.Role == history.RoleSummary
			if !same {
				err := s.db.GetContext(ctx, &same, `SELECT EXISTS (SELECT 1 FROM messages m JOIN conversations c ON c.id = m.conversation
					WHERE m.entry_id = ? AND c.session_id = ?)`, f.First, r.Session)
				if err != nil {
					return err
				}
			}
			if same {
				out[i].Summary = f.Key
			}
		}
	}
	return nil
}
