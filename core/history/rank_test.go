package history_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/history"
	"github.com/coctostan/pictx/core/message"
)

// entry is a line of a session file with a parent.
func entry(id, parent, role, rest string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-03-02T09:00:00.000Z","message":{"role":%q,%s}}`+"\n", id, parent, role, rest)
}

// runs is a response that runs a command, printed is what the command printed.
func runs(id, parent, callID, command string) string {
	return entry(id, parent, "assistant", fmt.Sprintf(`"content":[{"type":"toolCall","id":%q,"name":"bash","arguments":{"command":%s}}]`, callID, message.AppendQuote(nil, command)))
}

func printed(id, parent, callID, text string) string {
	return entry(id, parent, "toolResult", fmt.Sprintf(`"toolCallId":%q,"toolName":"bash","content":[{"type":"text","text":%s}]`, callID, message.AppendQuote(nil, text)))
}

func TestAnAnswerInProseComesBeforeADumpThatHoldsTheSameWords(t *testing.T) {
	m := newMemory()
	dump := strings.Repeat("func lease(timeout int)\n"+strings.Repeat("filler of other words\n", 200), 3)
	m.session(t, "s",
		said("told", "assistant", "The timeout of the lease is 30 seconds because a renewal may be late by twenty.", ""),
		returned("dump", "read", dump), returned("more", "read", dump+"end"))
	both(t, m, history.Query{Text: "why does the lease have a timeout"}, func(how string, res history.Result) {
		if len(res.Hits) == 0 || res.Hits[0].EntryID != "told" || !res.Ranked {
			t.Errorf("%s: %q", how, hits(res))
		}
	})
}

func TestWordsThatStandTogetherComeBeforeWordsThatAreApart(t *testing.T) {
	m := newMemory()
	m.add(t, "a", "run 3 line 17 of it", "run 17 then line 3 again", "line 17 of run 9 not 3")
	both(t, m, history.Query{Text: "run 3 line 17"}, func(how string, res history.Result) {
		if len(res.Hits) == 0 || res.Hits[0].EntryID != "a0" {
			t.Errorf("%s: %q", how, hits(res))
		}
	})
}

func TestNewestComesFirstWhenItIsAskedFor(t *testing.T) {
	m := newMemory()
	m.add(t, "a", "walrus harbour", "the harbour of a walrus, at some length")
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
		m := newMemory()
		m.session(t, "s", said("told", "assistant", "A walrus sleeps.", ""), runs("asks", "told", "c1", command),
			printed("first", "asks", "c0", "other"), printed("found", "first", "c1", `{"walrus": "as jq prints it"}`))
		both(t, m, history.Query{Text: "walrus"}, func(how string, res history.Result) {
			if hits(res) != "told" {
				t.Errorf("%s, %s: %q", how, command, hits(res))
			}
		})
	}
}

func TestOtherCommandsAreFoundThoughTheyNameTheProgram(t *testing.T) {
	for _, command := range []string{"cat pictx/walrus", "grep walrus pictx.go", "go build ./cmd/pictx walrus", "pictx version walrus"} {
		m := newMemory()
		m.session(t, "s", runs("asks", "", "c1", command), printed("found", "asks", "c1", "nothing of it"))
		both(t, m, history.Query{Text: "walrus"}, func(how string, res history.Result) {
			if hits(res) != "asks" {
				t.Errorf("%s, %s: %q", how, command, hits(res))
			}
		})
	}
}

func TestACallAndItsResultAreOneHit(t *testing.T) {
	m := newMemory()
	m.session(t, "s", runs("asks", "", "c1", "make walrus"), printed("found", "asks", "c1", "walrus made"), printed("else", "found", "c2", "walrus too"))
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
	m := newMemory()
	var page strings.Builder
	for i := range 200 {
		fmt.Fprintf(&page, "line %d says that word%d follows word%d\n", i, i*7%31, i*11%53)
	}
	var lines []string
	for i := range 5 {
		lines = append(lines, returned(fmt.Sprintf("r%d", i), "read", page.String()+fmt.Sprintf("the walrus sleeps\nread %d\n", i)))
	}
	m.session(t, "s", append(lines, returned("own", "read", page.String()+"a walrus wakes\n"))...)
	both(t, m, history.Query{Text: "walrus"}, func(how string, res history.Result) {
		if len(res.Hits) != 2 || res.Hits[0].Alike+res.Hits[1].Alike != 4 {
			t.Errorf("%s: %+v", how, res.Hits)
		}
	})
}

func TestAHitNamesItsLineAndTheCallThatShowsIt(t *testing.T) {
	m := newMemory()
	body := strings.Repeat("filler\n", 9000) + "the walrus sleeps here\n" + strings.Repeat("filler\n", 50)
	m.session(t, "s", printed("long", "", "c1", body))
	text, _ := grepped(t, m, history.GrepRequest{Query: "walrus"})
	const want = `line 9001: lcm_expand(id="long", lines="8991-9011")`
	if !strings.Contains(text, want) {
		t.Fatalf("no %s in\n%s", want, text)
	}
	for _, r := range []history.ExpandRequest{
		{ID: "long", Lines: &history.LineRange{From: 8991, To: 9011}}, {ID: "long", Around: "9001"}, {ID: "long", Around: "Walrus sleeps"},
	} {
		a, err := history.ExpandText(t.Context(), m, r)
		if err != nil || !strings.Contains(a.Text, "the walrus sleeps here") || !strings.Contains(a.Text, "lines 8991-9011") {
			t.Errorf("%+v: %v\n%s", r, err, a.Text)
		}
	}
}

func TestExpandShowsTheLinesThatMatchWithTheirNumbers(t *testing.T) {
	m := newMemory()
	m.session(t, "s", printed("log", "", "c1", "one\nwarn: two\nthree\nWARN: four\n"))
	r, err := history.ParseExpand([]byte(`{"id":"log","grep":"warn: \\w+"}`))
	if err != nil {
		t.Fatal(err)
	}
	a, err := history.ExpandText(t.Context(), m, r)
	if err != nil || !strings.Contains(a.Text, "2: warn: two\n") || !strings.Contains(a.Text, "4: WARN: four\n") || strings.Contains(a.Text, "three") {
		t.Errorf("%v\n%s", err, a.Text)
	}
	if r, err = history.ParseExpand([]byte(`{"id":"log","grep":"zebra"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := history.ExpandText(t.Context(), m, r); err == nil || !strings.Contains(err.Error(), `no line matches "zebra"`) {
		t.Errorf("%v", err)
	}
}
