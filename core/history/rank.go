package history

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/coctostan/pictx/core/message"
)

// maxRanked is how many texts are read to rank them. Each further page reads as many again.
const maxRanked = 200

// maxPromising is how many texts the index is asked for, from which those to read are
// chosen.
const maxPromising = 2000

// rank answers a query with the texts that match it best, best first. steps has one
// element.
func (s *search) rank(ctx context.Context, steps []step) (bool, error) {
	return s.deepen(func() (bool, error) { return s.rankSome(ctx, steps[0]) })
}

// rankSome ranks the most promising texts.
func (s *search) rankSome(ctx context.Context, st step) (bool, error) {
	r := &ranking{search: s, weigher: st.weigher}
	if err := r.read(ctx, st.expr); err != nil {
		return false, err
	}
	if err := r.addSpilled(ctx); err != nil {
		return false, err
	}
	if err := r.addSummaries(ctx); err != nil {
		return false, err
	}
	if err := r.creditPrompts(ctx); err != nil {
		return false, err
	}
	if len(r.list) == 0 {
		s.res.Capped, s.res.Since = 0, 0
		return false, nil
	}
	s.res.Ranked = true
	if err := s.answer(ctx, st, r.list); err != nil {
		return true, err
	}
	if s.res.Step = r.matchedStep(); s.res.Step == StepAny {
		return true, s.suggest(ctx)
	}
	return true, nil
}

// ranking is a ranked search in progress.
type ranking struct {
	*search
	weigher *weigher
	list    []candidate
	having  []int         // number of texts that contain each term
	texts   int           // how many texts there are
	blocks  map[int64]int // by key of a text, see candidate.block
}

// read reads and weighs the texts that the index finds and those that it lacks, or all
// texts without an index.
func (r *ranking) read(ctx context.Context, x *Expr) error {
	r.having = make([]int, len(r.weigher.terms))
	if !r.st.FullText() {
		return r.weigh(ctx, Probe{}, true)
	}
	if r.found == nil { // reading more of them does not take finding them again
		found, err := r.st.Match(ctx, *x, r.q.Filter, Relevance, maxPromising)
		if err != nil {
			return err
		}
		r.search.found = &found
	}
	found := *r.found
	r.res.Capped, r.res.Since = found.Capped, found.Since
	copy(r.having, found.Having)
	r.texts = found.Of
	if keys := r.promising(found); len(keys) > 0 {
		if err := r.weigh(ctx, Probe{Texts: keys}, false); err != nil {
			return err
		}
	}
	return r.weigh(ctx, Probe{Lacking: true}, true)
}

// promising returns the keys of the texts to read, the most promising first.
func (r *ranking) promising(found Found) []int64 {
	ws := weightsOf(r.having, r.texts)
	promise := make(map[int64]float64, len(found.Candidates))
	keys := make([]int64, len(found.Candidates))
	for i, c := range found.Candidates {
		keys[i], promise[c.Text] = c.Text, ws.promise(c)
	}
	slices.SortFunc(keys, func(a, b int64) int {
		return cmp.Or(cmp.Compare(promise[b], promise[a]), cmp.Compare(b, a))
	})
	most := r.depth * maxRanked * (1 + (r.q.Limit+r.q.Offset)/maxRanked)
	r.cut = len(keys) > most
	keys = keys[:min(len(keys), most)]
	r.blocks = make(map[int64]int, len(keys))
	first := r.q.Limit / maxRanked // the last of what the first page reads
	for i, key := range keys {
		r.blocks[key] = max(0, i/maxRanked-first)
	}
	return keys
}

// weigh reads and weighs some texts. isNew is set for those that the index did not count.
func (r *ranking) weigh(ctx context.Context, p Probe, isNew bool) error {
	var stopped bool
	var next int64
	from := len(r.list)
	cover, err := r.st.Scan(ctx, r.q.Filter, p, r.look, func(row Row, seen Inspection) bool {
		if stopped = isNew && r.q.Stop != nil && r.q.Stop(); stopped {
			return false
		}
		next = row.Time + 1
		if seen.Size > 0 && isNew {
			r.res.Scanned++
		}
		if seen.Size > 0 && isNew && !r.st.FullText() { // else the index has counted all that are stored
			r.texts++
		}
		if seen.weight != nil {
			r.list = append(r.list, candidate{Row: row, held: seen.weight.held, weight: seen.weight, block: r.blocks[row.Content]})
		}
		return true
	})
	r.res.Lacking = max(r.res.Lacking, cover.Lacking)
	if isNew {
		r.count(r.list[from:])
	}
	if err == nil && stopped {
		r.res.Stopped, r.res.Next = true, next
		r.res.Of, err = r.st.Texts(ctx, r.q.Filter)
	}
	if err == nil {
		r.score()
	}
	return err
}

// look weighs the text of a line.
func (r *ranking) look(raw []byte) (seen Inspection) {
	r.parsers.parse(raw, func(e *message.Entry, body string) {
		if seen.Size = len(body); body != "" {
			prose, rest := split(e, body)
			seen.weight = r.weigher.weigh(prose, rest)
		}
	})
	return seen
}

// count adds the terms of texts that the index did not count.
func (r *ranking) count(list []candidate) {
	for _, c := range list {
		for h := c.held; h != 0; h &= h - 1 {
			r.having[bits.TrailingZeros64(h)]++
		}
	}
}

// score computes the scores of all candidates.
func (r *ranking) score() {
	ws := weightsOf(r.having, r.texts)
	for i := range r.list {
		c := &r.list[i]
		c.score = ws.score(c.weight, c.IsError) + ws.inherited(c.held, c.inPrompt)
	}
}

// addSpilled adds the outputs that contain all terms.
func (r *ranking) addSpilled(ctx context.Context) error {
	if err := r.readSpilled(ctx); err != nil {
		return err
	}
	for _, c := range r.spilled {
		if c.weight = r.weigher.weigh("", c.text); c.weight != nil {
			c.held = c.weight.held
			r.list = append(r.list, c)
		}
	}
	return nil
}

// addSummaries adds the summaries that contain any term.
func (r *ranking) addSummaries(ctx context.Context) error {
	if err := r.readSummaries(ctx); err != nil {
		return err
	}
	for _, c := range r.summaries {
		if c.weight = r.weigher.weigh(c.text, ""); c.weight != nil {
			c.held = c.weight.held
			r.list = append(r.list, c)
		}
	}
	r.score()
	return nil
}

// matchedStep returns the step that describes the results: all of them contain all words of
// the query, or only the first ones do, or none.
func (r *ranking) matchedStep() string {
	all := uint64(0)
	for i, p := range r.weigher.terms {
		if len(p.Words) == 1 {
			all |= 1 << i
		}
	}
	lacks := func(c candidate) bool { return c.held&all != all }
	shown := r.list[min(len(r.list), r.q.Offset):min(len(r.list), r.q.Offset+r.q.Limit)]
	switch {
	case lacks(r.list[0]):
		return StepAny
	case slices.ContainsFunc(shown, lacks):
		return StepAllFirst
	}
	return StepAll
}
