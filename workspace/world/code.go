package world

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/coctostan/pictx/core/code"
	"github.com/coctostan/pictx/core/config"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/hooks"
	hookcode "github.com/coctostan/pictx/hooks/code"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
	"github.com/coctostan/pictx/kota/mcp"
	"github.com/coctostan/pictx/repo"
	"github.com/coctostan/pictx/workspace"
)

// Kota returns the system that answers questions about code.
func (w *World) Kota(words []hooks.Word) hookcode.System {
	return hookcode.System{
		// Tools are declared for the whole session, so look for code only once.
		Present: sync.OnceValue(func() bool {
			pl, err := w.Here()
			return err == nil && (index.Exists(pl.IndexFile()) || hasCode(pl.Root))
		}),
		Open: func(r *hooks.Request, set *config.Resolved) (code.Project, error) {
			pl, err := w.placeOf(r.CWD)
			if err != nil {
				return code.Project{}, err
			}
			p := &projectCode{World: w, Project: pl, set: set.Config.Kota, cwd: r.CWD}
			return code.Project{Name: filepath.Base(pl.Root), Index: p, Engine: p}, nil
		},
		Blobs: w.HookBlobs().Cache, Words: words, Now: w.Env.Now,
	}
}

// Limits on the search for code, in levels and in directories: a large tree must not delay the
// session.
const (
	codeDepth = 3
	codeDirs  = 256
)

// hasCode reports whether the upper directories of a tree contain TypeScript, JavaScript or Go
// that does not just configure a tool.
func hasCode(root string) bool {
	known, dirs := workspace.Languages(), []string{"."}
	for n := 0; n < len(dirs) && n < codeDirs; n++ {
		entries, err := fs.ReadDir(os.DirFS(root), dirs[n])
		if err != nil {
			continue
		}
		for _, e := range entries {
			name := e.Name()
			switch {
			case e.IsDir() && !strings.HasPrefix(name, ".") && name != "node_modules":
				if strings.Count(dirs[n], "/") < codeDepth-1 {
					dirs = append(dirs, path.Join(dirs[n], name))
				}
			case e.Type().IsRegular() && known.IsProgram(name):
				return true
			}
		}
	}
	return false
}

// projectCode implements code.Index and code.Engine for a project.
type projectCode struct {
	*World
	workspace.Project
	set config.Code
	cwd string
	// opened is the built-in engine that the current request has opened, nil before.
	opened *index.Engine
}

var (
	_ code.Index  = (*projectCode)(nil)
	_ code.Engine = (*projectCode)(nil)
)

// external reports whether the settings choose KotaDB.
func (p *projectCode) external() bool { return p.set.Engine == config.EngineKotaDB }

// Process implements code.Index.
func (p *projectCode) Process() string {
	if !p.external() {
		return ""
	}
	return p.kotaDB().Process()
}

// Exists implements code.Index.
func (p *projectCode) Exists() bool {
	if p.external() {
		return mcp.Exists(p.KotaDBDir())
	}
	return index.Exists(p.IndexFile())
}

// Contains implements code.Engine.
func (p *projectCode) Contains(name string) bool {
	rel, err := filepath.Rel(p.Root, p.tries(name)[0])
	return err == nil && filepath.IsLocal(rel)
}

// kotaDB returns KotaDB for the project. It runs until the program ends.
func (p *projectCode) kotaDB() *mcp.Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	db := p.kotaDBs[p.Root]
	if db == nil {
		db = p.KotaDB(p.set.KotaDB, p.Project)
		p.kotaDBs[p.Root] = db
		p.AtEnd = append(p.AtEnd, db.Restart)
	}
	return db
}

// open returns the engine that answers, which a request opens once. With KotaDB's index the
// built-in one is made as well: consent to one covers the other.
func (p *projectCode) open(ctx context.Context) (kota.Engine, error) {
	if p.opened != nil {
		return p.opened, nil
	}
	builtin, err := p.builtIn(ctx, p.external() && p.Exists(), nil)
	if err != nil || !p.external() {
		return builtin, err
	}
	return p.kotaDB().Over(builtin), nil
}

// builtIn opens the built-in engine. create is set when it may make an index.
func (p *projectCode) builtIn(ctx context.Context, create bool, progress func(done, total int)) (*index.Engine, error) {
	o := p.IndexOptions()
	o.Create, o.Progress = create, progress
	return index.Open(ctx, o)
}

// Update implements code.Index. KotaDB reports no progress.
func (p *projectCode) Update(ctx context.Context, progress func(percent int)) error {
	if p.external() {
		return p.kotaDB().Index(ctx)
	}
	_, err := p.builtIn(ctx, true, func(done, total int) {
		if progress != nil && total > 0 {
			progress(100 * done / total)
		}
	})
	return err
}

// Status implements code.Index.
func (p *projectCode) Status(ctx context.Context) (code.Status, error) {
	st := code.Status{Engine: "built-in, without a process of its own", Root: p.Root}
	if p.external() {
		st.Engine = "KotaDB, " + p.Process() + ": " + strings.Join(p.set.KotaDB.Argv(), " ")
	}
	if !p.Exists() {
		return st, nil
	}
	e, err := p.open(ctx)
	if err != nil {
		return st, err
	}
	s, err := e.Status(ctx)
	if err != nil {
		return st, err
	}
	st.Index = s.Index
	if f, err := os.Lstat(s.Index); err == nil {
		st.Updated = f.ModTime().UnixMilli()
	}
	st.Lines = strings.Split(strings.TrimSuffix(text.Count(s.Files, "file")+", "+s.Contents(), "\n"), "\n")
	return st, nil
}

// Restart implements code.Index.
func (p *projectCode) Restart(context.Context) (string, error) {
	if !p.external() {
		return "The engine is pictx itself: there is no process to restart. It reads the index again for every question.", nil
	}
	p.kotaDB().Restart()
	return "KotaDB is stopped. The next question starts it.", nil
}

// Ask implements code.Engine.
func (p *projectCode) Ask(ctx context.Context, q code.Question, budget int, keep func(string) string) (string, error) {
	e, err := p.open(ctx)
	if err != nil {
		return "", err
	}
	requests := requestsOf(q)
	replies := make([]kota.Reply, len(requests))
	for i, r := range requests {
		if replies[i], err = r.Ask(ctx, e, kota.Window{Limit: q.Limit, Tool: true, Tries: p.tries}); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	for i, r := range replies {
		b.WriteString(kota.Fit(r.Budget((budget-b.Len())/(len(replies)-i)), r.Ways, keep))
	}
	return b.String(), nil
}

// requestsOf converts a question to requests to an engine: of a search, one for each scope.
func requestsOf(q code.Question) []kota.Request {
	switch q.Tool {
	case code.ToolSearch:
		text := kota.SearchQuery{Text: q.Query, Globs: q.Globs, Exclude: q.Exclude, Tests: q.Tests, Context: q.Around, Output: q.Output}
		symbols := text
		symbols.Symbols = true
		switch {
		case !q.Symbols:
			return []kota.Request{text}
		case !q.Code:
			return []kota.Request{symbols}
		}
		return []kota.Request{text, symbols}
	case code.ToolUsages:
		return []kota.Request{kota.UsagesQuery{Symbol: q.Symbol, File: q.File, Tests: q.Tests, All: q.All}}
	case code.ToolImpact:
		return []kota.Request{kota.ImpactQuery{ChangeType: q.ChangeType, Modify: q.Modify, Create: q.Create, Delete: q.Delete}}
	case code.ToolContext:
		if q.Query != "" {
			return []kota.Request{kota.TaskRequest{Query: q.Query, Files: q.Files, Tests: q.Tests, MaxRelated: q.MaxDependents}}
		}
		return []kota.Request{kota.ContextQuery{Files: q.Files, Tests: q.Tests, Symbols: q.Declare, MaxDependents: q.MaxDependents}}
	}
	return []kota.Request{kota.DepsQuery{File: q.File, Dependents: q.Dependents, Dependencies: q.Dependencies, Depth: q.Depth, Tests: q.Tests}}
}

// tries lists the paths that a name from the model may mean: relative to the agent's working
// directory, and to the root.
func (p *projectCode) tries(name string) []string {
	name = strings.TrimPrefix(name, "@") // the prefix with which users of pi name files
	if filepath.IsAbs(name) || p.cwd == "" {
		return []string{name}
	}
	dir := p.cwd
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return []string{filepath.Join(dir, filepath.FromSlash(name)), name}
}

// Named implements code.Engine.
func (p *projectCode) Named(ctx context.Context, prompt string) ([]string, error) {
	isCode := workspace.Languages().IsCode
	if !kota.MayMention(prompt, isCode) {
		return nil, nil
	}
	files, err := p.files(ctx)
	if err != nil {
		return nil, err
	}
	files = slices.DeleteFunc(files, func(f string) bool { return !isCode(f) })
	dir, err := filepath.Rel(p.Root, p.cwd)
	if err != nil || !filepath.IsLocal(dir) {
		dir = ""
	}
	named := kota.Mentions(prompt, kota.Tree{Root: filepath.ToSlash(p.Root), Dir: filepath.ToSlash(dir), Files: files})
	// git also lists deleted files.
	return slices.DeleteFunc(named, func(f string) bool { return !workspace.IsFile(filepath.Join(p.Root, filepath.FromSlash(f))) }), nil
}

// files lists the files of the project. It keeps the engine that lists them for the next question
// of the request.
func (p *projectCode) files(ctx context.Context) ([]string, error) {
	if p.external() || !p.Exists() {
		files, _, err := repo.List(ctx, p.Root, p.Git != "")
		return files, err
	}
	var err error
	if p.opened, err = p.builtIn(ctx, false, nil); err != nil {
		return nil, err
	}
	return p.opened.Files(), nil
}

// Brief implements code.Engine.
func (p *projectCode) Brief(ctx context.Context, files []string, budget int) (string, error) {
	e, err := p.open(ctx)
	if err != nil {
		return "", err
	}
	b, err := e.Context(ctx, kota.ContextQuery{Files: files, Tests: true})
	if err != nil {
		return "", err
	}
	return kota.Fit(budget, []kota.Text{b.Brief()}, func(string) string { return "kota_task_context has the rest" }), nil
}
