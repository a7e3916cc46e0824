package index

import (
	"errors"
	"slices"
	"sync"

	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index/codec"
	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/naming"
)

// view is one state of a tree as questions see it: its files by number, who imports
// whom, and the facts decoded so far. It is safe for concurrent use.
type view struct {
	files Files
	tree  *tree
	graph *graph
	// described are the files of code that files of declarations describe.
	described map[string]string

	mu    sync.Mutex
	known map[int]lang.Facts // decoded with imports
}

func newView(files Files, t *tree) *view {
	v := &view{files: files, tree: t, described: make(map[string]string), known: make(map[int]lang.Facts)}
	for i := range t.files {
		of := files.Languages.Of(t.files[i].path).Describes(t.files[i].path)
		if k := slices.IndexFunc(of, func(p string) bool { return t.find(p) >= 0 }); k >= 0 {
			v.described[t.files[i].path] = of[k]
		}
	}
	v.graph = newGraph(t, v.also)
	return v
}

// also is the file of code that runs where a file imports one of declarations, "" for none.
func (v *view) also(i int, l link) string {
	if l.typeOnly || v.described[l.to] == "" || v.files.Languages.Of(v.name(i)).Describes(v.name(i)) != nil {
		return ""
	}
	return v.described[l.to]
}

// means reports whether a link of a file leads to another.
func (v *view) means(i int, l link, file string) bool {
	return l.status == lang.Found && (l.to == file || v.also(i, l) == file)
}

// facts decodes what is known of a file, with its imports and exports.
func (v *view) facts(i int) lang.Facts {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f, ok := v.known[i]; ok {
		return f
	}
	f := v.all(i, codec.WithImports)
	v.known[i] = f
	return f
}

// all decodes parts of what is known of a file.
func (v *view) all(i int, want codec.Parts) lang.Facts {
	if v.tree.files[i].facts == "" {
		return lang.Facts{}
	}
	// The checksum of the index held, so that this cannot fail.
	f, _ := codec.DecodeFacts(v.tree.files[i].facts, want)
	return f
}

// name returns the path of a file.
func (v *view) name(i int) string { return v.tree.files[i].path }

// role is what a file is to the tests.
func (v *view) role(i int) lang.Role { return v.tree.files[i].role }

// label says what else is to be known of a file, "" for nothing.
func (v *view) label(i int) string { return v.tree.files[i].label() }

// isTest reports whether a file is a test.
func (v *view) isTest(i int) bool { return v.role(i) == lang.Test }

// isProduction reports whether a file is neither a test nor there for tests.
func (v *view) isProduction(i int) bool { return v.role(i) == lang.Production }

// ask finds the file that a question names.
func (v *view) ask(name string) (int, error) {
	for _, p := range v.files.spellings(name) {
		if i := v.tree.find(p); i >= 0 {
			return i, nil
		}
	}
	return -1, &kota.UnknownFileError{File: name, Nearest: naming.Nearest(v.files.Relative(name), v.paths())}
}

// paths lists the paths of all files.
func (v *view) paths() []string {
	out := make([]string, len(v.tree.files))
	for i := range v.tree.files {
		out[i] = v.tree.files[i].path
	}
	return out
}

// several finds the files that a question names.
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

// lines lists the lines of a file that use a local name, but for the one that
// declares it.
func (v *view) lines(i int, local string, declared int) []int {
	if local == "" {
		return nil
	}
	return slices.DeleteFunc(codec.UsesOf(v.tree.files[i].facts, local), func(l int) bool { return l == declared })
}
