package history_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

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

// textOf returns the searchable text of a line.
func textOf(raw []byte) string {
	var p message.Parser
	e, err := p.ParseEntry(raw)
	if err != nil {
		return ""
	}
	return history.SearchText(&e, raw)
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
		{"x y", `x[])]? [a-y]`},
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
			if rejects, holds := history.RejectsRegex(query, raw, textOf(raw)); rejects && holds {
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
		`^retries? `: true, `tool:`: false, `is (?:retry50|retry51)`: true, `[l-t]{4}`: false, `[l-t]{4}:`: false, `tool`: false, `[g-o]{2}[(]`: false, `[(][{]`: false,
	} {
		if got, _ := history.RejectsRegex(pattern, line, ""); got != want {
			t.Errorf("expression %q: %v", pattern, got)
		}
	}
	if got, _ := history.RejectsRegex(`[("]{2}[3-9]`, []byte(strings.Replace(string(line), `{"n":"1-2"}`, `"3-4"`, 1)), ""); got {
		t.Error("a match that begins in a label and ends in arguments that are no object is passed over")
	}
}
