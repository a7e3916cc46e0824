package code

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
)

// The tools with which a model asks.
const (
	ToolIndex   = "kota_index"
	ToolSearch  = "kota_search"
	ToolDeps    = "kota_deps"
	ToolUsages  = "kota_usages"
	ToolImpact  = "kota_impact"
	ToolContext = "kota_task_context"
)

// Question is a model's question about code, with pi-kota's defaults and caps applied. Tool
// decides which fields are used.
type Question struct {
	Tool string

	Path string // ToolIndex

	// ToolSearch
	Query         string // text; for ToolContext: the task in plain words
	Code, Symbols bool   // where to look
	Output        string
	Limit, Around int // maximum number of matches, and lines around each
	Globs         []string
	Exclude       []string

	// ToolDeps
	File         string // for ToolUsages: the declaring file
	Dependents   bool
	Dependencies bool
	Depth        int

	// ToolUsages
	Symbol string
	All    bool // list uses in tests, and what only has the name, too

	// ToolImpact
	ChangeType             string
	Modify, Create, Delete []string

	// ToolContext
	Files         []string
	Declare       bool // list their declarations
	MaxDependents int  // maximum number of dependents listed

	Tests bool // also list tests

	capped []string // notes on parameters above their caps
}

// Caps of pi-kota.
const (
	maxMatches = 50
	maxAround  = 5
	maxDepth   = 3
	maxFiles   = 50
)

// Params are the parameters of all tools, as a model writes them. The declared names are uniform:
// File for one file, Files for several. FilePath and Modify are pi-kota's names for them.
type Params struct {
	Path          string   `json:"path"`
	Query         string   `json:"query"`
	Scope         Strings  `json:"scope"`
	Output        string   `json:"output"`
	Limit         *float64 `json:"limit"`
	ContextLines  *float64 `json:"context_lines"`
	Filters       Filters  `json:"filters"`
	FilePath      string   `json:"file_path"`
	Direction     string   `json:"direction"`
	Depth         *float64 `json:"depth"`
	IncludeTests  *bool    `json:"include_tests"`
	Symbol        string   `json:"symbol"`
	File          string   `json:"file"`
	ChangeType    string   `json:"change_type"`
	Description   string   `json:"description"`
	Modify        Strings  `json:"files_to_modify"`
	Create        Strings  `json:"files_to_create"`
	Delete        Strings  `json:"files_to_delete"`
	Files         Strings  `json:"files"`
	Symbols       bool     `json:"include_symbols"`
	All           bool     `json:"all"`
	ImpactedFiles *float64 `json:"max_impacted_files"`
}

// one returns the file in a call.
func (p *Params) one() string { return cmp.Or(p.File, p.FilePath) }

// Filters limit a search to some files.
type Filters struct {
	Glob    Strings `json:"glob"`
	Exclude Strings `json:"exclude"`
}

// Strings is a list of strings. Models may write a single string instead.
type Strings []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *Strings) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var one string
		err := json.Unmarshal(b, &one)
		*s = Strings{one}
		return err
	}
	var list []string
	err := json.Unmarshal(b, &list)
	*s = list
	return err
}

// NewQuestion converts a tool call to a question. Its errors are meant for the model.
func NewQuestion(tool string, p Params) (Question, error) {
	q := Question{Tool: tool, Path: p.Path, Tests: p.IncludeTests != nil && *p.IncludeTests}
	var err error
	switch tool {
	case ToolIndex:
	case ToolSearch:
		err = q.search(p)
	case ToolDeps:
		err = q.deps(p)
	case ToolUsages:
		q.Symbol, q.File, q.All, q.Tests = p.Symbol, p.one(), p.All, q.Tests || p.All
		err = required(q.Symbol != "", "symbol")
	case ToolImpact:
		err = q.impact(p)
	case ToolContext:
		q.Query, q.Files, q.Declare, q.Tests = p.Query, p.Files, p.Symbols, p.IncludeTests == nil || *p.IncludeTests
		q.MaxDependents = q.number("max_impacted_files", p.ImpactedFiles, 20, 1, maxFiles)
		err = required(len(q.Files) > 0 || strings.TrimSpace(q.Query) != "", "files or query")
	default:
		err = fmt.Errorf("there is no tool %s", text.LogLine(tool))
	}
	if err != nil {
		return q, fmt.Errorf("%s: %w", text.LogLine(tool), err)
	}
	return q, nil
}

// required returns the error for a missing parameter.
func required(given bool, name string) error {
	if !given {
		return fmt.Errorf("%s is missing", name)
	}
	return nil
}

func (q *Question) search(p Params) error {
	q.Query, q.Tests = p.Query, true
	q.Globs, q.Exclude = p.Filters.Glob, p.Filters.Exclude
	q.Limit = q.number("limit", p.Limit, 15, 1, maxMatches)
	q.Around = q.number("context_lines", p.ContextLines, 1, 0, maxAround)
	q.Symbols = slices.Contains(p.Scope, "symbols")
	q.Code = !q.Symbols || slices.Contains(p.Scope, "code")
	for _, s := range p.Scope {
		if s != "code" && s != "symbols" {
			return fmt.Errorf("unknown scope %q: want code or symbols", s)
		}
	}
	var err error
	if q.Output, err = word("output", p.Output, "compact", "paths", "snippet"); err != nil {
		return err
	}
	return required(strings.TrimSpace(q.Query) != "", "query")
}

func (q *Question) deps(p Params) error {
	direction, err := word("direction", p.Direction, "both", "dependents", "dependencies")
	q.File, q.Dependents, q.Dependencies = p.one(), direction != "dependencies", direction != "dependents"
	q.Depth = q.number("depth", p.Depth, 1, 1, maxDepth)
	if err != nil {
		return err
	}
	return required(q.File != "", "file")
}

func (q *Question) impact(p Params) error {
	q.Modify, q.Create, q.Delete = slices.Concat(p.Modify, p.Files), p.Create, p.Delete
	var err error
	if q.ChangeType, err = word("change_type", p.ChangeType, "refactor", "feature", "fix", "chore"); err != nil {
		return err
	}
	return required(len(q.Modify)+len(q.Create)+len(q.Delete) > 0, "files, files_to_create or files_to_delete")
}

// word reads a parameter that is one of a few words. The default is def.
func word(name, value, def string, others ...string) (string, error) {
	if value == "" || value == def {
		return def, nil
	}
	if slices.Contains(others, value) {
		return value, nil
	}
	return "", fmt.Errorf("unknown %s %q: want %s or %s", name, value, def, strings.Join(others, " or "))
}

// number reads a parameter that is a number, limited to low and high.
func (q *Question) number(name string, value *float64, def, low, high int) int {
	if value == nil {
		return def
	}
	if *value > float64(high) {
		q.capped = append(q.capped, fmt.Sprintf("%s is %d at most", name, high))
		return high
	}
	return max(int(*value), low)
}

// Printable returns a name from a project as one line without hidden characters, fit for a model.
func Printable(s string) string { return fence.OneLine(s, text.MaxLogLine) }
