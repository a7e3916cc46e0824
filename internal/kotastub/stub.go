// Package kotastub is a server that answers as KotaDB does, for tests: the tools that pictx uses,
// with their arguments, JSON as text, errors as text, and on request what goes wrong with the real
// one. It knows imports of relative paths and exported functions, which is enough to tell a right
// answer from a wrong one.
package kotastub

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Odd is the environment variable that says what goes wrong: words that begin with what, and may
// go on with a colon and the tool it goes wrong with.
//
//	mute         it never begins to serve
//	refuse       it ends at once, with a line on standard error
//	hang:TOOL    it never answers
//	die:TOOL     it ends instead of answering
//	once:TOOL    likewise, but only the first time
//	text:TOOL    it answers with text that is no JSON
//	error:TOOL   it answers with what MCP calls an error
//	giant:TOOL   its answer holds 5 MB
//	noise        it prints 100 KB to standard error
//	child        it starts a process that goes on
const Odd = "KOTASTUB_ODD"

// Log is the environment variable that names a file: a line is added to it for each process that
// starts, its number first, and for each question.
const Log = "KOTASTUB_LOG"

// Main serves standard input and goes on when that ends, as KotaDB does.
func Main() {
	note("start %d", os.Getpid())
	if odd("refuse", "") {
		fmt.Fprintln(os.Stderr, "error: package \"kotadb\" not found")
		os.Exit(1)
	}
	if odd("child", "") {
		child := exec.Command("sleep", "600")
		if err := child.Start(); err == nil {
			note("start %d", child.Process.Pid)
		}
	}
	if odd("noise", "") {
		fmt.Fprint(os.Stderr, strings.Repeat(`{"level":"info","message":"indexed"}`+"\n", 3000)+"the last line\n")
	}
	if odd("mute", "") {
		select {}
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "kotadb", Version: "2.0.0"}, nil)
	add(server, "index_repository", index)
	add(server, "search_dependencies", dependencies)
	add(server, "find_usages", usages)
	_ = server.Run(context.Background(), &sdk.StdioTransport{})
	select {}
}

// odd reports whether something is to go wrong, with a tool unless that is "".
func odd(what, tool string) bool {
	if tool != "" {
		what += ":" + tool
	}
	return slices.Contains(strings.Fields(os.Getenv(Odd)), what)
}

// note adds a line to the log.
func note(format string, args ...any) {
	f, err := os.OpenFile(os.Getenv(Log), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	fmt.Fprintf(f, format+"\n", args...)
	_ = f.Close()
}

// object is an answer.
type object = map[string]any

// add adds a tool. Arguments that its parameters do not have are an error: KotaDB ignores them, a
// test is not to.
func add[In any](server *sdk.Server, name string, answer func(In) object) {
	sdk.AddTool(server, &sdk.Tool{Name: name}, func(_ context.Context, r *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		note("ask %s %s", name, r.Params.Arguments)
		log, _ := os.ReadFile(os.Getenv(Log))
		switch {
		case odd("hang", name):
			select {}
		case odd("die", name), odd("once", name) && bytes.Count(log, []byte("ask "+name+" ")) == 1:
			fmt.Fprintln(os.Stderr, "panic: it died")
			os.Exit(3)
		case odd("text", name):
			return text("Something went wrong\x1b[31m"), nil, nil
		case odd("error", name):
			res := text("it is broken")
			res.IsError = true
			return res, nil, nil
		}
		out := answer(in)
		if odd("giant", name) {
			out["padding"] = strings.Repeat("x", 5<<20)
		}
		b, err := json.MarshalIndent(out, "", "  ")
		return text(string(b)), nil, err
	})
}

func text(s string) *sdk.CallToolResult {
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
}

// database is what is kept, in KOTADB_PATH. A file that is gone stays, as in the real one.
type database map[string]file

// file is what is known of a file.
type file struct {
	Text    string
	Imports []string // as they stand there
	Symbols map[string]int
}

func load() database {
	db := database{}
	if b, err := os.ReadFile(os.Getenv("KOTADB_PATH")); err == nil {
		_ = json.Unmarshal(b, &db)
	}
	return db
}

// imported and exported find what a file imports and exports.
const (
	imported = `(?m)(?:from|import|import\()\s*['"]([^'"]+)['"]`
	exported = `(?m)export (?:default )?(?:function|class|const|interface|type) (\w+)`
)

type indexParams struct {
	Repository string `json:"repository"`
	LocalPath  string `json:"localPath"`
}

// index reads the files of a directory. What git ignores is read, too.
func index(p indexParams) object {
	db, imports, exports := load(), regexp.MustCompile(imported), regexp.MustCompile(exported)
	err := filepath.WalkDir(p.LocalPath, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains([]string{".ts", ".tsx", ".js", ".json"}, path.Ext(name)) {
			return err
		}
		b, err := os.ReadFile(name)
		f := file{Text: string(b), Symbols: map[string]int{}}
		for _, m := range imports.FindAllStringSubmatch(f.Text, -1) {
			f.Imports = append(f.Imports, m[1])
		}
		for _, m := range exports.FindAllStringSubmatchIndex(f.Text, -1) {
			f.Symbols[f.Text[m[2]:m[3]]] = 1 + strings.Count(f.Text[:m[2]], "\n")
		}
		rel, _ := filepath.Rel(p.LocalPath, name)
		db[filepath.ToSlash(rel)] = f
		return err
	})
	b, _ := json.Marshal(db)
	if err == nil {
		err = os.WriteFile(os.Getenv("KOTADB_PATH"), b, 0o600)
	}
	if err != nil {
		return object{"status": "failed", "error": err.Error()}
	}
	return object{"status": "completed", "message": "Indexing completed successfully"}
}

// next lists what a file imports, or what imports it.
func (db database) next(p string, back bool) (out []string) {
	for from, f := range db {
		for _, spec := range f.Imports {
			to := path.Join(path.Dir(from), spec) + ".ts"
			if _, there := db[to]; !there {
				continue
			}
			if back && to == p {
				out = append(out, from)
			} else if !back && from == p {
				out = append(out, to)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

type depsParams struct {
	Repository string   `json:"repository"`
	File       string   `json:"file_path"`
	Direction  string   `json:"direction"`
	Depth      int      `json:"depth"`
	Tests      bool     `json:"include_tests"`
	Types      []string `json:"reference_types"`
}

func dependencies(p depsParams) object {
	db := load()
	if _, there := db[p.File]; !there {
		return object{"file_path": p.File, "message": "File not found: " + p.File + ". Make sure the repository is indexed."}
	}
	missing := []string{}
	for _, spec := range db[p.File].Imports {
		if !strings.HasPrefix(spec, ".") {
			missing = append(missing, spec)
		}
	}
	return object{"file_path": p.File, "dependents": db.side(p, true), "dependencies": db.side(p, false), "unresolved_imports": missing}
}

// side goes as far as it is asked to. A file in a cycle is its own dependent.
func (db database) side(p depsParams, back bool) object {
	level := db.next(p.File, back)
	direct, seen, indirect := append([]string{}, level...), slices.Clone(level), object{}
	for d := 2; d <= p.Depth; d++ {
		var further []string
		for _, f := range level {
			for _, n := range db.next(f, back) {
				if !slices.Contains(seen, n) {
					seen, further = append(seen, n), append(further, n)
				}
			}
		}
		if level = further; len(level) > 0 {
			indirect[fmt.Sprintf("depth_%d", d)] = level
		}
	}
	return object{"direct": direct, "indirect": indirect}
}

type usagesParams struct {
	Repository string `json:"repository"`
	Symbol     string `json:"symbol"`
	File       string `json:"file,omitempty"`
	Tests      bool   `json:"include_tests"`
}

func usages(p usagesParams) object {
	db, defined, list := load(), "unknown", []object{}
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(p.Symbol) + `\b`)
	for name, f := range db {
		if line, there := f.Symbols[p.Symbol]; there && (p.File == "" || p.File == name) {
			defined = fmt.Sprintf("%s:%d", name, line)
		}
		for i, line := range strings.Split(f.Text, "\n") {
			if !word.MatchString(line) || f.Symbols[p.Symbol] == i+1 {
				continue
			}
			kind := "call"
			if strings.HasPrefix(line, "import ") {
				kind = "import"
			}
			list = append(list, object{"file": name, "line": i + 1, "usage_type": kind})
		}
	}
	return object{"symbol": p.Symbol, "defined_in": defined, "kind": "function", "usages": list}
}
