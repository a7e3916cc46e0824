//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coctostan/pictx/internal/must"
)

// writer plays the models that write summaries.
type writer struct {
	mu    sync.Mutex
	asked []request
	// say answers; nil is a summary that names the question's number.
	say func(n int, r request) *turn
}

// summaries lets w answer what pictx asks models for, and leaves the rest to the
// queue.
func (m *model) summaries(w *writer) {
	m.answer(func(r request) *turn {
		if !strings.Contains(r.System, "the record of a coding session") {
			return nil
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked = append(w.asked, r)
		if w.say != nil {
			if t := w.say(len(w.asked), r); t != nil {
				return t
			}
		}
		t := say(fmt.Sprintf("Summary number %d: the quokka was chosen.", len(w.asked)))
		return &t
	})
}

// prompts are the questions so far.
func (w *writer) prompts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, r := range w.asked {
		all = append(all, r.text())
	}
	return all
}

// compactHome is a home whose compactions keep little.
func compactHome(t *testing.T, version, transport string) (*home, *writer) {
	t.Helper()
	h := realHome(t, version, transport)
	h.keepRecent = 50
	h.configure(t, "history.model_writes = \"leaves\"\nprune.mode = \"off\"\n")
	h.env = append(h.env, "LCM_LEAF_CHUNK_TOKENS=1500")
	w := &writer{}
	h.model.summaries(w)
	return h, w
}

// conversation is a session in which compactions keep little.
type conversation struct {
	*writer
	t *testing.T
	h *home
	p *rpc
}

// converse begins a session with the given number of turns.
func converse(t *testing.T, version, transport string, turns int) conversation {
	t.Helper()
	h, w := compactHome(t, version, transport)
	h.always() // after a compaction tools wait for a cold cache
	c := conversation{w, t, h, h.start(t)}
	c.p.talk(1, turns)
	return c
}

// eachConversation runs f with a session of the given number of turns in the newest pi, and with
// one in one of the older ones.
func eachConversation(t *testing.T, turns int, f func(t *testing.T, c conversation)) {
	eachWay(t, func(t *testing.T, version, _ string) { f(t, converse(t, version, "serve", turns)) })
}

// next makes one more turn, ends the session and returns the last request.
func (c conversation) next() request {
	c.t.Helper()
	c.p.ask("And now?", say("after"))
	c.p.close()
	return c.h.model.last(c.t)
}

// compaction is the only one of the session, made by pictx.
func (c conversation) compaction() entry {
	c.t.Helper()
	made := c.h.compactions(c.t)
	if len(made) != 1 || !made[0].FromHook {
		c.t.Fatalf("compactions: %+v", made)
	}
	return made[0]
}

// lastStraw is a turn after which pi compacts without being told to: when the context
// is almost full, when the provider refuses it, or while the agent goes on.
func (h *home) lastStraw(t *testing.T, kind string) turn {
	t.Helper()
	switch kind {
	case "overflow":
		return turn{Status: 400, Error: "prompt is too long: 213462 tokens > 200000 maximum"}
	case "inside a run":
		h.write(t, "plan.txt", "the plan")
		reading := use("read", object{"path": "plan.txt"})
		reading.Prompt = 19_000
		return reading
	}
	return turn{Text: "big " + strings.Repeat("words ", 300), Prompt: 19_000}
}

// talk makes n turns of about 400 tokens, the answers numbered from first on.
func (p *rpc) talk(first, n int) {
	p.t.Helper()
	for i := first; i < first+n; i++ {
		p.h.model.play(say(fmt.Sprintf("answer-%d. %s", i, strings.Repeat("some words ", 140))))
		p.prompt(fmt.Sprintf("question-%d", i))
	}
}

// compactions are the compaction entries of the session.
func (h *home) compactions(t *testing.T) []entry {
	t.Helper()
	return ofType(entries(t, h.session(t)), "compaction")
}

// nodeKey is the id of a summary.
var nodeKey = regexp.MustCompile(`s-[0-9a-f]{12}`)

// Holds history 42, 43, 46, 53, 59, 62.
func TestPiGetsSummariesForWhatItDrops(t *testing.T) {
	t.Parallel()
	alsoOldest(t, func(t *testing.T, version string) {
		c := converse(t, version, transportOf(version), 0)
		h, p := c.h, c.p
		h.write(t, "plan.txt", "the plan")
		p.ask("Read the plan.", use("read", object{"path": "plan.txt"}), say("read it"))
		p.talk(1, 8)
		p.do(object{"type": "compact", "customInstructions": "keep the names of animals"})
		p.ask("And now?", say("after"))
		last := h.model.last(t)
		for _, want := range []string{"## Conversation History (Lossless Context Management)", "### Recent Activity", "the quokka was chosen", "<read-files>\nplan.txt"} {
			contains(t, "the request after the compaction", last.text(), want)
		}
		lacks(t, "what was compacted is still there", last.text(), "answer-2.")
		asked := c.prompts()
		if len(asked) < 2 {
			t.Fatalf("%d summaries were asked for, want some", len(asked))
		}
		all := strings.Join(asked, "\n")
		contains(t, "the prompts", all, "keep the names of animals")
		for i := 1; i < 8; i++ {
			if n := strings.Count(all, fmt.Sprintf("\nanswer-%d. ", i)); n != 1 {
				t.Errorf("answer %d is in %d prompts", i, n)
			}
		}
		made := c.compaction()
		key := nodeKey.FindString(made.Summary)
		contains(t, "the details of the compaction", string(made.Raw), `"pictx":{"summaries":["`+nodeKey.FindString(string(made.Raw)))
		if version == newest && usageOf(t, made) <= 0 {
			t.Errorf("the compaction does not say what it cost: %.300s", made.Raw)
		}
		p.ask("Look.", use("lcm_describe", object{"section": "overview"}), use("lcm_expand", object{"id": key}), say("seen"))
		results := h.model.last(t).results()
		contains(t, "what lcm_describe says", results[len(results)-2], key)
		contains(t, "what lcm_expand says", results[len(results)-1], "question-")
		p.finish()
	})
}

// Holds history 42, 57, 61, 62, 63.
func TestTheRequestPrefixIsStableBetweenCompactions(t *testing.T) {
	t.Parallel()
	eachConversation(t, 8, func(t *testing.T, c conversation) {
		h, p := c.h, c.p
		compacted := len(h.model.turns()) // the history tools come with the next request
		p.compact()
		asked := len(c.prompts())
		p.talk(9, 2)
		first := len(h.model.turns())
		p.talk(11, 4)
		p.compact()
		p.talk(15, 2)
		p.close()
		all := h.model.turns()
		for i, r := range all {
			if r.System != all[0].System {
				t.Errorf("the system prompt of request %d differs from the first", i+1)
			}
			if same := all[max(0, i-1)]; i != compacted && !bytes.Equal(frame(r.ToolsRaw), frame(same.ToolsRaw)) {
				t.Errorf("the tools of request %d differ from those before", i+1)
			}
		}
		blocks := map[string]int{}
		for i, r := range all {
			if !strings.Contains(r.Messages[0].Text, "Lossless Context Management") {
				continue
			}
			blocks[string(r.Messages[0].Raw)]++
			if prev := all[i-1]; string(prev.Messages[0].Raw) == string(r.Messages[0].Raw) && r.API == "openai" {
				goesOn(t, prev, r)
			}
		}
		if len(blocks) != 2 {
			t.Errorf("the summary had %d forms in %d requests after %d, want one for each of two compactions", len(blocks), len(all), first)
		}
		for _, prompt := range c.prompts()[asked:] {
			lacks(t, "a message was summarised twice", prompt, "\nanswer-2. ")
		}
		made := h.compactions(t)
		if len(made) != 2 {
			t.Fatalf("%d compactions", len(made))
		}
		for _, key := range nodeKey.FindAllString(string(made[0].Raw), -1) {
			contains(t, "the second summary", string(made[1].Raw), key)
		}
		for i := 1; i <= asked; i++ {
			contains(t, "the last request", all[len(all)-1].text(), fmt.Sprintf("Summary number %d:", i))
		}
	})
}

// goesOn fails the test when a request does not begin with the messages of the one
// before.
func goesOn(t *testing.T, before, after request) {
	t.Helper()
	for i, m := range before.Messages {
		if i >= len(after.Messages) || string(m.Raw) != string(after.Messages[i].Raw) {
			t.Errorf("message %d is not as in the request before", i+1)
			return
		}
	}
}

// Holds history 42, 43.
func TestSummariesReplaceMessagesAfterAnAutomaticCompaction(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		for _, kind := range kindsIn(version, "threshold", "overflow", "inside a run") {
			if kind == "inside a run" && version == pi073 {
				continue // it compacts at the end of a run only
			}
			t.Run(kind, func(t *testing.T) {
				h, w := compactHome(t, version, "serve")
				h.compaction, h.window = true, 20_000
				p := h.start(t)
				p.talk(1, 6)
				h.model.play(h.lastStraw(t, kind), say("after"), say("and on"), say("and on"))
				p.prompt("Go on.")
				p.idle()
				p.prompt("And on.")
				p.idle()
				p.close()
				made := h.compactions(t)
				if len(made) == 0 || !made[0].FromHook {
					t.Fatalf("compactions: %d\n%s", len(made), p.last())
				}
				contains(t, "the summary", made[0].Summary, "the quokka was chosen")
				contains(t, "the last request", h.model.last(t).text(), "the quokka was chosen")
				if len(w.prompts()) == 0 {
					t.Error("no summary was asked for")
				}
				h.stored(t)
			})
		}
	})
}

// Holds history 43.
func TestASplitTurnIsSummarisedUpToWhereItIsSplit(t *testing.T) {
	t.Parallel()
	eachConversation(t, 4, func(t *testing.T, c conversation) {
		h := c.h
		var turns []turn
		for i := range 5 {
			h.write(t, fmt.Sprintf("f%d.txt", i), strings.Repeat("line of a file\n", 60))
			step := use("read", object{"path": fmt.Sprintf("f%d.txt", i)})
			step.Text = fmt.Sprintf("step-%d", i)
			turns = append(turns, step)
		}
		h.keepRecent = 50
		c.p.ask("Read all files.", append(turns, say("all read"))...)
		c.p.compact()
		last := c.next().text()
		all := strings.Join(c.prompts(), "\n")
		contains(t, "the prompts", all, "The span ends in the middle of a turn")
		for i := range 5 {
			if strings.Contains(all, fmt.Sprintf("\nstep-%d", i)) == strings.Contains(last, fmt.Sprintf("step-%d", i)) {
				t.Errorf("step %d is in both of the summaries and the context, or in none", i)
			}
		}
		contains(t, "the last request", last, "all read")
	})
}

// usageOf is what a compaction says that it cost.
func usageOf(t *testing.T, e entry) (input float64) {
	t.Helper()
	var c struct{ Usage struct{ Input float64 } }
	must.Do(t, json.Unmarshal(e.Raw, &c))
	return c.Usage.Input
}

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	for limit := time.Now().Add(patience); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// ok runs a command that must succeed.
func (h *home) ok(t *testing.T, args ...string) string {
	t.Helper()
	out, code := h.cli(t, args...)
	must.Equal(t, code, 0, "pictx %v ended with", args)
	return out
}

// read is the text of a file.
func read(t *testing.T, file string) string {
	t.Helper()
	b := must.Get(os.ReadFile(file))(t)
	return string(b)
}

// Holds history 44, 55.
func TestAnAbortedCompactionKeepsFinishedSummaries(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, _ string) {
		if version == pi073 {
			return // its command abort does not reach a compaction
		}
		c := converse(t, version, "serve", 20)
		h, w, p := c.h, c.writer, c.p
		stuck := make(chan struct{})
		w.say = func(n int, _ request) *turn {
			if n <= 4 {
				return nil
			}
			return &turn{Text: "too late", Wait: stuck}
		}
		from := p.mark()
		id := p.post(object{"type": "compact"})
		waitFor(t, "the second round of questions", func() bool { return len(w.prompts()) > 4 })
		p.post(object{"type": "abort"})
		p.wait(from, "the end of the compaction", func(r record) bool { return r.Type == "response" && r.ID == id })
		close(stuck)
		p.idle()
		if n := len(h.compactions(t)); n != 0 {
			t.Fatalf("%d compactions after the abort", n)
		}
		before := len(w.prompts())
		w.mu.Lock()
		w.say = nil
		w.mu.Unlock()
		p.compact()
		p.close()
		c.p = p
		c.compaction()
		for i, prompt := range w.prompts()[before:] {
			if strings.Contains(prompt, "\nanswer-1. ") {
				t.Errorf("question %d asks again for what was answered before the abort", i+1)
			}
		}
		kept := h.ok(t, "export")
		for i := range 4 {
			contains(t, "the export", kept, fmt.Sprintf("Summary number %d:", i+1))
		}
	})
}

// An agent that is killed inside a compaction does not block the next one of its session, whether
// it has one pictx for all events or one for each. The shell is told when to try again.
//
// Holds history 44, 45.
func TestAfterAKilledAgentItsSessionCompactsAtOnce(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"serve", "oneshot"} {
		t.Run(transport, func(t *testing.T) {
			c := converse(t, newest, transport, 8)
			h, w, p := c.h, c.writer, c.p
			stuck := make(chan struct{})
			w.say = func(int, request) *turn { return &turn{Text: "too late", Wait: stuck} }
			p.post(object{"type": "compact"})
			waitFor(t, "a question to the model", func() bool { return len(w.prompts()) > 0 })
			if out, code := h.cli(t, "compact", "--model", "none", h.session(t)); code != 11 {
				t.Errorf("while the agent compacts, pictx compact ended with %d: %s", code, out)
			}
			p.kill()
			close(stuck)
			w.say = nil
			if out, code := h.cli(t, "compact", "--model", "none", h.session(t)); code != 11 {
				t.Errorf("after the kill, pictx compact ended with %d: %s", code, out)
			}
			c.p = h.start(t, "--continue")
			c.p.compact()
			c.p.close()
			c.compaction()
		})
	}
}

// Holds history 42.
func TestPiUsesWhatTheShellHasSummarised(t *testing.T) {
	t.Parallel()
	eachConversation(t, 10, func(t *testing.T, c conversation) {
		h := c.h
		c.p.close()
		before := read(t, h.session(t))
		said := h.ok(t, "compact", "--yes", "--command", "echo", "--command", "The shell chose the numbat.", h.session(t))
		contains(t, "what compact says", said, "0 extracted")
		if read(t, h.session(t)) != before {
			t.Error("compact wrote to the session's file")
		}
		c.p = h.start(t, "--continue")
		c.p.compact()
		contains(t, "the request", c.next().text(), "The shell chose the numbat.")
		wantCount(t, "questions for what was summarised", len(c.prompts()), 0)
		c.compaction()
	})
}

// A copy that ends in a compaction is a session that pi goes on with.
func TestPiGoesOnWithACopyThatTheShellCompacted(t *testing.T) {
	t.Parallel()
	eachConversation(t, 10, func(t *testing.T, c conversation) {
		h := c.h
		c.p.close()
		original := h.session(t)
		copied := strings.TrimSuffix(original, ".jsonl") + "-compacted.jsonl"
		h.ok(t, "compact", "--model", "none", "-o", copied, original)
		c.p = h.start(t, "--session", copied)
		text := c.next().text()
		contains(t, "the request", text, "Extract, not written by a model")
		contains(t, "the request", text, "answer-10.")
		// An extract has only its beginning.
		lacks(t, "what was compacted is still there", text, "answer-2. "+strings.Repeat("some words ", 100))
	})
}
