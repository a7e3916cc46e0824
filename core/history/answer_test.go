package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/historytest"
	"github.com/coctostan/pictx/internal/must"
)

// conversation has a prompt with the words of a question, and a reply that has none.
func conversation(t *testing.T, lines ...string) *historytest.Memory {
	t.Helper()
	m := historytest.NewMemory(t)
	m.Session(t, "s", append([]string{
		historytest.Said("prompt", "user", "Which discount applies when a coupon has expired?", ""),
		historytest.Said("look", "assistant", "Let me see.", ""),
	}, lines...)...)
	return m
}

func TestAPromptIsShownWithTheReplyThatItsTurnEndedWith(t *testing.T) {
	m := conversation(t,
		historytest.Said("reply", "assistant", "None at all.\nThe cart says so.", ""),
		historytest.Said("more", "assistant", "Let me check that.", `,{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"make check"}}`),
		historytest.Said("next", "user", "Thanks. Now the taxes.", ""),
		historytest.Said("later", "assistant", "The taxes are done.", ""))
	res := search(t, m, history.Query{Text: "which discount after a coupon expired"})
	if hits(res) != "prompt" {
		t.Fatalf("%q", hits(res))
	}
	want := &history.Answer{EntryID: "reply", Text: "None at all. The cart says so.", Line: 1}
	must.Match(t, res.Hits[0].Answer, want, "the answer")
}

func TestAReplyThatIsShownWithItsPromptIsNotAHitOfItsOwn(t *testing.T) {
	m := conversation(t, historytest.Said("reply", "assistant", strings.Repeat("Other words of it, and more. ", 20)+"No discount at all.", ""))
	res := search(t, m, history.Query{Text: "which discount after a coupon expired"})
	if hits(res) != "prompt" {
		t.Fatalf("%q", hits(res))
	}
	if a := res.Hits[0].Answer; a == nil || !strings.HasPrefix(a.Text, "…") || !strings.HasSuffix(a.Text, "No discount at all.") {
		t.Errorf("%+v", a)
	}
}

func TestAReplyAboveItsPromptIsShownOnce(t *testing.T) {
	m := conversation(t, historytest.Said("reply", "assistant", "A coupon that has expired gives no discount: the discount of an expired coupon is nothing.", ""))
	if res := search(t, m, history.Query{Text: "does a coupon that has expired give no discount"}); hits(res) != "reply prompt" || res.Hits[1].Answer != nil {
		t.Errorf("%q, %+v", hits(res), res.Hits[len(res.Hits)-1].Answer)
	}
}

func TestASearchForCertainEntriesIsNotGivenReplies(t *testing.T) {
	m := conversation(t, historytest.Said("reply", "assistant", "None at all.", ""))
	for name, q := range map[string]history.Query{
		"of prompts":   {Text: "discount coupon expired", Filter: history.Filter{Roles: []string{"user"}}},
		"newest first": {Text: "discount coupon expired", Newest: true},
		"a word":       {Text: "coupon"},
	} {
		if res := search(t, m, q); hits(res) != "prompt" || res.Hits[0].Answer != nil {
			t.Errorf("%s: %q, %+v", name, hits(res), res.Hits)
		}
	}
}

func TestATurnThatIsNotOverHasNoAnswer(t *testing.T) {
	m := conversation(t)
	m.Session(t, "t", historytest.Said("again", "user", "And which discount has a coupon that expired today?", ""),
		historytest.Said("search", "assistant", "I look for it.", `,{"type":"toolCall","id":"c1","name":"lcm_grep","arguments":{"query":"coupon expired"}}`))
	if res := search(t, m, history.Query{Text: "which discount after a coupon expired", Filter: history.Filter{Sessions: []string{"t"}}}); hits(res) != "again" || res.Hits[0].Answer != nil {
		t.Errorf("%q, %+v", hits(res), res.Hits)
	}
}

// A page is the same whether the results before it were asked for or not.
func TestPagesOfPromptsWithRepliesHaveEveryResultOnce(t *testing.T) {
	m := historytest.NewMemory(t)
	var lines []string
	for i := range 9 {
		lines = append(lines, historytest.Said(fmt.Sprintf("p%d", i), "user", fmt.Sprintf("Which discount has a coupon of shop %d?", i), ""),
			historytest.Said(fmt.Sprintf("r%d", i), "assistant", fmt.Sprintf("Shop %d gives none, though a longer reply with a discount may come.", i), ""))
	}
	m.Session(t, "s", lines...)
	whole := search(t, m, history.Query{Text: "discount of a coupon"})
	var paged []history.Hit
	for at := 0; at < 18; at += 2 {
		paged = append(paged, search(t, m, history.Query{Text: "discount of a coupon", Limit: 2, Offset: at}).Hits...)
	}
	if len(whole.Hits) != 9 {
		t.Errorf("%d hits: %q", len(whole.Hits), hits(whole))
	}
	if same := slices.EqualFunc(whole.Hits, paged, func(a, b history.Hit) bool { return cmp.Equal(a, b) }); !same {
		t.Errorf("paged:\n%q\nwhole:\n%q", hits(history.Result{Hits: paged}), hits(whole))
	}
}

// turns is a session of turns of one kind: a prompt without a word of the question, a remark
// with them, and a reply without.
func turns(t *testing.T, n int) *historytest.Memory {
	t.Helper()
	m := historytest.NewMemory(t)
	var lines []string
	for i := range n {
		lines = append(lines, historytest.Said(fmt.Sprintf("p%d", i), "user", "Go on.", ""),
			historytest.Said(fmt.Sprintf("m%d", i), "assistant", fmt.Sprintf("Whether the discount of coupon %d is due?", i), ""),
			historytest.Said(fmt.Sprintf("n%d", i), "assistant", fmt.Sprintf("Once more the discount of coupon %d.", i), ""),
			historytest.Said(fmt.Sprintf("r%d", i), "assistant", "None at all.", ""))
	}
	m.Session(t, "s", lines...)
	return m
}

func TestABestResultIsShownWithTheReplyThatItsTurnEndedWith(t *testing.T) {
	res := search(t, turns(t, 1), history.Query{Text: "whether a discount of this coupon is due"})
	if hits(res) != "m0 n0" {
		t.Fatalf("%q", hits(res))
	}
	must.Match(t, res.Hits[0].Answer, &history.Answer{EntryID: "r0", Text: "None at all.", Line: 1}, "the answer")
	if res.Hits[1].Answer != nil {
		t.Errorf("the reply is shown again: %+v", res.Hits[1].Answer)
	}
}

func TestOnlyTheBestThreeResultsAreShownWithTheEndOfTheirTurn(t *testing.T) {
	m := turns(t, 6)
	res := search(t, m, history.Query{Text: "whether the discount is due"})
	var with []bool
	for _, h := range res.Hits[:5] {
		with = append(with, h.Answer != nil)
	}
	must.Match(t, with, []bool{true, true, true, false, false}, "%q", hits(res))
	second := search(t, m, history.Query{Text: "whether the discount is due", Limit: 2, Offset: 2})
	must.Match(t, second.Hits, res.Hits[2:4], "the second page")
}

func TestACallIsShownWithItsResultThoughOnlyTheCallMatches(t *testing.T) {
	failed := strings.Replace(historytest.Returned("failed", "bash", "fatal: no such place"), `"toolName"`, `"isError":true,"toolCallId":"c2","toolName"`, 1)
	for name, c := range map[string]struct {
		results []string
		want    string
	}{
		"the result":          {[]string{historytest.Returned("fine", "bash", "done")}, "fine"},
		"the one that failed": {[]string{historytest.Returned("fine", "bash", "done"), failed}, "failed"},
		"none yet":            {nil, ""},
	} {
		m := historytest.NewMemory(t)
		m.Session(t, "s", append(append([]string{
			historytest.Said("p", "user", "Go on.", ""),
			historytest.Said("call", "assistant", "I switch to the main branch.", `,{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"git status"}},{"type":"toolCall","id":"c2","name":"bash","arguments":{"command":"git checkout main"}}`),
		}, c.results...),
			historytest.Said("next", "assistant", "Another way, then.", `,{"type":"toolCall","id":"c3","name":"bash","arguments":{"command":"make"}}`),
			historytest.Returned("made", "bash", "built"))...)
		if res := search(t, m, history.Query{Text: "why not switch to the main branch"}); hits(res) != "call" || res.Hits[0].Other != c.want {
			t.Errorf("%s: %q with %q", name, hits(res), res.Hits[0].Other)
		}
	}
}
