package history_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/historytest"
)

// conversation has a prompt with the words of a question, and a reply that has none.
func conversation(t *testing.T, lines ...string) *historytest.Memory {
	t.Helper()
	m := historytest.NewMemory()
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
	both(t, m, history.Query{Text: "which discount after a coupon expired"}, func(how string, res history.Result) {
		if hits(res) != "prompt" {
			t.Fatalf("%s: %q", how, hits(res))
		}
		want := &history.Answer{EntryID: "reply", Text: "None at all. The cart says so.", Line: 1}
		if diff := cmp.Diff(want, res.Hits[0].Answer); diff != "" {
			t.Errorf("%s: %s", how, diff)
		}
	})
}

func TestAReplyThatIsShownWithItsPromptIsNotAHitOfItsOwn(t *testing.T) {
	m := conversation(t, historytest.Said("reply", "assistant", strings.Repeat("Other words of it, and more. ", 20)+"No discount at all.", ""))
	both(t, m, history.Query{Text: "which discount after a coupon expired"}, func(how string, res history.Result) {
		if hits(res) != "prompt" {
			t.Fatalf("%s: %q", how, hits(res))
		}
		if a := res.Hits[0].Answer; a == nil || !strings.HasPrefix(a.Text, "…") || !strings.HasSuffix(a.Text, "No discount at all.") {
			t.Errorf("%s: %+v", how, a)
		}
	})
}

func TestAReplyAboveItsPromptIsShownOnce(t *testing.T) {
	m := conversation(t, historytest.Said("reply", "assistant", "A coupon that has expired gives no discount: the discount of an expired coupon is nothing.", ""))
	both(t, m, history.Query{Text: "does a coupon that has expired give no discount"}, func(how string, res history.Result) {
		if hits(res) != "reply prompt" || res.Hits[1].Answer != nil {
			t.Errorf("%s: %q, %+v", how, hits(res), res.Hits[len(res.Hits)-1].Answer)
		}
	})
}

func TestASearchForCertainEntriesIsNotGivenReplies(t *testing.T) {
	m := conversation(t, historytest.Said("reply", "assistant", "None at all.", ""))
	for name, q := range map[string]history.Query{
		"of prompts":   {Text: "discount coupon expired", Filter: history.Filter{Roles: []string{"user"}}},
		"newest first": {Text: "discount coupon expired", Order: history.Newest},
		"a word":       {Text: "coupon"},
	} {
		both(t, m, q, func(how string, res history.Result) {
			if hits(res) != "prompt" || res.Hits[0].Answer != nil {
				t.Errorf("%s, %s: %q, %+v", name, how, hits(res), res.Hits)
			}
		})
	}
}

func TestATurnThatIsNotOverHasNoAnswer(t *testing.T) {
	m := conversation(t)
	m.Session(t, "t", historytest.Said("again", "user", "And which discount has a coupon that expired today?", ""),
		historytest.Said("search", "assistant", "I look for it.", `,{"type":"toolCall","id":"c1","name":"lcm_grep","arguments":{"query":"coupon expired"}}`))
	both(t, m, history.Query{Text: "which discount after a coupon expired", Filter: history.Filter{Sessions: []string{"t"}}}, func(how string, res history.Result) {
		if hits(res) != "again" || res.Hits[0].Answer != nil {
			t.Errorf("%s: %q, %+v", how, hits(res), res.Hits)
		}
	})
}

// A page is the same whether the results before it were asked for or not.
func TestPagesOfPromptsWithRepliesHaveEveryResultOnce(t *testing.T) {
	m := historytest.NewMemory()
	var lines []string
	for i := range 9 {
		lines = append(lines, historytest.Said(fmt.Sprintf("p%d", i), "user", fmt.Sprintf("Which discount has a coupon of shop %d?", i), ""),
			historytest.Said(fmt.Sprintf("r%d", i), "assistant", fmt.Sprintf("Shop %d gives none, though a longer reply with a discount may come.", i), ""))
	}
	m.Session(t, "s", lines...)
	m.HasFullText = true
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
