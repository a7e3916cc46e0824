package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

// The limits of a ranking. FTS5's own ranking reads every occurrence of every word, which
// takes seconds for a common word in a large store.
const (
	maxWeighed = 512 // of the newest texts that hold a word, or all
	maxRead    = 40  // texts that are read to weigh them exactly, or two pages
	maxButOne  = 8   // words of an expression of which all but one are asked for
)

// ranking finds the best texts for an expression.
type ranking struct {
	store   *Store
	expr    history.Expr
	clauses ftsQuery
	filter  history.Filter
	at      span

	held   map[int64]uint64 // which clauses a text is known to hold
	weight []float64        // of each clause: what is rare says more
	capped int
	since  int64 // as Found's
}

// page returns a page of the best.
func (r *ranking) page(ctx context.Context, limit, offset int) (history.Found, error) {
	if err := r.collect(ctx); err != nil {
		return history.Found{}, err
	}
	list, err := r.best(ctx, max(maxRead, 2*(limit+offset)))
	if err != nil {
		return history.Found{}, err
	}
	rows := r.byText(list)
	rows = rows[min(offset, len(rows)):]
	return history.Found{Rows: rows[:min(limit, len(rows))], Capped: r.capped, Since: r.since}, nil
}

// collect asks the index for candidates: the texts that hold each of the words, and
// those that hold all but one.
func (r *ranking) collect(ctx context.Context) error {
	r.held = make(map[int64]uint64)
	n := min(len(r.clauses.list), 64)
	r.weight = make([]float64, n)
	var texts float64
	if err := r.store.db.GetContext(ctx, &texts, `SELECT coalesce(max(id), 0) FROM messages`); err != nil {
		return fmt.Errorf("rank history: %w", sqlite.Explain(err))
	}
	all := uint64(1)<<n - 1
	if !r.clauses.any {
		_, err := r.ask(ctx, r.at, r.clauses, all)
		r.count(texts)
		return err
	}
	rare, absent := 0, 0 // words of which all texts were counted, and there are none
	recent := span{Least: math.MaxInt64}
	for i := range n {
		ids, err := r.ask(ctx, r.at, ftsQuery{list: r.clauses.list[i : i+1]}, 1<<i)
		if err != nil {
			return err
		}
		if r.weight[i] = rarity(texts, len(ids)); len(ids) < maxWeighed {
			rare |= 1 << i
			if len(ids) == 0 {
				absent |= 1 << i
			}
			continue
		}
		recent.Least = min(recent.Least, ids[0]-timesAsFar*(ids[0]-ids[len(ids)-1]))
	}
	if n < 3 || n > maxButOne {
		return nil
	}
	for i := range n {
		if absent&^(1<<i) != 0 {
			continue // nothing holds all the others
		}
		rest := slices.Concat(r.clauses.list[:i], r.clauses.list[i+1:])
		at := r.at
		if rare&^(1<<i) == 0 && recent.Least > at.Least {
			at.Least = recent.Least
			if err := r.narrowed(ctx, at.Least); err != nil {
				return err
			}
		}
		if _, err := r.ask(ctx, at, ftsQuery{list: rest}, all&^(1<<i)); err != nil {
			return err
		}
	}
	return nil
}

// narrowed notes that only texts from an id on were searched for several words together,
// if there are older ones.
func (r *ranking) narrowed(ctx context.Context, least int64) error {
	var older bool
	err := r.store.db.GetContext(ctx, &older, `SELECT EXISTS (SELECT 1 FROM content WHERE id >= ? AND id < ?)`, r.at.Least, least)
	if err != nil {
		return fmt.Errorf("rank history: %w", sqlite.Explain(err))
	}
	if older {
		r.since = texts.TimeOf(least)
	}
	return nil
}

// timesAsFar is how far back common words are searched for together, as a multiple of how
// far the newest texts that hold one of them go back. Finding texts that hold several
// common words means visiting all that hold any: in all of a large store that takes a tenth
// of a second.
const timesAsFar = 16

// count gives all words the same weight, because all texts hold all of them.
func (r *ranking) count(texts float64) {
	for i := range r.weight {
		r.weight[i] = rarity(texts, len(r.held))
	}
}

// rarity is the weight of a word that so many of the texts hold. If not all of them were
// counted, a fixed share of the texts is assumed to hold it.
func rarity(texts float64, found int) float64 {
	have := float64(found)
	if found >= maxWeighed {
		have = max(have, texts/16)
	}
	return math.Log1p((texts - min(have, texts) + 0.5) / (have + 0.5))
}

// ask finds the newest texts of a range that match, notes that they hold bits, and returns
// their ids, the newest first.
func (r *ranking) ask(ctx context.Context, at span, x ftsQuery, bits uint64) ([]int64, error) {
	var list string
	err := r.store.db.GetContext(ctx, &list, candidateQuery, x.match(r.filter), at.Least, at.Most, maxWeighed)
	if err != nil {
		return nil, fmt.Errorf("rank history: %w", sqlite.Explain(err))
	}
	ids := make([]int64, 0, maxWeighed)
	for field := range strings.FieldsSeq(list) {
		id, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("rank history: %w", err)
		}
		r.held[id] |= bits
		ids = append(ids, id)
	}
	if len(ids) == maxWeighed {
		r.capped = maxWeighed
	}
	return ids, nil
}

// candidateQuery gives the ids in one row, because reading a thousand rows costs more than
// finding them.
const candidateQuery = `SELECT coalesce(group_concat(id, ' '), '') FROM (SELECT rowid AS id FROM words_fts
	WHERE words_fts MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?)`

// score is the sum of the weights of the words that a text is known to hold.
func (r *ranking) score(held uint64) (sum float64) {
	for i, w := range r.weight {
		if held&(1<<i) != 0 {
			sum += w
		}
	}
	return sum
}

// best returns the best candidates that the filter admits, with what their texts hold.
func (r *ranking) best(ctx context.Context, most int) ([]weighed, error) {
	var out []weighed
	c := scan{store: r.store, filter: r.filter, look: r.look, take: func(row history.Row, s history.Inspection) bool {
		out = append(out, weighed{Row: row, Inspection: s})
		return true
	}}
	ids := make([]int64, 0, most)
	take := func() error {
		err := c.texts(ctx, newestFirst(ids))
		ids = ids[:0]
		return err
	}
	for _, same := range r.byScore() {
		for newest := newestFirst(same); len(newest) > 0 && len(out) < most; {
			n := min(most-len(ids), len(newest))
			ids = append(ids, newest[:n]...)
			if newest = newest[n:]; len(ids) < most {
				break
			}
			if err := take(); err != nil {
				return nil, err
			}
		}
		if len(out) >= most {
			return out, nil
		}
	}
	return out, take()
}

// byScore groups the candidates by their scores, the best first. There are few different
// scores, because they depend only on which words a text holds.
func (r *ranking) byScore() [][]int64 {
	held := make(map[uint64][]int64)
	for id, h := range r.held {
		held[h] = append(held[h], id)
	}
	same := make(map[float64][]int64)
	for h, ids := range held {
		score := r.score(h)
		same[score] = append(same[score], ids...)
	}
	scores := slices.Sorted(maps.Keys(same))
	out := make([][]int64, 0, len(scores))
	for _, s := range slices.Backward(scores) {
		out = append(out, same[s])
	}
	return out
}

// weighed is a text whose words were counted: Held says how often it holds each.
type weighed struct {
	history.Row
	history.Inspection
	score float64
}

// look counts the words of a text.
func (r *ranking) look(raw []byte) history.Inspection {
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return history.Inspection{}
	}
	text := history.SearchText(&e, raw)
	seen := history.Inspection{Size: len(text), Held: make([]uint64, len(r.expr.Phrases))}
	for i, n := range r.expr.Counts(text) {
		seen.Held[i] = uint64(n)
	}
	return seen
}

// byText sorts texts by BM25, the best first.
func (r *ranking) byText(list []weighed) []history.Row {
	total := 0
	for _, w := range list {
		total += w.Size
	}
	mean := float64(total) / float64(max(1, len(list)))
	for i := range list {
		for j, n := range list[i].Held[:min(len(list[i].Held), len(r.weight))] {
			list[i].score += r.weight[j] * saturated(n, float64(list[i].Size)/max(1, mean))
		}
	}
	slices.SortFunc(list, func(a, b weighed) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		if history.Newer(a.Row, b.Row) {
			return -1
		}
		return 1
	})
	rows := make([]history.Row, len(list))
	for i := range list {
		rows[i] = list[i].Row
	}
	return rows
}

// saturated is BM25's weight of n occurrences in a text, with the usual constants. size is
// that of the text relative to the mean.
func saturated(n uint64, size float64) float64 {
	const k, b = 1.2, 0.75
	f := float64(n)
	return f * (k + 1) / (f + k*(1-b+b*size))
}
