package report

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/kota"
)

// codePage returns the page of a small project whose file names all pass through a
// function.
func codePage(t *testing.T, focus string, alter func(string) string) string {
	t.Helper()
	p := &CodePage{Graph: kota.Graph{Project: alter("shop")}, Focus: focus, Depth: 1}
	edge := func(from, to string) {
		p.Graph.Edges = append(p.Graph.Edges, kota.GraphEdge{From: alter(from), To: alter(to), TypeOnly: to == "src/types.ts"})
	}
	for _, f := range []string{"app/main.ts", "app/view.ts", "lib/deep/only/a.ts", "src/cart.ts", "src/price.ts", "src/types.ts", "src/unused.ts"} {
		p.Graph.Nodes = append(p.Graph.Nodes, alter(f))
	}
	edge("app/main.ts", "src/cart.ts")
	edge("app/view.ts", "src/cart.ts")
	edge("src/price.ts", "src/types.ts")
	edge("src/price.ts", "lib/deep/only/a.ts")
	edge("src/cart.ts", "src/price.ts")
	return codePageOf(t, p)
}

func codePageOf(t *testing.T, p *CodePage) string {
	t.Helper()
	b, err := p.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// listed returns the names of the rows of a page, with their depth.
func listed(page string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`<li[^>]*--d: ?(\d)[^>]*>.*?<bdi>(.*?)</bdi>`).FindAllStringSubmatch(page, -1) {
		out = append(out, m[1]+" "+m[2])
	}
	return out
}

// curves returns the curves of a page.
func curves(page string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`<path d="(M0[^"]*)"`).FindAllStringSubmatch(page, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return out
}

func TestCodePageOrdersFoldersSoThatImportsLeadDown(t *testing.T) {
	t.Parallel()
	page := codePage(t, "", itself)
	want := []string{"0 app/", "1 main.ts", "1 view.ts", "0 src/", "1 cart.ts", "1 price.ts", "1 types.ts", "1 unused.ts", "0 lib/deep/only/a.ts"}
	if diff := cmp.Diff(want, listed(page)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if n := len(curves(page)); n != 5 || strings.Contains(page, `class="back"`+"/>") {
		t.Errorf("%d curves, want 5 that lead down", n)
	}
	if !strings.Contains(page, "7 files, 5 imports between them") {
		t.Error("the page does not say how much it shows")
	}
}

func TestCodePageShowsHostileNamesAsText(t *testing.T) {
	t.Parallel()
	harmless := htmlShape(t, codePage(t, "", itself), "code.js")
	for _, attack := range []string{
		`<script>alert(1)<`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, "` onload=`alert(1)", `--><!-- {{.Style}}`, `]]><b>`, `&lt;b&gt;`,
		"\u202egnp.exe\u2066\u200b\x01\x1b[31m\ufeff", "javascript:alert(1)", "\xff\xfe", "\nf\t1\t0 1 2\nu\nu\nu\n", "}; body { display: none", "url(https:example.com)",
	} {
		hostile := func(s string) string { return s + attack }
		page := codePage(t, "", hostile)
		if diff := cmp.Diff(harmless, htmlShape(t, page, "code.js")); diff != "" {
			t.Errorf("%q changes the page (-harmless +hostile):\n%s", attack, diff)
		}
		if i := strings.IndexAny(page, "\u202e\u2066\u200b\x01\x1b\ufeff"); i >= 0 {
			t.Errorf("%q is in the page with something hidden", attack)
		}
		data := page[strings.Index(page, `<pre class="data" hidden>`):]
		if n := len(regexp.MustCompile(`(?m)^(?:<pre class="data" hidden>)?[dfu]`).FindAllString(data, -1)); n != 7+2+2 {
			t.Errorf("%q: the data has %d lines", attack, n)
		}
	}
}

// The script first draws the same picture that the page contains without it.
func TestCodePageOfAProjectWithoutImportsSaysThatThereIsNothingToDraw(t *testing.T) {
	page := codePageOf(t, &CodePage{Graph: kota.Graph{Project: "shop"}, Depth: 1})
	if !strings.Contains(page, "No imports between files were found") {
		t.Errorf("the page does not say that there is nothing to draw:\n%s", page)
	}
	for _, part := range []string{"0 files", `type="search"`, "<svg", `class="foot legend"`} {
		if strings.Contains(page, part) {
			t.Errorf("a page without anything to draw has %q", part)
		}
	}
}

func TestCodePageIsDrawnAgainByItsScript(t *testing.T) {
	t.Parallel()
	page := codePage(t, "", itself)
	dom := inBrowser(t, page, "")
	if !strings.Contains(dom, `class="turn"`) {
		t.Fatal("the script of the page did not run")
	}
	if diff := cmp.Diff(listed(page), listed(dom)); diff != "" {
		t.Errorf("rows (-page +script):\n%s", diff)
	}
	if diff := cmp.Diff(curves(page), curves(dom)); diff != "" {
		t.Errorf("curves (-page +script):\n%s", diff)
	}
}

func TestCodePageFocusesOnAFileWithWhatIsAroundIt(t *testing.T) {
	t.Parallel()
	// As addresses or elements these names would be harmful.
	hostile := func(s string) string { return s + `"><img src=https:example.com onerror=alert(1)>#%41&amp;` }
	for name, dom := range map[string]string{
		"the file of the page":    inBrowser(t, codePage(t, hostile("src/cart.ts"), hostile), ""),
		"the file of the address": inBrowser(t, codePage(t, "", hostile), "#"+url.PathEscape(hostile("src/cart.ts"))),
	} {
		var rows []string
		for _, r := range listed(dom) {
			rows = append(rows, strings.ReplaceAll(r, `"&gt;&lt;img src=https:example.com onerror=alert(1)&gt;#%41&amp;amp;`, ""))
		}
		want := []string{"0 app/", "1 main.ts", "1 view.ts", "0 src/cart.ts", "0 src/price.ts"}
		if diff := cmp.Diff(want, rows); diff != "" {
			t.Errorf("%s: rows (-want +got):\n%s", name, diff)
		}
		for _, said := range []string{"2 files importing this file", "1 file imported by this file", `aria-current="true"`} {
			if !strings.Contains(dom, said) {
				t.Errorf("%s: the page does not say %q", name, said)
			}
		}
		if strings.Contains(dom, "<img") {
			t.Errorf("%s: a name became an element", name)
		}
	}
}

func TestCodePageFoldsFoldersWithMostFilesWhenThereAreTooMany(t *testing.T) {
	t.Parallel()
	g := kota.Graph{Nodes: []string{"src/main.ts"}}
	for i := range pageFiles {
		icon := fmt.Sprintf("src/icons/i%05d.ts", i)
		g.Nodes = append(g.Nodes, icon)
		g.Edges = append(g.Edges, kota.GraphEdge{From: "src/main.ts", To: icon})
	}
	page := codePageOf(t, &CodePage{Graph: g, Focus: "src/icons/i00007.ts"})
	if want := []string{"0 src/", "1 main.ts", "1 icons/"}; !slices.Equal(listed(page), want) {
		t.Errorf("rows %v, want %v", listed(page), want)
	}
	for _, said := range []string{"12,001 files, 12,000 imports", "room for 12,000 files", "the files of 1 folder stand together", "<small>12,000</small>", `data-focus="1"`} {
		if !strings.Contains(page, said) {
			t.Errorf("the page does not say %q", said)
		}
	}
}

func TestCodePageIsBoundedHoweverManyFoldersThereAre(t *testing.T) {
	t.Parallel()
	g := kota.Graph{}
	for i := range 3 * pageFiles {
		g.Nodes = append(g.Nodes, fmt.Sprintf("p%d/f%d/deep/x.ts", i%7, i))
		for j := 1; j <= 8; j++ {
			g.Edges = append(g.Edges, kota.GraphEdge{From: g.Nodes[i], To: g.Nodes[i/(j+1)]})
		}
	}
	page := codePageOf(t, &CodePage{Graph: g})
	if rows := strings.Count(page, "\nf"); rows > pageFiles || len(page) > 4<<20 {
		t.Errorf("%d files in %d bytes", rows, len(page))
	}
	if !strings.Contains(page, "36,000 files") || !strings.Contains(page, "38,000 are left out") {
		t.Error("the page does not say what is left out")
	}
}
