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
	maxAsked   = 32768 // ids of texts to fetch, for all words together
	maxOfWord  = 2048
	minOfWord  = 1024
	maxWeighed = 512 // texts with a word up to which its prefix is expanded
	maxButOne  = 8   // words of an expression up to which all-but-one is queried
)

// ranking finds the texts worth weighing for an expression.
type ranking struct {
	store   *Store
	expr    history.Expr
	clauses ftsQuery
	filter  history.Filter
	at      span

	most   int              // maximum number of texts per word, newest first
	held   map[int64]uint64 // clauses that a text is known to contain
	having []int            // estimated number of texts with each clause
	texts  int              // estimated number of texts
	later  int64            // the entry after which others were stored that do not count, 0 for none
	capped int
	since  int64 // as in Found
}

// find returns at most most texts.
func (r *ranking) find(ctx context.Context, most int) (history.Found, error) {
	if err := r.collect(ctx); err != nil {
		return history.Found{}, err
	}
	list, err := r.measure(ctx, r.best(most))
	return history.Found{Candidates: list, Having: r.having, Of: r.texts, Capped: r.capped, Since: r.since}, err
}

// collect queries the indexes for the texts that contain each of the words, as words or as
// parts of names. If a word is too common to fetch all of its texts, it also queries those
// that contain all words but one.
func (r *ranking) collect(ctx context.Context) error {
	n := min(len(r.clauses.list), 64)
	r.held = make(map[int64]uint64)
	r.having = make([]int, n)
	r.most = min(max(maxAsked/max(n, 1), minOfWord), maxOfWord)
	if err := r.store.db.GetContext(ctx, &r.texts, `SELECT coalesce(max(id), 0) FROM messages`); err != nil {
		return fmt.Errorf("rank history: %w", sqlite.Explain(err))
	}
	if stored := int(r.filter.Stored.Entry); stored != 0 && stored < r.texts {
		r.texts, r.later = max(stored, 0), r.filter.Stored.Entry
	}
	rare, absent := 0, 0 // words of which all texts are known, and those without any
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
		// Assume that a word that was not counted to the end is in a good part of all texts.
		r.having[i] = max(r.most, r.texts/16)
		recent.Least = min(recent.Least, ids[0]-recentFactor*(ids[0]-ids[len(ids)-1]))
	}
	if n < 3 || n > maxButOne || r.capped == 0 {
		return nil
	}
	return r.collectTogether(ctx, n, rare, absent, recent)
}

// collectTogether queries the texts that contain all words but one.
func (r *ranking) collectTogether(ctx context.Context, n, rare, absent int, recent span) error {
	all := uint64(1)<<n - 1
	for i := range n {
		if absent&^(1<<i) != 0 {
			continue // no text has all the others
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

// noteNarrowed records that several words together were searched only from an id on, if
// there are older texts.
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

// recentFactor is how far back common words are searched together, as a multiple of the age
// range of the newest texts with one of them. Finding texts with several common words takes
// visiting all texts with any of them, a tenth of a second in a large store.
const recentFactor = 4

// ask records what the newest matching texts of a range contain, and returns them, newest
// first.
func (r *ranking) ask(ctx context.Context, at span, x ftsQuery, bits uint64) ([]int64, error) {
	ids, err := r.ids(ctx, "words_fts", x.match(r.filter), at, bits)
	if len(ids) == r.most {
		r.capped = r.most
	}
	return ids, err
}

// askParts records the texts that contain a word as a part of a name.
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

// ids records what the newest texts of a range that an index finds contain.
func (r *ranking) ids(ctx context.Context, index, match string, at span, bits uint64) ([]int64, error) {
	var list string
	query, args := candidateQuery(index, r.later, match, at.Least, at.Most)
	if err := r.store.db.GetContext(ctx, &list, query, append(args, r.most)...); err != nil {
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

// candidateQuery returns the ids in one row: fetching thousands of rows costs more than
// finding them. Texts that only entries stored after one have, if it is not 0, are left
// out: they would make words less rare from one page of a search to the next.
func candidateQuery(index string, later int64, args ...any) (string, []any) {
	cond := ""
	if later != 0 {
		cond = `AND rowid NOT IN (SELECT n.content FROM messages n
			WHERE n.id > ? AND NOT EXISTS (SELECT 1 FROM messages o WHERE o.content = n.content AND o.id <= ?))`
		args = append(args, later, later)
	}
	return `SELECT coalesce(group_concat(id, ' '), '') FROM (SELECT rowid AS id FROM ` + index + `
	WHERE ` + index + ` MATCH ? AND rowid >= ? AND rowid <= ? ` + cond + ` ORDER BY rowid DESC LIMIT ?)`, args
}

// best returns the texts with the rarest combinations of words; ties go to the newer text.
func (r *ranking) best(most int) []int64 {
	type text struct {
		id  int64
		sum float64
	}
	sums := make(map[uint64]float64)
	all := make([]text, 0, len(r.held))
	for id, h := range r.held {
		sum, known := sums[h]
		if !known {
			sum = r.sum(h)
			sums[h] = sum
		}
		all = append(all, text{id, sum})
	}
	slices.SortFunc(all, func(a, b text) int { return cmp.Or(cmp.Compare(b.sum, a.sum), cmp.Compare(b.id, a.id)) })
	ids := make([]int64, min(most, len(all)))
	for i := range ids {
		ids[i] = all[i].id
	}
	return ids
}

// sum is the total weight of the words that a text is known to contain; rarer words weigh
// more.
func (r *ranking) sum(held uint64) (sum float64) {
	for i, n := range r.having {
		if held&(1<<i) != 0 {
			sum += math.Log1p(float64(r.texts) / float64(n+1))
		}
	}
	return sum
}

// measure adds the length and role of texts, and removes those that the filter rejects.
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

// wordCount decodes the number of words of a text from FTS5's docsize row: the first of its
// varints.
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
