//go:build unix

package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// always has a home declare tools from the first request on, so that a test of a tool
// need not prune something first.
func (h *home) always() *home {
	h.env = append(h.env, "PICTX_DECLARE=always")
	return h
}

// own are the tools of a request that pictx declares.
func (r request) own() []string {
	return slices.DeleteFunc(slices.Clone(r.Tools), func(n string) bool {
		return slices.Contains(strings.Split(allTools, ","), n)
	})
}

// wantOwn wants each request to declare just these tools of pictx.
func wantOwn(t *testing.T, what string, all []request, want ...string) {
	t.Helper()
	for _, r := range all {
		if got := r.own(); !slices.Equal(got, want) {
			t.Errorf("%s: request %d declares %v, want %v", what, r.Seq, got, want)
		}
	}
}

// historyTools are declared once there is something to bring back.
func historyTools() []string { return []string{"lcm_grep", "lcm_expand", "lcm_describe"} }

func TestASessionThatNeverPrunesSendsTheRequestsOfPlainPi(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		for session, play := range map[string]func(*testing.T, *home){"errand": freeErrand, "errand in code": func(t *testing.T, h *home) {
			h.write(t, "src/main.ts", "export const x = 1\n")
			h.tools = ""
			doErrand(t, h)
		}} {
			if session != "errand" && version != newest {
				continue
			}
			h := realHome(t, version, transportOf(version))
			play(t, h)
			same(t, plainly(t, version, session, play), h.sent())
		}
	})
}

func TestAStoreThatCannotBeUsedDeclaresNothing(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := realHome(t, version, transport)
		spoil(t, h.storeFile(t))
		h.always() // also of somebody who wants tools at once
		freeErrand(t, h)
		same(t, plainly(t, version, "errand", freeErrand), h.sent())
	})
}

// lateHome is a home with a model that does not bind its thinking: tools may come late.
func lateHome(t *testing.T, version string) *home {
	t.Helper()
	h := autoHome(t, version, transportOf(version))
	h.provider = "openai"
	return h
}

// A tool that is declared in the middle of a session has all of the prompt billed again, and
// a restart of pi does not empty the provider's cache.
//
// Holds prune 28.
// Holds history 61.
func TestHistoryToolsWaitUntilThePromptIsWrittenAnyway(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, _ string) {
		h := lateHome(t, version)
		p := h.start(t)
		wantOwn(t, "before", p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say("one")))
		p.tells("/prune")
		pruned := p.ask("Two.", say("two"))
		wantMarks(t, "pruned while the cache is warm", pruned, 1)
		wantOwn(t, "with a warm cache", pruned)
		p.close()
		before := pruned[len(pruned)-1]
		p = h.start(t, "--continue")
		resumed := p.ask("Three.", say("three"))
		wantOwn(t, "resumed with a warm cache", resumed)
		if resumed[0].System != before.System || !bytes.Equal(resumed[0].ToolsRaw, before.ToolsRaw) {
			t.Errorf("what stands before the messages changed:\n%s", difference([]byte(before.System), []byte(resumed[0].System)))
		}
		p.close()
		h.elapse(t, 2*time.Hour)
		p = h.start(t, "--continue")
		resumed = p.ask("Four.", say("four"))
		wantOwn(t, "resumed with a cold cache", resumed, historyTools()...)
		if resumed[0].System != before.System {
			t.Errorf("the tools change the system prompt:\n%s", difference([]byte(before.System), []byte(resumed[0].System)))
		}
		p.close()
		h.resume(t, "Five.", say("five"))
		wantOwn(t, "resumed with a warm cache and tools", []request{h.model.last(t)}, historyTools()...)
		told := slices.DeleteFunc(ofType(entries(t, h.session(t)), "custom"), func(e entry) bool { return e.CustomType != "pictx.declared" })
		wantCount(t, "times the session says what is declared", len(told), 1)
		h.model.check(t)
	})
}

// hi is the one request of a new session.
func (p *rpc) hi() request {
	p.t.Helper()
	p.do(object{"type": "new_session"})
	return p.ask("Hi.", say("ok"))[0]
}

// What a request may grow by what is declared for each use, at four characters a token
// of the body as an OpenAI server gets it.
func TestDeclarationsAddFewTokens(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := codeHome(t, version, transport, "")
		h.index(t)
		h.decide(t, "add", "Use tabs.")
		p := h.start(t)
		size := func(history, kota, decisions bool, more string) int {
			h.configure(t, fmt.Sprintf("trust = [%q]\nhistory.enabled = %v\nkota.enabled = %v\ndecisions.enabled = %v\n%s\n", h.cwd, history, kota, decisions, more))
			r := p.hi()
			return len(r.ToolsRaw) + len(r.System)
		}
		plain := size(false, false, false, `declare = "never"`)
		for use, c := range map[string]struct{ size, most int }{
			"search":    {size(true, false, false, ""), 120},
			"history":   {size(true, false, false, `declare = "always"`), 300},
			"code":      {size(false, true, false, ""), 450},
			"decisions": {size(false, false, true, ""), 100},
			"objects":   {size(true, false, false, "objects.tools = true"), 120 + 250},
		} {
			tokens := (c.size - plain + 3) / 4
			t.Logf("%s: %d tokens", use, tokens)
			if version == pi073 { // it writes the same declarations in more words
				c.most += c.most / 10
			}
			if tokens <= 0 || tokens > c.most {
				t.Errorf("%s: %d tokens, want 1 to %d", use, tokens, c.most)
			}
		}
	})
}

// The way back that a marker names works before any tool is declared.
func TestAMarkersCommandWorksInTheAgentsShellWithoutPictxOnPathFromAnyDirectory(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := autoHome(t, version, transport)
		p := h.start(t)
		was := p.ask("One.", h.print(t, "one", 9000), glance(), glance(), say("one"))[1].results()[0]
		marker := p.ask("More.", say("more"))[0].results()[0]
		id, ok := marked(marker)
		if !ok {
			t.Fatalf("nothing is pruned: %.200s", marker)
		}
		expand := "pictx expand " + id
		seen := p.ask("Two.", use("bash", object{"command": "command -v pictx; cd / && " + expand + " | wc -c && " + expand + " | head -n 1"}), say("two"))
		wantOwn(t, "meanwhile", seen)
		first, _, _ := strings.Cut(was, "\n")
		if got, want := strings.Fields(latest(t, h.model)), append([]string{h.bin, fmt.Sprint(len(was))}, strings.Fields(first)...); !slices.Equal(got, want) {
			t.Errorf("the command gives %q, want %q", got, want)
		}
		p.finish()
	})
}

func TestToolsAreDeclaredOnceThereIsAnIndexOrADecision(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := decisionsHome(t, version, transport, "")
		h.shop(t)
		p := h.start(t)
		wantOwn(t, "without an index or decisions", []request{p.hi()})
		h.decide(t, "add", "Use tabs.")
		wantOwn(t, "with one decision", []request{p.hi()}, "lcm_grep", "decision_propose", "decisions")
		h.index(t)
		if got := kotaTools(p.hi()); len(got) != 6 {
			t.Errorf("with an index: %v", got)
		}
		h.configure(t, "declare = \"never\"\n")
		wantOwn(t, "declare = never", []request{p.hi()})
		p.close()
	})
}
