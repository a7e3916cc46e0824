package kotastub

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// database is what is kept: files by their paths, by repository. A file that is gone
// stays, as in the real one.
type database map[string]map[string]file

// file is what is known of one.
type file struct {
	Text    string
	Imports []string // as they stand there
	Symbols map[string]int
}

func load() database {
	db := database{}
	if b, err := os.ReadFile(databasePath()); err == nil {
		_ = json.Unmarshal(b, &db)
	}
	return db
}

func (db database) save() error {
	b, err := json.Marshal(db)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(databasePath()), 0o700)
	}
	if err == nil {
		err = os.WriteFile(databasePath(), b, 0o600)
	}
	return err
}

// params are the arguments of all tools.
type params struct {
	Repository, LocalPath, Symbol, Query, Output, Direction, Change string
	File                                                            string   `json:"file_path"`
	Only                                                            string   `json:"file"`
	Tests                                                           bool     `json:"include_tests"`
	WithSymbols                                                     bool     `json:"include_symbols"`
	Depth                                                           int      `json:"depth"`
	Limit                                                           int      `json:"limit"`
	Context                                                         int      `json:"context_lines"`
	Files, Scope                                                    []string `json:",omitempty"`
	Modify                                                          []string `json:"files_to_modify"`
	Create                                                          []string `json:"files_to_create"`
	Delete                                                          []string `json:"files_to_delete"`
	Filters                                                         struct{ Repository string }
}

// object is an answer.
type object = map[string]any

// answer answers a tool.
func answer(tool string, args json.RawMessage) (object, error) {
	var p params
	if err := json.Unmarshal(args, &p); err != nil {
		return nil, err
	}
	db := load()
	if tool == "index_repository" {
		return db.index(p)
	}
	name := p.Repository + p.Filters.Repository
	files, known := db[name]
	if !known {
		return nil, fmt.Errorf("clone https://example.invalid/%s.git failed", name)
	}
	switch tool {
	case "list_recent_files":
		return recent(files, p), nil
	case "search_dependencies":
		return dependencies(files, p), nil
	case "find_usages":
		return usages(files, p), nil
	case "analyze_change_impact":
		return impact(files, p), nil
	case "generate_task_context":
		return briefing(files, p), nil
	case "search":
		return search(files, p), nil
	}
	return nil, errors.New("Unknown tool: " + tool)
}

// imported and exported find what a file imports and exports.
const (
	imported = `(?m)(?:from|import|import\()\s*['"]([^'"]+)['"]`
	exported = `(?m)export (?:default )?(?:function|class|const|interface|type) (\w+)`
)

// index reads the files of a directory. What git ignores is read, too.
func (db database) index(p params) (object, error) {
	cwd, err := os.Getwd()
	if err != nil || !strings.HasPrefix(p.LocalPath, cwd) {
		return nil, errors.New("localPath must be within workspace: " + cwd)
	}
	if db[p.Repository] == nil {
		db[p.Repository] = map[string]file{}
	}
	files := db[p.Repository]
	imports, exports := regexp.MustCompile(imported), regexp.MustCompile(exported)
	n, symbols := 0, 0
	err = filepath.WalkDir(p.LocalPath, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{".git", "node_modules", "build", "dist", "vendor"}, d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !slices.Contains([]string{".ts", ".tsx", ".js", ".json"}, path.Ext(name)):
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f := file{Text: string(text), Symbols: map[string]int{}}
		for _, m := range imports.FindAllStringSubmatch(f.Text, -1) {
			f.Imports = append(f.Imports, m[1])
		}
		for _, m := range exports.FindAllStringSubmatchIndex(f.Text, -1) {
			f.Symbols[f.Text[m[2]:m[3]]] = 1 + strings.Count(f.Text[:m[2]], "\n")
		}
		rel, _ := filepath.Rel(p.LocalPath, name)
		files[filepath.ToSlash(rel)] = f
		n++
		symbols += len(f.Symbols)
		return nil
	})
	if err != nil {
		return nil, err
	}
	stats := object{"files_indexed": n, "symbols_extracted": symbols, "references_extracted": n}
	return object{"runId": "1", "repositoryId": "1", "status": "completed", "message": "Indexing completed successfully", "stats": stats}, db.save()
}

func recent(files map[string]file, p params) object {
	out := []object{}
	for _, f := range slices.Sorted(maps.Keys(files))[:min(p.Limit, len(files))] {
		out = append(out, object{"projectRoot": "1", "path": f, "dependencies": []string{}, "indexedAt": "2026-01-01T00:00:00Z"})
	}
	return object{"results": out}
}

// resolve finds a relative import as KotaDB does.
func resolve(files map[string]file, from, spec string) string {
	if !strings.HasPrefix(spec, ".") {
		return ""
	}
	p := path.Join(path.Dir(from), spec)
	for _, end := range []string{"", ".ts", ".tsx", ".js", "/index.ts"} {
		if _, there := files[p+end]; there {
			return p + end
		}
	}
	return ""
}

// next lists what a file imports, or what imports it.
func next(files map[string]file, p string, back bool) []string {
	var out []string
	for _, from := range slices.Sorted(maps.Keys(files)) {
		for _, spec := range files[from].Imports {
			to := resolve(files, from, spec)
			if back && to == p {
				out = append(out, from)
			} else if !back && from == p && to != "" {
				out = append(out, to)
			}
		}
	}
	return slices.Compact(out)
}

// side goes as far as it is asked to. A file in a cycle is its own dependent.
func side(files map[string]file, p params, back bool) object {
	level := next(files, p.File, back)
	direct := append([]string{}, level...)
	indirect := object{}
	seen := slices.Clone(level)
	for d := 2; d <= p.Depth; d++ {
		var further []string
		for _, f := range level {
			for _, n := range next(files, f, back) {
				if !slices.Contains(seen, n) {
					seen, further = append(seen, n), append(further, n)
				}
			}
		}
		if level = further; len(level) > 0 {
			indirect[fmt.Sprintf("depth_%d", d)] = level
		}
	}
	cycles := [][]string{}
	if slices.Contains(seen, p.File) {
		cycles = append(cycles, append([]string{p.File}, direct...))
	}
	return object{"direct": direct, "indirect": indirect, "cycles": cycles, "count": len(seen)}
}

func dependencies(files map[string]file, p params) object {
	empty := object{"direct": []string{}, "indirect": object{}, "cycles": []string{}}
	if _, there := files[p.File]; !there {
		return object{"file_path": p.File, "message": "File not found: " + p.File + ". Make sure the repository is indexed.", "dependents": empty, "dependencies": empty}
	}
	out := object{"file_path": p.File, "direction": p.Direction, "depth": p.Depth}
	if p.Direction != "dependencies" {
		out["dependents"] = side(files, p, true)
	}
	if p.Direction != "dependents" {
		out["dependencies"] = side(files, p, false)
	}
	missing := []string{}
	for _, spec := range files[p.File].Imports {
		if resolve(files, p.File, spec) == "" {
			missing = append(missing, spec)
		}
	}
	out["unresolved_imports"] = missing
	return out
}

func usages(files map[string]file, p params) object {
	defined, list := "unknown", []object{}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(p.Symbol) + `\b`)
	for _, f := range slices.Sorted(maps.Keys(files)) {
		if line, there := files[f].Symbols[p.Symbol]; there && (p.Only == "" || p.Only == f) {
			defined = fmt.Sprintf("%s:%d", f, line)
		}
		for i, line := range strings.Split(files[f].Text, "\n") {
			at := word.FindStringIndex(line)
			if at == nil || files[f].Symbols[p.Symbol] == i+1 {
				continue
			}
			kind := "call"
			if strings.HasPrefix(line, "import ") {
				kind = "import"
			}
			list = append(list, object{"file": f, "line": i + 1, "column": at[0], "usage_type": kind, "context": line})
		}
	}
	kind := "function"
	if defined == "unknown" {
		kind = "unknown"
	}
	return object{"symbol": p.Symbol, "defined_in": defined, "kind": kind, "usages": list, "total_usages": len(list)}
}

func impact(files map[string]file, p params) object {
	affected := []object{}
	for _, f := range slices.Concat(p.Modify, p.Create, p.Delete) {
		direct := next(files, f, true)
		affected = append(affected, object{"path": f, "reason": "Direct modification", "direct_dependents_count": len(direct), "indirect_dependents_count": 0})
		for _, d := range direct {
			affected = append(affected, object{"path": d, "reason": "Directly depends on " + f})
			for _, i := range next(files, d, true) {
				affected = append(affected, object{"path": i, "reason": "Indirectly depends on " + f})
			}
		}
	}
	return object{
		"affected_files":         affected,
		"test_scope":             object{"test_files": []string{}, "recommended_test_files": []string{"src/not-there.test.ts"}, "coverage_impact": "Low test coverage"},
		"architectural_warnings": []string{}, "conflicts": []object{}, "risk_level": "medium", "summary": "Risk level: MEDIUM.",
	}
}

func briefing(files map[string]file, p params) object {
	targets, all := []object{}, []string{}
	for _, f := range p.Files {
		direct := next(files, f, true)
		symbols := []object{}
		for name, line := range files[f].Symbols {
			symbols = append(symbols, object{"name": name, "kind": "function", "line": line})
		}
		if !p.WithSymbols {
			symbols = []object{}
		}
		targets = append(targets, object{"path": f, "dependentCount": len(direct), "symbols": symbols})
		all = append(all, direct...)
	}
	return object{"targetFiles": targets, "impactedFiles": all, "testFiles": []string{}, "recentChanges": []object{}, "indexStale": false, "durationMs": 3}
}

func search(files map[string]file, p params) object {
	results := []object{}
	for _, f := range slices.Sorted(maps.Keys(files)) {
		if len(results) == p.Limit {
			break
		}
		if p.Scope[0] == "symbols" {
			for name, line := range files[f].Symbols {
				if strings.Contains(name, p.Query) {
					results = append(results, object{"name": name, "kind": "function", "location": object{"file": f, "line_start": line, "line_end": line}})
				}
			}
			continue
		}
		matches := []object{}
		lines := strings.Split(files[f].Text, "\n")
		for i, l := range lines {
			if strings.Contains(l, p.Query) {
				matches = append(matches, object{
					"line": i + 1, "content": l, "context_before": lines[max(0, i-p.Context):i],
					"context_after": lines[i+1 : min(len(lines), i+1+p.Context)],
				})
			}
		}
		if len(matches) > 0 {
			results = append(results, object{"path": f, "matches": matches})
		}
	}
	return object{"query": p.Query, "scopes": p.Scope, "results": object{p.Scope[0]: results}, "counts": object{"total": len(results)}}
}
