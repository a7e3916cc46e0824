package workspace

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"sort"

	"github.com/coctostan/pictx/core/exit"
	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/project"
	"github.com/coctostan/pictx/sqlite"
	"github.com/coctostan/pictx/sqlite/entries"
	"github.com/coctostan/pictx/sqlite/store"
)

// namedStore is an open store with the key of its project.
type namedStore struct {
	Store *store.Store
	Key   string
	sole  bool // whether the scope is this project: no other store can come to it
}

// Stores are the stores of several projects, searched as one: order, limit and search steps
// apply to all of them together.
type Stores []namedStore

var (
	_ history.SearchStore = Stores(nil)
	_ history.Prompter    = Stores(nil)
)

// GrepStores opens the stores of a scope. With scope "all", stores that cannot be opened
// are skipped with a warning, and partly is set.
func (a *Workspace) GrepStores(ctx context.Context, scope string) (s Stores, partly bool, err error) {
	switch scope {
	case "", "project", "session":
		st, pl, err := a.Store(ctx, sqlite.Read)
		if err != nil {
			return nil, false, Elsewhere(ctx, a, err, "pictx import, or --all for other projects")
		}
		return Stores{{st, pl.Key, true}}, false, nil
	case "all":
		if err := MayReadOthers(a, "pictx grep --scope project QUERY"); err != nil {
			return nil, false, err
		}
		return a.allStores(ctx)
	}
	return nil, false, exit.UsageError("pictx grep --scope all QUERY", "unknown --scope %q: want session, project or all", scope)
}

func (a *Workspace) allStores(ctx context.Context) (s Stores, partly bool, err error) {
	pl, err := a.Place()
	if err != nil {
		return nil, false, err
	}
	keys, err := project.Stores(pl.AgentDir)
	if err != nil {
		return nil, false, err
	}
	var first error
	for _, key := range keys {
		path := project.StorePath(pl.AgentDir, key)
		st, err := store.Open(ctx, path, sqlite.Read, a.Env.Now)
		if err == nil {
			s = append(s, namedStore{Store: st, Key: key})
			continue
		}
		if first == nil {
			first = err
		}
		a.Warning(text.TerminalLine(err.Error()), "")
	}
	switch {
	case len(s) > 0:
		return s, first != nil, nil
	case first != nil:
		return nil, false, first
	}
	return nil, false, fmt.Errorf("search history: %w", sqlite.ErrNoStore)
}

// EachSummary implements history.SummarySource.
func (s Stores) EachSummary(ctx context.Context, f history.Filter, fn func(history.Row, string)) error {
	for i, st := range s {
		err := st.Store.Search.EachSummary(ctx, s.filter(f, i), func(r history.Row, text string) { fn(s.own(i, r), text) })
		if err != nil {
			return err
		}
	}
	return nil
}

// BranchStatus implements history.BranchReader.
func (s Stores) BranchStatus(ctx context.Context, rows []history.Row) ([]history.BranchStatus, error) {
	out := make([]history.BranchStatus, len(rows))
	for _, st := range s {
		var own []history.Row
		var at []int
		for j, r := range rows {
			if from, r := s.Of(r); from.Store == st.Store {
				own, at = append(own, r), append(at, j)
			}
		}
		standings, err := st.Store.Search.BranchStatus(ctx, own)
		if err != nil {
			return nil, err
		}
		for j, standing := range standings {
			out[at[j]] = standing
		}
	}
	return out, nil
}

// WordFrom implements spelling.Vocabulary.
func (s Stores) WordFrom(ctx context.Context, from string) (first string, err error) {
	for _, st := range s {
		word, err := st.Store.Search.WordFrom(ctx, from)
		if err != nil {
			return "", err
		}
		if first == "" || word != "" && word < first {
			first = word
		}
	}
	return first, nil
}

// Known implements spelling.Vocabulary.
func (s Stores) Known(ctx context.Context, words []string) ([]string, error) {
	var known []string
	for _, st := range s {
		own, err := st.Store.Search.Known(ctx, words)
		if err != nil {
			return nil, err
		}
		known = append(known, own...)
	}
	return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !slices.Contains(known, w) }), nil
}

// Stored returns what is stored now.
func (s Stores) Stored(ctx context.Context) (history.Mark, error) {
	all := history.Mark{Of: make(map[string]history.Mark)}
	for _, st := range s {
		m, err := st.Store.Search.Stored(ctx)
		if err != nil || st.sole {
			return m, err
		}
		if m.Known() {
			all.Of[st.Key] = m
		}
	}
	return all, nil
}

// At returns the stores that had something at a mark: what others have has come since. It is
// an error when the mark is of another scope.
func (s Stores) At(m history.Mark) (Stores, error) {
	if !m.Known() || m.Of == nil && len(s) == 1 && s[0].sole {
		return s, nil
	}
	var then Stores
	for _, st := range s {
		if _, had := m.Of[st.Key]; had && !st.sole {
			then = append(then, st)
		}
	}
	if len(then) == 0 {
		return nil, errors.New("continue search: the cursor is that of another scope or project")
	}
	return then, nil
}

// filter returns a filter for the i-th store, whose mark is its own.
func (s Stores) filter(f history.Filter, i int) history.Filter {
	if f.Stored.Of == nil {
		return f
	}
	if f.Stored = f.Stored.Of[s[i].Key]; !f.Stored.Known() {
		f.Stored.Entry = -1 // what comes into an empty store meanwhile has come since
	}
	return f
}

// Close closes all stores.
func (s Stores) Close() {
	for _, st := range s {
		st.Store.Close()
	}
}

// own maps a row of the i-th store to a row of all stores, with a content id that is unique
// among them.
func (s Stores) own(i int, r history.Row) history.Row {
	r.Content = r.Content*int64(len(s)) + int64(i)
	return r
}

// Of returns the store of a row, and the row as that store knows it.
func (s Stores) Of(r history.Row) (namedStore, history.Row) {
	i, r := s.place(r)
	return s[i], r
}

// place returns the index of the store of a row, and the row as that store knows it.
func (s Stores) place(r history.Row) (int, history.Row) {
	n := int64(len(s))
	i := (r.Content%n + n) % n
	r.Content = (r.Content - i) / n
	return int(i), r
}

// FullText implements history.SearchStore.
func (s Stores) FullText() bool {
	return !slices.ContainsFunc(s, func(st namedStore) bool { return !st.Store.Search.FullText() })
}

// Raw implements history.SearchStore.
func (s Stores) Raw(ctx context.Context, r history.Row, room []byte) ([]byte, error) {
	st, r := s.Of(r)
	return st.Store.Search.Raw(ctx, r, room)
}

// PromptsBefore implements history.Prompter.
func (s Stores) PromptsBefore(ctx context.Context, rows []history.Row) (map[int64]int64, error) {
	out := make(map[int64]int64)
	for i, st := range s {
		var own []history.Row
		for _, r := range rows {
			if of, r := s.Of(r); of.Store == st.Store {
				own = append(own, r)
			}
		}
		prompts, err := st.Store.Search.PromptsBefore(ctx, own)
		if err != nil {
			return nil, err
		}
		for text, prompt := range prompts {
			out[s.own(i, history.Row{Content: text}).Content] = s.own(i, history.Row{Content: prompt}).Content
		}
	}
	return out, nil
}

// Answers implements history.Answerer.
func (s Stores) Answers(ctx context.Context, entry history.Row, f history.Filter) ([]history.Row, error) {
	i, own := s.place(entry)
	rows, err := s[i].Store.Search.Answers(ctx, own, s.filter(f, i))
	return s.ownRows(i, rows), err
}

// Results implements history.Answerer.
func (s Stores) Results(ctx context.Context, call history.Row, f history.Filter) ([]history.Row, error) {
	i, own := s.place(call)
	rows, err := s[i].Store.Search.Results(ctx, own, s.filter(f, i))
	return s.ownRows(i, rows), err
}

// ownRows makes rows of store i rows of all stores.
func (s Stores) ownRows(i int, rows []history.Row) []history.Row {
	for at, r := range rows {
		rows[at] = s.own(i, r)
	}
	return rows
}

// Match implements history.SearchStore.
func (s Stores) Match(ctx context.Context, x history.Expr, f history.Filter, o history.Order, limit int) (history.Found, error) {
	var out history.Found
	for i, st := range s {
		found, err := st.Store.Search.Match(ctx, x, s.filter(f, i), o, limit)
		if err != nil {
			return history.Found{}, err
		}
		out.Capped, out.Since = max(out.Capped, found.Capped), max(out.Since, found.Since)
		for _, r := range found.Rows {
			out.Rows = append(out.Rows, s.own(i, r))
		}
		for _, c := range found.Candidates {
			c.Text = s.own(i, history.Row{Content: c.Text}).Content
			out.Candidates = append(out.Candidates, c)
		}
		out.Of += found.Of
		out.Having = sums(out.Having, found.Having)
	}
	sort.SliceStable(out.Rows, func(i, j int) bool { return history.Newer(out.Rows[i], out.Rows[j]) })
	out.Rows = out.Rows[:min(limit, len(out.Rows))]
	return out, nil
}

// sums adds two lists element by element.
func sums(a, b []int) []int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i, n := range b {
		out[i] += n
	}
	return out
}

// probe returns a probe for the i-th store.
func (s Stores) probe(p history.Probe, i int) history.Probe {
	if p.Texts == nil {
		return p
	}
	own := p
	own.Texts = []int64{}
	for _, key := range p.Texts {
		if n := int64(len(s)); (key%n+n)%n == int64(i) {
			own.Texts = append(own.Texts, (key-int64(i))/n)
		}
	}
	return own
}

// Texts implements history.SearchStore.
func (s Stores) Texts(ctx context.Context, f history.Filter) (int, error) {
	total := 0
	for i, st := range s {
		n, err := st.Store.Search.Texts(ctx, s.filter(f, i))
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// Scan implements history.SearchStore. It merges the scans of all stores, newest first.
func (s Stores) Scan(ctx context.Context, f history.Filter, p history.Probe, look history.Inspector, take history.Collector) (history.Coverage, error) {
	if len(s) == 1 {
		return s[0].Store.Search.Scan(ctx, s.filter(f, 0), p, look, take)
	}
	cursors := make([]*storeCursor, len(s))
	for i, st := range s {
		c := &storeCursor{}
		next, stop := iter.Pull2(func(yield func(history.Row, history.Inspection) bool) {
			c.cover, c.err = st.Store.Search.Scan(ctx, s.filter(f, i), s.probe(p, i), look, yield)
		})
		defer stop()
		c.next = next
		c.step()
		cursors[i] = c
	}
	for {
		newest := -1
		for i, c := range cursors {
			if c.more && (newest < 0 || history.Newer(c.row, cursors[newest].row)) {
				newest = i
			}
		}
		if newest < 0 {
			break
		}
		c := cursors[newest]
		if !take(s.own(newest, c.row), c.seen) {
			break
		}
		c.step()
	}
	return covered(cursors)
}

// storeCursor is the scan of one store.
type storeCursor struct {
	next  func() (history.Row, history.Inspection, bool)
	row   history.Row
	seen  history.Inspection
	more  bool
	read  int
	cover history.Coverage // set once more is false
	err   error
}

func (c *storeCursor) step() {
	c.row, c.seen, c.more = c.next()
	if c.more {
		c.read++
	}
}

// covered adds up the coverage of all scans.
func covered(cursors []*storeCursor) (history.Coverage, error) {
	out := history.Coverage{Indexed: true}
	errs := make([]error, 0, len(cursors))
	for _, c := range cursors {
		out.Read += c.read
		out.Lacking += c.cover.Lacking
		out.Indexed = out.Indexed && c.cover.Indexed
		errs = append(errs, c.err)
	}
	return out, errors.Join(errs...)
}

// Family returns a session and the sessions that share entries with it through a fork.
func (s Stores) Family(ctx context.Context, session string) ([]string, error) {
	for _, st := range s {
		ids, err := st.Store.Search.Family(ctx, session)
		if err != nil || len(ids) > 0 {
			return ids, err
		}
	}
	return []string{session}, nil
}

// Sessions lists the sessions of all stores, each once.
func (s Stores) Sessions(ctx context.Context) ([]entries.Session, error) {
	var out []entries.Session
	seen := make(map[string]bool)
	for _, st := range s {
		rows, err := st.Store.Entries.Names(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if !seen[r.ID] {
				out = append(out, r)
			}
			seen[r.ID] = true
		}
	}
	return out, nil
}

// EphemeralDir is the directory of the entries of sessions in memory, while those run.
func EphemeralDir(agentDir string) string { return filepath.Join(agentDir, "pictx", "ephemeral") }
