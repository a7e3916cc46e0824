package report

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/message"
	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
)

// summaryView returns a branch of ten messages: two leaves below one summary, a leaf that
// is drawn narrow, and a message without a summary.
func summaryView(text string) *summary.View {
	node := func(key string, depth int, kind summary.Kind) *summary.Node {
		return &summary.Node{Key: key, Depth: depth, Kind: kind, Text: text, From: 1000, To: 61_000, Entries: 4}
	}
	leaves := []*summary.PlacedNode{
		{Node: node("s-aaaaaaaaaaaa", 0, summary.Model), Start: 0, End: 4},
		{Node: node("s-bbbbbbbbbbbb", 0, summary.Extract), Start: 4, End: 8},
	}
	root := &summary.PlacedNode{Node: node("s-cccccccccccc", 1, summary.Model), Start: 0, End: 8, Children: leaves}
	old := node("s-dddddddddddd", 0, summary.Model)
	units := make([]summary.Unit, 10)
	for i := range units {
		units[i].Node = &message.Node{}
	}
	return &summary.View{
		Branch: &summary.Branch{Units: units},
		Cover: &summary.Cover{
			Leaves: leaves, Roots: []*summary.PlacedNode{root}, Gaps: [][2]int{{8, 10}},
			States: map[string]summary.State{
				"s-aaaaaaaaaaaa": summary.Current, "s-bbbbbbbbbbbb": summary.Current, "s-cccccccccccc": summary.Current, old.Key: summary.Stale,
			},
		},
		Nodes: []summary.Node{*leaves[0].Node, *leaves[1].Node, *root.Node, *old},
	}
}

func TestSummarySVGIsWellFormedWhateverTheTextsHold(t *testing.T) {
	for _, text := range []string{"plain", `</title></g></svg><script>alert(1)</script>`, "\x00\x1b[31m\u202e"} {
		page := written(t, &SessionPage{Title: "Session s", View: summaryView(text), HasPicture: true})
		svg := regexp.MustCompile(`(?s)<svg xmlns.*?</svg>`).FindString(page)
		boxes := 0
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			tok, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v:\n%s", text, err, svg)
			}
			if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "rect" {
				boxes++
			}
		}
		if boxes != 3+2 { // the summaries, the band of messages and the gap
			t.Errorf("%q: %d boxes:\n%s", text, boxes, svg)
		}
	}
}

func TestSessionPageShowsSummaries(t *testing.T) {
	t.Parallel()
	p := &SessionPage{Title: "Session s", Lead: "Three messages.", View: summaryView("Gist of it.\nmore"), HasPicture: true}
	page := written(t, p)
	for _, want := range []string{
		"<title>Session s · pictx</title>", "default-src &#39;none&#39;", "<svg ", "not summarised", "<b>pictx tree</b>", `fill="#fff">Gist of it.</text>`, "<dt>without a summary</dt><dd>2</dd>", "<dt>summaries by a model</dt><dd>2</dd>", "<dt>extracted</dt><dd>1</dd>",
		"<dt>of other branches, or outdated</dt><dd>1</dd>", `class="written"`, `class="extracted"`,
		`<span class="state">extracted</span>`, `<span class="state">stale</span>`, "Summaries that this branch does not use",
	} {
		must.Contain(t, page, want, "the page does not hold")
	}
	must.Not(t, strings.Contains(page, "<script") || strings.Contains(page, "ZgotmplZ"), "the page runs a script or holds an unsafe value")
}

func written(t *testing.T, p *SessionPage) string {
	t.Helper()
	var b strings.Builder
	must.Do(t, p.Write(&b))
	return b.String()
}
