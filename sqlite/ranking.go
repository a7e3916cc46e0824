package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

// The limits of a ranking. FTS5's own reads every place of every word, which takes
// seconds for a common one in a large store.
const (
	mostWeighed = 1024 // of the newest texts that hold a word, or all
	mostRead    = 64   // texts that are read to weigh them exactly, or two pages
	mostButOne  = 8    // words of an expression of which all but one are asked for
)

// ranking finds the best texts for an expression.
type ranking struct {
	store   *Store
	expr    history.Expr
	clauses Clauses
	filter  history.Filter
	at      Span

	held   map[int64]uint64 // which clauses a text is known to hold
	weight []float64        // of each clause: what is rare says more
	capped int
}

// page returns a page of the best.
func (r *ranking) page(ctx context.Context, limit, offset int) (history.Found, error) {
	if err := r.collect(ctx); err != nil {
		return history.Found{}, err
	}
	rows, err := r.best(ctx, max(mostRead, 2*(limit+offset)))
	if err != nil {
		return history.Found{}, err
	}
	if rows, err = r.byText(ctx, rows); err != nil {
		return history.Found{}, err
	}
	rows = rows[min(offset, len(rows)):]
	return history.Found{Rows: rows[:min(limit, len(rows))], Capped: r.capped}, nil
}

// collect asks the index for candidates: the texts that hold each of the words, and
// those that hold all but one.
func (r *ranking) collect(ctx context.Context) error {
	r.held = make(map[int64]uint64)
	n := min(len(r.clauses.list), 64)
	r.weight = make([]float64, n)
	var texts float64
	if err := r.store.db.GetContext(ctx, &texts, `SELECT coalesce(max(id), 0) FROM messages`); err != nil {
		return fmt.Errorf("rank history: %w", explain(err))
	}
	all := uint64(1)<<n - 1
	if !r.clauses.any {
		_, err := r.ask(ctx, r.at, r.clauses, all)
		r.count(texts)
		return err
	}
	rare, absent := 0, 0 // words of which all texts were counted, and there are none
	recent := Span{Least: math.MaxInt64}
	for i := range n {
		ids, err := r.ask(ctx, r.at, Clauses{list: r.clauses.list[i : i+1]}, 1<<i)
		if err != nil {
			return err
		}
		if r.weight[i] = rarity(texts, len(ids)); len(ids) < mostWeighed {
			rare |= 1 << i
			if len(ids) == 0 {
				absent |= 1 << i
			}
			continue
		}
		recent.Least = min(recent.Least, ids[0]-timesAsFar*(ids[0]-ids[len(ids)-1]))
	}
	if n < 3 || n > mostButOne {
		return nil
	}
	for i := range n {
		if absent&^(1<<i) != 0 {
			continue // nothing holds all the others
		}
		rest := slices.Concat(r.clauses.list[:i], r.clauses.list[i+1:])
		at := r.at
		if rare&^(1<<i) == 0 {
			at.Least = max(at.Least, recent.Least)
		}
		if _, err := r.ask(ctx, at, Clauses{list: rest}, all&^(1<<i)); err != nil {
			return err
		}
	}
	return nil
}

// timesAsFar is how far back common words are looked for together, in times of how far
// the newest texts go back that hold one. Texts that hold several words, each of them
// common, are found by going through all that hold any: in all of a large store that
// takes a tenth of a second.
const timesAsFar = 8

// count makes all words weigh the same: all texts hold all of them.
func (r *ranking) count(texts float64) {
	for i := range r.weight {
		r.weight[i] = rarity(texts, len(r.held))
	}
}

// rarity is what a word weighs that so many of the texts hold. Of one that was not
// counted to the end it is taken that a good part of them do.
func rarity(texts float64, found int) float64 {
	have := float64(found)
	if found >= mostWeighed {
		have = max(have, texts/16)
	}
	return math.Log1p((texts - min(have, texts) + 0.5) / (have + 0.5))
}

// ask notes for the newest texts of a range that match what they hold, and returns
// them, the newest first.
func (r *ranking) ask(ctx context.Context, at Span, x Clauses, bits uint64) ([]int64, error) {
	var ids []int64
	err := r.store.db.SelectContext(ctx, &ids, candidateQuery, x.match(r.filter), at.Least, at.Most, mostWeighed)
	if err != nil {
		return nil, fmt.Errorf("rank history: %w", explain(err))
	}
	for _, id := range ids {
		r.held[id] |= bits
	}
	if len(ids) == mostWeighed {
		r.capped = mostWeighed
	}
	return ids, nil
}

const candidateQuery = `SELECT rowid FROM words_fts WHERE words_fts MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?`

// score is what the words that a text is known to hold weigh together.
func (r *ranking) score(id int64) (sum float64) {
	for i, w := range r.weight {
		if r.held[id]&(1<<i) != 0 {
			sum += w
		}
	}
	return sum
}

// best returns the rows of the best candidates that the filter admits.
func (r *ranking) best(ctx context.Context, most int) ([]history.Row, error) {
	ids := make([]int64, 0, len(r.held))
	scores := make(map[int64]float64, len(r.held))
	for id := range r.held {
		ids = append(ids, id)
		scores[id] = r.score(id)
	}
	slices.SortFunc(ids, func(a, b int64) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(b, a))
	})
	var out []history.Row
	for len(ids) > 0 && len(out) < most {
		n := min(most, len(ids))
		rows, err := r.store.rowsOf(ctx, ids[:n], r.filter)
		if err != nil {
			return nil, err
		}
		out, ids = append(out, rows...), ids[n:]
	}
	return out, nil
}

// rowsOf returns the rows of some texts that a filter admits.
func (s *Store) rowsOf(ctx context.Context, texts []int64, f history.Filter) ([]history.Row, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	cond, args := where(f)
	all := make([]any, 0, len(texts)+len(args))
	for _, id := range texts {
		all = append(all, id)
	}
	return s.newest(ctx, math.MaxInt, `SELECT `+columns+`, 1 AS copies FROM messages m CROSS JOIN conversations c ON c.id = m.conversation
		WHERE m.content IN (?`+strings.Repeat(", ?", len(texts)-1)+`) AND `+cond+` ORDER BY m.content DESC`, append(all, args...)...)
}

// byText reads the texts of rows and puts the best first, weighed as BM25 does.
func (r *ranking) byText(ctx context.Context, rows []history.Row) ([]history.Row, error) {
	type weighed struct {
		history.Row
		counts []int
		size   int
		score  float64
	}
	list := make([]weighed, len(rows))
	total := 0
	var p message.Parser
	for i, row := range rows {
		raw, err := r.store.Raw(ctx, row)
		if err != nil {
			return nil, err
		}
		w := weighed{Row: row}
		if e, err := p.ParseEntry(raw); err == nil {
			text := history.SearchText(&e, raw)
			w.counts, w.size = r.expr.Counts(text), len(text)
		}
		total += w.size
		list[i] = w
	}
	mean := float64(total) / float64(max(1, len(list)))
	for i := range list {
		for j, n := range list[i].counts[:min(len(list[i].counts), len(r.weight))] {
			list[i].score += r.weight[j] * saturated(n, float64(list[i].size)/max(1, mean))
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
	for i := range list {
		rows[i] = list[i].Row
	}
	return rows, nil
}

// saturated is what n occurrences in a text count, whose size is given in parts of
// the mean: BM25's, with its usual constants.
func saturated(n int, size float64) float64 {
	const k, b = 1.2, 0.75
	f := float64(n)
	return f * (k + 1) / (f + k*(1-b+b*size))
}
