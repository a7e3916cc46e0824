package kota

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/text"
)

// ListAll selects every list of an answer that has several.
const ListAll = "all"

// Request is a question and how to show its answer. Files have the names that the engine uses.
type Request interface {
	// Ask asks an engine and returns one window of the answer.
	Ask(ctx context.Context, e Engine, w Window) (Reply, error)
}

// Reply is an answer and its layouts.
type Reply struct {
	Answer interface {
		JSON(limit int, w Window) ([]byte, error)
	}
	Ways []Text // layouts, the requested one first
	// Bytes is the default size limit of the answer, 0 for that of all answers.
	Bytes int
	// Found is set unless a search found nothing. Ambiguous is set when several definitions
	// match.
	Found, Ambiguous bool
}

// command is a pictx kota command line under construction.
type command string

func (c command) flag(name string, set bool) command {
	if !set {
		return c
	}
	return c + " --" + command(name)
}

func (c command) words(words ...string) command {
	for _, w := range words {
		c += " " + command(text.ShellWord(w))
	}
	return c
}

// values adds a flag once for each value.
func (c command) values(name string, values ...string) command {
	for _, v := range values {
		c = c.flag(name, true).words(v)
	}
	return c
}

// option adds a flag unless its value is empty.
func (c command) option(name, value string) command {
	if value == "" {
		return c
	}
	return c.values(name, value)
}

// Budget returns the size limit of the answer in bytes, 0 for none. limit is that of other
// answers.
func (r Reply) Budget(limit int) int {
	if r.Bytes == 0 {
		return limit
	}
	return min(limit, r.Bytes)
}

// Ask implements Request.
func (q DepsQuery) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	d, err := e.Deps(ctx, q)
	if err != nil {
		return Reply{}, err
	}
	again := command("pictx kota deps").words(d.File)
	if q.Depth > 1 {
		again = again.values("depth", fmt.Sprint(q.Depth))
	}
	again = again.flag("tests", q.Tests).option("dir", q.Dir)
	return Reply{Answer: d, Ways: []Text{d.Text(w, More(again))}, Found: true}, nil
}

// Ask implements Request.
func (q UsagesQuery) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	u, err := e.Usages(ctx, q)
	if err != nil {
		return Reply{}, err
	}
	again := command("pictx kota usages").words(q.Symbol).option("file", q.File).flag("tests", q.Tests).flag("all", q.All)
	return Reply{Answer: u, Ways: u.Texts(w, More(again)), Found: true, Ambiguous: len(u.Candidates) > 0}, nil
}

// ImpactRequest asks what a change affects and breaks.
type ImpactRequest struct {
	ImpactQuery
	List  string // which list to show, or ListAll
	Again string // the command that repeats the question
}

// ImpactCommand returns the command that asks about this change.
func ImpactCommand(q ImpactQuery, diff string) string {
	c := command("pictx kota impact").values("modify", q.Modify...).values("delete", q.Delete...).values("create", q.Create...)
	return string(c.values("symbol", q.Symbols...).option("file", q.File).option("diff", diff))
}

// Ask implements Request.
func (q ImpactRequest) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	im, err := e.Impact(ctx, q.ImpactQuery)
	if err != nil {
		return Reply{}, err
	}
	im = im.Only(q.List)
	return Reply{Answer: im, Ways: []Text{im.Text(w, More(q.Again))}, Found: true}, nil
}

// ContextRequest asks what to know about files.
type ContextRequest struct {
	ContextQuery
	List string // which list to show, or ListAll
}

// Ask implements Request.
func (q ContextRequest) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	b, err := e.Context(ctx, q.ContextQuery)
	if err != nil {
		return Reply{}, err
	}
	b = b.Only(q.List)
	again := command("pictx kota context").words(q.Files...)
	return Reply{Answer: b, Ways: []Text{b.Text(w, More(again))}, Found: true}, nil
}

// SearchRequest asks for text or symbols. Context is the number of lines that a snippet shows
// around a match.
type SearchRequest struct {
	SearchQuery
	Output string // one of OutputPaths, OutputCompact and OutputSnippet
}

// Ask implements Request.
func (q SearchRequest) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	asked := q.SearchQuery
	if q.Output != OutputSnippet {
		asked.Context = 0
	}
	h, err := e.Search(ctx, asked)
	if err != nil {
		return Reply{}, err
	}
	r := Reply{Answer: h, Ways: h.Texts(q.Output, q.Context, w, q.again()), Found: h.Total > 0}
	if h.Ranked && q.Output == OutputCompact && w.Limit <= rankedFiles {
		r.Bytes = RankedBytes
	}
	return r, nil
}

// rankedFiles is the number of files that fit into RankedBytes.
const rankedFiles = 15

// again returns the command that repeats the search, or words for it: a whole bug report would leave
// no room for the answer.
func (q SearchRequest) again() More {
	if len(q.Text) > titleText {
		return "the same search with"
	}
	c := command("pictx kota search").words(q.Text)
	if q.Symbols {
		c = c.values("scope", "symbols")
	}
	c = c.flag("regex", q.Regex).flag("tests=false", !q.Tests).values("glob", q.Globs...).values("exclude", q.Exclude...)
	if q.Output != OutputCompact {
		c = c.values("output", q.Output)
	}
	if q.Output == OutputSnippet && q.Context != 1 {
		c = c.values("context", fmt.Sprint(q.Context))
	}
	return More(c)
}

// Ask implements Request.
func (q MapQuery) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	m, err := e.Map(ctx, q)
	if err != nil {
		return Reply{}, err
	}
	again := command("pictx kota map").words(q.Focus...).flag("tests", q.Tests)
	return Reply{Answer: m, Ways: []Text{m.Text(w, More(again))}, Found: true}, nil
}

// CyclesQuery asks for the import cycles of the tree.
type CyclesQuery struct{}

// Ask implements Request.
func (CyclesQuery) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	c, err := e.Cycles(ctx)
	if err != nil {
		return Reply{}, err
	}
	return Reply{Answer: c, Ways: []Text{c.Text(w, "pictx kota map --cycles")}, Found: true}, nil
}
