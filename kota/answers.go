package kota

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/coctostan/pictx/repo"
)

// Status describes an index.
type Status struct {
	Engine      string   `json:"engine"`
	Root        string   `json:"root"`
	Index       string   `json:"index"` // path of the index file
	Indexed     bool     `json:"indexed"`
	Files       int      `json:"files"`
	Skipped     []Count  `json:"skipped"` // by reason
	ImportsOnly int      `json:"imports_only"`
	Partial     int      `json:"partial"`
	Edges       int      `json:"edges"`
	Inferred    int      `json:"inferred"`
	Unresolved  int      `json:"unresolved"` // imports of missing files
	Computed    int      `json:"computed"`   // imports with a computed specifier
	External    int      `json:"external"`   // imports of packages outside the tree
	Symbols     int      `json:"symbols"`
	Languages   []Count  `json:"languages,omitempty"` // files by language
	Outside     int      `json:"outside_default_build,omitempty"`
	Generated   int      `json:"generated,omitempty"` // generated files
	Bytes       int64    `json:"bytes"`               // size of the index
	Notes       []string `json:"notes,omitempty"`
	Gaps        []Gap    `json:"gaps,omitempty"`     // what was not read or not resolved, by file
	NotRead     []Count  `json:"not_read,omitempty"` // files of other languages, by extension
}

// Gap is a part of the tree that answers do not cover.
type Gap struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Spec string `json:"spec,omitempty"` // specifier of an import
	Why  string `json:"why"`
}

// Count is a number of things of one name.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"count"`
}

// DepsQuery asks what a file depends on and what depends on it.
type DepsQuery struct {
	File         string
	Dependents   bool
	Dependencies bool
	Depth        int // 1 or more
	Tests        bool
	Dir          string // only files in this directory, "" for all
}

// Deps answers DepsQuery.
type Deps struct {
	Source
	File         string    `json:"file"`
	Depth        int       `json:"depth"`
	Dependents   *Side     `json:"dependents,omitempty"`
	Dependencies *Side     `json:"dependencies,omitempty"`
	Unresolved   []Missing `json:"unresolved,omitempty"`
	External     []string  `json:"external,omitempty"`
	InCycle      int       `json:"in_cycle,omitempty"` // number of files in its runtime cycle, 0 when it is in none
	Partial      bool      `json:"partial,omitempty"`
	Gone         bool      `json:"gone,omitempty"` // the file no longer exists, and other files import it
}

// Side is one direction of Deps. Counts include tests, whether tests are listed or not.
type Side struct {
	Total      int    `json:"total"`
	Direct     int    `json:"direct"`
	ViaBarrels Number `json:"via_barrels"`
	Production int    `json:"production"`
	Tests      int    `json:"tests"`
	Support    int    `json:"test_support,omitempty"`
	Inferred   Number `json:"inferred"`
	List       []Dep  `json:"list"` // most important first
	Page
}

// Dep is a file that depends on another, or that another depends on.
type Dep struct {
	File     string   `json:"file"`
	Distance int      `json:"distance"`
	Lines    []int    `json:"lines,omitempty"` // lines of the imports, at distance 1
	Kinds    []string `json:"kinds,omitempty"`
	TypeOnly bool     `json:"type_only,omitempty"`
	Inferred bool     `json:"inferred,omitempty"`
	Test     bool     `json:"test,omitempty"`
	Support  bool     `json:"test_support,omitempty"` // test support, not a test itself
	Via      string   `json:"via,omitempty"`          // the barrel through which it imports
	Takes    []string `json:"takes,omitempty"`        // the changed names that it imports
	Label    string   `json:"label,omitempty"`        // remarks on the file, such as "generated"
}

// Missing is an import of a file or package that does not exist.
type Missing struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"` // 0 when the engine does not know it
	Spec string `json:"spec"`
}

// UsagesQuery asks where a symbol is used.
type UsagesQuery struct {
	Symbol string // "name" or "name.member"
	File   string // the declaring file, "" for any
	Tests  bool
	All    bool // list lines that have a member's name though nothing says that they mean it
}

// Usages answers UsagesQuery.
type Usages struct {
	Source
	Symbol     string       `json:"symbol"`
	Definition *Definition  `json:"definition,omitempty"`
	Candidates []Candidate  `json:"candidates,omitempty"` // several definitions match and none was chosen
	Others     []Definition `json:"others,omitempty"`     // others of that name, which are local to their files
	External   string       `json:"external,omitempty"`   // the packages it is imported from
	// Missing are imports of the symbol from files that do not exist.
	Missing    []Missing `json:"missing,omitempty"`
	Confidence string    `json:"confidence"` // "bound": by imports and exports; "name": by name only
	Total      int       `json:"total"`      // lines
	Files      int       `json:"files"`
	TestLines  int       `json:"test_lines"` // lines in tests and test support
	// Unlisted are the lines that UsagesQuery.All lists, too.
	Unlisted int     `json:"unlisted,omitempty"`
	List     []Usage `json:"list"`
	Page
}

// Definition is where a symbol is declared.
type Definition struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	End      Number `json:"end"`
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Exported bool   `json:"exported"`
	Label    string `json:"label,omitempty"` // remarks on the file, such as "generated"
}

// Candidate is a definition that may be meant, with the number of its uses.
type Candidate struct {
	Definition
	Uses  Number `json:"uses"`       // lines
	Files Number `json:"used_files"` // files with uses
}

// Usage lists the uses of a symbol in one file.
type Usage struct {
	File   string     `json:"file"`
	As     string     `json:"as,omitempty"`     // its local name, when different
	Via    string     `json:"via,omitempty"`    // the file it is imported from, when different
	Import int        `json:"import,omitempty"` // the line of the import
	Lines  []int      `json:"lines,omitempty"`
	Code   []CodeLine `json:"code,omitempty"`   // the code of the first of Lines
	Likely bool       `json:"likely,omitempty"` // in matches by name: the line probably means this owner
	// Unlikely is set in matches by name when the receiver has another type, or nothing is known
	// of it and no import leads from the file to the owner's.
	Unlikely bool   `json:"unlikely,omitempty"`
	Test     bool   `json:"test,omitempty"`
	Support  bool   `json:"test_support,omitempty"`
	Label    string `json:"label,omitempty"` // remarks on the file, such as "generated"
}

// CodeLine is a line of a file.
type CodeLine struct {
	Line int    `json:"line"`
	Text string `json:"text"` // without surrounding white space
}

// ImpactQuery asks what a change affects and breaks.
type ImpactQuery struct {
	Modify, Create, Delete []string
	Gone                   []string // files already deleted, which the index does not know
	Diff                   string   // a commit or a range of commits: what git says changed is added, "" for none
	// Symbols are modified declarations, each "name" or "name.member", in File or, when that
	// is "", in any file.
	Symbols []string
	File    string
	// Lines are the changed lines of files in Modify. Only the declarations on them, and what
	// uses these, count as modified.
	Lines      map[string][]Span
	ChangeType string
	List       string // which list to show, "" or ListAll for all
}

// Span is a range of lines.
type Span = repo.Span

// Impact answers ImpactQuery.
type Impact struct {
	Source
	ChangeType string    `json:"change_type,omitempty"`
	Risk       string    `json:"risk"` // low, medium or high
	Reasons    []string  `json:"reasons"`
	Changed    int       `json:"changed"`
	Names      []string  `json:"names,omitempty"`       // changed names, when no file changed as a whole
	Direct     int       `json:"direct"`                // dependents that import a changed name
	Total      int       `json:"total"`                 // dependents at any distance
	Aside      int       `json:"aside_total,omitempty"` // dependents among examples, documentation and the like
	TestDirect int       `json:"tests_direct"`          // tests that import a changed name
	TestTotal  int       `json:"tests_total"`
	Support    int       `json:"test_support_total,omitempty"` // test support files
	Surface    int       `json:"surface_total"`                // names that other files can import
	Breaks     int       `json:"breaks_total"`
	Clashes    []string  `json:"clashes,omitempty"`
	Broken     []Missing `json:"breaks"`
	Tests      []Dep     `json:"tests"`      // tests that reach the change: a file's own first, then direct ones, then by distance
	Dependents []Dep     `json:"dependents"` // direct ones first
	Exports    []Export  `json:"surface"`
	Truncated  bool      `json:"truncated"`

	short bool // its text ends where its lists stop to help
}

// Export is a name that a changed file exports.
type Export struct {
	File string `json:"file"`
	Name string `json:"name"`
	Used int    `json:"used_by"` // files that import it
}

// ContextQuery asks what to know about files before working on them.
type ContextQuery struct {
	Files         []string
	Tests         bool
	Symbols       bool
	MaxDependents int    // maximum number of dependents listed for all files
	List          string // which list to show, "" or ListAll for all
}

// Briefing answers ContextQuery.
type Briefing struct {
	Source
	Files []FileBrief `json:"files"`
	// Tests are those that reach the files, nearest first.
	TestTotal int   `json:"tests_total"`
	Tests     []Dep `json:"tests"`
	Impacted  int   `json:"impacted_total"`
	List      []Dep `json:"impacted"`
	Truncated bool  `json:"truncated"`
}

// FileBrief is the summary of a file.
type FileBrief struct {
	File         string       `json:"file"`
	Lines        int          `json:"lines"`
	Package      string       `json:"package,omitempty"`
	Dependents   int          `json:"dependents"`
	Dependencies int          `json:"dependencies"`
	Tests        int          `json:"tests"`
	Exports      []string     `json:"exports"`
	ExportTotal  int          `json:"exports_total"`
	Imports      []string     `json:"imports"` // imported files, most important first
	Symbols      []Definition `json:"symbols,omitempty"`
	Partial      bool         `json:"partial,omitempty"`
}

// MapQuery asks for the most important files.
type MapQuery struct {
	Focus []string // files to rank around
	Tests bool
}

// Map answers MapQuery: files by rank.
type Map struct {
	Source
	Total int       `json:"total"`
	List  []MapFile `json:"list"`
	Page
}

// MapFile is a file of the map.
type MapFile struct {
	File       string   `json:"file"`
	Dependents int      `json:"dependents"`
	Symbols    []string `json:"symbols"`
}

// Cycles are the import cycles of the tree.
type Cycles struct {
	Source
	Total    int     `json:"total"`     // cycles that exist at run time
	TypeOnly int     `json:"type_only"` // cycles of type-only imports
	Groups   int     `json:"groups"`    // sets of files that all reach each other (strongly connected components)
	Files    int     `json:"files"`     // number of files in them
	List     []Cycle `json:"list"`
	Sampled  bool    `json:"sampled,omitempty"` // a group is too large to list all of its cycles
	Page
}

// Cycle is one cycle. It begins with the file that sorts first.
type Cycle struct {
	Files    []string `json:"files"`
	TypeOnly bool     `json:"type_only,omitempty"`
}

// GraphQuery asks for the imports around a file.
type GraphQuery struct {
	File     string // "" for the whole tree
	Depth    int
	Tests    bool
	MaxFiles int // maximum number of files, 0 for all
}

// Graph answers GraphQuery.
type Graph struct {
	Project string      `json:"-"` // base name of the root
	File    string      `json:"file,omitempty"`
	Total   int         `json:"total"` // number of files within the depth
	Nodes   []string    `json:"nodes"`
	Edges   []GraphEdge `json:"edges"`
}

// GraphEdge is an import between two of the nodes.
type GraphEdge struct {
	From     string `json:"from"`
	To       string `json:"to"`
	TypeOnly bool   `json:"type_only,omitempty"`
	Inferred bool   `json:"inferred,omitempty"`
}

// Folders returns the graph of the folders of the files, at most most of them where the tree allows: deep
// ones stand for what is below them. An import between two is type-only or inferred when all of theirs are.
func (g Graph) Folders(most int) Graph {
	const deepest = 16
	out := g
	for depth := deepest; depth > 0; depth-- {
		folder := func(file string) string {
			parts := strings.Split(path.Dir(file), "/")
			return strings.Join(parts[:min(depth, len(parts))], "/") + "/"
		}
		nodes, edges := make(map[string]bool), make(map[[2]string]GraphEdge)
		for _, n := range g.Nodes {
			nodes[folder(n)] = true
		}
		for _, x := range g.Edges {
			x.From, x.To = folder(x.From), folder(x.To)
			key := [2]string{x.From, x.To}
			if was, known := edges[key]; known {
				x.TypeOnly, x.Inferred = x.TypeOnly && was.TypeOnly, x.Inferred && was.Inferred
			}
			if edges[key] = x; x.From == x.To {
				delete(edges, key)
			}
		}
		out.Nodes, out.Edges = slices.Sorted(maps.Keys(nodes)), slices.Collect(maps.Values(edges))
		if len(nodes) <= most {
			break
		}
	}
	slices.SortFunc(out.Edges, func(a, b GraphEdge) int { return strings.Compare(a.From+" "+a.To, b.From+" "+b.To) })
	return out
}

// SearchQuery asks for text, or for symbols by name.
type SearchQuery struct {
	Text    string
	Regex   bool
	Symbols bool     // search names of declarations instead of text
	Ranked  bool     // rank files by the words of Text, even if it occurs literally
	Globs   []string // only files that match one of these
	Exclude []string
	Tests   bool
	Context int    // lines of context around a hit
	Output  string // one of OutputPaths, OutputCompact and OutputSnippet
}

// Hits answers SearchQuery.
type Hits struct {
	Source
	Query string `json:"query"`
	Total int    `json:"total"`
	Files int    `json:"files"`
	// Ranked is set when files were ranked by the words of the query: each hit is a file,
	// best first.
	Ranked bool  `json:"ranked,omitempty"`
	List   []Hit `json:"list"`
	Page
}

// Hit is a line, a symbol or, in a ranked answer, a file with its most relevant line.
type Hit struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Text   string   `json:"text"`
	Kind   string   `json:"kind,omitempty"` // kind of a symbol
	End    int      `json:"end,omitempty"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
	Why    string   `json:"why,omitempty"` // why a ranked file is listed
	Score  float64  `json:"score,omitempty"`
	Also   []Place  `json:"also,omitempty"`  // further lines of a ranked file
	Label  string   `json:"label,omitempty"` // remarks on the file, such as "generated"
}

// Place is a line of a file.
type Place struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}
