package report

import (
	"html/template"
	"slices"
	"strings"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/text"
	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/core/usage"
)

// transcriptFunctions are the functions with which a template shows a transcript. They share what
// may be highlighted on one page.
func transcriptFunctions() template.FuncMap {
	code := newHighlighter()
	return template.FuncMap{
		"prose": newProse(code).render, "code": code.code, "facts": transcriptFacts, "prompts": prompts, "who": who,
		"line": lineOf, "billed": billed, "short": isShort, "size": sizeOf, "why": whyPruned,
	}
}

// prompts returns the user's messages, for the list at the top of the page.
func prompts(t *transcript.Transcript) []transcript.Item {
	return slices.DeleteFunc(slices.Clone(t.Items), func(it transcript.Item) bool { return it.Kind != transcript.Prompt })
}

// transcriptFacts returns the figures of the session as pairs of name and value.
func transcriptFacts(v *transcript.Transcript) [][2]string {
	t := &v.Total
	out := [][2]string{{"model", fence.OneLine(strings.Join(v.Models, ", "), 120)}}
	if t.Responses > 0 {
		out = append(out, [2]string{"requests", text.Thousands(t.Responses)},
			[2]string{"input", inputOf(t)}, [2]string{"output", text.TokensShort(float64(t.Output)) + " tokens"})
	}
	if t.Responses > 0 && t.Priced() {
		out = append(out, [2]string{"cost", text.Dollars(t.Dollars)})
	}
	if v.Pruned > 0 {
		out = append(out, [2]string{"pruned", tokensOf(v.Pruned) + " tokens of results"})
	}
	return out
}

// inputOf formats the input of a total and its cached share.
func inputOf(t *usage.Total) string {
	return text.TokensShort(inputTokens(t)) + " tokens, " + cachedOf(t) + " from the cache"
}

// who returns the author of an item.
func who(it transcript.Item) string {
	switch it.Kind {
	case transcript.Prompt:
		return "You"
	case transcript.Answer:
		return fence.OneLine(it.Model, 60)
	case transcript.Command:
		return "You ran a command"
	case transcript.Orphan:
		return "Result of " + fence.OneLine(it.Name, 60)
	case transcript.Compaction:
		return "Compacted: this summary took the place of everything above"
	case transcript.Branch:
		return "Summary of a branch that was left"
	}
	return "Added by an extension: " + fence.OneLine(it.Name, 60)
}

// lineOf returns the beginning of a text as one line.
func lineOf(said string) string {
	if line := fence.OneLine(usage.Title("", said), 90); line != "" {
		return line
	}
	return "(no text)"
}

// localMinute formats a time in Unix milliseconds, "" when unknown.
func localMinute(ms int64) string {
	if ms == 0 {
		return ""
	}
	return text.LocalMinute(ms)
}

// billed formats what a response was billed for, "" when the provider did not say.
func billed(r *usage.Response) string {
	if r == nil {
		return ""
	}
	var t usage.Total
	t.Add(r)
	out := inputOf(&t) + ", " + text.TokensShort(float64(r.Output)) + " out"
	if r.Priced {
		out += " · " + text.Dollars(r.Dollars)
	}
	return out
}

// isShort reports whether an input and a result, which may be nil, are shown unfolded.
func isShort(input string, r *transcript.Result) bool {
	const shortest = 700 // bytes
	n := len(input)
	if r != nil {
		n += len(r.Output.Text)
	}
	return n <= shortest
}

// sizeOf formats the length of a result.
func sizeOf(r *transcript.Result) string {
	lines := strings.Count(strings.TrimRight(r.Output.Text, "\n"), "\n") + 1
	if r.Output.Text == "" {
		lines = 0
	}
	out := text.Count(lines, "line")
	if r.Images > 0 {
		out += ", " + text.Count(r.Images, "image")
	}
	return out
}

// whyPruned says when and why a result was pruned.
func whyPruned(p *transcript.Pruned) string {
	out := "pruned"
	if at := localMinute(p.Time); at != "" {
		out += " " + at
	}
	if p.Reason != "" {
		out += ": " + reasonWords(p.Reason)
	}
	if p.Tokens > 0 {
		out += " (" + tokensOf(p.Tokens) + " tokens)"
	}
	return out
}
