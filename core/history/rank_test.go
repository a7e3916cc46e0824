package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/historytest"

	"github.com/coctostan/pictx/core/history"
)

func TestAnAnswerInProseComesBeforeADumpThatHoldsTheSameWords(t *testing.T) {
	m := historytest.NewMemory()
	dump := strings.Repeat("func lease(timeout int)\n"+strings.Repeat("filler of other words\n", 200), 3)
	m.Session(t, "s",
		historytest.Said("told", "assistant", "The timeout of the lease is 30 seconds because a renewal may be late by twenty.", ""),
		historytest.Returned("dump", "read", dump), historytest.Returned("more", "read", dump+"end"))
	both(t, m, history.Query{Text: "why does the lease have a timeout"}, func(how string, res history.Result) {
		if len(res.Hits) == 0 || res.Hits[0].EntryID != "told" || !res.Ranked {
			t.Errorf("%s: %q", how, hits(res))
		}
	})
}

func TestALongCallDoesNotLowerTheRankOfTheRemarkBeforeIt(t *testing.T) {
	m := historytest.NewMemory()
	const remark = "We keep the lease short, because a renewal may come late."
	call := `,{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"` + strings.Repeat("other words of a script ", 200) + `"}}`
	m.Session(t, "s", historytest.Said("remark", "assistant", remark, call),
		historytest.Said("page", "assistant", strings.Repeat("The lease is a lease like any lease in a page of other words. ", 12), ""))
	both(t, m, history.Query{Text: "why is the lease short"}, func(how string, res history.Result) {
		if len(res.Hits) == 0 || res.Hits[0].EntryID != "remark" {
			t.Errorf("%s: %q", how, hits(res))
		}
	})
}

func TestAReplyAnswersForTheWordsOfThePromptBeforeIt(t *testing.T) {
	m := historytest.NewMemory()
	m.Session(t, "s", historytest.Said("other", "assistant", "Coupons are checked in another place: the coupons come first, before anything is charged.", ""),
		historytest.Said("prompt", "user", "Should discounts be rounded per line, or once for the order?", ""),
		historytest.Said("reply", "assistant", "Per line: coupons that are spread later would be a cent off, and accounting sees it.", ""),
		historytest.Said("end", "assistant", "Done.", ""))
	both(t, m, history.Query{Text: "how are discounts of coupons rounded"}, func(how string, res history.Result) {
		if got := hits(res); got != "prompt reply other" && got != "reply prompt other" {
			t.Errorf("%s: %q", how, got)
		}
	})
}

func TestAQuestionFindsTheWordsThatItsFormsAreMadeOf(t *testing.T) {
	for question, text := range map[string]string{
		"which coupons were dropped": "we drop them", "what was added to the cart": "it may add a line", "who used the formatter": "format it, and use tabs",
		"which rounding was chosen": "choose half to even", "when was the cart committed": "commit it at noon",
		"how does one page through orders": "with paging, ten at once", "do we save the cart": "it is saved", "where do we copy prices": "they are copied at night",
		"why were the prices copied": "to copy is simpler", "which taxes are applied": "apply what the country asks", "who tries twice": "a second try, by the client",
		"which colours has the cart": "one color alone", "where are prices normalised": "it normalizes them on import",
	} {
		m := historytest.NewMemory()
		m.Add(t, "a", "nothing of it", text)
		both(t, m, history.Query{Text: question}, func(how string, res history.Result) {
			if hits(res) != "a1" {
				t.Errorf("%s, %s: %q", how, question, hits(res))
			}
		})
	}
}

func TestWordsThatStandTogetherComeBeforeWordsThatAreApart(t *testing.T) {
	m := historytest.NewMemory()
	m.Add(t, "a", "run 3 line 17 of it", "run 17 then line 3 again", "line 17 of run 9 not 3")
	both(t, m, history.Query{Text: "run 3 line 17"}, func(how string, res history.Result) {
		if len(res.Hits) == 0 || res.Hits[0].EntryID != "a0" {
			t.Errorf("%s: %q", how, hits(res))
		}
	})
}

func TestNewestComesFirstWhenItIsAskedFor(t *testing.T) {
	m := historytest.NewMemory()
	m.Add(t, "a", "walrus harbour", "the harbour of a walrus, at some length")
	both(t, m, history.Query{Text: "walrus harbour", Order: history.Newest}, func(how string, res history.Result) {
		if hits(res) != "a1 a0" || res.Ranked {
			t.Errorf("%s: %q", how, hits(res))
		}
	})
}

// Holds history 30.
func TestOwnSearchesAreRecognisedByTheirCallHoweverTyped(t *testing.T) {
	for _, command := range []string{
		"pictx grep walrus --json | jq .entry", "PICTX_X=1 pictx grep walrus", "~/go/bin/pictx grep walrus", "ls; pictx grep walrus",
		"pictx export | grep walrus", "cd /w && ./bin/pictx expand a1", "timeout 5 pictx --project /w grep walrus", "echo $(pictx grep walrus)",
	} {
		m := historytest.NewMemory()
		m.Session(t, "s", historytest.Said("told", "assistant", "A walrus sleeps.", ""), historytest.Runs("asks", "told", "c1", command),
			historytest.Printed("first", "asks", "c0", "other"), historytest.Printed("found", "first", "c1", `{"walrus": "as jq prints it"}`))
		both(t, m, history.Query{Text: "walrus"}, func(how string, res history.Result) {
			if hits(res) != "told" {
				t.Errorf("%s, %s: %q", how, command, hits(res))
			}
		})
	}
}

func TestOtherCommandsAreFoundThoughTheyNameTheProgram(t *testing.T) {
	for _, command := range []string{"cat pictx/walrus", "grep walrus pictx.go", "go build ./cmd/pictx walrus", "pictx version walrus"} {
		m := historytest.NewMemory()
		m.Session(t, "s", historytest.Runs("asks", "", "c1", command), historytest.Printed("found", "asks", "c1", "nothing of it"))
		both(t, m, history.Query{Text: "walrus"}, func(how string, res history.Result) {
			if hits(res) != "asks" {
				t.Errorf("%s, %s: %q", how, command, hits(res))
			}
		})
	}
}

func TestACallAndItsResultAreOneHit(t *testing.T) {
	m := historytest.NewMemory()
	m.Session(t, "s", historytest.Runs("asks", "", "c1", "make walrus"), historytest.Printed("found", "asks", "c1", "walrus made"), historytest.Printed("else", "found", "c2", "walrus too"))
	both(t, m, history.Query{Text: "walrus"}, func(how string, res history.Result) {
		if len(res.Hits) != 2 {
			t.Fatalf("%s: %q", how, hits(res))
		}
		for _, h := range res.Hits {
			if pair := h.EntryID + " " + h.Other; pair != "else " && pair != "found asks" && pair != "asks found" {
				t.Errorf("%s: %q", how, pair)
			}
		}
	})
}

func TestTextsThatSayNearlyTheSameAreOneHitWithACount(t *testing.T) {
	m := historytest.NewMemory()
	var page strings.Builder
	for i := range 200 {
		fmt.Fprintf(&page, "line %d says that word%d follows word%d\n", i, i*7%31, i*11%53)
	}
	var lines []string
	for i := range 5 {
		lines = append(lines, historytest.Returned(fmt.Sprintf("r%d", i), "read", page.String()+fmt.Sprintf("the walrus sleeps\nread %d\n", i)))
	}
	m.Session(t, "s", append(lines, historytest.Returned("own", "read", page.String()+"a walrus wakes\n"))...)
	both(t, m, history.Query{Text: "walrus"}, func(how string, res history.Result) {
		if len(res.Hits) != 2 || res.Hits[0].Alike+res.Hits[1].Alike != 4 {
			t.Errorf("%s: %+v", how, res.Hits)
		}
	})
}

// Of so many texts that hold some of the words not all are read, and the index knows only
// how long a remark is together with its call.
func TestARemarkBeforeALongCallIsReadAmongManyShortTexts(t *testing.T) {
	m := historytest.NewMemory()
	m.HasFullText = true
	call := `,{"type":"toolCall","id":"c1","name":"write","arguments":{"content":"` + strings.Repeat("other words of a file ", 1000) + `"}}`
	m.Session(t, "s", historytest.Said("remark", "assistant", "We keep the lease short, because its renewal may be late.", call))
	short := make([]string, 400)
	for i := range short {
		short[i] = fmt.Sprintf("%s number %d", []string{"a lease", "its renewal"}[i%2], i)
	}
	m.Add(t, "a", short...)
	if res := search(t, m, history.Query{Text: "why is the lease short, and when is the renewal"}); len(res.Hits) == 0 || res.Hits[0].EntryID != "remark" {
		t.Errorf("%q", hits(res))
	}
}

// Reading more texts, because those read so far are nearly the same, is not finding them again,
// which in a large store takes longer.
func TestARankingThatReadsOnAsksTheIndexOnce(t *testing.T) {
	m := historytest.NewMemory()
	m.HasFullText = true
	texts := []string{"one walrus of its own", "another walrus"}
	for i := range 300 {
		texts = append(texts, "the walrus"+strings.Repeat(" and then it went on to the next of the tables", 20)+fmt.Sprintf("\n%d", i))
	}
	m.Add(t, "a", texts...)
	res := search(t, m, history.Query{Text: "walrus spoon", Limit: 5})
	if len(res.Hits) != 3 || m.Scans < 4 || len(m.Matches) != 1 {
		t.Errorf("%d results of %d scans, questions to the index %q", len(res.Hits), m.Scans, m.Matches)
	}
}
