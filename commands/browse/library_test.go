package browse

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/internal/must"
)

func TestTextOfASessionCannotCommandTheTerminal(t *testing.T) {
	t.Parallel()
	const evil = "\x1b]52;c;aGk=\x07\x1b[2Jname\u202egnp.exe\r\nnext\tline"
	it := transcript.Item{ID: "e1", Kind: transcript.Answer, Parts: []transcript.Part{
		{Text: evil},
		{Thinking: evil},
		{Call: &transcript.Call{Tool: evil, Subject: evil, Input: transcript.Code{Text: evil}, Result: &transcript.Result{ID: "e2", Output: transcript.Code{Text: evil}}}},
	}}
	for _, b := range append(itemBlocks(&it), itemBlocks(&transcript.Item{Kind: transcript.Command, Name: evil, Text: evil})...) {
		must.Not(t, strings.ContainsAny(b.Head+b.Text, "\x1b\x07\r\t\u202e") || strings.Contains(b.Head, "\n"), "%q, %q", b.Head, b.Text)
	}
}

func TestASnippetBeginsAFewWordsBeforeItsMatch(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("word ", 30)
	for _, tt := range []struct{ before, want string }{
		{"", "match"},
		{"near the ", "near the match"},
		{long, "…word word word word match"},
		{strings.Repeat("x", 90), "match"},
	} {
		must.Equal(t, fromWord(tt.before+"match", len(tt.before)), tt.want, "%q", tt.before)
	}
}
