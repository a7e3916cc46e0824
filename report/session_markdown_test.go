package report_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/report"
)

// A session file may have any text for an id.
func TestIDsInMarkdownAreText(t *testing.T) {
	const id = "<img src=x onerror=alert(1)>"
	d := report.MarkdownSession{ID: id, CWD: "/w", View: &summary.View{Cover: &summary.Cover{}}, Messages: []report.MarkdownMessage{
		{ID: id, Role: message.RoleUser, Text: "Hello"},
	}}
	if text := string(d.Bytes()); strings.Count(text, `\<img`) != 2 || strings.Count(text, "<img") != 2 {
		t.Errorf("an id is HTML in\n%s", text)
	}
}

func TestMarkdownNestsHeadingsOfResponsesAndFoldsLongOutputs(t *testing.T) {
	d := report.MarkdownSession{ID: "s", CWD: "/w", View: &summary.View{Cover: &summary.Cover{}}, Messages: []report.MarkdownMessage{
		{ID: "a1", Role: message.RoleAssistant, Text: "# Plan\n\nFirst.\n\n## User\n\nSecond."},
		{ID: "a2", Role: message.RoleToolResult, Tool: "read", Text: "# not a heading\nshort"},
		{ID: "a3", Role: message.RoleToolResult, Tool: "read", Text: "```\n" + strings.Repeat("a line\n", 100) + "## User"},
	}}
	text := string(d.Bytes())
	for _, want := range []string{"\n### Plan\n", "\n#### User\n", "<details><summary>102 lines</summary>"} {
		must.Contain(t, text, want, "what it says")
	}
	var headings []string
	code := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]; len(ticks) >= 3 && (code == "" || ticks == code) {
			if code == "" {
				code = ticks
			} else {
				code = ""
			}
		} else if code == "" && strings.HasPrefix(line, "## ") {
			headings = append(headings, line)
		}
	}
	must.Equal(t, strings.Join(headings, ", "), "## Assistant, ## Result of read, ## Result of read", "headings of messages")
	must.Equal(t, strings.Count(text, "<details>"), 1, "folded outputs")
}

// The arguments of a call are often source code of many lines, which is no Markdown.
func TestMarkdownSaysHowAResponseWithoutTextEnded(t *testing.T) {
	d := report.MarkdownSession{ID: "s", CWD: "/w", View: &summary.View{Cover: &summary.Cover{}}, Messages: []report.MarkdownMessage{
		{ID: "a1", Role: message.RoleAssistant, StopReason: "error"},
		{ID: "a2", Role: message.RoleAssistant, StopReason: "stop", Text: "Hi."},
	}}
	text := string(d.Bytes())
	if !strings.Contains(text, " · a1</sub>\n\n<sub>no text, ended: error</sub>\n\n## Assistant\n") || strings.Contains(text, "ended: stop") {
		t.Error(text)
	}
}

func TestMarkdownShowsCallsAsCodeAndFoldsLongOnes(t *testing.T) {
	long := "[tool: edit({\"path\":\"<b>.ts\",\"newText\":\"" + strings.Repeat("# a line\n", 100) + "\"})]"
	d := report.MarkdownSession{ID: "s", CWD: "/w", View: &summary.View{Cover: &summary.Cover{}}, Messages: []report.MarkdownMessage{
		{ID: "a1", Role: message.RoleAssistant, Text: "Two calls:", Calls: []string{"[tool: bash({\"command\":\"ls\n# all\"})]", "[tool: read({})]", long, long, "[tool: ls({})]"}},
	}}
	text := string(d.Bytes())
	for _, want := range []string{
		"\nTwo calls:\n\n```\n[tool: bash({\"command\":\"ls\n# all\"})]\n[tool: read({})]\n```\n",
		"\n</details>\n\n<details><summary>[tool: edit(", "\n</details>\n\n```\n[tool: ls({})]\n```\n",
		"<details><summary>[tool: edit({&#34;path&#34;:&#34;&lt;b&gt;.ts&#34;", " 101 lines</summary>\n\n```\n[tool: edit(",
	} {
		must.Contain(t, text, want, "what it says")
	}
}
