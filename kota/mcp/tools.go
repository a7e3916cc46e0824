package mcp

// IndexTool is KotaDB's tool that indexes. It has a time limit of its own.
const IndexTool = "index_repository"

// KotaDB's tools.
const (
	toolIndex   = IndexTool
	toolRecent  = "list_recent_files"
	toolSearch  = "search"
	toolDeps    = "search_dependencies"
	toolUsages  = "find_usages"
	toolImpact  = "analyze_change_impact"
	toolContext = "generate_task_context"
)

// Limits of KotaDB's tools.
const (
	everything = 10_000_000 // for a tool without a limit
	maxHits    = 100
	maxDepth   = 5
	maxContext = 10 // lines
	maxImpact  = 50
)

// Parameters of the tools.
type (
	indexArgs struct {
		Repository string `json:"repository"`
		LocalPath  string `json:"localPath"`
	}
	recentArgs struct {
		Limit      int    `json:"limit"`
		Repository string `json:"repository"`
	}
	depsArgs struct {
		File       string   `json:"file_path"`
		Direction  string   `json:"direction"`
		Depth      int      `json:"depth"`
		Tests      bool     `json:"include_tests"`
		Types      []string `json:"reference_types"`
		Repository string   `json:"repository"`
	}
	usagesArgs struct {
		Symbol     string `json:"symbol"`
		File       string `json:"file,omitempty"`
		Tests      bool   `json:"include_tests"`
		Repository string `json:"repository"`
	}
	impactArgs struct {
		ChangeType  string   `json:"change_type"`
		Description string   `json:"description"`
		Modify      []string `json:"files_to_modify,omitempty"`
		Create      []string `json:"files_to_create,omitempty"`
		Delete      []string `json:"files_to_delete,omitempty"`
		Breaking    bool     `json:"breaking_changes"`
		Repository  string   `json:"repository"`
	}
	contextArgs struct {
		Files         []string `json:"files"`
		Tests         bool     `json:"include_tests"`
		Symbols       bool     `json:"include_symbols"`
		MaxDependents int      `json:"max_impacted_files"`
		Repository    string   `json:"repository"`
	}
	searchArgs struct {
		Query   string        `json:"query"`
		Scope   []string      `json:"scope"`
		Output  string        `json:"output"`
		Limit   int           `json:"limit"`
		Context int           `json:"context_lines"`
		Filters searchFilters `json:"filters"`
	}
	searchFilters struct {
		Repository string `json:"repository"`
	}
)

// Answers of the tools, as far as they are used.
type (
	indexStats struct {
		Files   int `json:"files_indexed"`
		Symbols int `json:"symbols_extracted"`
	}
	indexAnswer struct {
		Status  string     `json:"status"`
		Message string     `json:"message"`
		Stats   indexStats `json:"stats"`
	}
	recentAnswer struct {
		Results []struct {
			Path string `json:"path"`
		} `json:"results"`
	}
	depsAnswer struct {
		Dependents   *sideAnswer `json:"dependents"`
		Dependencies *sideAnswer `json:"dependencies"`
		Unresolved   []string    `json:"unresolved_imports"`
	}
	sideAnswer struct {
		Direct   []string            `json:"direct"`
		Indirect map[string][]string `json:"indirect"` // keys are depth_N
		Cycles   [][]string          `json:"cycles"`
	}
	usagesAnswer struct {
		DefinedIn string        `json:"defined_in"` // path:line, or "unknown"
		Kind      string        `json:"kind"`
		Usages    []usageAnswer `json:"usages"`
	}
	usageAnswer struct {
		File string `json:"file"`
		Line int    `json:"line"`
		Type string `json:"usage_type"`
	}
	impactAnswer struct {
		Affected []affectedAnswer `json:"affected_files"`
		Tests    struct {
			Files    []string `json:"test_files"`
			Coverage string   `json:"coverage_impact"`
		} `json:"test_scope"`
		Warnings  []string          `json:"architectural_warnings"`
		Conflicts []conflictsAnswer `json:"conflicts"`
		Risk      string            `json:"risk_level"`
	}
	affectedAnswer struct {
		Path   string `json:"path"`
		Reason string `json:"reason"`
		Direct int    `json:"direct_dependents_count"`
	}
	conflictsAnswer struct {
		Description string `json:"description"`
	}
	contextAnswer struct {
		Targets []struct {
			Path       string `json:"path"`
			Dependents int    `json:"dependentCount"`
			Symbols    []struct {
				Name string `json:"name"`
				Kind string `json:"kind"`
				Line int    `json:"line"`
			} `json:"symbols"`
		} `json:"targetFiles"`
		Impacted []string `json:"impactedFiles"`
		Tests    []string `json:"testFiles"`
	}
	codeAnswer struct {
		Results struct {
			Code []struct {
				Path    string `json:"path"`
				Matches []struct {
					Line   int      `json:"line"`
					Text   string   `json:"content"`
					Before []string `json:"context_before"`
					After  []string `json:"context_after"`
				} `json:"matches"`
			} `json:"code"`
		} `json:"results"`
	}
	symbolsAnswer struct {
		Results struct {
			Symbols []struct {
				Name     string `json:"name"`
				Kind     string `json:"kind"`
				Location struct {
					File  string `json:"file"`
					Start int    `json:"line_start"`
					End   int    `json:"line_end"`
				} `json:"location"`
			} `json:"symbols"`
		} `json:"results"`
	}
)
