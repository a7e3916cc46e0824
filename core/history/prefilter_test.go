package history_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/historytest"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/history/trigram"
	"github.com/coctostan/pictx/core/message"
)

// worthReading reports whether the index of triples would have a text read.
func worthReading(need trigram.Need, text string) bool {
	var have trigram.Set
	have.Add(text)
	for _, group := range need {
		if !slices.ContainsFunc(group, func(s string) bool {
			for _, g := range trigram.Of(s) {
				if !slices.Contains(have.Grams(), g) {
					return false
				}
			}
			return true
		}) {
			return false
		}
	}
	return true
}

// A text that matches is never passed over.
func FuzzATextThatMatchesIsWorthReading(f *testing.F) {
	for _, s := range [][2]string{
		{`TypeError: .* undefined`, "x TypeError: y undefined"},
		{`(?i)straße`, "STRASSE straße"},
		{`kelvin`, "\u212aelvin"},
		{`ſoon`, "SOON soon"},
		{`(a|b)cdef+`, "bcdeffff"},
		{`été`, "ÉTÉ ete\u0301"},
		{`[^a]bcd`, "xbcd"},
		{`\bfoo\b`, "a foo b"},
		{`ab{2,5}c`, "abbbc"},
		{`σίσυφος`, "ΣΊΣΥΦΟΣ"},
		{`(?s)a.bcd`, "a\nbcd"},
		{`(?-i:ABC)d`, "ABCD"},
		{`決定\w*済み`, "決定は済み"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 || len(text) > 2000 {
			return
		}
		re, err := history.CompileRegex(pattern, false)
		if err != nil {
			return
		}
		if need := trigram.NeedOfRegex(pattern); re.MatchString(text) && !worthReading(need, text) {
			t.Errorf("%q matches %q, but needs %q", pattern, text, need)
		}
	})
}

func TestPartSetSplitsNames(t *testing.T) {
	var s history.PartSet
	for text, want := range map[string]string{
		"fetchUserById plain":   "fetch user by id",
		"HTTPServer parseURL":   "http server parse url",
		"apply42 max_count":     "apply 42",
		"3f9a2c1b77ab90de0c12":  "",
		"決定済み":                  "決 定 決定 済 定済 み 済み",
		"naïveÜber":             "naive uber",
		"userId userId":         "user id",
		"ALLCAPS lower Capital": "",
	} {
		if got := strings.Join(s.Of(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzRedactingLeavesALineThatIsTheSameEntry(f *testing.F) {
	f.Add(`{"type":"message","id":"a1","parentId":"b2","message":{"role":"user","content":"say \"secret\" twice: secret"}}`, "secret")
	f.Add(`{"type":"message","id":"secret","message":{"role":"user","content":"\u0073ecret"}}`, "secret")
	f.Add(`{"type":"compaction","id":"a","summary":"the secret","firstKeptEntryId":"secret"}`, "secret")
	f.Fuzz(func(t *testing.T, line, pattern string) {
		re, err := regexp.Compile(pattern)
		if err != nil || re.MatchString("") {
			return
		}
		var p message.Parser
		before, err := p.ParseEntry([]byte(line))
		if err != nil {
			return
		}
		got, n := history.Redact([]byte(line), re)
		if n == 0 {
			if string(got) != line {
				t.Errorf("nothing was masked, but %q became %q", line, got)
			}
			return
		}
		var q message.Parser
		after, err := q.ParseEntry(got)
		if err != nil || after.ID != before.ID || after.ParentID != before.ParentID || after.Type != before.Type {
			t.Errorf("%q became %q: %v", line, got, err)
		}
	})
}

func TestRegexSearchProbesTheIndex(t *testing.T) {
	m := historytest.NewMemory()
	m.HasFullText = true
	m.Add(t, "a", "one")
	if _, err := history.Search(context.Background(), m, history.Query{Text: `Type\w+: undefined`, Regex: true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]history.Probe{{Need: trigram.Need{{"Type"}, {": undefined"}}}}, m.Probes); diff != "" {
		t.Error(diff)
	}
}

// A line that is rejected without being taken apart has a text that does not match.
func FuzzARejectedLineDoesNotMatch(f *testing.F) {
	for _, s := range [][2]string{
		{"where is RETRY49?", "retry49"},
		{"tab\there", "here"},
		{"\u212aelvin", "kelvin"},
		{"caf\u00e9", "cafe"},
		{"\x01bell", "bell"},
		{`back\slash`, "slash"},
		{"x", "tool"},
		{"a/b", "zz"},
		{"q", `"q"`},
		{"see RETRY49: later", `retry[0-9]+: late`},
		{"the \u212aelvin scale", `(?:kelvin|celsius) sca`},
		{"a tool call", `tool \w+`},
		{"abbbc", `ab+c`},
		{"-,-", `[!-/]{3}`},
		{"(7", `\([0-9]`},
		{"--", `-+\(`},
		{"a\\b\tc", `[\\b]{2}`},
		{"12.5", `[0-9]+\.[0-9]`},
		{"x", `\$`},
		{"x", `h[(]`},
		{"x", `[l-t]+:`},
		{"x", `[a-m]{5}`},
		{"7", `[a-z][("]+7`},
		{"\xff7", `[^a-z \n{[\]]7`},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, text, query string) {
		for _, body := range []string{
			`{"role":"user","content":%s}`,
			`{"role":"assistant","content":[{"type":"image"},{"type":"toolCall","id":"c","name":"read","arguments":{"path":%s}}]}`,
			`{"role":"assistant","content":[{"type":"toolCall","id":"c","arguments":%[1]s,"name":%[1]s},{"type":"text","text":%[1]s}]}`,
			`{"role":"bashExecution","command":%[1]s,"output":%[1]s}`,
			`{"role":"toolResult","toolName":%[1]s,"content":[{"type":"text","text":%[1]s},{"type":"image"}]}`,
			`{"role":"toolResult","toolName":"bash","content":[{"type":"text","text":%s}]}`,
		} {
			raw := fmt.Appendf(nil, `{"type":"message","id":"e","message":`+body+`}`, message.AppendQuote(nil, text))
			if rejects, holds := history.Rejects(query, raw); rejects && holds {
				t.Fatalf("%q was rejected for %q", raw, query)
			}
			if rejects, holds := history.RejectsRegex(query, raw); rejects && holds {
				t.Fatalf("%q was rejected for the expression %q", raw, query)
			}
		}
	})
}

func TestLinesAreRejectedUnparsedForAnExpressionThatLabelsCannotMatch(t *testing.T) {
	line := []byte(`{"type":"message","id":"e","message":{"role":"assistant","content":[{"type":"toolCall","name":"go","arguments":{"n":"1-2"}}]}}`)
	for pattern, want := range map[string]bool{
		`[!-/]{7}[0-9]`: true, `[0-9]-[0-9]`: false, `[0-9]-[3-9]`: true, `[0-9]\.?[5-9]`: true,
		`[^a-z]7`: false, `[3-9]\s`: false, `[(-)]{3}`: false, `[$.]$`: false,
		`[l-t]{4}`: false, `[l-t]{4}:`: false, `tool`: false, `[g-o]{2}[(]`: false, `[(][{]`: false,
	} {
		if got, _ := history.RejectsRegex(pattern, line); got != want {
			t.Errorf("expression %q: %v", pattern, got)
		}
	}
	if got, _ := history.RejectsRegex(`[("]{2}[3-9]`, []byte(strings.Replace(string(line), `{"n":"1-2"}`, `"3-4"`, 1))); got {
		t.Error("a match that begins in a label and ends in arguments that are no object is passed over")
	}
}

func TestLinesWithoutTheWordAreRejectedUnparsed(t *testing.T) {
	line := []byte(`{"type":"message","id":"e","message":{"role":"user","content":"where is RETRY49?"}}`)
	for query, want := range map[string]bool{"retry48": true, "etry49": false, "zz-top": false, "ool": false} {
		if got, _ := history.Rejects(query, line); got != want {
			t.Errorf("%q: %v", query, got)
		}
	}
	for pattern, want := range map[string]bool{
		`retry[0-9]+\?$`: false, `WHERE (is|was) retry`: false, `^retries? `: true, `(?:walrus|otter) is`: false,
		`is not \w+`: true, `where: `: false, `[0-9]+`: false, `is (?:retry50|retry51)`: true, `tool`: true, `tool:`: false,
	} {
		if got, _ := history.RejectsRegex(pattern, line); got != want {
			t.Errorf("expression %q: %v", pattern, got)
		}
	}
}

// A line lacks what it has neither in small nor in capital letters, wherever that
// stands, and however long the line is.
func TestLacksIgnoresCase(t *testing.T) {
	for _, run := range []string{"stra", "x", "0a9z"} {
		for _, n := range []int{0, 1, 7, 8, 9, 2040, 2043, 2044, 2045, 2046, 2047, 2048, 2049, 4100} {
			for _, held := range []string{run, strings.ToUpper(run), strings.ToUpper(run[:1]) + run[1:]} {
				if line := strings.Repeat("-", n) + held + strings.Repeat("@[`{", 4); history.Lacks(line, run) {
					t.Errorf("%q after %d bytes is not seen as %q", held, n, run)
				}
			}
			if line := strings.Repeat("@[`{/:", n); !history.Lacks(line, run) {
				t.Errorf("%q is seen in %d other characters", run, len(line))
			}
			if line := strings.Repeat("-", n) + "é"; history.Lacks(line, run) {
				t.Errorf("what is not ASCII is said to lack %q", run)
			}
		}
	}
	if history.Lacks("short", strings.Repeat("x", 5000)) {
		t.Error("a run that is too long to look for is said to be lacking")
	}
}
