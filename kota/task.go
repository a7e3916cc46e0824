package kota

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// TaskRequest asks which files to read for a task that is described in plain words.
type TaskRequest struct {
	Query string
	Files []string // files to read in any case
	Tests bool     // whether to list tests
	// MaxRelated is the maximum number of related files listed.
	MaxRelated int
}

// Task answers TaskRequest.
type Task struct {
	Source
	Query     string     `json:"query"`
	Files     []TaskFile `json:"files"`   // files to read, best first
	Next      []string   `json:"next"`    // the likeliest files after those, by path alone
	Related   []Related  `json:"related"` // files that several of them import
	TestTotal int        `json:"tests_total"`
	Tests     []Dep      `json:"tests"` // tests that reach them, nearest first
	Truncated bool       `json:"truncated"`
}

// TaskFile is a file to read, why, and what depends on it.
type TaskFile struct {
	Hit
	Exports    []string `json:"exports"`
	Dependents int      `json:"dependents"`
	Tests      int      `json:"tests"`
}

// Related is a file that several of those to read import.
type Related struct {
	File       string `json:"file"`
	ImportedBy int    `json:"imported_by"` // how many of the files to read import it
}

// whyNamed is why a file is listed that the question names.
const whyNamed = "named"

const (
	// taskFiles is the maximum number of files to read.
	taskFiles = 6
	// taskShare is the minimum score of a file to read, as a fraction of the best score.
	taskShare = 0.45
	// taskListed is the maximum number of files of an answer, with the bare paths.
	taskListed = 15
	// taskRelated is how many related files a text lists.
	taskRelated = 5
	// taskTests is how many tests a text lists.
	taskTests = 5
	// taskExports is how many exports of a file a text lists.
	taskExports = 6
)

// Ask implements Request.
func (q TaskRequest) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	var err error
	if q.Files, err = w.Find(e, q.Files...); err != nil {
		return Reply{}, err
	}
	h, err := e.Search(ctx, SearchQuery{Text: q.Query, Ranked: true})
	if err != nil {
		return Reply{}, err
	}
	t := Task{Source: h.Source, Query: q.Query, Files: []TaskFile{}, Next: []string{}, Related: []Related{}, Tests: []Dep{}}
	for _, f := range q.Files {
		t.Files = append(t.Files, TaskFile{Hit: Hit{File: f, Why: whyNamed}})
	}
	for _, x := range h.List {
		switch {
		case slices.Contains(q.Files, x.File):
		case len(t.Files) < len(q.Files)+taskFiles && x.Score >= taskShare*h.List[0].Score:
			t.Files = append(t.Files, TaskFile{Hit: x})
		case len(t.Files)+len(t.Next) < len(q.Files)+taskListed:
			t.Next = append(t.Next, x.File)
		}
	}
	if len(t.Files) > 0 {
		if err := t.brief(ctx, e, q); err != nil {
			return Reply{}, err
		}
	}
	return Reply{Answer: t, Ways: t.Texts(), Found: len(t.Files) > 0, Bytes: RankedBytes}, nil
}

// brief adds what the engine knows of the files to read.
func (t *Task) brief(ctx context.Context, e Engine, q TaskRequest) error {
	names := make([]string, len(t.Files))
	for i, f := range t.Files {
		names[i] = f.File
	}
	b, err := e.Context(ctx, ContextQuery{Files: names, Tests: q.Tests})
	if err != nil {
		return err
	}
	imported := make(map[string]int)
	for _, f := range b.Files {
		if i := slices.Index(names, f.File); i >= 0 {
			t.Files[i].Exports, t.Files[i].Dependents, t.Files[i].Tests = f.Exports, f.Dependents, f.Tests
		}
		for _, to := range f.Imports {
			if imported[to]++; slices.Contains(names, to) {
				delete(imported, to)
			}
		}
	}
	for _, c := range countsOf(imported) {
		if c.N > 1 && len(t.Related) < q.MaxRelated {
			t.Related = append(t.Related, Related{c.Name, c.N})
		}
	}
	t.TestTotal, t.Tests = b.TestTotal, b.Tests
	return nil
}

// Texts returns the layouts, most detailed first: what the likeliest files are for gives way before
// the path of a file does.
func (t Task) Texts() []Text {
	if len(t.Files) == 0 {
		return []Text{{Verdict: titleOf(t.Query) + ": no file has its words", Footer: t.footer()}}
	}
	n := len(t.Files)
	var out []Text
	for _, d := range []taskDetail{
		{n, taskExports, taskRelated, taskTests},
		{n, taskExports / 2, 2, taskTests},
		{n, 1, 2, 3},
		{n, 0, 2, 3},
		{n, 0, 0, 2},
		{n / 2, 0, 0, 1},
		{0, 0, 0, 1},
	} {
		out = append(out, t.text(d))
	}
	return out
}

// taskDetail is how much of each kind an answer shows: files with their reasons, exports of each,
// related files, tests.
type taskDetail struct{ reasons, exports, related, tests int }

// text lays the answer out in as much detail as d says.
func (t Task) text(d taskDetail) Text {
	out := Text{Verdict: fmt.Sprintf("%s: %s to read, the likeliest first", titleOf(t.Query), number(len(t.Files), "file"))}
	out.Footer = t.footer() + " · more: " + string(command("pictx kota context").words(t.Files[0].File))
	all := string(command("pictx kota context").words(t.named()...).values("query", t.Query) + " --max-bytes 0")
	list := func(title string, items []Item) {
		if len(items) > 0 {
			out.Blocks = append(out.Blocks, Block{Title: title, Items: items, More: func(int) string { return all }})
		}
	}
	files := make([]Item, len(t.Files))
	for i, f := range t.Files {
		if files[i] = f.line(0); i < d.reasons {
			files[i] = f.item(d.exports)
		}
	}
	list("", files)
	list("then, by path:", pathItems(t.Next, func(p string) string { return p }))
	list("imported by several of them:", pathItems(t.Related[:min(d.related, len(t.Related))], func(r Related) string { return fmt.Sprintf("%s by %d", r.File, r.ImportedBy) }))
	list(fmt.Sprintf("tests that reach them, the nearest of %v first:", t.TestTotal), pathItems(t.Tests[:min(d.tests, len(t.Tests))], func(d Dep) string { return d.File }))
	return out
}

// pathItems formats each element of a list as a line.
func pathItems[T any](list []T, line func(T) string) []Item {
	out := make([]Item, len(list))
	for i, x := range list {
		out[i] = Item{Text: "  " + safe(line(x))}
	}
	return out
}

// named lists the files that the question named itself.
func (t Task) named() (out []string) {
	for _, f := range t.Files {
		if f.Why == whyNamed {
			out = append(out, f.File)
		}
	}
	return out
}

// item formats a file with its most relevant line, why it is listed and up to n of its exports.
func (f TaskFile) item(n int) Item {
	it := f.line(0)
	it.Text += fmt.Sprintf("\n    %s · %s, %s", safe(f.Why), number(f.Dependents, "dependent"), number(f.Tests, "direct test"))
	// Leave methods out: a relevant one is on the line above.
	own := slices.DeleteFunc(slices.Clone(f.Exports), func(name string) bool { return strings.Contains(name, ".") })
	if n > 0 && len(own) > 0 {
		it.Text += " · exports " + some(own, n, ", ")
	}
	return it
}
