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
	Related   []Related  `json:"related"` // files that several of them import
	TestTotal Number     `json:"tests_total"`
	Tests     []Dep      `json:"tests"` // tests that reach them, nearest first
	Truncated bool       `json:"truncated"`
}

// TaskFile is a file to read, why, and what depends on it.
type TaskFile struct {
	Hit
	Exports    []string `json:"exports"`
	Dependents int      `json:"dependents"`
	Tests      Number   `json:"tests"`
}

// Related is a file that several of those to read import.
type Related struct {
	File       string `json:"file"`
	ImportedBy int    `json:"imported_by"` // how many of the files to read import it
}

const (
	// taskFiles is the maximum number of files to read.
	taskFiles = 6
	// taskShare is the minimum score of a file to read, as a fraction of the best score.
	taskShare = 0.45
	// taskRelated is how many related files a text lists.
	taskRelated = 5
	// taskTests is how many tests a text lists.
	taskTests = 5
	// taskExports is how many exports of a file a text lists.
	taskExports = 6
)

// Ask implements Request.
func (q TaskRequest) Ask(ctx context.Context, e Engine, w Window) (Reply, error) {
	h, err := e.Search(ctx, SearchQuery{Text: q.Query, Ranked: true})
	if err != nil {
		return Reply{}, err
	}
	t := Task{Source: h.Source, Query: q.Query, Files: []TaskFile{}, Related: []Related{}, Tests: []Dep{}}
	for _, f := range q.Files {
		t.Files = append(t.Files, TaskFile{Hit: Hit{File: f, Why: "named"}})
	}
	for _, x := range h.List {
		if len(t.Files) < len(q.Files)+taskFiles && x.Score >= taskShare*h.List[0].Score && !slices.Contains(t.names(), x.File) {
			t.Files = append(t.Files, TaskFile{Hit: x})
		}
	}
	if len(t.Files) > 0 {
		if err := t.brief(ctx, e, q); err != nil {
			return Reply{}, err
		}
	}
	return Reply{Answer: t, Ways: []Text{t.Text()}, Found: len(t.Files) > 0, Bytes: RankedBytes}, nil
}

// names lists the files to read.
func (t *Task) names() []string {
	out := make([]string, len(t.Files))
	for i, f := range t.Files {
		out[i] = f.File
	}
	return out
}

// brief adds what the engine knows of the files to read.
func (t *Task) brief(ctx context.Context, e Engine, q TaskRequest) error {
	names := t.names()
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

// Text lays the answer out.
func (t Task) Text() Text {
	out := Text{Footer: t.footer()}
	out.Verdict = fmt.Sprintf("%s: %s to read, the likeliest first", safe(t.Query), number(len(t.Files), "file"))
	if len(t.Files) == 0 {
		out.Verdict = safe(t.Query) + ": no file has its words"
		return out
	}
	out.Footer += " · more: " + string(command("pictx kota context").words(t.Files[0].File))
	again := More(command("pictx kota context").values("query", t.Query) + " --max-bytes 0")
	out.Blocks = append(out.Blocks, block("", t.Files, Window{}, again, false, TaskFile.item))
	if len(t.Related) > 0 {
		out.Blocks = append(out.Blocks, block("imported by several of them:", t.Related[:min(taskRelated, len(t.Related))], Window{}, again, false, func(r Related) Item {
			return Item{Text: fmt.Sprintf("  %s by %d", safe(r.File), r.ImportedBy), File: r.File}
		}))
	}
	if len(t.Tests) > 0 {
		title := fmt.Sprintf("tests that reach them, the nearest of %v first:", t.TestTotal)
		out.Blocks = append(out.Blocks, block(title, t.Tests[:min(taskTests, len(t.Tests))], Window{}, again, false, func(d Dep) Item {
			return Item{Text: "  " + safe(d.File), File: d.File}
		}))
	}
	return out
}

// item formats a file with its most relevant line and why it is listed.
func (f TaskFile) item() Item {
	it := f.line(0)
	it.Text += fmt.Sprintf("\n    %s · %s, %s", safe(f.Why), number(f.Dependents, "dependent"), number(f.Tests, "direct test"))
	// Leave methods out: a relevant one is on the line above.
	own := slices.DeleteFunc(slices.Clone(f.Exports), func(name string) bool { return strings.Contains(name, ".") })
	if shown := own[:min(taskExports, len(own))]; len(shown) > 0 {
		it.Text += " · exports " + safe(strings.Join(shown, ", "))
		if n := len(own) - len(shown); n > 0 {
			it.Text += fmt.Sprintf(" and %d more", n)
		}
	}
	return it
}

// JSON returns the answer as a line of JSON of at most limit bytes; 0 means no limit.
func (t Task) JSON(limit int, _ Window) ([]byte, error) {
	most := max(len(t.Files), len(t.Related), len(t.Tests))
	for _, f := range t.Files {
		most = max(most, len(f.Exports))
	}
	return FitJSON(limit, most, func(n int) any {
		out := t
		var a, b, c Page
		out.Files, a = Cut(t.Files, 0, 0, n)
		out.Related, b = Cut(t.Related, 0, 0, n)
		out.Tests, c = Cut(t.Tests, 0, 0, n)
		out.Truncated = a.Truncated || b.Truncated || c.Truncated
		out.Files = slices.Clone(out.Files)
		for i := range out.Files {
			f := &out.Files[i]
			out.Truncated = out.Truncated || n < len(f.Exports)
			f.Exports = f.Exports[:min(n, len(f.Exports))]
		}
		return out
	})
}
