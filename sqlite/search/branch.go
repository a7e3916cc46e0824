package search

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
)

// turn is a place where a session went back, after an entry that a row stands for.
type turn struct {
	Row          int
	Conversation int64
	At           int // the ordinal of the entry
	Turn         int // that of the entry whose parent is not the one before it, 0 for none
	Parent       int // that of its parent, -1 for none
}

// turnsQuery finds, for the texts of rows, the entries of all sessions that have them, and where
// these went back after them. If a parent was purged, it is taken to be the
// entry before. A test pins its plan.
const turnsQuery = `SELECT j.key AS row, p.conversation, p.ordinal AS at, coalesce(m.ordinal, 0) AS turn,
	iif(m.parent_id = '', -1, coalesce((SELECT b.ordinal FROM messages b
		WHERE b.entry_id = m.parent_id AND b.conversation = m.conversation AND +b.ordinal < m.ordinal LIMIT 1), m.ordinal - 1, 0)) AS parent
	FROM json_each(?) j CROSS JOIN messages p INDEXED BY messages_content ON p.content = j.value
	LEFT JOIN messages m INDEXED BY messages_turn ON m.conversation = p.conversation AND m.ordinal > p.ordinal AND m.turn = 1`

// statusQuery finds, for rows, whether the entry was stored again, and the summary that was made
// from it. Ids of entries are short; another session may have the same. Summaries by a model take
// precedence over extracts, and newer ones over older ones. A test pins its plan.
const statusQuery = `SELECT EXISTS (SELECT 1 FROM messages r CROSS JOIN messages v ON v.entry_id = r.entry_id AND v.conversation = r.conversation
		AND v.id > r.id WHERE r.id = j.value ->> 'id') AS replaced,
	coalesce((SELECT s.key FROM summary_sources x CROSS JOIN summaries s ON s.id = x.summary
		WHERE x.source = j.value ->> 'entry' AND (j.value ->> 'id' = 0 OR s.session_id = j.value ->> 'session' OR EXISTS (
			SELECT 1 FROM messages m JOIN conversations c ON c.id = m.conversation
			WHERE m.entry_id = s.first_entry AND c.session_id = j.value ->> 'session'))
		ORDER BY s.kind = 'extract', s.id DESC LIMIT 1), '') AS summary
	FROM json_each(?) j ORDER BY j.key`

// BranchStatus returns whether entries are on the branches of their sessions, and which
// summaries cover them.
func (s *Store) BranchStatus(ctx context.Context, rows []history.Row) ([]history.BranchStatus, error) {
	type asked struct {
		ID      int64  `json:"id"` // 0 for a summary
		Entry   string `json:"entry"`
		Session string `json:"session"`
	}
	all, texts := make([]asked, len(rows)), make([]int64, len(rows))
	for i, r := range rows {
		all[i], texts[i] = asked{r.ID, r.EntryID, r.Session}, r.Content
	}
	var out []history.BranchStatus
	var turns []turn
	err := s.selectFor(ctx, &out, statusQuery, all)
	if err == nil {
		err = s.selectFor(ctx, &turns, turnsQuery, texts)
	}
	if err != nil {
		return nil, fmt.Errorf("look up branches: %w", sqlite.Explain(err))
	}
	for i, left := range leftBy(turns, len(rows)) {
		out[i].OffBranch = left
	}
	return out, nil
}

// selectFor runs a query about a list that it has as JSON.
func (s *Store) selectFor(ctx context.Context, out any, query string, list any) error {
	asked, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return s.db.SelectContext(ctx, out, query, string(asked))
}

// leftBy reports for each of n rows whether all sessions that have its entry have left its branch.
// It follows each session from its last entry back, from one turn on its branch to the next: all
// other entries have the one before as their parent.
func leftBy(turns []turn, n int) []bool {
	type place struct {
		row          int
		conversation int64
		at           int
	}
	leaves := make(map[place]int)
	slices.SortFunc(turns, func(a, b turn) int { return cmp.Compare(b.Turn, a.Turn) })
	for _, t := range turns {
		p := place{t.Row, t.Conversation, t.At}
		leaf, known := leaves[p]
		if !known {
			leaf = math.MaxInt
		}
		if t.Turn > 0 && t.Turn <= leaf && leaf >= t.At {
			leaf = t.Parent
		}
		leaves[p] = leaf
	}
	left, stays := make([]bool, n), make([]bool, n)
	for p, leaf := range leaves {
		stays[p.row] = stays[p.row] || leaf >= p.at
		left[p.row] = !stays[p.row]
	}
	return left
}
