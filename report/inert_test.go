package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/coctostan/pictx/internal/must"
)

// rendered renders Markdown with a permissive renderer.
func rendered(t *testing.T, markdown string) string {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, goldmark.New(goldmark.WithRendererOptions(html.WithUnsafe())).Convert([]byte(markdown), &b))
	return b.String()
}

func TestMarkdownProseOfASessionIsInert(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"<script>alert(1)</script>",
		"text <img src=x onerror=alert(1)> text",
		"<!-- never closed\n\n<script>x</script>",
		"<div>\n\n<img src=x>\n\n</div>",
		"<!-- a --> ![x](http://127.0.0.1:9/x.png) <!-- b -->",
		"![](http://127.0.0.1:9/x.png)\n\n[![a](x.png)](https://example.com)",
		"![a *b ![c](d.png)*](e.png)",
		"![pixel]\n\n[pixel]: http://127.0.0.1:9/x.png",
		"[click](javascript:alert(1)) [*click*](data:text/html,x) [](vbscript:x)",
		"[click]\n\n[click]: javascript:alert(1)",
		"<javascript:alert(1)>",
		`\<script>x</script> \\<script>y</script> \\\<b>`,
		"> <style>*{}</style>\n> - <iframe src=x></iframe>",
		"```\n<script>in a block that never ends",
		"`<b>` and `` `<i>` ``",
		"a <b\nonclick=x>c</b>",
		"<?php x ?>\n\n<![CDATA[ <script> ]]>\n\n<!DOCTYPE html>",
		strings.Repeat("[", 300) + "a" + strings.Repeat("](javascript:x)", 300),
		"# heading <svg onload=x>",
	} {
		// Text before and after stays unaffected.
		out := rendered(t, "before\n\n"+markdownProse(said, 2)+"\n\n## after\n\n```\n<script>code</script>\n```\n")
		lower := strings.ToLower(out)
		for _, bad := range []string{"<script", "<img", "<iframe", "<style", "<svg", "<div", "<!--", "<?", "<!", "<b", "<i", "href=\"javascript", "href=\"data", "href=\"vbscript"} {
			if at := strings.Index(strings.ReplaceAll(lower, "<blockquote", ""), bad); at >= 0 {
				t.Errorf("%.80q becomes %s: %.300s", said, bad, out)
			}
		}
		must.Contain(t, out, "<h2>after</h2>", "%.80q swallows what follows", said)
	}
}

func TestMarkdownProseKeepsWhatIsHarmless(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		"plain, 1 < 2 and a<b, [a](https://example.com) <https://example.com> <me@example.com>",
		"`<T>` in code\n\n```ts\nconst x: Map<string, T>\n```\n\n    <indented>",
		"- a\n- b\n\n> quoted",
	} {
		must.Equal(t, markdownProse(said, 2), said, "%q becomes", said)
	}
	must.Equal(t, markdownProse("# A\n## B", 2), "### A\n#### B", "headings")
}
