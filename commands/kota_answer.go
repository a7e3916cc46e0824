package commands

import (
	"context"
	"fmt"

	"github.com/coctostan/pictx/core/blob"
	"github.com/coctostan/pictx/kota"
)

// answer is what an engine gives.
type answer interface {
	JSON(limit int, w kota.Window) ([]byte, error)
}

// laidOut is an answer and the ways to lay it out, the one asked for first.
type laidOut struct {
	answer answer
	ways   []kota.Text
	// found is false when there is nothing to list, unsure when what was asked for
	// may be several things.
	found, unsure bool
}

// laid is an answer with one way to lay it out.
func laid(v answer, t kota.Text) laidOut {
	return laidOut{answer: v, ways: []kota.Text{t}, found: true}
}

// askDeps asks what a file of the index depends on and what depends on it.
func askDeps(ctx context.Context, e kota.Engine, q kota.DepsQuery, w kota.Window) (laidOut, error) {
	d, err := e.Deps(ctx, q)
	if err != nil {
		return laidOut{}, err
	}
	more := "pictx kota deps " + shellWord(d.File)
	if q.Depth > 1 {
		more += fmt.Sprintf(" --depth %d", q.Depth)
	}
	if q.Tests {
		more += " --tests"
	}
	if q.Dir != "" {
		more += " --dir " + shellWord(q.Dir)
	}
	return laid(d, d.Text(w, kota.More(more))), nil
}

// askUsages asks where a symbol is used.
func askUsages(ctx context.Context, e kota.Engine, q kota.UsagesQuery, w kota.Window) (laidOut, error) {
	u, err := e.Usages(ctx, q)
	if err != nil {
		return laidOut{}, err
	}
	more := "pictx kota usages " + shellWord(q.Symbol)
	if q.File != "" {
		more += " --file " + shellWord(q.File)
	}
	if q.Tests {
		more += " --tests"
	}
	out := laid(u, u.Text(w, kota.More(more)))
	out.unsure = len(u.Candidates) > 0
	return out, nil
}

// askImpact asks what a change breaks. again is the command that asks the same,
// list which list to show.
func askImpact(ctx context.Context, e kota.Engine, q kota.ImpactQuery, again, list string, w kota.Window) (laidOut, error) {
	im, err := e.Impact(ctx, q)
	if err != nil {
		return laidOut{}, err
	}
	im = im.Only(list)
	return laid(im, im.Text(w, kota.More(again))), nil
}

// impactAgain is the command that asks what a change breaks.
func impactAgain(q kota.ImpactQuery) string {
	again := "pictx kota impact"
	for _, c := range []struct {
		flag  string
		files []string
	}{{"--modify", q.Modify}, {"--delete", q.Delete}, {"--create", q.Create}} {
		for _, f := range c.files {
			again += " " + c.flag + " " + shellWord(f)
		}
	}
	return again
}

// askContext asks what is to be known of files of the index.
func askContext(ctx context.Context, e kota.Engine, q kota.ContextQuery, list string, w kota.Window) (laidOut, error) {
	b, err := e.Context(ctx, q)
	if err != nil {
		return laidOut{}, err
	}
	more := "pictx kota context"
	for _, f := range q.Files {
		more += " " + shellWord(f)
	}
	b = b.Only(list)
	return laid(b, b.Text(w, kota.More(more))), nil
}

// askSearch asks where a text stands. around is how many lines around a match a
// snippet has.
func askSearch(ctx context.Context, e kota.Engine, q kota.SearchQuery, output string, w kota.Window) (laidOut, error) {
	around := q.Context
	if output != kota.OutputSnippet {
		q.Context = 0
	}
	h, err := e.Search(ctx, q)
	if err != nil {
		return laidOut{}, err
	}
	return laidOut{answer: h, ways: h.Texts(output, around, w, kota.More(searchAgain(q, output, around))), found: h.Total > 0}, nil
}

// searchAgain is the command that searches the same.
func searchAgain(q kota.SearchQuery, output string, around int) string {
	more := "pictx kota search " + shellWord(q.Text)
	if q.Symbols {
		more += " --scope symbols"
	}
	if q.Regex {
		more += " --regex"
	}
	if !q.Tests {
		more += " --tests=false"
	}
	for _, g := range q.Globs {
		more += " --glob " + shellWord(g)
	}
	for _, g := range q.Exclude {
		more += " --exclude " + shellWord(g)
	}
	if output != kota.OutputCompact {
		more += " --output " + output
	}
	if output == kota.OutputSnippet && around != 1 {
		more += fmt.Sprintf(" --context %d", around)
	}
	return more
}

// emitAnswer prints an answer as text or JSON, in as many bytes as it may take.
// The whole of what is cut is kept.
func (a *app) emitAnswer(v laidOut, l kotaLimits) error {
	if !l.byFlag {
		code, _, err := a.engineSettings()
		if err != nil {
			return err
		}
		l.maxBytes = max(code.MaxBytes, kota.LeastBytes)
	}
	if !a.json {
		_, err := a.out.WriteString(kota.Fit(l.maxBytes, v.ways, a.keepAnswer))
		return err
	}
	b, err := v.answer.JSON(l.maxBytes, l.window)
	if err != nil {
		return err
	}
	if l.maxBytes > 0 {
		if b, err = a.cutJSON(v.answer, l, b); err != nil {
			return err
		}
	}
	_, err = a.out.Write(b)
	return err
}

// cutJSON puts the id of the blob that holds all of an answer into a line of JSON
// that does not.
func (a *app) cutJSON(v answer, l kotaLimits, b []byte) ([]byte, error) {
	whole, err := v.JSON(0, l.window)
	if err != nil || len(whole) <= l.maxBytes {
		return b, err
	}
	id := a.keepBlob(whole)
	if id == "" {
		return b, nil
	}
	field := `,"blob":"` + id + `"}` + "\n"
	if b, err = v.JSON(l.maxBytes-len(field), l.window); err != nil {
		return nil, err
	}
	return append(b[:len(b)-len("}\n")], field...), nil
}

// keepAnswer keeps a whole answer and says how it is had.
func (a *app) keepAnswer(whole string) string {
	if id := a.keepBlob([]byte(whole)); id != "" {
		return fullText(id)
	}
	return "--max-bytes 0 prints all"
}

// fullText says how to have the whole of a text that was cut.
func fullText(id string) string { return "full text: pictx expand " + id }

// keepBlob keeps a text, and returns the beginning of its id that is enough to find
// it, "" when it cannot be kept or must not.
func (a *app) keepBlob(text []byte) string {
	cache, set, _, err := a.blobs()
	if err != nil || !set.Enabled {
		return ""
	}
	info, err := cache.Put(text, "")
	if err != nil {
		return ""
	}
	return blob.ShortID(info.ID)
}
