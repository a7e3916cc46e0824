package mcp

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/words"
)

// Engine asks KotaDB, and the built-in engine what KotaDB does not answer.
type Engine struct {
	*index.Engine
	server *Server
	has    map[string]bool // the files of the tree
}

var _ kota.Engine = Engine{}

// Over returns an engine that asks the server and the built-in engine.
func (s *Server) Over(builtin *index.Engine) Engine {
	e := Engine{builtin, s, make(map[string]bool)}
	for _, f := range builtin.Files() {
		e.has[f] = true
	}
	return e
}

// ask asks about KotaDB's index, and says how old that is. It returns kota.ErrNotIndexed when there
// is none.
func (e Engine) ask(ctx context.Context, tool string, a args, to any) (kota.Source, error) {
	source, err := e.source()
	if err == nil {
		err = e.server.ask(ctx, tool, a, to)
	}
	return source, err
}

func (e Engine) source() (kota.Source, error) {
	began, err := os.Stat(filepath.Join(e.server.Dir, indexed))
	if err != nil {
		return kota.Source{}, kota.ErrNotIndexed
	}
	changed := 0
	for f := range e.has {
		if st, err := os.Lstat(filepath.Join(e.server.Files.Root, f)); err == nil && st.ModTime().After(began.ModTime()) {
			changed++
		}
	}
	if changed == 0 {
		return kota.Source{Freshness: "KotaDB's index, no file changed since"}, nil
	}
	return kota.Source{Freshness: fmt.Sprintf("KotaDB's index, %s changed since: pictx kota index --engine kotadb", text.CountPlain(changed, "file"))}, nil
}

// Status is that of the built-in index, and says how old KotaDB's is.
func (e Engine) Status(ctx context.Context) (kota.Status, error) {
	s, err := e.Engine.Status(ctx)
	source, missing := e.source()
	s.Engine, s.Index, s.Indexed, s.Notes = "kotadb", e.server.Dir, missing == nil, append(s.Notes, source.Freshness)
	return s, err
}

// maxDepth is how far KotaDB follows imports.
const maxDepth = 5

// side is one direction of KotaDB's dependencies; the keys of Indirect are depth_N.
type side struct {
	Direct   []string
	Indirect map[string][]string
}

// Deps returns what a file depends on and what depends on it, as far as KotaDB follows imports.
func (e Engine) Deps(ctx context.Context, q kota.DepsQuery) (kota.Deps, error) {
	d := kota.Deps{File: q.File, Depth: max(q.Depth, 1)}
	file, err := e.Find(q.File)
	if err != nil {
		return d, err
	}
	d.File = file
	var a struct {
		Dependents, Dependencies side
		Unresolved               []string `json:"unresolved_imports"`
	}
	d.Source, err = e.ask(ctx, "search_dependencies", args{
		"repository": e.server.repository(), "file_path": file, "direction": "both", "depth": min(d.Depth, maxDepth), "include_tests": true,
		"reference_types": []string{"import", "re_export", "export_all", "dynamic_import"},
	}, &a)
	if q.Dependents {
		d.Dependents = e.side(q, file, a.Dependents)
	}
	if q.Dependencies {
		d.Dependencies = e.side(q, file, a.Dependencies)
		for _, s := range a.Unresolved {
			d.Unresolved = append(d.Unresolved, kota.Missing{Spec: s}) // packages are among them
		}
	}
	return d, err
}

// side collects one direction: each file that exists once, at its shortest distance.
func (e Engine) side(q kota.DepsQuery, file string, a side) *kota.Side {
	s := &kota.Side{List: []kota.Dep{}, ViaBarrels: kota.Unknown, Inferred: kota.Unknown}
	known := map[string]bool{file: true}
	for n, paths := 1, a.Direct; n <= maxDepth; n, paths = n+1, a.Indirect[fmt.Sprintf("depth_%d", n+1)] {
		for _, p := range paths {
			if known[p] || !e.has[p] {
				continue
			}
			known[p] = true
			d := kota.Dep{File: p, Distance: n, Test: e.server.Files.Languages.IsTest(p)}
			s.Total, s.Direct, s.Tests = s.Total+1, s.Direct+oneIf(n == 1), s.Tests+oneIf(d.Test)
			if (q.Tests || !d.Test) && (q.Dir == "" || words.Within(p, q.Dir)) {
				s.List = append(s.List, d)
			}
		}
	}
	s.Production = s.Total - s.Tests
	slices.SortStableFunc(s.List, func(a, b kota.Dep) int { return cmp.Or(oneIf(a.Test)-oneIf(b.Test), a.Distance-b.Distance) })
	return s
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// use is one of KotaDB's usages.
type use struct {
	File string
	Line int
	Type string `json:"usage_type"`
}

// Usages returns where a name is used. KotaDB compares only names.
func (e Engine) Usages(ctx context.Context, q kota.UsagesQuery) (u kota.Usages, err error) {
	name := q.Symbol[strings.LastIndexByte(q.Symbol, '.')+1:]
	a := args{"repository": e.server.repository(), "symbol": name, "include_tests": true}
	if q.File != "" {
		if a["file"], err = e.Find(q.File); err != nil {
			return u, err
		}
	}
	var got struct {
		DefinedIn string `json:"defined_in"` // path:line, or "unknown"
		Kind      string
		Usages    []use
	}
	u = kota.Usages{Symbol: q.Symbol, Confidence: "name", List: []kota.Usage{}}
	if u.Source, err = e.ask(ctx, "find_usages", a, &got); err != nil {
		return u, err
	}
	file, at, _ := strings.Cut(got.DefinedIn, ":")
	if line, err := strconv.Atoi(at); err == nil && e.has[file] {
		u.Definition = &kota.Definition{File: file, Line: line, End: kota.Unknown, Name: name, Kind: fence.OneLine(got.Kind, maxText)}
	}
	e.use(&u, got.Usages)
	if u.Definition == nil && u.Total == 0 {
		return u, &kota.UnknownSymbolError{Symbol: q.Symbol}
	}
	u.List = slices.DeleteFunc(u.List, func(x kota.Usage) bool { return x.Test && !q.Tests })
	return u, nil
}

// use collects uses by file, each line once.
func (e Engine) use(u *kota.Usages, list []use) {
	slices.SortStableFunc(list, func(a, b use) int { return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line) })
	for i, x := range list {
		if !e.has[x.File] || i > 0 && list[i-1].File == x.File && list[i-1].Line == x.Line {
			continue
		}
		if u.Files == 0 || u.List[u.Files-1].File != x.File {
			u.List, u.Files = append(u.List, kota.Usage{File: x.File, Test: e.server.Files.Languages.IsTest(x.File)}), u.Files+1
		}
		f := &u.List[u.Files-1]
		u.Total, u.TestLines = u.Total+1, u.TestLines+oneIf(f.Test)
		if x.Type == "import" && f.Import == 0 {
			f.Import = x.Line
		} else {
			f.Lines = append(f.Lines, x.Line)
		}
	}
	slices.SortStableFunc(u.List, func(a, b kota.Usage) int { return cmp.Or(oneIf(a.Test)-oneIf(b.Test), len(b.Lines)-len(a.Lines)) })
}
