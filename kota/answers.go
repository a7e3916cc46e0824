package kota

// Status is what is known of an index.
type Status struct {
	Engine      string   `json:"engine"`
	Root        string   `json:"root"`
	Index       string   `json:"index"` // its file
	Indexed     bool     `json:"indexed"`
	Files       Number   `json:"files"`
	Skipped     []Count  `json:"skipped"` // by reason
	ImportsOnly Number   `json:"imports_only"`
	Partial     Number   `json:"partial"`
	Edges       Number   `json:"edges"`
	Inferred    Number   `json:"inferred"`
	Unresolved  Number   `json:"unresolved"` // imports of files that are not there
	Computed    Number   `json:"computed"`   // imports whose specifier is not known
	External    Number   `json:"external"`   // imports of packages outside the tree
	Symbols     Number   `json:"symbols"`
	Languages   []Count  `json:"languages,omitempty"` // files by language
	Outside     int      `json:"outside_default_build,omitempty"`
	Generated   int      `json:"generated,omitempty"` // files that a program wrote
	Bytes       int64    `json:"bytes"`               // of the index
	Notes       []string `json:"notes,omitempty"`
	Gaps        []Gap    `json:"gaps,omitempty"`     // what was not read or not found, by file
	NotRead     []Count  `json:"not_read,omitempty"` // files of other languages, by extension
}

// Gap is something that answers do not know.
type Gap struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"`
	Spec string `json:"spec,omitempty"` // of an import
	Why  string `json:"why"`
}

// Count is how many of something there are.
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
	Dir          string // only what lies in this directory, "" for everything
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
	InCycle      int       `json:"in_cycle,omitempty"` // files in the runtime cycle it is part of
	Partial      bool      `json:"partial,omitempty"`
	Gone         bool      `json:"gone,omitempty"` // it is not there any more, and files import it
}

// Side is one direction of Deps. Counts are of everything, whether tests are
// listed or not.
type Side struct {
	Total      int    `json:"total"`
	Direct     int    `json:"direct"`
	ViaBarrels Number `json:"via_barrels"`
	Production int    `json:"production"`
	Tests      int    `json:"tests"`
	Support    int    `json:"test_support,omitempty"`
	Inferred   Number `json:"inferred"`
	List       []Dep  `json:"list"` // the first matters most
	Page
}

// Dep is a file on one side.
type Dep struct {
	File     string   `json:"file"`
	Distance int      `json:"distance"`
	Lines    []int    `json:"lines,omitempty"` // of the imports, at distance 1
	Kinds    []string `json:"kinds,omitempty"`
	TypeOnly bool     `json:"type_only,omitempty"`
	Inferred bool     `json:"inferred,omitempty"`
	Test     bool     `json:"test,omitempty"`
	Support  bool     `json:"test_support,omitempty"` // there for tests, and not a test
	Via      string   `json:"via,omitempty"`          // the barrel it takes it from
	Takes    []string `json:"takes,omitempty"`        // names that changed
	Label    string   `json:"label,omitempty"`        // what else is to be known of the file
}

// Missing is an import of something that is not there.
type Missing struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"` // 0 when the engine does not know it
	Spec string `json:"spec"`
}

// UsagesQuery asks where a symbol is used.
type UsagesQuery struct {
	Symbol string // "name" or "name.member"
	File   string // that declares it, "" for any
	Tests  bool
}

// Usages answers UsagesQuery.
type Usages struct {
	Source
	Symbol     string       `json:"symbol"`
	Definition *Definition  `json:"definition,omitempty"`
	Candidates []Candidate  `json:"candidates,omitempty"` // when there are several and none was chosen
	Others     []Definition `json:"others,omitempty"`     // of that name, which no other file can take
	External   string       `json:"external,omitempty"`   // the packages it comes from
	// Missing are imports that name it of files that are not there.
	Missing    []Missing `json:"missing,omitempty"`
	Confidence string    `json:"confidence"` // bound, or name
	Total      int       `json:"total"`      // lines
	Files      int       `json:"files"`
	TestLines  int       `json:"test_lines"` // of them, in tests and what supports them
	List       []Usage   `json:"list"`
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
	Label    string `json:"label,omitempty"` // what else is to be known of the file
}

// Candidate is a definition that may be meant, with how much uses it.
type Candidate struct {
	Definition
	Uses  Number `json:"uses"`       // lines
	Files Number `json:"used_files"` // in which they are
}

// Usage is the use of a symbol in one file.
type Usage struct {
	File    string     `json:"file"`
	As      string     `json:"as,omitempty"`     // the name it has there, when it is another
	Via     string     `json:"via,omitempty"`    // the file it is imported from, when it is another
	Import  int        `json:"import,omitempty"` // the line of the import
	Lines   []int      `json:"lines,omitempty"`
	Code    []CodeLine `json:"code,omitempty"`   // the first of Lines, as they are written
	Likely  bool       `json:"likely,omitempty"` // of matches of a name: what the line says points to this owner
	Test    bool       `json:"test,omitempty"`
	Support bool       `json:"test_support,omitempty"`
	Label   string     `json:"label,omitempty"` // what else is to be known of the file
}

// CodeLine is a line of a file.
type CodeLine struct {
	Line int    `json:"line"`
	Text string `json:"text"` // without the white space around it
}

// ImpactQuery asks what a change breaks.
type ImpactQuery struct {
	Modify, Create, Delete []string
	Gone                   []string // deleted already, so that the index does not know them
	// Symbols are declarations that are modified, each "name" or "name.member", of any
	// file but when File names the one.
	Symbols []string
	File    string
	// Lines says of files among Modify which lines changed: nothing but what is
	// declared there, and what uses that, counts as modified.
	Lines      map[string][]Span
	ChangeType string
}

// Span is a part of a file, from a line to another, both included. What was deleted
// between two lines is the span of those two.
type Span struct{ From, To int }

// Impact answers ImpactQuery.
type Impact struct {
	Source
	ChangeType string    `json:"change_type,omitempty"`
	Risk       string    `json:"risk"` // low, medium or high
	Reasons    []string  `json:"reasons"`
	Changed    int       `json:"changed"`
	Names      []string  `json:"names,omitempty"` // that changed, when not whole files did
	Direct     int       `json:"direct"`          // dependents that take a name that changed
	Total      Number    `json:"total"`           // dependents, however many imports away
	TestDirect int       `json:"tests_direct"`    // tests that take a name that changed
	TestTotal  Number    `json:"tests_total"`
	Support    int       `json:"test_support_total,omitempty"` // files that are there for tests
	Surface    Number    `json:"surface_total"`                // names that other files can import
	Breaks     Number    `json:"breaks_total"`
	Clashes    []string  `json:"clashes,omitempty"`
	Broken     []Missing `json:"breaks"`
	Tests      []Dep     `json:"tests"`      // that reach the change: a file's own, those that take a name, then the nearest
	Dependents []Dep     `json:"dependents"` // those that take a name first
	Exports    []Export  `json:"surface"`
	Truncated  bool      `json:"truncated"`
}

// Export is a name that a changed file exports.
type Export struct {
	File string `json:"file"`
	Name string `json:"name"`
	Used int    `json:"used_by"` // files that import it
}

// ContextQuery asks what is to be known before files are worked on.
type ContextQuery struct {
	Files         []string
	Tests         bool
	Symbols       bool
	MaxDependents int // dependents listed, over all files
}

// Briefing answers ContextQuery.
type Briefing struct {
	Source
	Files []FileBrief `json:"files"`
	// Tests reach the files, and are listed the nearest first.
	TestTotal Number `json:"tests_total"`
	Tests     []Dep  `json:"tests"`
	Impacted  Number `json:"impacted_total"`
	List      []Dep  `json:"impacted"`
	Truncated bool   `json:"truncated"`
}

// FileBrief is what is to be known about one file.
type FileBrief struct {
	File         string       `json:"file"`
	Lines        Number       `json:"lines"`
	Package      string       `json:"package,omitempty"`
	Dependents   int          `json:"dependents"`
	Dependencies Number       `json:"dependencies"`
	Tests        Number       `json:"tests"`
	Exports      []string     `json:"exports"`
	ExportTotal  Number       `json:"exports_total"`
	Imports      []string     `json:"imports"` // files, those that matter most
	Symbols      []Definition `json:"symbols,omitempty"`
	Partial      bool         `json:"partial,omitempty"`
}

// MapQuery asks for an overview.
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
	Total    int     `json:"total"`     // that exist when the program runs
	TypeOnly int     `json:"type_only"` // that only types make
	Groups   int     `json:"groups"`    // sets of files that all reach each other
	Files    int     `json:"files"`     // in them
	List     []Cycle `json:"list"`
	Sampled  bool    `json:"sampled,omitempty"` // a group is too large for all its cycles to be found
	Page
}

// Cycle is one cycle, beginning with the file that sorts first.
type Cycle struct {
	Files    []string `json:"files"`
	TypeOnly bool     `json:"type_only,omitempty"`
}

// GraphQuery asks for the surroundings of a file.
type GraphQuery struct {
	File     string // "" for the whole tree
	Depth    int
	Tests    bool
	MaxFiles int // files, 0 for all
}

// Graph answers GraphQuery.
type Graph struct {
	Project string      `json:"-"` // the name of the tree
	File    string      `json:"file,omitempty"`
	Total   int         `json:"total"` // files within the depth
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

// SearchQuery asks for text, or for the names of symbols.
type SearchQuery struct {
	Text    string
	Regex   bool
	Symbols bool     // names of declarations, not code
	Ranked  bool     // take the text as words, even where it stands as it is
	Globs   []string // only files that match one
	Exclude []string
	Tests   bool
	Context int // lines around a hit
}

// Hits answers SearchQuery.
type Hits struct {
	Source
	Query string `json:"query"`
	Total Number `json:"total"`
	Files Number `json:"files"`
	// Ranked is set when the query was taken as words: each hit is a file, the
	// likeliest first.
	Ranked bool  `json:"ranked,omitempty"`
	List   []Hit `json:"list"`
	Page
}

// Hit is a line, a symbol or, in a ranked answer, a file with the line that says
// most about it.
type Hit struct {
	File   string   `json:"file"`
	Line   int      `json:"line"`
	Text   string   `json:"text"`
	Kind   string   `json:"kind,omitempty"` // of a symbol
	End    int      `json:"end,omitempty"`
	Before []string `json:"before,omitempty"`
	After  []string `json:"after,omitempty"`
	Why    string   `json:"why,omitempty"` // where a file has the words of the query
	Score  float64  `json:"score,omitempty"`
	Also   []Place  `json:"also,omitempty"`  // more lines of the file
	Label  string   `json:"label,omitempty"` // what else is to be known of the file
}

// Place is a line of a file.
type Place struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}
