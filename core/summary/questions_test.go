package summary_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history/recall"
	"github.com/coctostan/pictx/core/summary"
)

// question is one about a recorded session, with what an answer must hold.
type question struct{ ask, fact string }

// questions are about the recorded sessions, ten about each.
func questions() map[string][]question {
	return map[string][]question{
		"shop-main": {
			{"What did the user want at the very beginning?", `charged twice when they click "Pay" twice`},
			{"How far off were the lines of a coupon of 5.00?", "167 + 167 + 167 = 501"},
			{"How are discounts spread now, and who gets the rest?", "largest remainder, ties go to the earlier line"},
			{"Who makes the idempotency key?", "the idempotency key comes from the client"},
			{"Is a declined card kept under its key?", "only a placed order is final"},
			{"How many orders were off with the old spreading?", "19 of the 260 orders"},
			{"How many duplicate charges were there on the 28th?", "29 duplicate charges"},
			{"When is the cart of a placed order deleted?", "after 24 hours"},
			{"What did the user say about locks?", "Right, no locks"},
			{"Where are the keys in this release?", "keys stay in memory for this release"},
		},
		"shop-fork": {
			{"What was fixed first, and why?", "fix the rounding first"},
			{"How many tests were there at the beginning?", "264"},
			{"Was there a rounding module?", "src/rounding.ts"},
			{"Why did the edit of discounts fail?", "Could not find the exact text in src/discounts.ts"},
			{"What becomes part of a release check?", "npm run replay"},
			{"What was proposed instead of a key?", "at most one order"},
			{"Can the fixtures tell whether a cart has two orders?", "The fixtures do not keep cart ids"},
			{"What was decided about it?", "keep the key per attempt"},
			{"Where is the rejected alternative noted?", "docs/rejected.md"},
			{"How many tests passed at the end?", "272"},
		},
		"notes-1.5": {
			{"Which country has no reduced rate?", "Denmark"},
			{"Which rate has it?", "one rate of 25 %"},
			{"Which file was missing?", "src/tax/reduced.ts"},
			{"Where was it written down?", "docs/tax.md"},
			{"Who reads that?", "the finance team"},
			{"What was found out on another branch?", "once per line, half away from zero"},
			{"What did the user run?", "grep -n 'DK'"},
			{"How long should the note be?", "one sentence"},
			{"What about Åland?", "UnknownCountry"},
			{"What is Slovakia's rate for books?", "SK 10 23"},
		},
	}
}

// answered returns how many expansions it takes to find a fact: none when it is in
// the summary, -1 when two of them do not show it. Which nodes to expand is given:
// a reader must judge that by what the summary says.
func answered(t *testing.T, m *memory, c *summary.Cover, text, fact string) int {
	t.Helper()
	if strings.Contains(text, fact) {
		return 0
	}
	best := -1
	for _, r := range c.Roots {
		if pages := pagesTo(t, m, r.Node, fact); pages > 0 && (best < 0 || pages < best) {
			best = pages
		}
		for _, child := range r.Children { // named by the expansion of the root
			if pages := pagesTo(t, m, child.Node, fact); pages == 1 && best < 0 {
				best = 2
			}
		}
	}
	return best
}

// pagesTo counts the pages until a fact is shown, 0 when none of two does.
func pagesTo(t *testing.T, m *memory, n *summary.Node, fact string) int {
	t.Helper()
	r := recall.ExpandRequest{MaxTokens: 8000}
	for page := 1; page <= 2; page++ {
		text, d := opened(t, m, n, r)
		if strings.Contains(text, fact) {
			return page
		}
		if r.Cursor, _ = strconv.Atoi(d.Cursor); r.Cursor == 0 {
			return 0
		}
	}
	return 0
}

func TestSummariesAndTwoExpansionsAnswerQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("not run with -short: it does much, one thing after the other")
	}
	for name, all := range questions() {
		for _, kind := range []string{"extracts", "a model"} {
			t.Run(name+" by "+kind, func(t *testing.T) {
				s := recorded(t, name+".jsonl")
				m := &memory{}
				for i := range s.tree.Nodes {
					m.lines = append(m.lines, s.lines[s.tree.Nodes[i].ID])
				}
				b := s.branch(t, "")
				o := options(&clock{})
				o.LeafTokens = 0
				if kind == "extracts" {
					o.Models = nil
				} else {
					o.LeafTokens = 50_000
				}
				work(t, m, b, o, &scribe{say: func(r summary.Request) (summary.Reply, error) { return scripted(r) }})
				c := b.Cover(m.nodes)
				if kind == "a model" && c.Extracts() > 0 {
					t.Fatal("not everything is written by the model")
				}
				text := assembled(t, b, m.nodes)
				counts := map[int]int{}
				for _, q := range all {
					n := answered(t, m, c, text, q.fact)
					counts[n]++
					if n < 0 {
						t.Errorf("%s: %q is neither in the summary nor in two expansions", q.ask, q.fact)
					}
				}
				t.Logf("%d tokens; answered by the summary %d, by one expansion %d, by two %d", tokensOf(text), counts[0], counts[1], counts[2])
			})
		}
	}
}

// scripted gives what a model could write of a span: testdata holds it by the
// span's first entry.
func scripted(r summary.Request) (summary.Reply, error) {
	ids := regexp.MustCompile(`(?m)^#[0-9a-f]{8} \[.*\| ([0-9a-f]+)\]$`).FindAllStringSubmatch(r.Prompt, -1)
	first, last := ids[0][1], ids[len(ids)-1][1]
	text, err := os.ReadFile(filepath.Join("testdata", "model", first+"-"+last+".txt"))
	if err != nil {
		return summary.Reply{}, errors.New("nobody wrote about " + first + " to " + last)
	}
	return summary.Reply{Text: string(text), Model: "scripted/by-hand"}, nil
}
