package index_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/coctostan/pictx/internal/must"
	"github.com/coctostan/pictx/kota"
	"github.com/coctostan/pictx/kota/index"
)

// hub returns an engine for a project with one file on which many files of various paths depend.
func hub(t *testing.T, dependents int) *index.Engine {
	t.Helper()
	w := newWorld(t, "-- packages/ünïcode-日本語/src/hub.ts --\nexport const used = 1\nexport class Hub { m() {} }\n")
	for i := range dependents {
		dir := fmt.Sprintf("packages/p%02d/%ssrc", i%37, strings.Repeat("deep/", i%9))
		up := strings.Repeat("../", strings.Count(dir, "/")+1)
		name := fmt.Sprintf("%s/f%04d.ts", dir, i)
		if i%3 == 0 {
			name = fmt.Sprintf("%s/f%04d.test.ts", dir, i)
		}
		w.write(name, "import { used, Hub } from '"+up+"packages/ünïcode-日本語/src/hub'\nconst a = used\n"+strings.Repeat("new Hub().m(used)\n", 1+i%20))
	}
	return w.open()
}

// answer is a kind of answer as a function of its limit and window.
type answer struct {
	text   func(limit int, w kota.Window) string
	answer kota.Answer
}

// ask asks every kind of question about the hub.
func ask(t *testing.T, e *index.Engine) map[string]answer {
	t.Helper()
	const file = "packages/ünïcode-日本語/src/hub.ts"
	d, err1 := e.Deps(t.Context(), kota.DepsQuery{File: file, Dependents: true, Depth: 1, Tests: true})
	u, err2 := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "used", Tests: true})
	im, err3 := e.Impact(t.Context(), kota.ImpactQuery{Modify: []string{file}})
	b, err4 := e.Context(t.Context(), kota.ContextQuery{Files: []string{file}, Tests: true, Symbols: true})
	m, err5 := e.Map(t.Context(), kota.MapQuery{Tests: true})
	h, err6 := e.Search(t.Context(), kota.SearchQuery{Text: "used", Tests: true, Context: 2})
	c, err7 := e.Cycles(t.Context())
	for _, err := range []error{err1, err2, err3, err4, err5, err6, err7} {
		must.Do(t, err)
	}
	more := kota.More("pictx kota ask")
	search := func(output string) func(int, kota.Window) string {
		return func(limit int, w kota.Window) string { return kota.Fit(limit, h.Texts(output, 2, w, more), nil) }
	}
	return map[string]answer{
		"deps":    {func(l int, w kota.Window) string { return d.Text(w, more).Fit(l) }, d},
		"usages":  {func(l int, w kota.Window) string { return kota.Fit(l, u.Texts(w, more), nil) }, u},
		"impact":  {func(l int, w kota.Window) string { return im.Text(w, more).Fit(l) }, im},
		"context": {func(l int, w kota.Window) string { return b.Text(w, more).Fit(l) }, b},
		"map":     {func(l int, w kota.Window) string { return m.Text(w, more).Fit(l) }, m},
		"cycles":  {func(l int, w kota.Window) string { return c.Text(w, more).Fit(l) }, c},
		"snippet": {search(kota.OutputSnippet), h},
		"compact": {search(kota.OutputCompact), h},
		"paths":   {search(kota.OutputPaths), h},
	}
}

// Holds kota 54, 55.
func TestEveryAnswerKeepsToItsBudget(t *testing.T) {
	t.Parallel()
	all := ask(t, hub(t, 120))
	finer := 4
	if testing.Short() {
		finer = 1
	}
	for name, a := range all {
		whole := a.text(0, kota.Window{})
		lines := make(map[string]bool)
		for _, l := range strings.Split(whole, "\n") {
			lines[l] = true
		}
		for limit := kota.MinBytes; limit < 12_000; limit += 1 + limit/finer {
			s := a.text(limit, kota.Window{})
			if len(s) > limit || !utf8.ValidString(s) || !strings.HasSuffix(s, "\n") {
				t.Errorf("%s in %d bytes: %d, valid %v", name, limit, len(s), utf8.ValidString(s))
			}
			if len(whole) > limit && name != "snippet" && name != "compact" && name != "paths" && !strings.Contains(s, "--max-bytes 0") {
				t.Errorf("%s in %d bytes does not say how to get the rest:\n%s", name, limit, s)
			}
			b, err := kota.JSON(a.answer, limit, kota.Window{})
			must.Not(t, err != nil || len(b) > limit || !json.Valid(b), "%s as JSON in %d bytes: %d, %v", name, limit, len(b), err)
		}
		must.Not(t, name != "cycles" && len(whole) < 5000, "%s: %d bytes are too few to test with", name, len(whole))
	}
}

// Holds kota 49, 54.
func TestTotalsCountWhatIsNotListed(t *testing.T) {
	t.Parallel()
	all := ask(t, hub(t, 150))
	number := regexp.MustCompile(`\d+`)
	for name, a := range all {
		first := func(limit int) string { return strings.SplitN(a.text(limit, kota.Window{}), "\n", 2)[0] }
		if whole, cut := first(0), first(kota.DefaultBytes); whole != cut || name != "cycles" && len(number.FindAllString(whole, -1)) == 0 {
			t.Errorf("%s: the verdict of everything is %q, in the budget %q", name, whole, cut)
		}
	}
}

// Holds kota 55.
func TestPagingReachesEverything(t *testing.T) {
	t.Parallel()
	all := ask(t, hub(t, 150))
	more := regexp.MustCompile(`(\d+) more: pictx kota ask\S* ?.*--offset (\d+)`)
	for _, name := range []string{"deps", "usages", "map", "compact"} {
		a := all[name]
		want := strings.Split(strings.TrimSpace(a.text(0, kota.Window{})), "\n")
		seen := make(map[string]bool)
		w, pages := kota.Window{}, 0
		if name == "compact" {
			w.Limit = 5
		}
		for ; pages < 2000; pages++ {
			s := a.text(900, w)
			for _, l := range strings.Split(s, "\n") {
				seen[l] = true
			}
			m := more.FindStringSubmatch(s)
			if m == nil {
				break
			}
			next, _ := strconv.Atoi(m[2])
			must.Stop(t, next <= w.Offset, "%s: from %d on the next page begins at %d:\n%s", name, w.Offset, next, s)
			w.Offset = next
		}
		missing := 0
		for _, l := range want[1 : len(want)-1] {
			// A page may show less code of a file.
			if strings.HasPrefix(l, "  ") && !strings.HasPrefix(l, "    ") && !seen[l] {
				missing++
			}
		}
		must.Not(t, missing > 0 || pages < 3, "%s: %d of %d lines are on no page of %d", name, missing, len(want), pages)
	}
}

// Holds kota 53.
func TestTheSameTreeGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, shop)
	answers := func() string {
		e := w.open()
		var b strings.Builder
		d, _ := e.Deps(t.Context(), kota.DepsQuery{File: "src/cart.ts", Dependents: true, Dependencies: true, Depth: 3, Tests: true})
		m, _ := e.Map(t.Context(), kota.MapQuery{Tests: true})
		h, _ := e.Search(t.Context(), kota.SearchQuery{Text: "a", Tests: true})
		u, _ := e.Usages(t.Context(), kota.UsagesQuery{Symbol: "Cart", Tests: true})
		b.WriteString(d.Text(kota.Window{}, "x").Fit(0) + m.Text(kota.Window{}, "x").Fit(0) + u.Texts(kota.Window{}, "x")[0].Fit(0))
		b.WriteString(kota.Fit(0, h.Texts(kota.OutputCompact, 0, kota.Window{}, "x"), nil))
		return b.String()
	}
	first := answers()
	for range 5 {
		again := answers()
		must.Stop(t, again != first, "first\n%s\nthen\n%s", first, again)
	}
	w.write("src/cart.ts", string(w.read(w.path("src/cart.ts")))) // the file is read again
	must.Equal(t, answers(), first, "after reading a file again")
}

func TestExportsThatAllFilesPassOnAreFollowedToALimit(t *testing.T) {
	t.Parallel()
	const files = 300
	var stars strings.Builder
	for i := range files {
		fmt.Fprintf(&stars, "export * from './f%d'\n", i)
	}
	w := newWorld(t, "-- app.html --\n-- app.ts --\nexport class App { template = './app.html' }\n")
	for i := range files {
		w.write(fmt.Sprintf("f%d.ts", i), fmt.Sprintf("export const a%d = 1\n", i)+stars.String())
	}
	im := impact(t, w.open(), kota.ImpactQuery{Modify: []string{"f1.ts"}})
	if im.Direct != files-1 || !strings.Contains(strings.Join(im.Incomplete, "; "), "the exports of f1.ts are passed on by too many files") {
		t.Errorf("%d dependents, incomplete: %q", im.Direct, im.Incomplete)
	}
	if im := impact(t, w.open(), kota.ImpactQuery{Modify: []string{"app.ts"}}); !strings.Contains(strings.Join(im.Incomplete, "; "), "1 HTML template ") {
		t.Errorf("a class that a template may use: %q", im.Incomplete)
	}
}
