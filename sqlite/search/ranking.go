package search

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/texts"
)

// The limits of a ranking. FTS5's own ranking reads every occurrence of every word, which
// takes seconds for a common word in a large store.
const (
	maxAsked   = 32768 // ids of texts that are asked for, of all words together
	maxOfWord  = 2048
	minOfWord  = 1024
	maxWeighed = 512 // texts that hold a word that is not looked for by its beginning
	maxButOne  = 8   // words of an expression of which all but one are asked for
)

// ranking finds the texts that are worth weighing for an expression.
type ranking struct {
	store   *Store
	expr    history.Expr
	clauses ftsQuery
	filter  history.Filter
	at      span

	most   int              // of the newest texts that hold a word
	held   map[int64]uint64 // which clauses a text is known to hold
	having []int            // how many texts hold each clause, about
	texts  int              // how many texts there are, about
	capped int
	since  int64 // as Found's
}

// find returns at most so many texts.
func (r *ranking) find(ctx context.Context, most int) (history.Found, error) {
	if err := r.collect(ctx); err != nil {
		return history.Found{}, err
	}
	list, err := r.measure(ctx, r.best(most))
	return history.Found{Candidates: list, Having: r.having, Of: r.texts, Capped: r.capped, Since: r.since}, err
}

// collect asks the indexes for the texts that hold each of the words, as words or as parts
// of names. When a word is too common to ask for all of them, it asks for those that hold
// all words but one, too.
func (r *ranking) collect(ctx context.Context) error {
	n := min(len(r.clauses.list), 64)
	r.held = make(map[int64]uint64)
	r.having = make([]int, n)
	r.most = min(max(maxAsked/max(n, 1), minOfWord), maxOfWord)
	if err := r.store.db.GetContext(ctx, &r.texts, `SELECT coalesce(max(id), 0) FROM messages`); err != nil {
		return fmt.Errorf("rank history: %w", sqlite.Explain(err))
	}
	if stored := int(r.filter.Stored); stored > 0 {
		r.texts = min(r.texts, stored)
	}
	rare, absent := 0, 0 // words of which all texts were counted, and there are none
	recent := span{Least: math.MaxInt64}
	for i := range n {
		ids, err := r.ask(ctx, r.at, ftsQuery{list: r.clauses.list[i : i+1]}, 1<<i)
		if err != nil {
			return err
		}
		if r.having[i] = len(ids); len(ids) < r.most {
			if err := r.askParts(ctx, i); err != nil {
				return err
			}
			rare |= 1 << i
			if len(ids) == 0 {
				absent |= 1 << i
			}
			continue
		}
		// Of a word that was not counted to the end it is taken that a good part of all
		// texts have it.
		r.having[i] = max(r.most, r.texts/16)
		recent.Least = min(recent.Least, ids[0]-recentFactor*(ids[0]-ids[len(ids)-1]))
	}
	if n < 3 || n > maxButOne || r.capped == 0 {
		return nil
	}
	return r.collectTogether(ctx, n, rare, absent, recent)
}

// collectTogether asks for the texts that hold all words but one.
func (r *ranking) collectTogether(ctx context.Context, n, rare, absent int, recent span) error {
	all := uint64(1)<<n - 1
	for i := range n {
		if absent&^(1<<i) != 0 {
			continue // nothing holds all the others
		}
		rest := slices.Concat(r.clauses.list[:i], r.clauses.list[i+1:])
		at := r.at
		if rare&^(1<<i) == 0 && recent.Least > at.Least {
			at.Least = recent.Least
			if err := r.noteNarrowed(ctx, at.Least); err != nil {
				return err
			}
		}
		if _, err := r.ask(ctx, at, ftsQuery{list: rest}, all&^(1<<i)); err != nil {
			return err
		}
	}
	return nil
}

// noteNarrowed notes that only texts from an id on were searched for several words together,
// if there are older ones.
func (r *ranking) noteNarrowed(ctx context.Context, least int64) error {
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

// recentFactor is how far back common words are searched for together, as a multiple of how
// far the newest texts that hold one of them go back. Finding texts that hold several
// common words means visiting all that hold any: in all of a large store that takes a tenth
// of a second.
const recentFactor = 4

// ask notes for the newest texts of a range that match what they hold, and returns
// them, the newest first.
func (r *ranking) ask(ctx context.Context, at span, x ftsQuery, bits uint64) ([]int64, error) {
	ids, err := r.ids(ctx, "words_fts", x.match(r.filter), at, bits)
	if len(ids) == r.most {
		r.capped = r.most
	}
	return ids, err
}

// askParts notes the texts that hold a word as a part of a name.
func (r *ranking) askParts(ctx context.Context, i int) error {
	p := r.expr.Phrases[i]
	if len(p.Words) > 1 {
		return nil
	}
	var forms []string
	for _, f := range slices.Concat(text.Forms(p.Words[0]), p.Also) {
		forms = append(forms, Quoted([]string{f}))
	}
	_, err := r.ids(ctx, "parts_fts", strings.Join(forms, " OR "), r.at, 1<<i)
	return err
}

// ids notes for the newest texts of a range that an index finds what they hold.
func (r *ranking) ids(ctx context.Context, index, match string, at span, bits uint64) ([]int64, error) {
	var list string
	if err := r.store.db.GetContext(ctx, &list, candidateQuery(index), match, at.Least, at.Most, r.most); err != nil {
		return nil, fmt.Errorf("rank history: %w", sqlite.Explain(err))
	}
	ids := make([]int64, 0, minOfWord)
	for field := range strings.FieldsSeq(list) {
		id, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("rank history: %w", err)
		}
		r.held[id] |= bits
		ids = append(ids, id)
	}
	return ids, nil
}

// candidateQuery gives the ids in one row: taking thousands one by one costs more than
// finding them.
func candidateQuery(index string) string {
	return `SELECT coalesce(group_concat(id, ' '), '') FROM (SELECT rowid AS id FROM ` + index + `
	WHERE ` + index + ` MATCH ? AND rowid >= ? AND rowid <= ? ORDER BY rowid DESC LIMIT ?)`
}

// best returns the texts that hold the rarest words together, of those that hold the same
// the newest.
func (r *ranking) best(most int) []int64 {
	sums := make(map[uint64]float64)
	ids := make([]int64, 0, len(r.held))
	for id, h := range r.held {
		ids = append(ids, id)
		if _, known := sums[h]; !known {
			sums[h] = r.sum(h)
		}
	}
	slices.SortFunc(ids, func(a, b int64) int {
		return cmp.Or(cmp.Compare(sums[r.held[b]], sums[r.held[a]]), cmp.Compare(b, a))
	})
	return ids[:min(most, len(ids))]
}

// sum is what the words that a text is known to hold weigh together: a rare one says more.
func (r *ranking) sum(held uint64) (sum float64) {
	for i, n := range r.having {
		if held&(1<<i) != 0 {
			sum += math.Log1p(float64(r.texts) / float64(n+1))
		}
	}
	return sum
}

// measure says of texts how long they are and whose, and leaves out those that the filter
// does not admit.
func (r *ranking) measure(ctx context.Context, ids []int64) ([]history.Candidate, error) {
	asked, err := json.Marshal(ids)
	if err != nil {
		return nil, err
	}
	cond, args := Where(r.filter)
	var list string
	err = r.store.db.GetContext(ctx, &list, `SELECT coalesce(group_concat(id || ' ' || hex(sz) || ' ' || role, char(10)), '') FROM (
		SELECT t.value AS id, d.sz AS sz, m.role AS role FROM json_each(?) t CROSS JOIN words_fts_docsize d ON d.id = t.value
		CROSS JOIN messages m INDEXED BY messages_content ON m.content = d.id CROSS JOIN conversations c ON c.id = m.conversation
		WHERE `+cond+` GROUP BY d.id)`, append([]any{string(asked)}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("rank history: %w", sqlite.Explain(err))
	}
	out := make([]history.Candidate, 0, len(ids))
	for line := range strings.Lines(list) {
		field, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		size, role, _ := strings.Cut(rest, " ")
		id, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("rank history: %w", err)
		}
		out = append(out, history.Candidate{Text: id, Held: r.held[id], Words: wordCount(size), Role: message.Role(role)})
	}
	return out, integrity{r.store.db}.rest(ctx, ids, out)
}

// wordCount reads how many words FTS5 says a text has: the first of the numbers of a row,
// seven bits a byte.
func wordCount(size string) (n int) {
	b, _ := hex.DecodeString(size)
	for _, c := range b {
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			break
		}
	}
	return n
}
