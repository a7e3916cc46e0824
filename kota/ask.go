package kota

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/coctostan/pictx/core/text"
)

// ListAll selects every list of an answer that has several.
const ListAll = "all"

// Request is a question. Files have the names that the asker gave them.
type Request interface {
	// Ask asks an engine and returns one window of the answer.
	Ask(ctx context.Context, e Engine, w Window) (Reply, error)
}

// Window is the part of a list that is asked for, and who asks.
type Window struct {
	Offset, Limit int  // Limit 0 means all
	Tool          bool // a model asks through a tool, which has parameters instead of flags
	// Tries lists the paths that a name of the asker may mean, the likeliest first. If it is nil, a
	// name means itself.
	Tries func(name string) []string
}

// option returns how the asker writes an option: --file in a shell, file for a tool.
func (w Window) option(name string) string {
	if w.Tool {
		return name
	}
	return "--" + name
}

func (w Window) tries(name string) []string {
	if w.Tries == nil {
		return []string{name}
	}
	return w.Tries(name)
}

// Find returns the files of the index that names of the asker mean.
func (w Window) Find(e Engine, names ...string) ([]string, error) {
	var errs []error
	out := slices.Clone(names)
	for i, name := range names {
		if name != "" {
			found, err := e.Find(w.tries(name)...)
			out[i], errs = found, append(errs, err)
		}
	}
	return out, errors.Join(errs...)
}

// findOrGone is Find for files that may be deleted: the engine knows whether one is still imported.
func (w Window) findOrGone(e Engine, names ...string) []string {
	out := slices.Clone(names)
	for i, name := range names {
		if found, err := w.Find(e, name); err == nil {
			out[i] = found[0]
		} else {
			out[i] = w.tries(name)[0]
		}
	}
	return out
}

// findOne is Find for one name, which may be empty.
func (w Window) findOne(e Engine, name *string) error {
	found, err := w.Find(e, *name)
	*name = found[0]
	return err
}

// Reply is an answer and its layouts.
type Reply struct {
	Answer Answer
	Ways   []Text // layouts, the requested one first
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
	q.File = w.findOrGone(e, q.File)[0]
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
	if err := w.findOne(e, &q.File); err != nil {
		return Reply{}, err
	}
	u, err := e.Usages(ctx, q)
	if err != nil {
		return Reply{}, err
	}
	again := command("pictx kota usages").words(q.Symbol).option("file", q.File).flag("tests", q.Tests).flag("all", q.All)
	return Reply{Answer: u, Ways: u.Texts(w, More(again)), Found: true, Ambiguous: len(u.Candidates) > 0}, nil
}

// again returns the command that asks about this change.
func (q ImpactQuery) again() command {
	c := command("pictx kota impact").values("modify", q.Modify...).values("delete", q.Delete...).values("create", q.Create...)
	return c.values("symbol", q.Symbols...).option("file", q.File).option("diff", q.Diff)
}

// Ask implements Request.
func (q ImpactQuery) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	modified, err := w.Find(e, q.Modify...)
	if err := errors.Join(err, w.findOne(e, &q.File)); err != nil {
		return Reply{}, err
	}
	q.Modify, q.Delete = modified, w.findOrGone(e, q.Delete...)
	again := q.again()
	q.Create = slices.Clone(q.Create)
	for i, f := range q.Create {
		q.Create[i] = w.tries(f)[0]
	}
	im, err := e.Impact(ctx, q)
	if err != nil {
		return Reply{}, err
	}
	im = im.only(q.List)
	return Reply{Answer: im, Ways: []Text{im.Text(w, More(again))}, Found: true}, nil
}

// Ask implements Request.
func (q ContextQuery) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	var err error
	if q.Files, err = w.Find(e, q.Files...); err != nil {
		return Reply{}, err
	}
	b, err := e.Context(ctx, q)
	if err != nil {
		return Reply{}, err
	}
	b = b.only(q.List)
	again := command("pictx kota context").words(q.Files...)
	return Reply{Answer: b, Ways: []Text{b.Text(w, More(again))}, Found: true}, nil
}

// Ask implements Request.
func (q SearchQuery) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	asked := q
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
func (q SearchQuery) again() More {
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
	var err error
	if q.Focus, err = w.Find(e, q.Focus...); err != nil {
		return Reply{}, err
	}
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
