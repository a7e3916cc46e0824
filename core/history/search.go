package history

import (
	"bytes"
	"context"
	"hash/maphash"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/coctostan/pictx/core/history/automaton"
	"github.com/coctostan/pictx/core/history/trigram"
	"github.com/coctostan/pictx/core/message"
)

const (
	defaultLimit   = 20
	defaultContext = 200
	minMatch       = 100 // bytes of a match that are shown even with little context
)

// Search answers a query.
func Search(ctx context.Context, st SearchStore, q Query) (Result, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	if q.Context <= 0 {
		q.Context = defaultContext
	}
	s := &search{st: st, q: q, seed: maphash.MakeSeed()}
	if err := s.begin(ctx); err != nil {
		return Result{}, err
	}
	steps, err := plan(q)
	if err != nil {
		return Result{}, err
	}
	for len(steps) > 0 && !s.res.Stopped {
		n, answer := 1, s.try
		if steps[0].weigher != nil {
			answer = s.rank
		} else if !st.FullText() { // every text is read, so read each once for all steps
			n = slices.IndexFunc(steps, func(st step) bool { return st.weigher != nil })
			if n < 0 {
				n = len(steps)
			}
		}
		if done, err := answer(ctx, steps[:n]); done || err != nil {
			return s.res, err
		}
		steps = steps[n:]
	}
	return s.res, s.suggest(ctx)
}

// begin records what is stored now.
func (s *search) begin(ctx context.Context) (err error) {
	if st, ok := s.st.(interface {
		Stored(ctx context.Context) (Mark, error)
	}); ok && !s.q.Filter.Stored.Known() {
		// Other processes store entries meanwhile: this page finds what the next ones find.
		s.q.Filter.Stored, err = st.Stored(ctx)
	}
	s.res.Stored = s.q.Filter.Stored
	return err
}

// step is one way to understand a query.
type step struct {
	name string
	matcher
	expr    *Expr    // the query to the index of words, nil when it cannot answer
	probe   Probe    // the texts to read when the index cannot answer
	weigher *weigher // ranks by relevance; nil for newest first
}

// matcher decides whether texts match.
type matcher interface {
	// held returns a bit for each part of the query that a text contains, 0 when the text
	// does not match.
	held(text string) uint64
	// place returns the best span of a matching text to show; reach is how many bytes are
	// shown on each side.
	place(text string, reach int) (start, end int)
}

// plan lists the steps of a query. A query of several words is usually a question, so texts
// ranked by relevance come first, then those with the query inside words. For a language
// without spaces the order is reversed, because its words are parts of what the index takes
// for words.
func plan(q Query) ([]step, error) {
	if q.Regex {
		re, err := CompileRegex(q.Text, q.CaseSensitive)
		if err != nil {
			return nil, err
		}
		need := trigram.NeedOfRegex(q.Text)
		return []step{{name: StepRegex, matcher: newRegexMatcher(re, need), probe: Probe{Need: need}}}, nil
	}
	all, err := parseText(q.Text)
	if err != nil {
		return nil, err
	}
	content := withoutStopWords(all)
	inside := insideWords(content, q.Text)
	if len(all) == 0 { // punctuation only
		return inside, nil
	}
	var steps []step
	if q.newestFirst(all) {
		steps = asWords(all, content)
		if len(content) < 2 {
			return append(steps, inside...), nil
		}
	}
	if unspaced(q.Text) {
		return append(append(steps, inside...), byWeight(content)), nil
	}
	return append(append(steps, byWeight(content)), inside...), nil
}

// newestFirst reports whether a query of words is answered with the newest texts that
// contain all of them: when asked for, for a single word, and for quoted words.
func (q Query) newestFirst(all []Phrase) bool {
	return q.Order == Newest || q.Order == Usual && (len(all) == 1 || strings.Contains(q.Text, `"`))
}

// byWeight returns the step that ranks by relevance.
func byWeight(content []Phrase) step {
	w := newWeigher(content)
	some := Expr{Phrases: w.terms, Any: true}
	return step{name: StepAny, matcher: weighMatcher{some, w}, expr: &some, weigher: w}
}

// asWords lists the steps that require all words.
func asWords(all, content []Phrase) []step {
	var steps []step
	add := func(name string, phrases []Phrase) {
		x := Expr{Phrases: phrases}
		steps = append(steps, step{name: name, matcher: x, expr: &x})
	}
	add(StepAll, all)
	add(StepPrefix, prefixes(all))
	if len(content) < len(all) {
		add(StepNoStop, prefixes(content))
	}
	if forms, changed := stems(content); changed {
		add(StepForms, forms)
	}
	return steps
}

// insideWords lists the steps that search inside words: first parts of names, which have an
// index, then anywhere.
func insideWords(content []Phrase, query string) []step {
	var steps []step
	if n, ok := newNameMatcher(content); ok {
		steps = append(steps, step{name: StepSubstring, matcher: n, probe: Probe{Parts: n.tokens, Need: trigram.NeedOf(n.partMatcher)}})
	}
	any := newPartMatcher(content, query)
	return append(steps, step{name: StepSubstring, matcher: any, probe: Probe{Need: trigram.NeedOf(any)}})
}

// search is a query in progress.
type search struct {
	st      SearchStore
	q       Query
	res     Result
	parsers parsers
	seed    maphash.Seed // of the hashes by which texts are compared
	room    []byte       // buffer for the lines of hits
	depth   int          // by how much more is read than usually suffices
	cut     bool         // whether there may be more than was read
	found   *Found       // what the index has found to be ranked, nil before

	summaries     []candidate
	summariesRead bool // whether summaries is filled

	spilled    []candidate
	spillsRead bool // whether spilled is filled
}

// candidate is a row that a step found.
type candidate struct {
	Row
	held     uint64
	inPrompt uint64 // terms that the preceding prompt contains
	score    float64
	weight   *weight
	block    int    // of the texts that a ranking reads: a page further down reads more of them
	text     string // the text of a summary or whole output, "" for an entry
	spill    string // the id of the whole output, "" for others
}

// isSummary reports whether a candidate is a summary rather than an entry.
func (c candidate) isSummary() bool { return c.Role == RoleSummary }

// try answers with the first of the steps that finds something, and reports whether any
// did.
func (s *search) try(ctx context.Context, steps []step) (bool, error) {
	return s.deepen(func() (bool, error) {
		lists, err := s.find(ctx, steps)
		if err != nil {
			return false, err
		}
		for i, list := range lists {
			if len(list) > 0 {
				return true, s.answer(ctx, steps[i], list)
			}
		}
		return false, nil
	})
}

// deepen calls answer until it finds nothing, or a page that is full or the last: when most
// of the results are merged into others it takes more of them.
func (s *search) deepen(answer func() (bool, error)) (bool, error) {
	const further = 4
	for s.depth = 1; ; s.depth *= further {
		s.cut = false
		found, err := answer()
		if err != nil || !found || !s.cut || s.res.More || s.res.Stopped {
			return found, err
		}
		if s.q.Stop != nil && s.q.Stop() {
			s.res.More = true
			return true, nil
		}
		s.res.Hits, s.res.Scanned = nil, 0
	}
}

// find returns what each of the steps finds, as far as a stricter one does not.
func (s *search) find(ctx context.Context, steps []step) ([][]candidate, error) {
	lists := make([][]candidate, len(steps))
	p := steps[0].probe
	switch x := steps[0].expr; {
	case !s.st.FullText():
		p = Probe{}
		if s.q.Regex {
			p = steps[0].probe
		}
	case x != nil:
		p = Probe{Lacking: true}
		res, err := s.st.Match(ctx, *x, s.q.Filter, Newest, s.wanted())
		if err != nil {
			return nil, err
		}
		s.cut = len(res.Rows) == s.wanted()
		for _, r := range res.Rows {
			lists[0] = append(lists[0], candidate{Row: r})
		}
	}
	// Also read entries that are not indexed yet, such as those that another build wrote.
	if err := s.scan(ctx, steps, lists, p); err != nil {
		return nil, err
	}
	if err := s.addSpilled(ctx, steps, lists); err != nil {
		return nil, err
	}
	return lists, s.addSummaries(ctx, steps, lists)
}

// addSpilled adds the whole outputs that match the strictest step that finds anything.
func (s *search) addSpilled(ctx context.Context, steps []step, lists [][]candidate) error {
	if err := s.readSpilled(ctx); err != nil {
		return err
	}
	for i := range steps {
		for _, c := range s.spilled {
			if c.held = steps[i].held(c.text); c.held != 0 {
				lists[i] = append(lists[i], c)
			}
		}
		if len(lists[i]) > 0 {
			return nil
		}
	}
	return nil
}

// addSummaries adds the summaries that match the strictest step that finds anything.
func (s *search) addSummaries(ctx context.Context, steps []step, lists [][]candidate) error {
	if err := s.readSummaries(ctx); err != nil {
		return err
	}
	for i := range steps {
		for _, f := range s.summaries {
			if f.held = steps[i].held(f.text); f.held != 0 {
				lists[i] = append(lists[i], f)
			}
		}
		if len(lists[i]) > 0 {
			return nil
		}
	}
	return nil
}

// readSummaries reads the summaries of the store, once.
func (s *search) readSummaries(ctx context.Context) error {
	src, ok := s.st.(SummarySource)
	if !ok || s.summariesRead {
		return nil
	}
	s.summariesRead = true
	return src.EachSummary(ctx, s.q.Filter, func(r Row, text string) {
		s.summaries = append(s.summaries, candidate{Row: r, text: text})
	})
}

// wanted is how many rows are enough to fill the page and to know whether there is another,
// although some are merged.
func (s *search) wanted() int { return s.depth * (2*(s.q.Limit+s.q.Offset) + 1) }

// scan reads rows one by one and adds each match to the list of its step, unless a stricter
// step has found something.
func (s *search) scan(ctx context.Context, steps []step, lists [][]candidate, p Probe) error {
	scanned := make([]int, len(steps)) // matches found here
	last := int64(0)                   // the second of the last of these
	stopped := false
	next := int64(0)
	var tried atomic.Int32 // number of steps still tried
	tried.Store(int32(len(steps)))
	look := func(raw []byte) Inspection { return s.inspect(steps[:tried.Load()], raw) }
	cover, err := s.st.Scan(ctx, s.q.Filter, p, look, func(r Row, seen Inspection) bool {
		if stopped = s.q.Stop != nil && s.q.Stop(); stopped {
			return false
		}
		next = r.Time + 1
		// A session's first line has no text, but may have been dismissed unparsed.
		if seen.Size == 0 || seen.Held == nil && r.Type == message.EntrySession {
			return true
		}
		s.res.Scanned++
		for i := range steps {
			// Texts of the same second come in any order, so all of them are read.
			full := scanned[i] >= s.wanted() && r.Time/1000 != last
			s.cut = s.cut || full
			if held := seen.held(i); held != 0 && !full {
				lists[i] = append(lists[i], candidate{Row: r, held: held})
				scanned[i]++
				last = r.Time / 1000
			}
			if len(lists[i]) > 0 {
				tried.Store(int32(i + 1))
				return i > 0 || !full
			}
		}
		return true
	})
	s.res.Lacking = max(s.res.Lacking, cover.Lacking)
	if err == nil && stopped {
		s.res.Stopped, s.res.Next = true, next
		s.res.Of, err = s.st.Texts(ctx, s.q.Filter)
	}
	return err
}

// inspect matches a line against the steps. A scan spends its time here, on all processors.
func (s *search) inspect(steps []step, raw []byte) Inspection {
	var quick dismisser
	if len(steps) == 1 {
		if m, ok := steps[0].matcher.(rejecter); ok && m.rejects(raw) {
			return Inspection{Size: len(raw)}
		}
		quick, _ = steps[0].matcher.(dismisser)
	}
	var seen Inspection
	s.parsers.read(raw, func(_ *message.Entry, body []byte) {
		if seen.Size = len(body); len(body) == 0 || quick != nil && quick.dismisses(body) {
			return
		}
		text := string(body)
		for i := range steps {
			if held := steps[i].held(text); held != 0 {
				if seen.Held == nil {
					seen.Held = make([]uint64, len(steps))
				}
				seen.Held[i] = held
			}
		}
	})
	return seen
}

// rejecter is a matcher that can tell for some lines, without parsing them, that their text
// does not match.
type rejecter interface {
	rejects(raw []byte) bool
}

// dismisser is a matcher that can tell for most texts faster than by held that they do not
// match.
type dismisser interface {
	dismisses(text []byte) bool
}

// held returns the bits of a step.
func (s Inspection) held(step int) uint64 {
	if step >= len(s.Held) {
		return 0
	}
	return s.Held[step]
}

// answer sorts the candidates of a step and makes the hits of the requested page.
func (s *search) answer(ctx context.Context, st step, list []candidate) error {
	s.res.Step = st.name
	sort.SliceStable(list, func(i, j int) bool { return before(list[i], list[j]) })
	return s.page(ctx, st, list)
}

// before reports whether a precedes b: messages precede summaries, then what every page
// reads precedes what only pages further down read, then the better score wins, then the
// newer.
func before(a, b candidate) bool {
	switch {
	case a.isSummary() != b.isSummary():
		return b.isSummary()
	case a.block != b.block:
		return a.block < b.block
	case a.score != b.score:
		return a.score > b.score
	}
	return Newer(a.Row, b.Row)
}

// Newer reports whether row a precedes row b in the order newest first. It depends only on
// the content of the session files.
func Newer(a, b Row) bool {
	switch {
	case a.Time != b.Time:
		return a.Time > b.Time
	case a.Ordinal != b.Ordinal:
		return a.Ordinal > b.Ordinal
	case a.Session != b.Session:
		return a.Session > b.Session
	}
	return a.EntryID > b.EntryID
}

// regexMatcher matches by a regular expression.
type regexMatcher struct {
	*regexp.Regexp
	runs  partMatcher          // what every matching text contains
	quick *automaton.Automaton // nil without one
	plain bool                 // whether quick can tell by a line, too
}

func newRegexMatcher(re *regexp.Regexp, need trigram.Need) regexMatcher {
	a := automaton.New(re)
	return regexMatcher{re, plainRuns(need), a, apart(a)}
}

func (re regexMatcher) rejects(raw []byte) bool {
	return re.runs.rejects(raw) || re.plain && !re.quick.AdmitsJSON(raw) && !oddArguments(raw)
}

// apart reports whether every match in the text of an entry is in one of its strings or in
// the arguments of a call, which its line has too, rather than in the labels and line breaks
// between these. Those of message.Entry.AppendText are [name] and a blank, $ and a blank,
// [image], and [tool: name({arguments})].
func apart(a *automaton.Automaton) bool {
	return a != nil && !a.Takes("[] \n{") && !a.EndsWith("$:()")
}

// oddArguments reports whether a line may have a call with arguments that are not an object.
func oddArguments(raw []byte) bool {
	const name = `"arguments"`
	return bytes.Count(raw, []byte(name)) != bytes.Count(raw, []byte(name+":{"))
}

func (re regexMatcher) held(text string) uint64 {
	if re.MatchString(text) {
		return 1
	}
	return 0
}

func (re regexMatcher) dismisses(text []byte) bool {
	return re.quick != nil && !re.quick.Admits(text)
}

func (re regexMatcher) place(text string, _ int) (start, end int) {
	m := re.FindStringIndex(text)
	if m == nil {
		return 0, 0
	}
	return m[0], m[1]
}
