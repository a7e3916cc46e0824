package recall_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/token"
	"github.com/coctostan/pictx/internal/must"
)

// Holds history 34.
func TestGrepReadsArgumentsLeniently(t *testing.T) {
	plain := recall.GrepRequest{Query: "x"}
	with := func(f func(q *recall.GrepRequest)) recall.GrepRequest {
		q := plain
		f(&q)
		return q
	}
	for raw, want := range map[string]recall.GrepRequest{
		`{"query":"x"}`: plain,
		`{"query":"x","mode":null,"scope":null,"limit":null,"after":null,"role":null,"tool":null}`: plain,
		`{"query":"x","mode":"","scope":"","limit":"","role":"","role":[],"why":{"deep":[1]}}`:     plain,
		`{"query":"y","query":"x"}`:  plain,
		` {"query":404} `:            with(func(q *recall.GrepRequest) { q.Query = "404" }),
		`{"query":"a\ud800\n\"b\""}`: with(func(q *recall.GrepRequest) { q.Query = "a\ufffd\n\"b\"" }),
		`{"query":"x","mode":"Regex","scope":"PROJECT"}`: with(func(q *recall.GrepRequest) {
			q.Regex, q.Scope = true, recall.ScopeProject
		}),
		`{"query":["x"," ","a b",7]}`:           with(func(q *recall.GrepRequest) { q.Or = []string{"a b"} }),
		`{"query":"x","limit":"5","cursor":20}`: with(func(q *recall.GrepRequest) { q.Limit, q.Cursor.Offset = 5, 20 }),
		`{"query":"x","limit":2e1,"full":"no"}`: with(func(q *recall.GrepRequest) { q.Limit = 20 }),
		`{"query":"x","role":"tool","tool":" bash "}`: with(func(q *recall.GrepRequest) {
			q.Filter.Roles, q.Filter.Tool = []string{"toolResult"}, "bash"
		}),
		`{"query":"x","role":["User","summary"]}`: with(func(q *recall.GrepRequest) {
			q.Filter.Roles = []string{"user", "compactionSummary", "branchSummary"}
		}),
		`{"query":"x","role":"bash, toolResult"}`: with(func(q *recall.GrepRequest) {
			q.Filter.Roles = []string{"bashExecution", "toolResult"}
		}),
		`{"query":"x","after":"1970-01-02","before":"1970-01-01T00:01:00+00:01"}`: with(func(q *recall.GrepRequest) {
			q.Filter.After, q.Filter.Before = 24*3600*1000, 0
		}),
		`{"query":"x","after":"1970-01-01T00:00:01.5Z","before":"1970-01-01 00:02Z"}`: with(func(q *recall.GrepRequest) {
			q.Filter.After, q.Filter.Before = 1500, 120_000
		}),
		`{"query":"x","after":"1970-01-01 00:02","before":"1970-01-01T00:00:03"}`: with(func(q *recall.GrepRequest) {
			q.Filter.After, q.Filter.Before = 120_000, 3000
		}),
	} {
		got, err := recall.ParseGrep([]byte(raw))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", raw, err, diff)
		}
	}
}

func TestExpandReadsArgumentsLeniently(t *testing.T) {
	for raw, want := range map[string]recall.ExpandRequest{
		`{"id":"3f9a"}`: {ID: "3f9a"},
		`{"id":"3f9a","max_tokens":null,"cursor":null,"lines":null,"x":1}`: {ID: "3f9a"},
		`{"id":12345678,"max_tokens":"500","cursor":"4096"}`:               {ID: "12345678", MaxTokens: 500, Cursor: 4096},
		`{"id":"3f9a","cursor":4096,"lines":"10-40"}`:                      {ID: "3f9a", Cursor: 4096, Lines: &history.LineRange{From: 10, To: 40}},
		`{"id":"3f9a","lines":10}`:                                         {ID: "3f9a", Lines: &history.LineRange{From: 10, To: 10}},
		`{"id":"3f9a","lines":"L10:L40"}`:                                  {ID: "3f9a", Lines: &history.LineRange{From: 10, To: 40}},
		`{"id":"3f9a","lines":"10 - "}`:                                    {ID: "3f9a", Lines: &history.LineRange{From: 10}},
		`{"id":"3f9a","lines":"10..40"}`:                                   {ID: "3f9a", Lines: &history.LineRange{From: 10, To: 40}},
	} {
		got, err := recall.ParseExpand([]byte(raw))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", raw, err, diff)
		}
	}
}

func TestBadArgumentIsNamedWithAValidCall(t *testing.T) {
	for _, c := range []struct{ tool, raw, want string }{
		{"lcm_grep", ``, "query is missing"},
		{"lcm_grep", `null`, "query is missing"},
		{"lcm_grep", `{}`, "query is missing"},
		{"lcm_grep", `{"query":null}`, "query is missing"},
		{"lcm_grep", `{"query":" "}`, "query is missing"},
		{"lcm_grep", `{"query":[]}`, "query is missing"},
		{"lcm_grep", `{"query":{}}`, "query must be a text"},
		{"lcm_grep", `{"query":["a","b","c","d","e"]}`, "query has more than 4 phrasings"},
		{"lcm_grep", `"x"`, "the arguments are not a JSON object"},
		{"lcm_grep", `[{"query":"x"}]`, "the arguments are not a JSON object"},
		{"lcm_grep", `{"query":"x"`, "the arguments are not a JSON object"},
		{"lcm_grep", `{"query":"x","mode":"glob"}`, `mode must be text or regex, not "glob"`},
		{"lcm_grep", `{"query":"x","scope":"all"}`, `scope must be session or project, not "all"`},
		{"lcm_grep", `{"query":"x","limit":"many"}`, `limit must be a number, not "many"`},
		{"lcm_grep", `{"query":"x","limit":-1}`, `limit must be a number, not "-1"`},
		{"lcm_grep", `{"query":"x","limit":1e300}`, `limit must be a number, not "1e300"`},
		{"lcm_grep", `{"query":"x","limit":"NaN"}`, `limit must be a number, not "NaN"`},
		{"lcm_grep", `{"query":"x","role":["user","robot"]}`, `role must be user, assistant, tool, bash, custom or summary, not "robot"`},
		{"lcm_grep", `{"query":"x","after":"yesterday"}`, `after must be an ISO time such as`},
		{"lcm_grep", `{"query":"x","before":{}}`, `before must be a text`},
		{"lcm_expand", `{}`, "id is missing"},
		{"lcm_expand", `{"id":{}}`, "id must be a text"},
		{"lcm_expand", `{"id":"x","cursor":"next"}`, `cursor must be a number, not "next"`},
		{"lcm_expand", `{"id":"x","max_tokens":[]}`, `max_tokens must be a text`},
		{"lcm_expand", `{"id":"x","grep":"("}`, "grep must be a regular expression"},
		{"lcm_expand", `{"id":"x","lines":"last"}`, `lines must be a range such as 10-40, counted from 1, not "last"`},
		{"lcm_expand", `{"id":"x","lines":"9-3\u202e"}`, `lines must be a range such as 10-40, counted from 1, not "9-3\u{202e}"`},
	} {
		_, err := recall.ParseGrep([]byte(c.raw))
		if c.tool == recall.ExpandTool {
			_, err = recall.ParseExpand([]byte(c.raw))
		}
		var bad *recall.BadCallError
		if !errors.As(err, &bad) || bad.Tool != c.tool || !strings.HasPrefix(bad.Problem, c.want) {
			t.Errorf("%s %s: %v, want %s", c.tool, c.raw, err, c.want)
			continue
		}
		_, hint, _ := strings.Cut(err.Error(), "\n")
		if !strings.HasPrefix(hint, "Call it like "+c.tool+"(") {
			t.Errorf("%s %s: the hint is %q", c.tool, c.raw, hint)
		}
	}
}

func FuzzArgumentsNeverFailInAnotherWay(f *testing.F) {
	for _, s := range []string{
		``, `{}`, `{"query":"x","limit":"5","role":["user"],"after":"1970-01-01"}`, `{"id":"s/x","lines":"1-2","cursor":3}`,
		`{"id":"[1] x ","query":"\ud800"}`, `{"id":"expand x","role":[[]]}`, "{\"query\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		q, grepErr := recall.ParseGrep(raw)
		r, expandErr := recall.ParseExpand(raw)
		for _, err := range []error{grepErr, expandErr} {
			var bad *recall.BadCallError
			if err != nil && (!errors.As(err, &bad) || strings.Count(err.Error(), "\n") != 1 || !utf8.ValidString(err.Error())) {
				t.Errorf("%q: %v", raw, err)
			}
		}
		if grepErr == nil && (strings.TrimSpace(q.Query) == "" || q.Limit < 0 || q.Cursor.Offset < 0) {
			t.Errorf("%q: %+v", raw, q)
		}
		if expandErr == nil && (r.Cursor < 0 || r.MaxTokens < 0) {
			t.Errorf("%q: %+v", raw, r)
		}
	})
}

// spec is a tool as a file of hooks/recall, tools.json, declares it.
type spec struct {
	Name             string         `json:"name"`
	Label            string         `json:"label"`
	Description      string         `json:"description"`
	PromptSnippet    string         `json:"promptSnippet,omitempty"`
	PromptGuidelines []string       `json:"promptGuidelines,omitempty"`
	Parameters       map[string]any `json:"parameters"`
}

func specs(t *testing.T, file string) []spec {
	t.Helper()
	raw := must.Get(os.ReadFile("../../../hooks/recall/" + file))(t)
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	var declared struct {
		Tools []spec `json:"tools"`
	}
	must.Do(t, d.Decode(&declared))
	var out []spec
	for _, s := range declared.Tools {
		if history.OwnTool(s.Name) {
			out = append(out, s)
		}
	}
	if len(out) != 2 || out[0].Name != recall.GrepTool || out[1].Name != recall.ExpandTool {
		t.Fatalf("%+v", out)
	}
	return out
}

// What is declared is sent with every request.
func TestToolDeclarationsAreShort(t *testing.T) {
	var all strings.Builder
	enc := json.NewEncoder(&all)
	enc.SetEscapeHTML(false)
	for _, s := range specs(t, "tools.json") {
		must.Do(t, enc.Encode(s))
		// Searching is declared from the first request of a session on.
		if n := token.OfText(all.String()); s.Name == recall.GrepTool && n > 125 { // with its label
			t.Errorf("%s has %d tokens, want at most 120", s.Name, n)
		}
		if s.Label == "" || s.Description == "" {
			t.Errorf("%s lacks a label or a description", s.Name)
		}
		// They stand in the system prompt, which must not change when a tool becomes active.
		if s.PromptSnippet != "" || len(s.PromptGuidelines) > 0 {
			t.Errorf("%s changes the system prompt", s.Name)
		}
	}
	if n := token.OfText(all.String()); n >= 250 {
		t.Errorf("%d tokens, want less than 250", n)
	}
	for _, want := range []string{"nothing pruned or compacted is lost"} {
		must.Contain(t, all.String(), want, "the declarations do not")
	}
}

func TestEveryDeclaredArgumentIsRead(t *testing.T) {
	parse := map[string]func(string) error{
		recall.GrepTool:   func(raw string) error { _, err := recall.ParseGrep([]byte(raw)); return err },
		recall.ExpandTool: func(raw string) error { _, err := recall.ParseExpand([]byte(raw)); return err },
	}
	required := map[string]string{recall.GrepTool: "query", recall.ExpandTool: "id"}
	for _, s := range specs(t, "tools.json") {
		need := required[s.Name]
		must.Match(t, s.Parameters["required"], []any{need}, "%s requires", s.Name)
		properties, _ := s.Parameters["properties"].(map[string]any)
		if len(properties) < 3 || properties[need] == nil {
			t.Fatalf("%s has the properties %v", s.Name, properties)
		}
		for name, p := range properties {
			err := parse[s.Name](`{"` + need + `":"x","` + name + `":{"no":"such"}}`)
			if err == nil || !strings.Contains(err.Error(), name+" must be") {
				t.Errorf("%s: %s is not read: %v", s.Name, name, err)
			}
			words, _ := p.(map[string]any)["enum"].([]any)
			for _, w := range words {
				if err := parse[s.Name](`{"` + need + `":"x","` + name + `":"` + w.(string) + `"}`); err != nil {
					t.Errorf("%s: %v", s.Name, err)
				}
			}
		}
	}
}
