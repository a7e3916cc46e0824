package history

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/coctostan/pictx/core/message"
)

// Filter narrows a search. Empty fields do not.
type Filter struct {
	Sessions []string // session ids
	Roles    []string // pi's role names
	Tool     string
	After    int64 // Unix milliseconds, inclusive
	Before   int64 // exclusive
}

// Row is an entry as a search finds it, without its text.
type Row struct {
	ID       int64
	Session  string
	EntryID  string
	ParentID string
	Type     message.EntryType
	Role     message.Role
	Tool     string
	IsError  bool
	Time     int64
	Content  int64 // key of its text
	// Copies counts the entries with the same text that the filter admits: an
	// entry and what forks have of it.
	Copies int
}

// Order is the order of results.
type Order int

// The orders of results.
const (
	Newest    Order = iota // latest first
	Relevance              // best first
)

// SearchStore is what Search needs of a database.
type SearchStore interface {
	// FullText tells whether Match can be used.
	FullText() bool
	// Match returns the rows whose text the index finds for an expression.
	Match(ctx context.Context, x Expr, f Filter, o Order, limit, offset int) ([]Row, error)
	// Scan calls fn with every row and its line, newest first, until fn returns
	// false. unindexed limits it to the rows that the index lacks.
	Scan(ctx context.Context, f Filter, unindexed bool, fn func(r Row, raw []byte) bool) error
	// Raw returns the line of a row.
	Raw(ctx context.Context, r Row) ([]byte, error)
}

// Query is a question to the history.
type Query struct {
	Text          string
	Regex         bool
	CaseSensitive bool // of a regular expression
	Filter        Filter
	Order         Order
	Limit         int // at most this many results; 20 when 0
	Offset        int // results to pass over
	Context       int // characters of snippet on each side of the match; 200 when 0
}

// Hit is one result.
type Hit struct {
	Row
	// Snippet is the text around the match.
	Snippet string
	// MatchStart and MatchEnd are byte offsets of the match in Snippet.
	MatchStart, MatchEnd int
}

// The steps of a text search, from strict to loose. A search takes the first
// that finds something and says which that was.
const (
	StepAll       = "all words"
	StepPrefix    = "all words as prefixes"
	StepNoStop    = "all words but the common ones"
	StepSubstring = "as part of a word"
	StepAny       = "any word, best first"
	StepRegex     = "regex"
)

// Result is the answer to a query.
type Result struct {
	Hits []Hit
	// More is set when there are results beyond the limit.
	More bool
	// Step says how the query was understood.
	Step string
	// Scanned counts the texts that were read one by one, because the index
	// lacks them or cannot answer the question.
	Scanned int
}

const (
	defaultLimit   = 20
	defaultContext = 200
)

// Search answers a query.
func Search(ctx context.Context, st SearchStore, q Query) (Result, error) {
	if q.Limit <= 0 {
		q.Limit = defaultLimit
	}
	if q.Context <= 0 {
		q.Context = defaultContext
	}
	s := &search{st: st, q: q}
	if q.Regex {
		re, err := CompileRegex(q.Text, q.CaseSensitive)
		if err != nil {
			return Result{}, err
		}
		err = s.scan(ctx, StepRegex, false, regexMatch(re))
		return s.res, err
	}
	phrases, err := parseText(q.Text)
	if err != nil {
		return Result{}, err
	}
	err = s.text(ctx, phrases)
	return s.res, err
}

// search is one query under way.
type search struct {
	st  SearchStore
	q   Query
	res Result
}

// matcher returns where a text matches, -1 when it does not, and how well.
type matcher func(text string) (start, end, score int)

func regexMatch(re *regexp.Regexp) matcher {
	return func(text string) (int, int, int) {
		m := re.FindStringIndex(text)
		if m == nil {
			return -1, -1, 0
		}
		return m[0], m[1], 1
	}
}

// text tries one step after the other until something is found.
func (s *search) text(ctx context.Context, all []Phrase) error {
	steps := []struct {
		name string
		expr Expr
	}{
		{StepAll, Expr{Phrases: all}},
		{StepPrefix, Expr{Phrases: prefixes(all)}},
	}
	content := withoutStopWords(all)
	if len(content) > 0 && len(content) < len(all) {
		steps = append(steps, struct {
			name string
			expr Expr
		}{StepNoStop, Expr{Phrases: prefixes(content)}})
	}
	for _, step := range steps {
		if err := s.expr(ctx, step.name, step.expr); err != nil || len(s.res.Hits) > 0 {
			return err
		}
	}
	if err := s.substring(ctx); err != nil || len(s.res.Hits) > 0 {
		return err
	}
	if len(content) == 0 {
		content = all
	}
	if len(content) < 2 {
		return nil
	}
	s.q.Order = Relevance
	return s.expr(ctx, StepAny, Expr{Phrases: content, Any: true})
}

// expr answers an expression from the index, and by reading what it lacks.
func (s *search) expr(ctx context.Context, step string, x Expr) error {
	if !s.st.FullText() {
		return s.scan(ctx, step, false, x.find)
	}
	rows, err := s.st.Match(ctx, x, s.q.Filter, s.q.Order, s.q.Limit+1+s.q.Offset, 0)
	if err != nil {
		return err
	}
	for _, r := range rows {
		raw, err := s.st.Raw(ctx, r)
		if err != nil {
			return err
		}
		text := rowText(raw)
		start, end, _ := x.find(text)
		s.hit(r, text, max(start, 0), max(end, 0))
	}
	// What another build wrote and nobody indexed yet is part of the answer.
	if err := s.scan(ctx, step, true, x.find); err != nil {
		return err
	}
	return nil
}

// substring finds the query inside words, which an index of words cannot.
func (s *search) substring(ctx context.Context) error {
	needle := strings.ToLower(strings.Trim(strings.TrimSpace(s.q.Text), `"`))
	return s.scan(ctx, StepSubstring, false, func(text string) (int, int, int) {
		lower := strings.ToLower(text)
		i := strings.Index(lower, needle)
		if i < 0 {
			return -1, -1, 0
		}
		if len(lower) != len(text) { // lowering moved the offsets
			return 0, 0, 1
		}
		return i, i + len(needle), 1
	})
}

// scan reads rows one by one.
func (s *search) scan(ctx context.Context, step string, unindexed bool, match matcher) error {
	type scored struct {
		Hit
		score int
	}
	var found []scored
	seen := make(map[int64]bool)
	enough := s.q.Limit + s.q.Offset + 1
	err := s.st.Scan(ctx, s.q.Filter, unindexed, func(r Row, raw []byte) bool {
		if seen[r.Content] {
			return true
		}
		seen[r.Content] = true
		s.res.Scanned++
		text := rowText(raw)
		if text == "" {
			return true
		}
		start, end, score := match(text)
		if start >= 0 {
			found = append(found, scored{s.snippet(r, text, start, end), score})
		}
		return s.q.Order == Relevance || len(found) < enough
	})
	if err != nil {
		return err
	}
	if s.q.Order == Relevance {
		sort.SliceStable(found, func(i, j int) bool { return found[i].score > found[j].score })
	}
	for _, f := range found {
		s.res.Hits = append(s.res.Hits, f.Hit)
	}
	if s.q.Order == Newest {
		sort.SliceStable(s.res.Hits, func(i, j int) bool { return s.res.Hits[i].Time > s.res.Hits[j].Time })
	}
	s.finish(step)
	return nil
}

// finish applies offset and limit to what a step found.
func (s *search) finish(step string) {
	s.res.Step = step
	s.res.Hits = s.res.Hits[min(s.q.Offset, len(s.res.Hits)):]
	if len(s.res.Hits) > s.q.Limit {
		s.res.Hits, s.res.More = s.res.Hits[:s.q.Limit], true
	}
}

// hit adds a result of the index.
func (s *search) hit(r Row, text string, start, end int) {
	s.res.Hits = append(s.res.Hits, s.snippet(r, text, start, end))
}

// rowText returns the searchable text of a stored line, "" when it has none.
func rowText(raw []byte) string {
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return ""
	}
	return SearchText(&e, raw)
}

// snippet cuts the text around a match, on character boundaries.
func (s *search) snippet(r Row, text string, start, end int) Hit {
	from, to := start, end
	for n := 0; n < s.q.Context && from > 0; n++ {
		from = prevRune(text, from)
	}
	// A match may be as long as the text; what is shown of it is not.
	if limit := 4 * s.q.Context; to-start > limit {
		to = runeBoundary(text, start+limit)
		end = to
	}
	for n := 0; n < s.q.Context && to < len(text); n++ {
		to = nextRune(text, to)
	}
	return Hit{Row: r, Snippet: text[from:to], MatchStart: start - from, MatchEnd: end - from}
}

// Expander is what Expand needs of a database.
type Expander interface {
	// Find returns the rows whose entry id, or former id, begins with prefix,
	// at most limit; sessions narrows it when not empty.
	Find(ctx context.Context, prefix string, sessions []string, limit int) ([]Row, error)
	// Raw returns the line of a row.
	Raw(ctx context.Context, r Row) ([]byte, error)
}

// ErrNotFound is returned for an id that nothing has.
var ErrNotFound = errors.New("nothing has this id")

// AmbiguousError is returned for a prefix that several entries with different
// texts share.
type AmbiguousError struct {
	Prefix     string
	Candidates []Row
}

// Error lists the candidates.
func (e *AmbiguousError) Error() string {
	var ids []string
	for i, c := range e.Candidates {
		if i == 8 {
			ids = append(ids, "…")
			break
		}
		ids = append(ids, fmt.Sprintf("%s (session %s)", c.EntryID, c.Session))
	}
	return fmt.Sprintf("id %s is ambiguous: %s", e.Prefix, strings.Join(ids, ", "))
}

// Expanded is an entry with its text.
type Expanded struct {
	Row
	// Raw is the line as pi wrote it.
	Raw []byte
	// Entry is Raw's head.
	Entry message.Entry
}

// Text is what the entry says, without the labels a search puts before it.
func (x *Expanded) Text() []byte { return x.Entry.AppendBody(nil, x.Raw) }

// Expand returns the entry with the given id, or unique prefix of one. The same
// text under one id in several sessions, as forks have it, is one entry.
func Expand(ctx context.Context, st Expander, id string, sessions []string) (*Expanded, error) {
	const most = 50
	rows, err := st.Find(ctx, id, sessions, most)
	if err != nil {
		return nil, err
	}
	rows = exactFirst(rows, id)
	if len(rows) == 0 {
		return nil, ErrNotFound
	}
	for _, r := range rows[1:] {
		if r.Content != rows[0].Content {
			return nil, &AmbiguousError{Prefix: id, Candidates: rows}
		}
	}
	raw, err := st.Raw(ctx, rows[0])
	if err != nil {
		return nil, err
	}
	x := &Expanded{Row: rows[0], Raw: raw}
	var p message.Parser
	if x.Entry, err = p.ParseEntry(raw); err != nil {
		return nil, fmt.Errorf("read entry %s: %w", id, err)
	}
	return x, nil
}

// exactFirst keeps only the rows with exactly this id when there are any.
func exactFirst(rows []Row, id string) []Row {
	var exact []Row
	for _, r := range rows {
		if r.EntryID == id {
			exact = append(exact, r)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return rows
}
