package report

import (
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/fence"
	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/transcript"
	"github.com/coctostan/pictx/core/usage"
)

// conversation is a page of a session whose every text has gone through a function.
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
		"ended: aborted", "10 tokens, 0 % from the cache", `<pre class="ran">$ ls</pre>`, "this summary took the place", "1.2K tokens before",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	if t.Failed() {
		t.Log(page[strings.Index(page, "<body>"):])
	}
}

// foreign are elements, with their attributes, that Markdown of a session may become.
var foreign = regexp.MustCompile(`^(p|em|strong|code|pre|ul|ol|ol start|li|blockquote|br|hr|h[456]|a rel href|span class)$`)

func TestSessionPageShowsHostileTextAsText(t *testing.T) {
	t.Parallel()
	known := htmlShape(t, written(t, conversation(itself)), "session.js")
	for _, attack := range []string{
		`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "` onload=`alert(1)",
		`</title></style></desc></svg><svg onload=alert(1)>`, `--><!-- {{.Style}}`, `]]><b>`, "[x](javascript:alert(1))", "[x](data:text/html,<script>)",
		"![x](https://example.com/track.png)", "<https://example.com/\" onclick=\"alert(1)>", "\n```html\n<script>alert(1)</script>\n```\n", "[x](https://e.com/\"onclick=alert(1)\")",
		"\u202egnp.exe\u2066\u200b\x00\x1b[31m\ufeff", "\xff\xfe", "</pre></details></article>", "\n<details open ontoggle=alert(1)>\n",
	} {
		page := written(t, conversation(func(s string) string { return s + attack }))
		for _, e := range htmlShape(t, page, "session.js") {
			if !slices.Contains(known, e) && !foreign.MatchString(e) {
				t.Errorf("%q puts <%s> into the page", attack, e)
			}
		}
		if n := strings.Count(page, "<script"); n != 1 {
			t.Errorf("%q: %d scripts", attack, n)
		}
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

// FuzzProse checks that no text becomes more than the elements of Markdown, or takes a
// colouring that changes it.
func FuzzProse(f *testing.F) {
	for _, s := range []string{"# a\n\n<b>x</b>", "[a](b \"c\")", "```go\nx\n```", "> - 1. *a* **b** `c`", "<!--", "<a href=\"x\">", "| a |\n|--|\n"} {
		f.Add(s, "ts")
	}
	code, err := newHighlighter()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s, language string) {
		code.left = colourBudget
		for _, e := range htmlShape(t, "<div>"+string(newProse(code).render(s))+"</div>", "session.js") {
			if e != "div" && !foreign.MatchString(e) {
				t.Errorf("%q becomes <%s>", s, e)
			}
		}
		shown := regexp.MustCompile(`</?span[^>]*>`).ReplaceAllString(string(code.code(transcript.Code{Language: language, Text: s})), "")
		if plain := string(escaped(fence.Plain(s))); strings.TrimRight(shown, "\n") != strings.TrimRight(plain, "\n") {
			t.Errorf("%q in %q is shown as %q", s, language, shown)
		}
	})
}

// The page is opened in a browser, which has nothing to ask the network for.
func TestSessionPageAsksTheNetworkForNothing(t *testing.T) {
	t.Parallel()
	if dom := inBrowser(t, written(t, conversation(itself)), ""); !strings.Contains(dom, `<form class="filter" role="search">`) {
		t.Error("the script of the page did not run: its filter is hidden")
	}
}

// inBrowser opens a page in a browser, behind # a fragment of its address, and returns
// what the page became. It fails the test when the page, and not the browser for itself,
// asked anything of a network.
func inBrowser(t *testing.T, page, fragment string) string {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("not run: chromium is not installed")
	}
	dir := t.TempDir()
	file, log := filepath.Join(dir, "page.html"), filepath.Join(dir, "net.json")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
		"--user-data-dir="+dir, "--log-net-log="+log, "--dump-dom", "file://"+file+fragment)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run %s: %v", browser, err)
	}
	asked, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(asked), "page.html") {
		t.Error("the browser says nothing of what it asked for")
	}
	for _, to := range regexp.MustCompile(`site=file://[^}]*}","url":"(?:https?|wss?|ftp)://[^"]*"|"(?:https?://)?example\.com`).FindAllString(string(asked), -1) {
		t.Errorf("the page asked for %s", to)
	}
	return string(out)
}
