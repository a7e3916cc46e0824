package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/agents/pi"
	"github.com/coctostan/pictx/internal/must"
)

// compactReply is what a round of a compaction replies.
type compactReply struct {
	Result struct {
		Compaction struct {
			Summary          string
			FirstKeptEntryID string
			Usage            struct{ Input, Output float64 }
			Details          struct {
				ReadFiles, ModifiedFiles []string
				Pictx                    struct {
					Summaries []string
					Usage     struct{ Input, Output float64 }
					Began     int64
				}
			}
		}
	}
	Ask []struct {
		ID, Kind, System, Prompt string
		Models                   []string
	}
	Effects []struct{ Type, Text string }
	State   json.RawMessage
	Error   string
}

// shop is an agent with the recorded session, and the entries at which pi would
// compact it.
func shop(t *testing.T) (p *piAgent, leaf, kept string) {
	t.Helper()
	p = newAgent(t)
	raw := must.Get(os.ReadFile("../testdata/sessions/shop-main.jsonl"))(t)
	must.Do(t, os.WriteFile(p.file, raw, 0o600))
	s := must.Get(pi.Open(p.file))(t)
	defer s.Close()
	p.id, p.can = s.Tree.Header.ID, []string{"contextEdit", "complete"}
	p.config("history.models = [\"a/b\"]\nhistory.model_writes = \"leaves\"\n")
	return p, s.Tree.Leaf(), "f02196b8"
}

// compacting is the event of a compaction that keeps the session from an entry on.
func compacting(kept string) map[string]any {
	files := map[string]any{"read": []string{"x.go"}, "written": []string{"y.go"}, "edited": []string{}}
	return map[string]any{"reason": "manual", "firstKeptEntryId": kept, "tokensBefore": 1000, "fileOps": files}
}

// round is one round of a compaction.
func round(t *testing.T, p *piAgent, leaf, kept string, more ...any) (r compactReply) {
	t.Helper()
	decode(t, p.once("session_before_compact", p.request("session_before_compact", leaf, compacting(kept), more...)), &r)
	return r
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
}

// compactRounds drives a compaction to its end; say answers the n-th question.
func compactRounds(t *testing.T, p *piAgent, leaf, kept string, say func(n int, prompt string) map[string]any) (last compactReply, asked []string) {
	t.Helper()
	var more []any
	for range 60 {
		r := round(t, p, leaf, kept, more...)
		if len(r.Ask) == 0 {
			return r, asked
		}
		must.Stop(t, len(r.State) > 4096 || len(r.Ask) > 8, "%d bytes of state, %d questions", len(r.State), len(r.Ask))
		var replies []map[string]any
		for _, a := range r.Ask {
			must.Stop(t, a.Kind != "complete" || len(a.Models) == 0 || a.Models[len(a.Models)-1] != "session", "it asks %s of %v", a.Kind, a.Models)
			asked = append(asked, a.Prompt)
			reply := say(len(asked), a.Prompt)
			reply["id"] = a.ID
			replies = append(replies, reply)
		}
		more = []any{"replies", replies, "state", r.State}
	}
	t.Fatal("it does not come to an end")
	return last, asked
}

// written is a good answer.
func written(n int, _ string) map[string]any {
	return map[string]any{"value": map[string]any{"text": fmt.Sprintf("Part %d went well.", n), "model": "a/b", "usage": map[string]any{"input": 100, "output": 10}}}
}

// Holds history 42, 44, 53.
func TestACompactionInRoundsKeepsWhatEachRoundBrought(t *testing.T) {
	t.Parallel()
	p, leaf, kept := shop(t)
	r, asked := compactRounds(t, p, leaf, kept, written)
	c := r.Result.Compaction
	must.Stop(t, len(asked) < 8 || c.FirstKeptEntryID != kept || c.Usage.Input != float64(100*len(asked)), "%d questions, %+v", len(asked), c)
	for _, want := range []string{"## Conversation History (Lossless Context Management)", "went well.", "<modified-files>\n", "\ny.go\n", "\nx.go\n"} {
		must.Contain(t, c.Summary, want, "the summary lacks")
	}
	must.Not(t, len(c.Details.Pictx.Summaries) == 0 || !strings.Contains(c.Summary, c.Details.Pictx.Summaries[0]), "details: %+v", c.Details)
	again, more := compactRounds(t, p, leaf, kept, written)
	if len(more) != 0 || again.Result.Compaction.Summary != c.Summary {
		t.Errorf("the second time %d questions are asked, the summary is the same: %v", len(more), again.Result.Compaction.Summary == c.Summary)
	}
}

// A user who names no model has the session's own asked, and no other, once: the text of a
// session goes to no provider that nobody chose.
func TestACompactionAsksTheSessionsModelOnce(t *testing.T) {
	t.Parallel()
	for config, want := range map[string]string{"history.models = [\"a/b\"]\n": "[a/b session]", "": "[session]"} {
		p, leaf, kept := shop(t)
		p.config(config)
		first := round(t, p, leaf, kept)
		must.Stop(t, len(first.Ask) != 1 || fmt.Sprint(first.Ask[0].Models) != want, "it asks %+v", first.Ask)
		r, asked := compactRounds(t, p, leaf, kept, written)
		for _, want := range []string{"Part 1 went well.", "Customers get charged twice when they click", "Only look at the routes that move money", "Make checkout idempotent"} {
			must.Contain(t, r.Result.Compaction.Summary, want, "the summary lacks")
		}
		must.Equal(t, len(asked), 1, "questions")
	}
}

// Holds history 48, 50.
func TestACompactionInRoundsGoesOnAfterBadReplies(t *testing.T) {
	t.Parallel()
	p, leaf, kept := shop(t)
	bad := 0
	r, _ := compactRounds(t, p, leaf, kept, func(n int, prompt string) map[string]any {
		if n%3 == 1 && bad < 4 {
			bad++
			return map[string]any{"value": map[string]any{"text": "I'm sorry, I can't.", "model": "a/b"}}
		}
		return written(n, prompt)
	})
	s := r.Result.Compaction.Summary
	must.Not(t, strings.Contains(s, "sorry") || !strings.Contains(s, "went well") || strings.Contains(s, "Extract,"), "the summary: %.500s", s)
	p, leaf, kept = shop(t)
	r, asked := compactRounds(t, p, leaf, kept, func(int, string) map[string]any {
		return map[string]any{"error": "a/b: 401 unauthorized; session: invalid api key"}
	})
	if len(asked) > 4 || !strings.Contains(r.Result.Compaction.Summary, "Extract, not written by a model") {
		t.Errorf("%d questions after the key was refused: %.300s", len(asked), r.Result.Compaction.Summary)
	}
	must.Not(t, len(r.Effects) == 0 || !strings.Contains(fmt.Sprint(r.Effects), "summaries extracted without a model"), "nobody is told: %v", r.Effects)
}

// Holds history 45.
func TestASecondCompactorTakesOverAndTheFirstGivesUp(t *testing.T) {
	t.Parallel()
	p, leaf, kept := shop(t)
	taken := false
	first := round(t, p, leaf, kept)
	must.Stop(t, len(first.Ask) == 0, "nothing is asked")
	_, _ = compactRounds(t, p, leaf, kept, func(n int, prompt string) map[string]any {
		if n > 4 && !taken {
			taken = true
			reply := map[string]any{"id": first.Ask[0].ID, "value": map[string]any{"text": "Too late.", "model": "a/b"}}
			late := round(t, p, leaf, kept, "replies", []map[string]any{reply}, "state", first.State)
			must.Not(t, !strings.Contains(late.Error, "took over") || late.Result.Compaction.Summary != "", "the first goes on: %+v", late)
		}
		return written(n, prompt)
	})
	must.Not(t, !taken, "there was no second one")
}

func TestACompactionThatPictxCannotMakeIsLeftToTheAgent(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(p *piAgent, kept *string){
		"switched off":       func(p *piAgent, _ *string) { p.config("history.compact = false\n") },
		"history off":        func(p *piAgent, _ *string) { p.config("history.enabled = false\n") },
		"an unknown entry":   func(_ *piAgent, kept *string) { *kept = "nothere" },
		"few messages":       func(_ *piAgent, kept *string) { *kept = "432430a1" },
		"no entry":           func(_ *piAgent, kept *string) { *kept = "" },
		"no model, no store": func(p *piAgent, _ *string) { os.WriteFile(p.dir+"/pictx", nil, 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			p, leaf, kept := shop(t)
			change(p, &kept)
			r := round(t, p, leaf, kept)
			must.Not(t, len(r.Ask) > 0 || r.Result.Compaction.Summary != "", "it compacts: %+v", r)
		})
	}
}

func TestWithoutAModelACompactionIsExtractedAtOnce(t *testing.T) {
	t.Parallel()
	p, leaf, kept := shop(t)
	p.config("history.models = [\"none\"]\n")
	r, asked := compactRounds(t, p, leaf, kept, written)
	must.Not(t, len(asked) != 0 || !strings.Contains(r.Result.Compaction.Summary, "Extract, not written by a model"), "%d questions: %.300s", len(asked), r.Result.Compaction.Summary)
	must.Equal(t, len(r.Effects), 0, "what was wanted is complained about: %v", r.Effects)
}

// pi's file still has what the user redacted or purged from the store.
func TestACompactionDoesNotBringBackWhatIsGone(t *testing.T) {
	t.Parallel()
	p, leaf, kept := shop(t)
	const redacted, purged = "PaymentTimeout", "tok_declined"
	for _, args := range [][]string{
		{"import", p.file}, {"history", "redact", redacted, "--yes"}, {"history", "purge", "--match", purged, "--yes"},
	} {
		code, out := p.shell(args...)
		must.Stop(t, code != 0, "%v: %d: %s", args, code, out)
	}
	seen := ""
	last, _ := compactRounds(t, p, leaf, kept, func(n int, prompt string) map[string]any {
		seen += prompt
		return written(n, prompt)
	})
	must.Stop(t, seen == "" || last.Result.Compaction.Summary == "", "nothing is summarized")
	for _, gone := range []string{redacted, purged} {
		must.Not(t, strings.Contains(strings.ToLower(seen), strings.ToLower(gone)), "a model is shown %q", gone)
		code, out := p.shell("grep", gone)
		must.Not(t, code != 3, "grep %s: %d: %s", gone, code, out)
	}
}

func TestHelloDeclaresTheHistoryThatIsOn(t *testing.T) {
	t.Parallel()
	for config, want := range map[string][2]bool{
		"":                          {true, true},
		"history.compact = false\n": {false, true},
		"history.enabled = false\n": {false, false},
	} {
		p := newAgent(t)
		p.config(config)
		hello := p.once("hello", nil)
		got := [2]bool{
			strings.Contains(hello, `"lcm_describe"`), strings.Contains(hello, `{"name":"lcm","description"`),
		}
		must.Equal(t, got, want, "%q: tool, command", config)
	}
}

// Holds history 35, 37.
func TestTheModelReadsBelowASummaryToTheDepthItAsksFor(t *testing.T) {
	t.Parallel()
	p, leaf, kept := shop(t)
	p.config("history.models = [\"none\"]\n")
	p.settings("settings.json", `{"lcm":{"leafChunkTokens":2000}}`)
	r, _ := compactRounds(t, p, leaf, kept, written)
	root := r.Result.Compaction.Details.Pictx.Summaries[0]
	s := p.serve()
	defer s.stop()
	expand := func(params map[string]any) reply {
		t.Helper()
		x := parseReply(t, s.ask(p.request("tool", leaf, map[string]any{"name": "lcm_expand", "toolCallId": "c", "params": params})))
		must.Stop(t, x.Error != "" || x.Result.Error != "", "%v: %+v", params, x)
		return x
	}
	if text := expand(map[string]any{"id": root}).Result.Text; !strings.Contains(text, " s-") || strings.Contains(text, "fe67af56 (user") {
		t.Errorf("the summaries below it: %.400s", text)
	}
	for _, depth := range []any{9, "9"} {
		must.Contain(t, expand(map[string]any{"id": root, "depth": depth, "max_tokens": 8000}).Result.Text, "fe67af56 (user", "depth %v", depth)
	}
	// What it is told to call next goes on at the depth it asked for, to the end.
	call := regexp.MustCompile(`Next part: lcm_expand\(id="([^"]+)", cursor="(\d+)", depth=(\d+)`)
	params, pages, all := map[string]any{"id": root, "depth": 9, "max_tokens": 2000}, 0, ""
	for {
		text := expand(params).Result.Text
		all += text
		if pages++; pages > 500 {
			t.Fatal("the pages do not end")
		}
		must.Not(t, len(text) > 4*2000+200, "a page of %d bytes", len(text))
		next := call.FindStringSubmatch(text)
		if next == nil {
			break
		}
		params = map[string]any{"id": next[1], "cursor": next[2], "depth": next[3], "max_tokens": "2000"}
	}
	must.Not(t, pages < 3 || !strings.Contains(all, "charged twice") || strings.Contains(all, "Extract, not written"), "%d pages of %d bytes", pages, len(all))
}
