package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/historytest"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/internal/must"
)

func TestAnAnswerInProseComesBeforeADumpThatHoldsTheSameWords(t *testing.T) {
	m := historytest.NewMemory(t)
	dump := strings.Repeat("func lease(timeout int)\n"+strings.Repeat("filler of other words\n", 200), 3)
	m.Session(t, "s",
		historytest.Said("told", "assistant", "The timeout of the lease is 30 seconds because a renewal may be late by twenty.", ""),
		historytest.Returned("dump", "read", dump), historytest.Returned("more", "read", dump+"end"))
	if res := search(t, m, history.Query{Text: "why does the lease have a timeout"}); len(res.Hits) == 0 || res.Hits[0].EntryID != "told" || !res.Ranked {
		t.Errorf("%q", hits(res))
	}
}

func TestAQuestionFindsTheWordsThatItsFormsAreMadeOf(t *testing.T) {
	for question, text := range map[string]string{
		"which coupons were dropped":       "we drop them",
		"when was the cart committed":      "commit it at noon",
		"how does one page through orders": "with paging, ten at once", "do we save the cart": "it is saved", "where do we copy prices": "they are copied at night",
		"why were the prices copied": "to copy is simpler", "which taxes are applied": "apply what the country asks",
	} {
		m := historytest.NewMemory(t)
		m.Add(t, "a", "nothing of it", text)
		res := search(t, m, history.Query{Text: question})
		must.Equal(t, hits(res), "a1", "%s", question)
	}
}

func TestNewestComesFirstWhenItIsAskedFor(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Add(t, "a", "walrus harbour", "the harbour of a walrus, at some length")
	if res := search(t, m, history.Query{Text: "walrus harbour", Newest: true}); hits(res) != "a1 a0" || res.Ranked {
		t.Errorf("%q", hits(res))
	}
}

// Holds history 30.
func TestOwnSearchesAreRecognisedByTheirCallHoweverTyped(t *testing.T) {
	for _, command := range []string{
		"pictx grep walrus --json | jq .entry", "PICTX_X=1 pictx grep walrus", "~/go/bin/pictx grep walrus", "ls; pictx grep walrus",
		"pictx export | grep walrus", "cd /w && ./bin/pictx expand a1", "timeout 5 pictx --project /w grep walrus", "echo $(pictx grep walrus)",
	} {
		m := historytest.NewMemory(t)
		m.Session(t, "s", historytest.Said("told", "assistant", "A walrus sleeps.", ""), historytest.Runs("asks", "told", "c1", command),
			historytest.Printed("first", "asks", "c0", "other"), historytest.Printed("found", "first", "c1", `{"walrus": "as jq prints it"}`))
		res := search(t, m, history.Query{Text: "walrus"})
		must.Equal(t, hits(res), "told", "%s", command)
	}
}

func TestOtherCommandsAreFoundThoughTheyNameTheProgram(t *testing.T) {
	for _, command := range []string{"cat pictx/walrus", "grep walrus pictx.go", "go build ./cmd/pictx walrus", "pictx version walrus"} {
		m := historytest.NewMemory(t)
		m.Session(t, "s", historytest.Runs("asks", "", "c1", command), historytest.Printed("found", "asks", "c1", "nothing of it"))
		res := search(t, m, history.Query{Text: "walrus"})
		must.Equal(t, hits(res), "asks", "%s", command)
	}
}

func TestACallAndItsResultAreOneHit(t *testing.T) {
	m := historytest.NewMemory(t)
	m.Session(t, "s", historytest.Runs("asks", "", "c1", "make walrus"), historytest.Printed("found", "asks", "c1", "walrus made"), historytest.Printed("else", "found", "c2", "walrus too"))
	res := search(t, m, history.Query{Text: "walrus"})
	must.Stop(t, len(res.Hits) != 2, "%q", hits(res))
	for _, h := range res.Hits {
		if pair := h.EntryID + " " + h.Other; pair != "else " && pair != "found asks" && pair != "asks found" {
			t.Errorf("%q", pair)
		}
	}
}

// Of so many texts that hold some of the words not all are read, and the index knows only
// how long a remark is together with its call.
func TestARemarkBeforeALongCallIsReadAmongManyShortTexts(t *testing.T) {
	m := historytest.NewMemory(t)
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
