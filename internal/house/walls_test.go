// Package house holds the walls of this module: which package may import which, the
// rules that every file keeps, and how large a package, a type or a function may get
// (the table of gauges_test.go). There is nothing in it but tests, because nothing
// may depend on it. The map they enforce is the comment of package core.
package house

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/coctostan/pictx"

// mcpSDK speaks the Model Context Protocol, over pipes alone here.
const mcpSDK = "github.com/modelcontextprotocol/go-sdk"

// knows lists what each part of the house may import. For the packages of commands
// among each other see commandCrossing.
var knows = map[string][]string{
	"cmd":       {"commands"},
	"commands":  {"workspace", "report", "hooks", "sqlite", "jsonl", "repo", "kota", "core"},
	"workspace": {"workspace", "hooks", "agents", "sqlite", "jsonl", "repo", "kota", "core"},
	"report":    {"report", "kota", "core"},
	"hooks":     {"hooks", "repo", "core"},
	"sqlite":    {"sqlite", "core"},
	"agents":    {"agents", "core"},
	"jsonl":     {"jsonl", "repo", "core"},
	"repo":      {"repo"},
	"kota":      {"kota", "repo", "core"},
	"core":      {"core"},
	"man":       {"man", "commands", "workspace"},
	"internal":  {"internal", "agents", "sqlite", "core"},
	"bench":     {"bench", "internal", "core"},
}

var (
	// agentsMayKnow are the parts of the house that may know how an agent keeps its
	// sessions.
	agentsMayKnow = []string{"agents", "workspace", "internal"}
	// benchesOfStores are the benches that compare what is in a store, or in sessions.
	benchesOfStores = []string{"bench/history", "bench/soak", "bench/replay"}
	// logsMayKnow are the packages that may know the logs of the hooks and of decisions.
	logsMayKnow = []string{"jsonl", "workspace", "workspace/world", "commands/care"}
)

// sqliteKnows lists what each package of the store may import of the others.
var sqliteKnows = map[string][]string{
	"sqlite":           {},
	"sqlite/search":    {"sqlite"},
	"sqlite/entries":   {"sqlite", "sqlite/search"},
	"sqlite/summaries": {"sqlite"},
	"sqlite/erase":     {"sqlite", "sqlite/search"},
	"sqlite/objects":   {"sqlite", "sqlite/search", "sqlite/erase"},
	"sqlite/store": {
		"sqlite", "sqlite/search", "sqlite/entries", "sqlite/summaries",
		"sqlite/erase", "sqlite/objects",
	},
}

// coreMay are the modules that core may import, or the one package of core
// that may.
func coreMay() map[string]string {
	return map[string]string{
		"github.com/go-json-experiment/json/jsontext": "",
		"github.com/go-json-experiment/json":          "core/decision",
		"github.com/klauspost/compress/zstd":          "",
		"github.com/sergi/go-diff/diffmatchpatch":     "",
		"github.com/blevesearch/go-porterstemmer":     "",
		"github.com/bmatcuk/doublestar/v4":            "",
		"golang.org/x/text/unicode/norm":              "",
		"github.com/BurntSushi/toml":                  "core/config",
		"github.com/dustin/go-humanize":               "",
		"github.com/gofrs/flock":                      "core/blob",
	}
}

// onlyIn are imports that belong to one part of the house.
func onlyIn() map[string][]string {
	return map[string][]string{
		"charm.land/huh/v2":               {"commands"},
		"charm.land/bubbletea/v2":         {"commands"},
		"charm.land/bubbles/v2/textinput": {"commands"},
		"charm.land/lipgloss/v2":          {"commands"},
		"github.com/itchyny/gojq":         {"commands"},
		"github.com/spf13/cobra":          {"commands", "man"},
		"github.com/spf13/cobra/doc":      {"man"},
		"github.com/mattn/go-sqlite3":     {"sqlite", "bench", "internal"},
		"github.com/jmoiron/sqlx":         {"sqlite", "internal"},
		"github.com/gofrs/flock":          {"jsonl", "core", "internal"},
		"golang.org/x/mod/modfile":        {"kota"},
		"database/sql":                    {"sqlite", "bench", "internal"},
		"database/sql/driver":             {"sqlite", "bench", "internal"},
		"modernc.org/sqlite":              {"sqlite", "internal"},
		"modernc.org/sqlite/lib":          {"sqlite", "internal"},
		mcpSDK + "/mcp":                   {"kota", "internal"},
		mcpSDK + "/jsonrpc":               {"kota", "internal"},
		module + "/internal/corpus":       {"bench", "internal"},
		module + "/internal/tree":         {"bench", "internal"},
		module + "/internal/kotastub":     {},
		module + "/internal/clitest":      {},
		module + "/internal/npm":          {},
		module + "/internal/sqlhook":      {"internal"},
		module + "/internal/must":         {},
		module + "/internal/storetest":    {},
		module + "/internal/historytest":  {},
		"testing":                         {"internal"},
		"github.com/google/go-cmp/cmp":    {"internal"},
		"github.com/rogpeppe/go-internal": {},
	}
}

// pureOfKota are the packages of kota besides kota/lang that answer from what they are handed.
var pureOfKota = []string{"kota/graph", "kota/members", "kota/words"}

// crossing says which wall an import of a file that ships crosses, "" for none.
// from is a directory of the module, to an import path.
func crossing(from, to string) string {
	part, _, _ := strings.Cut(from, "/")
	if in, limited := onlyIn()[to]; limited && !slices.Contains(in, part) {
		return "belongs to " + orNothing(in)
	}
	if to == "net" || to == "net/http" || strings.HasPrefix(to, "net/http/") {
		return "nothing opens a network connection"
	}
	inside, own := strings.CutPrefix(to, module+"/")
	if !own && (within(from, "kota/lang") || slices.Contains(pureOfKota, from)) && touches(to) {
		return "what a file says does not depend on the machine"
	}
	if !own && part == "report" && touches(to) {
		return "a drawing does not touch the machine"
	}
	if !own {
		if part == "core" {
			return coreCrossing(from, to)
		}
		return ""
	}
	target, _, _ := strings.Cut(inside, "/")
	switch {
	case part == "report" && target == "kota" && inside != "kota":
		return "a drawing knows kota's answers alone"
	case target == "agents" && !slices.Contains(agentsMayKnow, part) && !slices.Contains(benchesOfStores, from):
		return "the sessions of agents are read through history.Source, which workspace opens"
	case target == "jsonl" && !slices.Contains(logsMayKnow, from):
		return "only the packages that show the logs may know them"
	case part == "sqlite" && target == part:
		if !slices.Contains(sqliteKnows[from], inside) {
			return "this part of the store may not know that one"
		}
		return ""
	case part == "commands" && target == part:
		return commandCrossing(from, inside)
	case slices.Contains(knows[part], target),
		slices.Contains(benchesOfStores, from) && (target == "agents" || slices.Contains(knows["commands"], target)):
		return ""
	}
	return part + " may not know " + target
}

// commandCrossing judges imports among the packages of commands: they are wired by
// commands itself, share commands/cli, and a noun does not know another.
func commandCrossing(from, to string) string {
	_, noun, below := strings.Cut(from, "/")
	switch noun, _, _ = strings.Cut(noun, "/"); {
	case !below, within(to, "commands/cli") && noun != "", within(to, "commands/"+noun):
		return ""
	}
	return "a noun of commands may not know another"
}

// coreCrossing judges what core imports from outside the module.
func coreCrossing(from, to string) string {
	if owner, listed := coreMay()[to]; listed {
		if owner == "" || owner == from {
			return ""
		}
		return "only " + owner + " may import it"
	}
	if first, _, _ := strings.Cut(to, "/"); strings.Contains(first, ".") {
		return "it is not on core's list"
	}
	if from == "core/blob" && to == "os" {
		return "" // its files are what it is for; it opens them through an os.Root
	}
	if touches(to) {
		return "core does not touch the machine"
	}
	return ""
}

// touches reports whether a package of the standard library touches the machine.
func touches(to string) bool {
	for _, banned := range []string{"os", "net", "database/sql", "syscall", "log"} {
		if to == banned || strings.HasPrefix(to, banned+"/") {
			return true
		}
	}
	return false
}

func orNothing(parts []string) string {
	if len(parts) == 0 {
		return "tests"
	}
	return strings.Join(parts, ", ")
}

// Holds prune 52.
func TestNoImportCrossesAWall(t *testing.T) {
	seen := 0
	for _, f := range files(t) {
		if f.test {
			continue
		}
		for _, spec := range f.ast.Imports {
			seen++
			to := strings.Trim(spec.Path.Value, `"`)
			if why := crossing(f.dir, to); why != "" {
				t.Errorf("%s imports %s: %s", f.name, to, why)
			}
		}
	}
	if seen < 50 {
		t.Errorf("only %d imports were looked at", seen)
	}
}

func TestWallsRejectACrossing(t *testing.T) {
	for _, c := range []struct {
		from, to string
		crosses  bool
	}{
		{"cmd/pictx", module + "/commands", false},
		{"cmd/pictx", module + "/core/prune", true},
		{"commands", module + "/sqlite", false},
		{"commands", module + "/internal/corpus", true},
		{"commands", "github.com/mattn/go-sqlite3", true},
		{"commands/care", module + "/jsonl", false},
		{"commands/history", module + "/jsonl", true},
		{"commands/history", module + "/agents/pi", true},
		{"workspace", module + "/agents/pi", false},
		{"workspace", module + "/commands/cli", true},
		{"bench/history", module + "/agents/pi", false},
		{"bench/proc", module + "/sqlite", true},
		{"commands/prune", module + "/commands/cli", false},
		{"commands/prune", module + "/commands/prune/tree", false},
		{"commands/prune", module + "/commands/object", true},
		{"commands/prune", module + "/commands", true},
		{"commands/cli", module + "/commands/object", true},
		{"report", module + "/core/replay", false},
		{"report", module + "/kota", false},
		{"report", module + "/kota/index", true},
		{"report", "os", true},
		{"hooks", module + "/core/prune", false},
		{"hooks", module + "/sqlite", true},
		{"sqlite", module + "/sqlite/search", true},
		{"sqlite/entries", module + "/sqlite/search", false},
		{"sqlite/search", module + "/sqlite/entries", true},
		{"kota/index", module + "/kota/lang", false},
		{"kota/index", "os", false},
		{"kota/lang/ts/scan", "os", true},
		{"kota/words", "os", true},
		{"kota/words", "path", false},
		{"core/prune", module + "/core/message", false},
		{"core/prune", module + "/jsonl", true},
		{"core/prune", "strings", false},
		{"core/prune", "os/exec", true},
		{"core/blob", "os", false},
		{"core/blob", "syscall", true},
		{"core/decision", "github.com/gofrs/flock", true},
		{"core/history", "github.com/BurntSushi/toml", true},
		{"core/config", "github.com/BurntSushi/toml", false},
		{"core/config", "github.com/spf13/cobra", true},
		{"sqlite", "net/http", true},
		{"sqlite", "github.com/google/go-cmp/cmp", true},
		{"unknown", module + "/core/prune", true},
	} {
		if why := crossing(c.from, c.to); (why != "") != c.crosses {
			t.Errorf("crossing(%s, %s) = %q, want a reason: %v", c.from, c.to, why, c.crosses)
		}
	}
}

// TestMapNamesEveryPackage fails when a package is missing from the map.
func TestMapNamesEveryPackage(t *testing.T) {
	text, err := os.ReadFile(path.Join(root, "core/doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for word := range strings.FieldsSeq(string(text)) {
		named[strings.Trim(word, ",;:.")] = true
	}
	for _, f := range files(t) {
		part, rest, deep := strings.Cut(f.dir, "/")
		switch {
		case f.dir == "core" || named[f.dir]:
		case deep && part != "core" && part != "internal" && named[part]: // its room is
		case named[rest] && (part == "core" || part == "internal"):
		default:
			t.Errorf("core/doc.go does not name %s", f.dir)
		}
	}
}

// TestBinaryHoldsNoTestCode asks the go command, which sees what the imports of
// imports bring along.
func TestBinaryHoldsNoTestCode(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath", "./cmd/pictx")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	found := map[string]bool{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct{ ImportPath string }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		found[p.ImportPath] = true
	}
	for _, p := range []string{module + "/commands", module + "/core/message"} {
		if !found[p] {
			t.Errorf("the binary does not hold %s", p)
		}
	}
	for _, p := range []string{"testing", module + "/internal/kotastub", module + "/internal/corpus", module + "/internal/clitest", module + "/internal/npm", "github.com/spf13/cobra/doc"} {
		if found[p] {
			t.Errorf("the binary holds %s", p)
		}
	}
}
