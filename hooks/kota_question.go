package hooks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
)

// CodeQuestion is a question about code as a tool of the model asks it, with
// pi-kota's defaults and within its caps. Which members count depends on Tool.
type CodeQuestion struct {
	Tool string

	Path string // kota_index

	// kota_search
	Query         string
	Code, Symbols bool // where to look
	Output        string
	Limit, Around int // matches, and lines around one
	Globs         []string
	Exclude       []string

	// kota_deps
	File         string // and of kota_usages: that declares the symbol
	Dependents   bool
	Dependencies bool
	Depth        int

	Symbol string // kota_usages

	// kota_impact
	ChangeType, Description string
	Modify, Create, Delete  []string

	// kota_task_context
	Files   []string
	Declare bool // list what they declare
	Most    int  // dependents listed

	Tests bool // list tests, too

	capped []string // what was asked for more of than there may be
}

// The caps of pi-kota.
const (
	mostMatches = 50
	mostAround  = 5
	deepest     = 3
	mostFiles   = 50
)

// codeParams are the parameters of all tools.
type codeParams struct {
	Path          string      `json:"path"`
	Query         string      `json:"query"`
	Scope         manyStrings `json:"scope"`
	Output        string      `json:"output"`
	Limit         *float64    `json:"limit"`
	ContextLines  *float64    `json:"context_lines"`
	Filters       codeFilters `json:"filters"`
	FilePath      string      `json:"file_path"`
	Direction     string      `json:"direction"`
	Depth         *float64    `json:"depth"`
	IncludeTests  *bool       `json:"include_tests"`
	Symbol        string      `json:"symbol"`
	File          string      `json:"file"`
	ChangeType    string      `json:"change_type"`
	Description   string      `json:"description"`
	Modify        manyStrings `json:"files_to_modify"`
	Create        manyStrings `json:"files_to_create"`
	Delete        manyStrings `json:"files_to_delete"`
	Files         manyStrings `json:"files"`
	Symbols       bool        `json:"include_symbols"`
	ImpactedFiles *float64    `json:"max_impacted_files"`
}

type codeFilters struct {
	Glob    manyStrings `json:"glob"`
	Exclude manyStrings `json:"exclude"`
}

// manyStrings is a list of strings, or one of them: models write either.
type manyStrings []string

// UnmarshalJSON implements json.Unmarshaler.
func (m *manyStrings) UnmarshalJSON(b []byte) error {
	if jsontext.Value(b).Kind() == jsontext.KindString {
		var one string
		err := decode(b, &one)
		*m = manyStrings{one}
		return err
	}
	var list []string
	err := decode(b, &list)
	*m = list
	return err
}

// ParseCodeQuestion reads the call of a tool. An error is one that the model is
// told.
func ParseCodeQuestion(payload []byte) (CodeQuestion, error) {
	var call ToolCall
	var p codeParams
	if err := decode(payload, &call); err != nil {
		return CodeQuestion{}, fmt.Errorf("read call: %w", err)
	}
	if err := decode(call.Params, &p); err != nil {
		return CodeQuestion{Tool: call.Name}, fmt.Errorf("%s: the parameters do not have the types that it declares", call.Name)
	}
	q := CodeQuestion{Tool: call.Name, Path: p.Path, Tests: p.IncludeTests != nil && *p.IncludeTests}
	var err error
	switch call.Name {
	case toolIndex:
	case toolSearch:
		err = q.search(p)
	case toolDeps:
		err = q.deps(p)
	case toolUsages:
		q.Symbol, q.File = p.Symbol, p.File
		err = missing(q.Symbol == "", "symbol")
	case toolImpact:
		err = q.impact(p)
	case toolContext:
		q.Files, q.Declare, q.Tests = p.Files, p.Symbols, p.IncludeTests == nil || *p.IncludeTests
		q.Most = q.number("max_impacted_files", p.ImpactedFiles, 20, 1, mostFiles)
		err = missing(len(q.Files) == 0, "files")
	default:
		err = fmt.Errorf("there is no tool %s", text.LogLine(call.Name))
	}
	if err != nil {
		return q, fmt.Errorf("%s: %w", text.LogLine(call.Name), err)
	}
	return q, nil
}

// missing is the error of a parameter that must be there.
func missing(is bool, name string) error {
	if is {
		return fmt.Errorf("%s is missing", name)
	}
	return nil
}

func (q *CodeQuestion) search(p codeParams) error {
	q.Query, q.Tests = p.Query, true
	q.Globs, q.Exclude = p.Filters.Glob, p.Filters.Exclude
	q.Limit = q.number("limit", p.Limit, 15, 1, mostMatches)
	q.Around = q.number("context_lines", p.ContextLines, 1, 0, mostAround)
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
	return missing(strings.TrimSpace(q.Query) == "", "query")
}

func (q *CodeQuestion) deps(p codeParams) error {
	direction, err := word("direction", p.Direction, "both", "dependents", "dependencies")
	q.File, q.Dependents, q.Dependencies = p.FilePath, direction != "dependencies", direction != "dependents"
	q.Depth = q.number("depth", p.Depth, 1, 1, deepest)
	if err != nil {
		return err
	}
	return missing(q.File == "", "file_path")
}

func (q *CodeQuestion) impact(p codeParams) error {
	q.Description, q.Modify, q.Create, q.Delete = p.Description, p.Modify, p.Create, p.Delete
	var err error
	if q.ChangeType, err = word("change_type", p.ChangeType, "refactor", "feature", "fix", "chore"); err != nil {
		return err
	}
	return missing(len(q.Modify)+len(q.Create)+len(q.Delete) == 0, "files_to_modify, files_to_create or files_to_delete")
}

// word is a parameter that is one of a few words, the first when it is not given.
func word(name, value, def string, others ...string) (string, error) {
	if value == "" || value == def {
		return def, nil
	}
	if slices.Contains(others, value) {
		return value, nil
	}
	return "", fmt.Errorf("unknown %s %q: want %s or %s", name, value, def, strings.Join(others, " or "))
}

// number is a parameter that is a number within bounds.
func (q *CodeQuestion) number(name string, value *float64, def, least, most int) int {
	if value == nil {
		return def
	}
	if *value > float64(most) {
		q.capped = append(q.capped, fmt.Sprintf("%s is %d at most", name, most))
		return most
	}
	return max(int(*value), least)
}

// note says what was capped, in a line, "" when nothing was.
func (q *CodeQuestion) note() string {
	if len(q.capped) == 0 {
		return ""
	}
	return strings.Join(q.capped, "; ") + "\n"
}

// fenced makes what names something of the project fit for the model: one line,
// with nothing hidden in it.
func fenced(s string) string { return fence.OneLine(s, text.MaxLogLine) }
