package transcript

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/prune"
	"github.com/coctostan/pictx/internal/must"
)

// read reads a session of these lines, to its last entry.
func read(t *testing.T, marks []prune.Mark, lines ...string) *Transcript {
	t.Helper()
	var (
		tree message.Tree
		p    message.Parser
	)
	for i, line := range lines {
		e, err := p.ParseEntry([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if e.Header != nil {
			tree.Header = *e.Header
		}
		tree.Add(message.Node{Entry: e, Offset: int64(i), Length: len(line), Line: i + 1})
	}
	return must.Get(Read(&tree, tree.Leaf(), func(n *message.Node) ([]byte, error) { return []byte(lines[n.Line-1]), nil }, marks))(t)
}

const (
	header = `{"type":"session","version":3,"id":"s1","timestamp":"2026-03-01T10:00:00.000Z","cwd":"/home/dev/shop"}`
	prompt = `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"# Fix the cart\nplease"},{"type":"image","data":"QQ==","mimeType":"image/png"}]}}`
	answer = `{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"assistant","provider":"anthropic","model":"opus","stopReason":"toolUse","usage":{"input":10,"output":5,"cacheRead":90,"cacheWrite":0,"cost":{"total":0.5}},"content":[` +
		`{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look."},{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"/home/dev/shop/cart.go","offset":3,"limit":4}}]}}`
	result = `{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-03-01T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"read","isError":false,"content":[{"type":"text","text":"package cart"}]}}`
)

func TestCallsStandWithTheirResultsInTheAnswerThatMadeThem(t *testing.T) {
	t.Parallel()
	got := read(t, nil, header, prompt, answer, result)
	must.Stop(t, got.Title != "Fix the cart" || len(got.Items) != 2 || got.Items[0].Images != 1, "title %q, items %+v", got.Title, got.Items)
	want := []Part{{Thinking: "hm"}, {Text: "I look."}, {Call: &Call{
		Tool: "read", Subject: "cart.go:3-6", Result: &Result{ID: "a3", Output: Code{"go", "package cart"}},
	}}}
	must.Match(t, got.Items[1].Parts, want, "parts")
	must.Not(t, got.Total.Dollars != 0.5 || got.Total.Responses != 1, "the total is %+v", got.Total)
}

func TestCallsAreShownAsAPersonReadsThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, tool, arguments string
		subject               string
		input                 Code
	}{
		{"a command", "bash", `{"command":"go test ./...\n"}`, "go test ./...", Code{}},
		{"a script", "bash", `{"command":"cd x\nmake"}`, "cd x", Code{"bash", "cd x\nmake"}},
		{"a whole file", "read", `{"path":"/home/dev/shop/a.ts"}`, "a.ts", Code{}},
		{"a file elsewhere", "read", `{"path":"/etc/hosts","offset":5}`, "/etc/hosts:5-", Code{}},
		{"an edit", "edit", `{"path":"a.go","oldText":"a\nb","newText":"c"}`, "a.go", Code{"diff", "-a\n-b\n+c\n"}},
		{"several edits", "edit", `{"path":"a.go","edits":[{"oldText":"a","newText":"b"},{"oldText":"c","newText":""}]}`, "a.go", Code{"diff", "-a\n+b\n\n-c\n"}},
		{"a new file", "write", `{"path":"a.py","content":"x = 1\n"}`, "a.py", Code{"py", "x = 1\n"}},
		{"one argument", "web_search", `{"query":"go generics"}`, "go generics", Code{}},
		{"several arguments", "grep", `{"pattern":"x","glob":"*.go"}`, "", Code{"", "pattern: x\nglob: *.go"}},
		{"no object", "odd", `[1`, "", Code{}},
	} {
		got := newCall(c.tool, []byte(c.arguments), "/home/dev/shop")
		if got.Subject != c.subject && got.Subject != "/home/dev/shop/"+c.subject || got.Input != c.input {
			t.Errorf("%s: %q with %+v, want %q with %+v", c.name, got.Subject, got.Input, c.subject, c.input)
		}
	}
}

func TestPrunedResultsSayWhenAndWhy(t *testing.T) {
	t.Parallel()
	edit := `{"type":"context_edit","id":"a4","parentId":"a3","timestamp":"2026-03-01T10:00:04.000Z","targetId":"a3","replacement":{"content":[{"type":"text","text":"[pruned]"}]}}`
	back := `{"type":"context_edit","id":"a5","parentId":"a4","timestamp":"2026-03-01T10:00:05.000Z","targetId":"a3","replacement":{"content":[{"type":"text","text":"package cart"}]}}`
	omit := `{"type":"context_edit","id":"a5","parentId":"a4","timestamp":"2026-03-01T10:00:05.000Z","targetId":"a3","replacement":null}`
	pruned := func(tr *Transcript) *Pruned { return tr.Items[1].Parts[2].Call.Result.Pruned }
	must.Equal(t, pruned(read(t, nil, header, prompt, answer, result)), nil, "what was pruned")
	if p := pruned(read(t, nil, header, prompt, answer, result, edit)); p == nil || p.Marker != "[pruned]" || p.Time == 0 {
		t.Errorf("a context edit: %+v", p)
	}
	if p := pruned(read(t, nil, header, prompt, answer, result, edit, omit)); p == nil || p.Marker != "" {
		t.Errorf("an edit that omits the result: %+v", p)
	}
	must.Equal(t, pruned(read(t, nil, header, prompt, answer, result, edit, back)), nil, "what was pruned, and brought back by an edit")
	got := read(t, []prune.Mark{{EntryID: "a3", Leaf: "a3", Reason: "edited", Tokens: 7, Marker: "m", Time: 9}, {EntryID: "other"}}, header, prompt, answer, result)
	if diff := cmp.Diff(&Pruned{Time: 9, Reason: "edited", Tokens: 7, Marker: "m"}, pruned(got)); diff != "" || got.Pruned != 7 {
		t.Errorf("a mark of the store (-want +got):\n%s and %v in all", diff, got.Pruned)
	}
}

func TestCommandsResultsNotesAndCompactionsHaveKindsOfTheirOwn(t *testing.T) {
	t.Parallel()
	got := read(t, nil, header,
		`{"type":"message","id":"b1","parentId":null,"timestamp":"2026-03-01T10:00:01.000Z","message":{"role":"bashExecution","command":"ls","output":"a.go","exitCode":0}}`,
		`{"type":"message","id":"b2","parentId":"b1","timestamp":"2026-03-01T10:00:02.000Z","message":{"role":"toolResult","toolCallId":"gone","toolName":"ls","content":"x"}}`,
		`{"type":"custom_message","id":"b3","parentId":"b2","timestamp":"2026-03-01T10:00:03.000Z","customType":"note","content":"hear","display":true}`,
		`{"type":"compaction","id":"b4","parentId":"b3","timestamp":"2026-03-01T10:00:04.000Z","summary":"All of it.","firstKeptEntryId":"b3","tokensBefore":1234}`,
		`{"type":"session_info","id":"b5","parentId":"b4","timestamp":"2026-03-01T10:00:05.000Z","name":"Carts"}`)
	var kinds []string
	for i := range got.Items {
		kinds = append(kinds, string(got.Items[i].Kind)+" "+got.Items[i].Name)
	}
	want := "command ls|result ls|note note|compaction "
	must.Equal(t, strings.Join(kinds, "|"), want, "kinds")
	must.Not(t, got.Items[3].Text != "All of it." || got.Items[3].Before != 1234 || got.Title != "Carts", "compaction %+v in %q", got.Items[3], got.Title)
	must.Not(t, got.Items[0].Result == nil || got.Items[0].Result.Output.Text != "a.go", "the output of a command is %+v", got.Items[0].Result)
}
