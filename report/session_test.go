package report

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/core/usage"
	"github.com/coctostan/pictx/internal/must"
)

// conversation returns the page of a session whose texts all pass through a function.
func conversation(alter func(string) string) *SessionPage {
	return &SessionPage{
		Title: fence.OneLine(alter("Fix the cart"), 0), Lead: fence.OneLine(alter("Session s"), 0), View: summaryView("x"),
		Transcript: &transcript.Transcript{
			Models: []string{alter("opus")}, Total: usage.Total{Responses: 1},
			Items: []transcript.Item{
				{Kind: transcript.Prompt, ID: "a1", Time: 1, Text: alter("# Fix the *cart* now\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<b>bold</b>\n\n[a link](https://example.com/x) <javascript:alert(1)> [b](javascript:alert(1)) ![picture](https://example.com/p.png)")},
				{Kind: transcript.Answer, ID: "a2", Model: alter("opus"), Failure: "aborted", Response: &usage.Response{Usage: message.Usage{Input: 10, Output: 2}}, Parts: []transcript.Part{
					{Thinking: alter("hm")},
					{Text: alter("I look.\n\n```go\nfunc main() { return \"x\" } // why\n```\n")},
					{Call: &transcript.Call{Tool: alter("edit"), Subject: alter("cart.go"), Input: transcript.Code{Language: "diff", Text: alter("-old\n+new\n")}, Result: &transcript.Result{
						ID: "a3", IsError: true, Output: transcript.Code{Language: "ts", Text: alter("const x = 'y' // z\n")}, Pruned: &transcript.Pruned{Time: 1, Reason: "edited", Tokens: 7, Marker: alter("[pruned]")},
					}}},
				}},
				{Kind: transcript.Command, ID: "a4", Name: alter("ls"), Result: &transcript.Result{ID: "a4r", Output: transcript.Code{Text: alter("a.go")}}},
				{Kind: transcript.Compaction, ID: "a5", Text: alter("All of it."), Before: 1234},
			},
		},
	}
}

func TestSessionPageShowsTheConversation(t *testing.T) {
	t.Parallel()
	page := written(t, conversation(itself))
	for _, want := range []string{
		`<article class="message prompt" id="e-a1">`, "<h4>Fix the <em>cart</em> now</h4>", "<pre>| a | b |", "&lt;b&gt;bold&lt;/b&gt;",
		`<a rel="noreferrer noopener" href="https://example.com/x">a link</a>`, "[image: picture]", `<a href="#e-a1">Fix the *cart* now</a>`,
		`<span class="k">func</span>`, `<span class="s">&#34;x&#34;</span>`, `<span class="c">// why</span>`, `<span class="del">-old`, `<span class="k">const</span>`,
		`<details class="thinking">`, `<details class="call error pruned" open><summary><b>edit</b> <code>cart.go</code>`, "(7 tokens)", `<pre class="marker">[pruned]</pre>`,
		"ended: aborted", "10 tokens, 0% from the cache", `<pre class="ran">$ ls</pre>`, "this summary took the place", "1.2K tokens before",
	} {
		must.Contain(t, page, want, "the page does not hold")
	}
	if t.Failed() {
		t.Log(page[strings.Index(page, "<body>"):])
	}
}

func TestColoursLeaveLineNumbersPlainAndJoinLinesOfADiff(t *testing.T) {
	t.Parallel()
	code := newHighlighter()
	for _, tt := range []struct{ language, text, want string }{
		{"go", " 11→return 12\n100→// why\n", ` 11→<span class="k">return</span> <span class="n">12</span>` + "\n" + `100→<span class="c">// why</span>` + "\n"},
		{"ts", "  7→const a = 8\n", `  7→<span class="k">const</span> a = <span class="n">8</span>` + "\n"},
		{"go", "x := 11→2", `x := <span class="n">11</span>→<span class="n">2</span>`},
		{"diff", "@@ 1 @@\n-a\n-b\n+c\n+d\n e\n", `<span class="k">@@ 1 @@` + "\n" + `</span><span class="del">-a` + "\n-b\n" + `</span><span class="add">+c` + "\n+d\n</span> e\n"},
		{"diff", "", ""},
	} {
		if got := string(code.code(transcript.Code{Language: tt.language, Text: tt.text})); got != tt.want {
			t.Errorf("%s %q\n got %s\nwant %s", tt.language, tt.text, got, tt.want)
		}
	}
}

func TestHeadingsOfATextLeaveNoLevelOut(t *testing.T) {
	t.Parallel()
	code := newHighlighter()
	for said, want := range map[string]string{
		"## Goal\n\n### Why\n\n## Next": "h4 h5 h4",
		"# A\n\n#### B\n\n##### C":      "h4 h5 h6",
		"### A\n\n# B\n\n- ## C":        "h4 h4 h5",
	} {
		var got []string
		for _, m := range regexp.MustCompile(`<(h\d)>`).FindAllStringSubmatch(string(newProse(code).render(said)), -1) {
			got = append(got, m[1])
		}
		must.Not(t, strings.Join(got, " ") != want, "%q has %v, want %s", said, got, want)
	}
}

// A keyboard user must reach everything: only elements that can be focused may scroll.
func TestNothingScrollsThatTheKeyboardDoesNotReach(t *testing.T) {
	t.Parallel()
	style := must.Get(assets.ReadFile("assets/style.css"))(t)
	for _, rule := range regexp.MustCompile(`([^{}]+)\{[^{}]*overflow(?:-[xy])?: (?:auto|scroll)`).FindAllStringSubmatch(string(style), -1) {
		must.Equal(t, strings.TrimSpace(rule[1]), ".scroll", "what scrolls")
	}
	for name, page := range pages(t) {
		for _, m := range regexp.MustCompile(`<div class="scroll"[^>]*>`).FindAllString(page[0], -1) {
			must.Contain(t, m, ` tabindex="0" role="region" aria-label="`, "%s", name)
		}
	}
}

// attacks returns texts that would become markup or code on a careless page.
func attacks() []string {
	return []string{
		`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "` onload=`alert(1)",
		`</title></style></desc></svg><svg onload=alert(1)>`, `--><!-- {{.Style}}`, `]]><b>`, "[x](javascript:alert(1))", "[x](data:text/html,<script>)",
		"![x](https://example.com/track.png)", "<https://example.com/\" onclick=\"alert(1)>", "\n```html\n<script>alert(1)</script>\n```\n", "[x](https://e.com/\"onclick=alert(1)\")",
		"\u202egnp.exe\u2066\u200b\x00\x1b[31m\ufeff", "\xff\xfe", "</pre></details></article>", "\n<details open ontoggle=alert(1)>\n",
	}
}

// foreign are the elements, with their attributes, that Markdown may produce.
var foreign = regexp.MustCompile(`^(p|em|strong|code|pre|ul|ol|ol start|li|blockquote|br|hr|h[456]|a rel href|span class)$`)

func TestSessionPageShowsHostileTextAsText(t *testing.T) {
	t.Parallel()
	known := htmlShape(t, written(t, conversation(itself)), "session.js")
	for _, attack := range attacks() {
		page := written(t, conversation(func(s string) string { return s + attack }))
		for _, e := range htmlShape(t, page, "session.js") {
			must.Not(t, !slices.Contains(known, e) && !foreign.MatchString(e), "%q puts <%s> into the page", attack, e)
		}
		must.Equal(t, strings.Count(page, "<script"), 1, "scripts with %q", attack)
		for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if to := html.UnescapeString(link[1]); !strings.HasPrefix(to, "#") && !strings.HasPrefix(to, "https://") {
				t.Errorf("%q leads to %q", attack, to)
			}
		}
		if i := strings.IndexAny(page, "\u202e\u2066\u200b\x00\x1b\ufeff"); i >= 0 {
			t.Errorf("%q is in the page with something hidden", attack)
		}
	}
}

// FuzzProse checks that text yields only the elements of Markdown, and that highlighting
// does not change it.
func FuzzProse(f *testing.F) {
	for _, s := range []string{"# a\n\n<b>x</b>", "[a](b \"c\")", "```go\nx\n```", "> - 1. *a* **b** `c`", "<!--", "<a href=\"x\">", "| a |\n|--|\n"} {
		f.Add(s, "ts")
	}
	code := newHighlighter()
	f.Fuzz(func(t *testing.T, s, language string) {
		code.left = colourBudget
		for _, e := range htmlShape(t, "<div>"+string(newProse(code).render(s))+"</div>", "session.js") {
			must.Not(t, e != "div" && !foreign.MatchString(e), "%q becomes <%s>", s, e)
		}
		shown := regexp.MustCompile(`</?span[^>]*>`).ReplaceAllString(string(code.code(transcript.Code{Language: language, Text: s})), "")
		if plain := string(escaped(fence.Plain(s))); strings.TrimRight(shown, "\n") != strings.TrimRight(plain, "\n") {
			t.Errorf("%q in %q is shown as %q", s, language, shown)
		}
	})
}
