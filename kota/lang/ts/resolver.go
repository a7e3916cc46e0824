package ts

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/kota/lang"
	"github.com/coctostan/pictx/kota/lang/ts/lex"
)

// Request is an import to resolve.
type Request struct {
	From    string // the importing file
	Spec    string
	Require bool // it is a require, not an ECMAScript import
	Dynamic bool // it is an import() call
}

// Resolver resolves the imports of one state of a tree. It is not safe for
// concurrent use.
type Resolver struct {
	ctx       context.Context
	list      []string
	files     map[string]bool
	dirs      map[string]bool
	committed bool // some node_modules are part of the tree
	read      func(string) ([]byte, bool)
	asked     map[string]bool // configuration files that were read or looked for
	parsed    map[string]value
	configs   map[string]*options
	extending map[string]*configFile
	nearest   map[string]*options
	packages  map[string]*pkg
	scopes    map[string]*pkg
	named     map[string][]*pkg
	bundling  map[string][]string // by directory, what may configure a bundler
	bundlers  map[string][]alias  // by directory, what that does
	cache     map[Request]lang.Target
	defaults  *options
	notes     []string
}

// NewResolver returns a resolver for a tree of files. read returns the content of a file, which is listed
// or in node_modules, and whether it exists. Once ctx has ended the resolver finds nothing.
func NewResolver(ctx context.Context, files []string, read func(string) ([]byte, bool)) *Resolver {
	r := &Resolver{
		ctx: ctx, list: files, extending: make(map[string]*configFile),
		files: make(map[string]bool, len(files)), dirs: make(map[string]bool), read: read,
		asked: make(map[string]bool), parsed: make(map[string]value),
		configs: make(map[string]*options), nearest: make(map[string]*options),
		packages: make(map[string]*pkg), scopes: make(map[string]*pkg),
		bundling: make(map[string][]string), bundlers: make(map[string][]alias),
		named: make(map[string][]*pkg), cache: make(map[Request]lang.Target),
	}
	r.defaults = (&settings{resolution: "bundler"}).options(".")
	for _, f := range files {
		r.files[f] = true
		if configuresBundler(f) {
			r.bundling[path.Dir(f)] = append(r.bundling[path.Dir(f)], f)
		}
		for d := path.Dir(f); !r.dirs[d]; d = path.Dir(d) {
			r.dirs[d] = true
			r.committed = r.committed || path.Base(d) == "node_modules"
		}
	}
	r.findPackages()
	return r
}

// Consulted lists the configuration files that were read or looked for, sorted. Results stay
// valid while these files and the list of files do not change.
func (r *Resolver) Consulted() []string { return slices.Sorted(maps.Keys(r.asked)) }

// Notes lists problems with configuration files, a sentence each.
func (r *Resolver) Notes() []string { return r.notes }

// json reads a configuration file.
func (r *Resolver) json(file string) (value, bool) {
	if v, known := r.parsed[file]; known {
		return v, v.v != nil
	}
	var v value
	ok := false
	if data, found := r.lookUp(file); found {
		v, ok = parse(data)
		if !ok {
			r.note(file, false, false)
		}
	}
	r.parsed[file] = v
	return v, ok
}

// lookUp reads a file and records that it was asked for.
func (r *Resolver) lookUp(file string) ([]byte, bool) {
	if !r.files[file] && !strings.Contains("/"+file, "/node_modules/") || strings.HasPrefix(file, "../") {
		return nil, false
	}
	r.asked[file] = true
	return r.read(file)
}

// readable reports whether a configuration file exists.
func (r *Resolver) readable(file string) bool {
	if r.files[file] {
		return true
	}
	_, ok := r.lookUp(file)
	return ok
}

// Find resolves an import by TypeScript's rules, or as a bundler would.
func (r *Resolver) Find(q Request) lang.Target {
	if q.Spec == "" {
		return lang.Target{Status: lang.Computed}
	}
	key := q
	key.From = path.Dir(q.From)
	if lex.SystemOf(q.From) != lex.ByPackage {
		key.From += "/*" + path.Ext(q.From)
	}
	if res, known := r.cache[key]; known {
		return res
	}
	res := r.resolve(q)
	r.cache[key] = res
	return res
}

func (r *Resolver) resolve(q Request) lang.Target {
	res := r.plain(q)
	spec := bare(q.Spec)
	if res.Status == lang.Found || spec == q.Spec || spec == "" {
		return res
	}
	q.Spec = spec
	res = r.plain(q)
	res.Inferred = res.Status == lang.Found
	return res
}

// bare strips what a bundler adds to a specifier: loaders before it ("raw!a") and a query after
// it ("a?url").
func bare(spec string) string {
	if i := strings.LastIndexByte(spec, '!'); i >= 0 {
		spec = spec[i+1:]
	}
	if i := strings.IndexByte(spec, '?'); i > 0 {
		spec = spec[:i]
	}
	return spec
}

// plain resolves a specifier as written.
func (r *Resolver) plain(q Request) lang.Target {
	l := r.lookupFor(q)
	switch {
	case relative(q.Spec):
		return l.relative(q.Spec)
	case strings.HasPrefix(q.Spec, "/"):
		return l.absolute(q.Spec)
	}
	return l.named(q.Spec)
}

// relative reports whether a specifier is relative to its file.
func relative(spec string) bool {
	return spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../")
}

// lookup is the state of resolving one import.
type lookup struct {
	*Resolver
	opts   *options
	dir    string // of the importing file
	strict bool   // an ECMAScript module of Node, where no extension is added
	esm    bool   // use the condition "import", not "require"
}

func (r *Resolver) lookupFor(q Request) *lookup {
	dir := path.Dir(q.From)
	l := &lookup{Resolver: r, opts: r.optionsFor(dir), dir: dir}
	system := lex.SystemOf(q.From)
	module := system == lex.ECMAScript
	if system == lex.ByPackage {
		p := r.scope(dir)
		module = p != nil && p.module
	}
	l.esm = !q.Require
	if l.opts.mode == nodeNext {
		l.esm = (module || q.Dynamic) && !q.Require
		l.strict = l.esm
	}
	return l
}

// conditions lists the conditions under which targets of package.json apply.
func (l *lookup) conditions() []string {
	out := []string{"types", "require"}
	if l.esm {
		out[1] = "import"
	}
	if l.opts.mode != bundler {
		out = append(out, "node")
	}
	return append(out, l.opts.conditions...)
}
