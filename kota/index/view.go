package index

import (
	"errors"
	"slices"
	"sync"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/graph"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/words"
)

// view is one state of a tree for answering questions: its files by index, the import graph, and
// a cache of decoded facts. It is safe for concurrent use.
type view struct {
	files Files
	tree  *tree
	graph *graph.Graph
	// described maps declaration files to the code they describe: a.d.ts to a.js.
	described map[string]string
	gone      map[int]bool // the files that are deleted, and still imported

	mu       sync.Mutex
	known    []*lang.Facts    // by file, decoded with imports and exports; nil until asked for
	exported map[int][]string // what exportsOf found, by file
	cut      map[int]bool     // the files whose exports were not followed to the end
}

func newView(files Files, t *tree) *view {
	v := &view{files: files, tree: t, described: make(map[string]string), known: make([]*lang.Facts, len(t.files)), exported: make(map[int][]string), cut: make(map[int]bool)}
	for i := range t.files {
		of := files.Languages.Of(t.files[i].path).Describes(t.files[i].path)
		if k := slices.IndexFunc(of, func(p string) bool { return t.find(p) >= 0 }); k >= 0 {
			v.described[t.files[i].path] = of[k]
		}
	}
	v.graph = graphOf(t, v.also)
	return v
}

// also returns the code file behind the k-th link of a file, which leads to its declaration file; ""
// when there is none. A link for types alone leads to code that exports a name that it takes.
func (v *view) also(i, k int) string {
	if len(v.described) == 0 {
		return ""
	}
	l := &v.tree.files[i].edges[k]
	code := v.described[l.to]
	if code == "" || !l.typeOnly && v.files.Languages.Of(v.name(i)).Describes(v.name(i)) == nil {
		return code
	}
	if facts := v.facts(i); k < len(facts.Imports) && facts.TakesAny(k, v.exportsOf(v.tree.find(code))) {
		return code
	}
	return ""
}

// means reports whether the k-th link of a file leads to another file.
func (v *view) means(i, k int, file string) bool {
	l := &v.tree.files[i].edges[k]
	return l.status == lang.Found && (l.to == file || v.also(i, k) == file)
}

// facts returns the facts of a file with imports and exports, which callers must not change.
func (v *view) facts(i int) *lang.Facts {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known[i] == nil {
		f := v.all(i, codec.WithImports)
		v.known[i] = &f
	}
	return v.known[i]
}

// all decodes the wanted parts of a file's facts.
func (v *view) all(i int, want codec.Parts) lang.Facts {
	return codec.DecodeFacts(v.tree.files[i].facts, want)
}

// name returns the path of a file.
func (v *view) name(i int) string { return v.tree.files[i].path }

// role returns the role of a file in the tests.
func (v *view) role(i int) lang.Role { return v.tree.files[i].role }

// shown returns the name of an export or a declaration of a file in answers.
func shown(file, name string) string { return lang.Shown(name, words.Stem(file)) }

// label returns remarks about a file for answers, "" when there are none.
func (v *view) label(i int) string { return v.tree.files[i].label() }

// isTest reports whether a file is a test.
func (v *view) isTest(i int) bool { return v.role(i) == lang.Test }

// isProduction reports whether a file is neither a test nor test support.
func (v *view) isProduction(i int) bool { return v.role(i) == lang.Production }

// ask returns the index of the file that a name in a question means.
func (v *view) ask(name string) (int, error) {
	for _, p := range v.files.spellings(name) {
		if i := v.tree.find(p); i >= 0 {
			return i, nil
		}
	}
	return -1, &kota.UnknownFileError{File: v.files.Relative(name), Nearest: words.Nearest(v.files.Relative(name), v.paths())}
}

// paths lists the paths of all files.
func (v *view) paths() []string {
	out := make([]string, len(v.tree.files))
	for i := range v.tree.files {
		out[i] = v.tree.files[i].path
	}
	return out
}

// several returns the indexes of the files that names in a question mean, each once.
func (v *view) several(names []string) ([]int, error) {
	var out []int
	var errs []error
	for _, n := range names {
		i, err := v.ask(n)
		if err != nil {
			errs = append(errs, err)
		} else if !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out, errors.Join(errs...)
}

// lines lists the lines of a file that use a local name.
func (v *view) lines(i int, local string) []int {
	if local == "" {
		return nil
	}
	return codec.UsesOf(v.tree.files[i].facts, local)
}
