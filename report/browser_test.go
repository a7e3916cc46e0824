package report

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// pages returns all pages, each with a text that its script produces, "" for none.
func pages(t *testing.T) map[string][2]string {
	t.Helper()
	summaries := conversation(itself)
	summaries.Transcript, summaries.HasPicture = nil, true
	return map[string][2]string{
		"session": {written(t, conversation(itself)), `<form class="filter" role="search">`},
		"tree":    {written(t, summaries), ""},
		"replay":  {htmlOf(t, htmlFixture(3, 60, itself)), ""},
		"report":  {accountHTML(t, account(func(s string) string { return s + " https://example.com/x" }), "~"), ""},
	}
}

func TestLinksAndLabelsOfPagesHaveTargetsAndPicturesHaveWords(t *testing.T) {
	t.Parallel()
	again := pages(t)
	for name, both := range pages(t) {
		page := both[0]
		must.Not(t, page != again[name][0], "%s: two pages of one result differ", name)
		ids := make(map[string]int)
		for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			ids[m[1]]++
		}
		for _, m := range regexp.MustCompile(`(?: href="#| aria-labelledby=")([^"]*)"`).FindAllStringSubmatch(page, -1) {
			for id := range strings.FieldsSeq(m[1]) {
				must.Equal(t, ids[id], 1, "%s: elements %q", name, id)
			}
		}
		for _, svg := range regexp.MustCompile(`<svg [^>]*>`).FindAllString(page, -1) {
			inner := strings.Contains(svg, `overflow="visible"`) // within another one
			worded := inner || regexp.MustCompile(`aria-hidden="true"|role="img" aria-label`).MatchString(svg)
			must.Not(t, !worded, "%s: a picture without words: %s", name, svg)
		}
	}
}

// A browser that opens a page sends no request to the network.
func TestPagesAskTheNetworkForNothing(t *testing.T) {
	t.Parallel()
	for name, page := range pages(t) {
		t.Run(name, func(t *testing.T) {
			dom := inBrowser(t, page[0])
			must.Contain(t, dom, page[1], "the script of the page did not run: it has")
			must.Not(t, !strings.Contains(dom, "</main>"), "the page has no main part")
		})
	}
	t.Run("a page that does ask", func(t *testing.T) {
		if _, asked := opened(t, `<img src="http://127.0.0.1:9/x.png">`); len(asked) != 1 {
			t.Errorf("the log does not say what the page asked for: %v", asked)
		}
	})
}

// inBrowser opens a page in a browser and returns the resulting DOM. It fails the test when the page sent a request.
func inBrowser(t *testing.T, page string) string {
	t.Helper()
	dom, asked := opened(t, page)
	must.Not(t, len(asked) > 0, "the page asked for %v", asked)
	return dom
}

// opened opens a page in a browser and returns the resulting DOM and the requested
// addresses. Requests of the browser itself have no origin and do not count.
func opened(t *testing.T, page string) (dom string, asked []string) {
	t.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("not run: chromium is not installed")
	}
	dir := t.TempDir()
	file, log := filepath.Join(dir, "page.html"), filepath.Join(dir, "net.json")
	must.Do(t, os.WriteFile(file, []byte(page), 0o600))
	cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
		"--disable-component-update", "--user-data-dir="+dir, "--log-net-log="+log, "--dump-dom", "file://"+file)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("run %s: %v", browser, err)
	}
	data := must.Get(os.ReadFile(log))(t)
	var events struct {
		Events []struct {
			Params struct {
				URL       string `json:"url"`
				Initiator string `json:"initiator"`
			} `json:"params"`
		} `json:"events"`
	}
	must.Do(t, json.Unmarshal(data, &events))
	for _, e := range events.Events {
		if e.Params.Initiator != "" && e.Params.Initiator != "not an origin" {
			asked = append(asked, e.Params.URL)
		}
	}
	return string(out), asked
}
