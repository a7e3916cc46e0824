package kota

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/text"
)

// ListAll shows every list of an answer that has several.
const ListAll = "all"

// Request is a question, with how its answer is to be shown. Files are named as the
// engine names them.
type Request interface {
	// Ask asks an engine for one window of the answer.
	Ask(ctx context.Context, e Engine, w Window) (Reply, error)
}

// Reply is an answer and the ways to lay it out.
type Reply struct {
	Answer interface {
		JSON(limit int, w Window) ([]byte, error)
	}
	Ways []Text // the one that was asked for first
	// Bytes is what the answer takes at most unless a person says otherwise, 0 for as
	// much as any other answer.
	Bytes int
	// Found is set unless a search found nothing, Ambiguous when what was asked for
	// may be several things.
	Found, Ambiguous bool
}

// command is a command line of pictx kota that is put together word by word.
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

// values adds a flag for each value.
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

// Budget is what the answer may take where every other may take limit bytes, 0 for
// any number.
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
	again := command("pictx kota usages").words(q.Symbol).option("file", q.File).flag("tests", q.Tests)
	return Reply{Answer: u, Ways: u.Texts(w, More(again)), Found: true, Ambiguous: len(u.Candidates) > 0}, nil
}

// ImpactRequest asks what a change breaks.
type ImpactRequest struct {
	ImpactQuery
	List  string // which list to show, or ListAll
	Again string // the command that asks the same
}

// ImpactCommand is the command that asks what a change of these files breaks.
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

// ContextRequest asks what is to be known about files.
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

// SearchRequest asks for text or symbols. Its Context is how many lines a snippet
// shows around a match.
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

// rankedFiles is how many files fit into RankedBytes.
const rankedFiles = 15

// again is the command that searches the same.
func (q SearchRequest) again() More {
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
	return Reply{Answer: c, Ways: []Text{c.Text(w, "pictx kota cycles")}, Found: true}, nil
}
