package code_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/coctostan/pictx/core/code"
)

// question converts a call as a model writes it.
func question(tool, params string) (code.Question, error) {
	var p code.Params
	if err := json.Unmarshal([]byte(params), &p); err != nil {
		return code.Question{}, err
	}
	return code.NewQuestion(tool, p)
}

// The defaults and caps are those of pi-kota's design.
func TestQuestionsAboutCodeHaveDefaultsAndCaps(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]code.Question{
		`kota_index {}`:                        {},
		`kota_index {"path":"src"}`:            {Path: "src"},
		`kota_search {"query":"a b"}`:          {Query: "a b", Code: true, Output: "compact", Limit: 15, Around: 1, Tests: true},
		`kota_search {"query":"x","limit":50}`: {Query: "x", Code: true, Output: "compact", Limit: 50, Around: 1, Tests: true},
		`kota_search {"query":"x","limit":51,"context_lines":6,"output":"snippet","scope":["symbols"]}`:                        {Query: "x", Symbols: true, Output: "snippet", Limit: 50, Around: 5, Tests: true},
		`kota_search {"query":"x","limit":0,"context_lines":0,"scope":"code","filters":{"glob":"src/**","exclude":["a","b"]}}`: {Query: "x", Code: true, Output: "compact", Limit: 1, Tests: true, Globs: []string{"src/**"}, Exclude: []string{"a", "b"}},
		`kota_search {"query":"x","scope":["code","symbols"],"output":"paths"}`:                                                {Query: "x", Code: true, Symbols: true, Output: "paths", Limit: 15, Around: 1, Tests: true},
		`kota_deps {"file":"a.ts"}`:      {File: "a.ts", Dependents: true, Dependencies: true, Depth: 1},
		`kota_deps {"file_path":"a.ts"}`: {File: "a.ts", Dependents: true, Dependencies: true, Depth: 1},
		`kota_deps {"file_path":"a.ts","direction":"dependents","depth":4,"include_tests":true}`: {File: "a.ts", Dependents: true, Depth: 3, Tests: true},
		`kota_deps {"file_path":"a.ts","direction":"dependencies","depth":1e300}`:                {File: "a.ts", Dependencies: true, Depth: 3},
		`kota_usages {"symbol":"A.b"}`:                                  {Symbol: "A.b"},
		`kota_usages {"symbol":"A","file":"a.ts","include_tests":true}`: {Symbol: "A", File: "a.ts", Tests: true},
		`kota_usages {"symbol":"A.b","all":true}`:                       {Symbol: "A.b", All: true, Tests: true},
		`kota_impact {"files":["a.ts"],"files_to_delete":["c.ts"]}`:     {ChangeType: "refactor", Modify: []string{"a.ts"}, Delete: []string{"c.ts"}},
		`kota_impact {"change_type":"fix","description":"d","files_to_modify":["a.ts"],"files_to_create":["b.ts"],"files_to_delete":"c.ts"}`: {ChangeType: "fix", Modify: []string{"a.ts"}, Create: []string{"b.ts"}, Delete: []string{"c.ts"}},
		`kota_task_context {"query":"retry uploads"}`: {Query: "retry uploads", Tests: true, MaxDependents: 20},
		`kota_task_context {"files":["a.ts"]}`:        {Files: []string{"a.ts"}, Tests: true, MaxDependents: 20},
		`kota_task_context {"files":["a.ts"],"include_tests":false,"include_symbols":true,"max_impacted_files":5}`: {Files: []string{"a.ts"}, Declare: true, MaxDependents: 5},
	} {
		tool, params, _ := strings.Cut(call, " ")
		want.Tool = tool
		got, err := question(tool, params)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(code.Question{}), cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", call, err, diff)
		}
	}
}

func TestInvalidQuestionsAreRefused(t *testing.T) {
	t.Parallel()
	for call, want := range map[string]string{
		`kota_search {}`:                                       "query is missing",
		`kota_search {"query":" \n"}`:                          "query is missing",
		`kota_search {"query":"x","output":"full"}`:            `unknown output "full": want compact or paths or snippet`,
		`kota_search {"query":"x","scope":["decisions"]}`:      `unknown scope "decisions"`,
		`kota_deps {}`:                                         "file is missing",
		`kota_deps {"file_path":"a","direction":"up"}`:         `unknown direction "up"`,
		`kota_usages {}`:                                       "symbol is missing",
		`kota_impact {"change_type":"fix","description":""}`:   "files, files_to_create or files_to_delete is missing",
		`kota_impact {"change_type":"x","files_to_modify":[]}`: `unknown change_type "x"`,
		`kota_task_context {"files":[]}`:                       "files or query is missing",
		`kota_other {}`:                                        "there is no tool kota_other",
	} {
		tool, params, _ := strings.Cut(call, " ")
		if _, err := question(tool, params); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", call, err, want)
		}
	}
}

// No call exceeds its caps or panics, whatever a model writes.
func FuzzCodeQuestion(f *testing.F) {
	f.Add("kota_search", `{"query":"x","limit":1e999,"scope":"code"}`)
	f.Add("kota_deps", `{"file_path":"\ud800","depth":-1}`)
	f.Add("kota_task_context", `{"files":["a",5]}`)
	f.Add("kota_impact", `null`)
	f.Fuzz(func(t *testing.T, tool, params string) {
		q, err := question(tool, params)
		if err != nil {
			return
		}
		if q.Limit > 50 || q.Around > 5 || q.Depth > 3 || q.MaxDependents > 50 || q.Limit < 0 || q.Around < 0 || q.Depth < 0 {
			t.Errorf("%s %s: %+v", tool, params, q)
		}
	})
}
