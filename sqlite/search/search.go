package search

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/sqlite"
)

// Search implements history.Searcher.
func (s *Store) Search(ctx context.Context, q history.Query) (history.Result, error) {
	steps, err := plan(q)
	if err != nil {
		return history.Result{}, err
	}
	return s.follow(ctx, q, steps)
}

// follow answers a query with the first step that finds something.
func (s *Store) follow(ctx context.Context, q history.Query, steps []step) (history.Result, error) {
	r := &run{store: s, q: q}
	if q.Filter.Stored == (history.Mark{}) {
		// Other processes store entries meanwhile: this page finds what the next ones find.
		var err error
		if r.q.Filter.Stored, err = s.stored(ctx); err != nil {
			return history.Result{}, err
		}
	}
	r.res.Stored = r.q.Filter.Stored
	for _, st := range steps {
		if found, err := r.try(ctx, st); found || err != nil || r.res.Stopped {
			return r.res, err
		}
	}
	return r.res, r.suggest(ctx)
}

// step is one way to understand a query.
type step struct {
	name string
	history.Matcher
	words []history.Phrase // what the index of words is asked for; nil when it cannot answer
	best  bool             // best first, rather than newest first
	need  history.Need     // the texts to read when the index of words cannot answer
}

// plan lists the steps of a query. A query of several words is usually a question, so texts
// with some of them come first, the best before others, and then those with the query inside
// words. For a language without spaces the order is reversed. The newest texts that contain all
// of it come first for a single word and for quoted ones.
func plan(q history.Query) ([]step, error) {
	if q.Regex {
		re, err := history.NewRegex(q.Text, q.CaseSensitive)
		if err != nil {
			return nil, err
		}
		return []step{{name: history.StepRegex, Matcher: re, need: history.NeedOfRegex(q.Text)}}, nil
	}
	all, err := history.ParseText(q.Text)
	if err != nil {
		return nil, err
	}
	content := history.Content(all)
	parts := history.PartsOf(content, q.Text)
	inside := step{name: history.StepSubstring, Matcher: parts, need: history.NeedOf(parts)}
	if len(all) == 0 { // punctuation only
		return []step{inside}, nil
	}
	var steps []step
	if q.Newest || len(all) == 1 || strings.Contains(q.Text, `"`) {
		steps = append(steps, step{name: history.StepAll, Matcher: history.Expr{Phrases: content}, words: content})
	}
	if len(steps) == 0 || len(content) > 1 {
		some := history.WithWords(content)
		steps = append(steps, step{name: history.StepAny, Matcher: history.Expr{Phrases: some, Any: true}, words: some, best: true})
	}
	if history.Unspaced(q.Text) {
		return append([]step{inside}, steps...), nil
	}
	return append(steps, inside), nil
}

// run is a query in progress.
type run struct {
	store *Store
	q     history.Query
	res   history.Result
	room  []byte // buffer for the lines of hits
	depth int    // by how much more is read than usually suffices
	cut   bool   // whether there may be more than was read

	others []candidate // summaries and whole outputs, which every step reads
	read   bool        // whether others is filled
}

// candidate is a row that a step found.
type candidate struct {
	history.Row
	score float64
	text  string // the text of a summary or whole output, "" for an entry
	spill string // the id of the whole output, "" for others
}

// isSummary reports whether a candidate is a summary rather than an entry.
func (c candidate) isSummary() bool { return c.Role == history.RoleSummary }

// before compares candidates: messages precede summaries, then the better score wins, then the
// newer.
func before(a, b candidate) int {
	switch {
	case a.isSummary() != b.isSummary():
		if b.isSummary() {
			return -1
		}
		return 1
	case a.score != b.score:
		if a.score > b.score {
			return -1
		}
		return 1
	}
	return byAge(a.Row, b.Row)
}

// try answers with a step, and reports whether it found anything. When most of the results are
// merged into others it reads more of them, until the page is full or there are no more.
func (r *run) try(ctx context.Context, st step) (bool, error) {
	const further = 4
	for r.depth = 1; ; r.depth *= further {
		r.cut = false
		list, err := r.find(ctx, st)
		if err != nil || len(list) == 0 && !r.cut {
			return false, err
		}
		slices.SortStableFunc(list, before)
		if err := r.page(ctx, st, list); err != nil {
			return true, err
		}
		if !r.cut || r.res.More || r.res.Stopped {
			return true, r.finish(ctx, st)
		}
		if r.q.Stop != nil && r.q.Stop() {
			r.res.More = true
			return true, r.finish(ctx, st)
		}
		r.res.Hits, r.res.Scanned = nil, 0
	}
}

// finish completes an answer.
func (r *run) finish(ctx context.Context, st step) error {
	if err := r.addBranchStatus(ctx); err != nil || r.res.Step != history.StepAny {
		return err
	}
	return r.suggest(ctx)
}

// wanted is how many rows are enough to fill the page and to know whether there is another,
// although some are merged.
func (r *run) wanted() int { return r.depth * (2*(r.q.Limit+r.q.Offset) + 1) }

// find returns what a step finds, in no order.
func (r *run) find(ctx context.Context, st step) (list []candidate, err error) {
	f := r.q.Filter
	at, err := r.store.span(ctx, f)
	if err != nil {
		return nil, err
	}
	switch {
	case st.words == nil:
		if parts, ok := st.Matcher.(history.Parts); ok && len(st.need) == 0 {
			if st.need, err = r.store.needOfShort(ctx, parts); err != nil {
				return nil, err
			}
		}
		query, args := scanQuery(f, st.need, at)
		list, err = r.scan(ctx, st, query, args)
	case st.best:
		list, err = r.best(ctx, clausesOf(st.words), at)
	default:
		list, err = r.store.newest(ctx, matchWords(clausesOf(st.words), " AND ", f), f, at, r.wanted())
		r.cut = len(list) == r.wanted()
	}
	if err != nil {
		return nil, err
	}
	return r.addOthers(ctx, st, list)
}

// scan reads the texts of a query until enough match or reading is stopped.
func (r *run) scan(ctx context.Context, st step, query string, args []any) (list []candidate, err error) {
	last, next, stopped := int64(0), int64(0), false
	err = r.store.scan(ctx, st.Matcher, func(row history.Row, s seen) bool {
		if stopped = r.q.Stop != nil && r.q.Stop(); stopped {
			return false
		}
		next = row.Time + 1
		if s.size == 0 || row.Type == message.EntrySession { // the first line of a session may have been rejected unparsed
			return true
		}
		r.res.Scanned++
		// Texts of the same second come in any order, so all of them are read.
		full := !st.best && len(list) >= r.wanted() && row.Time/1000 != last
		if s.held != 0 && !full {
			c := candidate{Row: row}
			if st.best {
				c.score = float64(bits.OnesCount64(s.held))
			}
			list, last = append(list, c), row.Time/1000
		}
		r.cut = r.cut || full
		return !full
	}, query, args...)
	if err == nil && stopped {
		r.res.Stopped, r.res.Next = true, next
		r.res.Of, err = r.store.count(ctx, r.q.Filter)
	}
	return list, err
}

// count returns the number of texts that a filter admits.
func (s *Store) count(ctx context.Context, f history.Filter) (int, error) {
	cond, args := Where(f)
	var n int
	err := s.db.GetContext(ctx, &n, `SELECT count(DISTINCT m.content) FROM messages m JOIN conversations c ON c.id = m.conversation
		WHERE m.type <> 'session' AND `+cond, args...)
	if err != nil {
		return 0, fmt.Errorf("count history: %w", sqlite.Explain(err))
	}
	return n, nil
}

// addOthers adds the summaries and the whole outputs that match.
func (r *run) addOthers(ctx context.Context, st step, list []candidate) ([]candidate, error) {
	if !r.read {
		r.read = true
		err := r.store.eachSummary(ctx, r.q.Filter, func(row history.Row, text string) {
			r.others = append(r.others, candidate{Row: row, text: text})
		})
		if err == nil {
			err = r.readSpilled(ctx)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, c := range r.others {
		if held := st.Held(c.text); held != 0 {
			if st.best {
				c.score = float64(bits.OnesCount64(held))
			}
			list = append(list, c)
		}
	}
	return list, nil
}

// weak reports whether no result of a question has more than one of its words.
func weak(st step, all []shown) bool {
	const several = 3
	x, ok := st.Matcher.(history.Expr)
	return ok && st.best && len(x.Phrases) >= several && !slices.ContainsFunc(all, func(one shown) bool {
		return bits.OnesCount64(one.held) > 1
	})
}

// matched returns the step that describes the results of a ranking: all of them contain all
// words of the query, or only the first ones do, or none. held are the words in each.
func matched(st step, held []uint64) string {
	x, ok := st.Matcher.(history.Expr)
	if !ok || !st.best || len(held) == 0 {
		return st.name
	}
	lacks := func(h uint64) bool { return h != x.All() }
	switch {
	case lacks(held[0]):
		return history.StepAny
	case slices.ContainsFunc(held, lacks):
		return history.StepAllFirst
	}
	return history.StepAll
}
