package search

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/sqlite"
)

// Superset returns an index and what it matches so that it finds every text with all of some
// words, of which the last may be only the beginning of one, and maybe others: the index of words
// knows stems, which the beginning of a word may be longer than.
func Superset(words []string, prefix bool) (index, match string) {
	if need := history.NeedOf(words); prefix && len(need) == len(words) {
		return "grams_fts", matchNeed(need)
	}
	match = `"` + strings.Join(words, `" AND "`) + `"`
	if prefix {
		match += "*"
	}
	return "words_fts", `{prose machine} : (` + match + `)`
}

// quoted renders a string or phrase in FTS5's query language.
func quoted(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// matchWords renders clauses over texts, joined by AND or OR, narrowed by the parts of a filter
// that are in the index.
func matchWords(clauses []string, op string, f history.Filter) string {
	expr := `{prose machine} : (` + strings.Join(clauses, op) + `)`
	if kind := kindExpr(f); kind != "" {
		expr += ` AND {kind} : (` + kind + `)`
	}
	return expr
}

// clausesOf renders each of some phrases.
func clausesOf(phrases []history.Phrase) []string {
	var out []string
	for _, p := range phrases {
		if c := quoted(strings.Join(p.Words, " ")); !slices.Contains(out, c) {
			out = append(out, c)
		}
	}
	return out
}

// kindExpr renders roles and tools in the form of the index. Its matches are checked again,
// because different names may consist of the same words.
func kindExpr(f history.Filter) string {
	var roles, all []string
	for _, r := range f.Roles {
		roles = append(roles, quoted(r))
	}
	if len(roles) > 0 {
		all = append(all, "("+strings.Join(roles, " OR ")+")")
	}
	if f.Tool != "" {
		all = append(all, quoted(f.Tool))
	}
	return strings.Join(all, " AND ")
}

// matchNeed renders a Need for the index of trigrams, which has no positions.
func matchNeed(need history.Need) string {
	var groups []string
	for _, g := range need {
		var strs []string
		for _, s := range g {
			var grams []string
			for _, gram := range history.Trigrams(s) {
				grams = append(grams, quoted(gram))
			}
			strs = append(strs, "("+strings.Join(grams, " AND ")+")")
		}
		groups = append(groups, "("+strings.Join(strs, " OR ")+")")
	}
	return strings.Join(groups, " AND ")
}

// needOfShort is the condition for containing some strings that are too short for a trigram, as
// most words of Chinese are: a trigram of the index that begins with each. It is empty where a
// string begins so many that reading every text is as fast.
func (s *Store) needOfShort(ctx context.Context, parts []string) (history.Need, error) {
	const most = 500
	var need history.Need
	for _, p := range parts {
		var grams []string
		err := s.db.SelectContext(ctx, &grams, `SELECT term FROM grams WHERE term >= ? AND term < ? LIMIT ?`, p, p+string(utf8.MaxRune), most+1)
		if err != nil {
			return nil, fmt.Errorf("search history: %w", sqlite.Explain(err))
		}
		if len(grams) == 0 || len(grams) > most {
			return nil, nil
		}
		need = append(need, grams)
	}
	return need, nil
}

// span is an inclusive range of ids of texts.
type span struct{ Least, Most int64 }

// span returns the range of texts that a filter can admit. A session is a range of time,
// and so of ids: its texts are found among a million others without visiting those.
func (s *Store) span(ctx context.Context, f history.Filter) (span, error) {
	var at span
	at.Least, at.Most = sqlite.TextIDs(f.After, f.Before)
	if len(f.Sessions) == 0 {
		return at, nil
	}
	all := span{math.MaxInt64, math.MinInt64}
	for _, id := range f.Sessions {
		var own struct{ Least, Most *int64 }
		if err := s.db.GetContext(ctx, &own, spanQuery, id, id); err != nil {
			return at, fmt.Errorf("search history: %w", sqlite.Explain(err))
		}
		if own.Least != nil {
			all.Least, all.Most = min(all.Least, *own.Least), max(all.Most, *own.Most)
		}
	}
	return span{max(at.Least, all.Least), min(at.Most, all.Most)}, nil
}

// spanQuery finds the ends of a session. Two separate subqueries take one step in the index
// each. A test pins its plan.
const spanQuery = `SELECT
	(SELECT min(content) FROM messages WHERE conversation = (SELECT id FROM conversations WHERE session_id = ?)) AS least,
	(SELECT max(content) FROM messages WHERE conversation = (SELECT id FROM conversations WHERE session_id = ?)) AS most`

// newestQuery is the SQL of the texts that match, newest first; a test pins its plan. Its rows
// come in the order of the index without sorting, so that reading can stop when there are
// enough. CROSS JOIN keeps the index in the outer loop, where the planner might put all
// messages instead.
func newestQuery(match string, f history.Filter, at span) (string, []any) {
	cond, args := Where(f)
	query := `
		SELECT ` + columns + `
		FROM words_fts f CROSS JOIN messages m INDEXED BY messages_content ON m.content = f.rowid CROSS JOIN conversations c ON c.id = m.conversation
		WHERE f.words_fts MATCH ? AND f.rowid >= ? AND f.rowid <= ? AND ` + cond + ` ORDER BY f.rowid DESC`
	return query, append([]any{match, at.Least, at.Most}, args...)
}

// The weights of a word that was said and of one in a call or in tool output, fitted to the
// questions of testdata/recall.
const columnWeights = `1.0, 0.4, 0.0`

// bestQuery is the SQL of the ids of the texts that match best.
const bestQuery = `SELECT rowid, -bm25(words_fts, ` + columnWeights + `) AS score FROM words_fts
	WHERE words_fts MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY score DESC, rowid DESC LIMIT ?`

// rowsQuery is the SQL of the entries with some texts; a test pins its plan.
func rowsQuery(ids string, f history.Filter) (string, []any) {
	cond, args := Where(f)
	return `SELECT ` + columns + ` FROM json_each(?) j
		CROSS JOIN messages m INDEXED BY messages_content ON m.content = j.value CROSS JOIN conversations c ON c.id = m.conversation
		WHERE ` + cond + ` ORDER BY m.content`, append([]any{ids}, args...)
}

// commonWord is how many texts must have a word for only the newest of them to be ranked by it.
const commonWord = 4096

// commonQuery finds where the newest texts with a word begin, if there are too many.
const commonQuery = `SELECT rowid FROM words_fts WHERE words_fts MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC LIMIT 1 OFFSET ?`

// best returns the texts that match any of some clauses best. FTS5 would weigh every text with a
// common word, so all clauses are asked only about the newest texts that have one, and the rare
// clauses also about the older ones.
func (r *run) best(ctx context.Context, clauses []string, at span) ([]candidate, error) {
	recent := at
	var rare []string
	for _, c := range clauses {
		var least int64
		err := r.store.db.GetContext(ctx, &least, commonQuery, matchWords([]string{c}, "", r.q.Filter), at.Least, at.Most, commonWord)
		switch {
		case sqlite.NoRows(err):
			rare = append(rare, c)
		case err != nil:
			return nil, fmt.Errorf("rank history: %w", sqlite.Explain(err))
		default:
			recent.Least = max(recent.Least, least)
		}
	}
	list, err := r.ranked(ctx, clauses, recent)
	if err != nil || recent == at {
		return list, err
	}
	r.res.Since = sqlite.TextTime(recent.Least)
	if len(rare) == 0 {
		return list, nil
	}
	older, err := r.ranked(ctx, rare, span{at.Least, recent.Least - 1})
	return append(list, older...), err
}

// ranked returns the texts of a range that match best.
func (r *run) ranked(ctx context.Context, clauses []string, at span) (list []candidate, err error) {
	var all []struct {
		ID    int64 `db:"rowid"`
		Score float64
	}
	if err := r.store.db.SelectContext(ctx, &all, bestQuery, matchWords(clauses, " OR ", r.q.Filter), at.Least, at.Most, r.wanted()); err != nil {
		return nil, fmt.Errorf("rank history: %w", sqlite.Explain(err))
	}
	r.cut = r.cut || len(all) == r.wanted()
	ids, scores := make([]int64, len(all)), make(map[int64]float64, len(all))
	for i, x := range all {
		ids[i], scores[x.ID] = x.ID, x.Score
	}
	asked, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	query, args := rowsQuery(string(asked), r.q.Filter)
	rows, err := r.store.newestRows(ctx, math.MaxInt, query, args...)
	for _, row := range rows {
		list = append(list, candidate{Row: row, score: scores[row.Content]})
	}
	return list, err
}

// newest returns the newest texts that match, at most most.
func (s *Store) newest(ctx context.Context, match string, f history.Filter, at span, most int) ([]candidate, error) {
	query, args := newestQuery(match, f, at)
	rows, err := s.newestRows(ctx, most, query, args...)
	out := make([]candidate, len(rows))
	for i, r := range rows {
		out[i].Row = r
	}
	return out, err
}

// newestRows reads the rows of a query that is ordered by text, newest first, until it has
// enough and all others of the same second, within which there is no order.
func (s *Store) newestRows(ctx context.Context, enough int, query string, args ...any) ([]history.Row, error) {
	var g grouper
	err := s.each(ctx, func(r rowScan) bool {
		if len(g) > enough && r.Content>>sqlite.TextBits != g[len(g)-1].Content>>sqlite.TextBits {
			return false
		}
		g.add(r)
		return true
	}, query, args...)
	out := make([]history.Row, len(g))
	for i := range g {
		out[i] = g[i].Row
	}
	slices.SortFunc(out, byAge)
	return out[:min(enough, len(out))], err
}

// grouper merges rows with the same text.
type grouper []rowScan

// add adds the next row. Of entries with the same text, the one of the oldest session
// represents all, because a fork is newer than its origin.
func (g *grouper) add(r rowScan) {
	n := len(*g)
	if n == 0 || (*g)[n-1].Content != r.Content {
		*g = append(*g, r)
		return
	}
	last := &(*g)[n-1]
	copies := last.Copies + 1
	if r.started < last.started || r.started == last.started && r.Session < last.Session {
		*last = r
	}
	last.Copies = copies
}

// byAge compares rows for the order newest first.
func byAge(a, b history.Row) int {
	if history.Newer(a, b) {
		return -1
	}
	return 1
}
