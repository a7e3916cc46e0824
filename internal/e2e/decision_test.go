//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// decisionsHome is a home whose project is trusted, whatever pi says of it.
func decisionsHome(t *testing.T, version, transport, more string) *home {
	t.Helper()
	h := realHome(t, version, transport)
	h.configure(t, fmt.Sprintf("trust = [%q]\nprune.mode = \"off\"\n%s", h.cwd, more))
	return h
}

// decide runs pictx decision as a person would, and returns what it prints.
func (h *home) decide(t *testing.T, args ...string) string {
	t.Helper()
	out, code := h.cli(t, append([]string{"decision"}, args...)...)
	if code != 0 {
		t.Fatalf("pictx decision %v ends with %d", args, code)
	}
	return out
}

// decisionID is how ids look.
var decisionID = regexp.MustCompile(`D-\d{4}-\d\d-\d\d-[0-9A-Z]{4}`)

// decisionLog is the log of the project, "" when there is none.
func (h *home) decisionLog(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(h.cwd, ".pi/decision-memory/decisions.jsonl"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(b)
}

// snapshots counts how often a request shows all decisions.
func snapshots(r request) int { return strings.Count(r.text(), "Active project decisions:") }

// follows fails the test when a request does not begin with all of the one before.
func follows(t *testing.T, before, after request) {
	t.Helper()
	if before.System != after.System {
		t.Errorf("the system prompt changed:\n%s\n%s", before.System, after.System)
	}
	if len(after.Messages) <= len(before.Messages) {
		t.Fatalf("%d messages after %d", len(after.Messages), len(before.Messages))
	}
	for i, m := range before.Messages {
		if string(m.Raw) != string(after.Messages[i].Raw) {
			t.Errorf("message %d was %s and is %s", i, m.Raw, after.Messages[i].Raw)
		}
	}
}

// Holds decisions 70, 75.
func TestDecisionsAreShownOnceAndThenOnlyWhatChanges(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := decisionsHome(t, version, transport, "")
		first := decisionID.FindString(h.decide(t, "add", "Use tabs", "--tag", "style"))
		h.model.play(say("one"), say("two"), say("three"), say("four"))
		p := h.start(t)
		p.prompt("Hi.")
		one := h.model.last(t)
		contains(t, "the first request", one.text(), "\n"+first+" | Use tabs | #style\n")
		p.prompt("Again.")
		two := h.model.last(t)
		if snapshots(one) != 1 || snapshots(two) != 1 || strings.Count(two.text(), first) != 1 {
			t.Errorf("%d and %d snapshots: %s", snapshots(one), snapshots(two), two.text())
		}
		follows(t, one, two)

		p.slash("/decision add Cents are whole numbers")
		p.prompt("More.")
		three := h.model.last(t)
		follows(t, two, three)
		added := three.Messages[len(two.Messages):]
		if n := strings.Count(three.text(), "Project decisions changed:"); n != 1 || snapshots(three) != 1 {
			t.Errorf("%d changes, %d snapshots", n, snapshots(three))
		}
		contains(t, "what was added", string(added[len(added)-1].Raw)+string(added[0].Raw)+added[1].Text, "Cents are whole numbers")

		h.decide(t, "supersede", first, "Use spaces", "--reason", "the editor")
		p.prompt("And now?")
		p.close()
		four := h.model.last(t)
		follows(t, three, four)
		contains(t, "the last request", four.text(), "\n"+first+" is no longer in force\n")
		contains(t, "the last request", four.text(), " | Use spaces\n")
		if strings.Count(four.text(), "Cents are whole numbers") != 1 {
			t.Error("what did not change is shown again")
		}
		h.model.check(t)
	})
}

// Holds decisions 70.
func TestACompactionInsideARunBringsTheDecisionsBackOnce(t *testing.T) {
	t.Parallel()
	h := decisionsHome(t, newest, "serve", "history.compact = false\n")
	h.keepRecent, h.compaction, h.window = 50, true, 20_000
	id := decisionID.FindString(h.decide(t, "add", "Use tabs"))
	p := h.start(t)
	p.talk(1, 3)
	after := p.ask("Go on.", h.lastStraw(t, "inside a run"), say("after"))[1]
	p.close()
	if len(ofType(entries(t, h.session(t)), "compaction")) == 0 {
		t.Fatalf("nothing was compacted\n%s", p.last())
	}
	if snapshots(after) != 1 || strings.Count(after.text(), id) != 1 {
		t.Errorf("%d snapshots in the first request after the compaction: %s", snapshots(after), after.text())
	}
}

// statuses are the decisions of the project as "status text".
func (h *home) statuses(t *testing.T) []string {
	t.Helper()
	var out []string
	for line := range strings.Lines(h.decide(t, "list", "--all", "--json")) {
		var d struct{ Status, Text string }
		must.Do(t, json.Unmarshal([]byte(line), &d))
		out = append(out, d.Status+" "+d.Text)
	}
	return out
}

// captureLines is a prompt with two decisions and one that is quoted.
const captureLines = "Please build it.\n\nDecision: Use tabs\n> Decision: quoted\n- Decision: Cents are whole numbers\n```\nDecision: in code\n```"

// Holds decisions 76, 77, 79, 80.
func TestMarkedLinesAreOfferedAfterTheRun(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := decisionsHome(t, version, transport, "")
		p := h.start(t)
		for _, c := range []struct {
			name   string
			answer dialog
			last   turn
			asked  int
			want   string
		}{
			{"refused", func(record) any { return nil }, say("done"), 1, ""},
			{"failed", takesAll, turn{Status: 400, Error: "no"}, 0, ""},
			{"aborted", takesAll, turn{Text: "unheard", Wait: make(chan struct{})}, 0, ""},
			{"answered", takesAll, say("done"), 1, "active Use tabs|active Cents are whole numbers"},
		} {
			p.do(object{"type": "new_session"})
			p.answers(c.answer)
			p.from = p.mark()
			if c.last.Wait != nil {
				p.aborts(captureLines, c.last)
			} else {
				p.ask(captureLines, c.last)
			}
			p.idle()
			p.ask("Go on.", say("Decision: by the model"))
			p.idle()
			asked := func() (n int) {
				for _, r := range p.of("select") {
					n += count(strings.Contains(r.Title, "Remember these") && strings.Contains(strings.Join(r.Options, " "), "Use tabs"))
				}
				return n
			}
			decided := func() string { return strings.Join(h.statuses(t), "|") }
			// pi does not wait for what follows a run.
			waitFor(t, "the question when "+c.name, func() bool { return asked() >= c.asked })
			waitFor(t, "the decisions when "+c.name, func() bool { return decided() == c.want })
			must.Equal(t, asked(), c.asked, "questions when %s", c.name)
			must.Equal(t, decided(), c.want, "decisions when %s", c.name)
		}
		p.close()
	})
}

// takesAll accepts what is proposed.
func takesAll(r record) any {
	if r.Method == "select" {
		return r.Options[0]
	}
	return true
}

func TestTheModelProposesAndThePersonAccepts(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := decisionsHome(t, version, transport, "").always()
		h.decide(t, "draft", "Only a project that has a log may be proposed to")
		h.decide(t, "reset", "--yes")
		h.model.play(use("decision_propose", object{"text": "Use tabs", "reason": "gofmt"}), say("proposed"), say("seen"))
		p := h.start(t)
		p.prompt("Propose something.")
		told := latest(t, h.model)
		id := decisionID.FindString(told)
		contains(t, "what the model is told", told, "draft "+id)
		must.Match(t, h.statuses(t), []string{"draft Use tabs"}, "decisions")
		contains(t, "the log", h.decisionLog(t), `"u":"agent"`)
		p.slash("/decision accept " + id)
		p.prompt("And now?")
		p.close()
		contains(t, "the last request", h.model.last(t).text(), id+" | Use tabs\n")
	})
}

// foreignLog is a log as somebody else wrote it.
const foreignLog = `{"v":1,"t":"2026-02-27T06:00:00.000Z","p":"0123456789abcdef","e":"a","i":"D-2026-02-27-0001","d":{"ti":"Use tabs","tx":"Use tabs","tg":[],"s":"active","r":"x","sp":null,"c":[]},"u":"user"}` + "\n"

// A repository that was cloned may hold decisions and nothing that pi asks about:
// pi then says that it is trusted, although it never asked the user.
func TestUntrustedDecisionsReachNoModel(t *testing.T) {
	t.Parallel()
	everyPi(t, func(t *testing.T, version string) {
		for _, flags := range [][]string{nil, {"--no-approve"}} {
			if flags != nil && version == pi073 {
				continue // it knows no trust
			}
			h := realHome(t, version, "serve")
			h.flags = flags
			h.write(t, ".pi/decision-memory/decisions.jsonl", foreignLog)
			if version == pi087 {
				h.write(t, ".pi/mcp.json", "{}") // later versions ask about it, this one does not know it
			}
			h.model.play(say("ok"), say("again"), say("done"))
			p := h.start(t)
			p.prompt("Hi.")
			p.slash("/decision list")
			p.prompt("Remember.\nDecision: Use spaces")
			p.idle()
			for _, r := range h.model.turns() {
				if strings.Contains(r.text(), "Use tabs") || strings.Contains(r.text(), "<project-decisions>") {
					t.Errorf("it is shown: %s", r.text())
				}
			}
			must.Equal(t, h.decisionLog(t), foreignLog, "the log")
			if flags == nil && version != pi073 {
				// What /trust saves.
				trust := must.Get(json.Marshal(map[string]bool{realPath(t, h.cwd): true}))(t)
				must.Do(t, os.WriteFile(filepath.Join(h.agent, "trust.json"), trust, 0o600))
				p.prompt("And now?")
				contains(t, "what is trusted", h.model.last(t).text(), "D-2026-02-27-0001 | Use tabs")
			}
			p.close()
		}
	})
}

func realPath(t *testing.T, path string) string {
	t.Helper()
	real := must.Get(filepath.EvalSymlinks(path))(t)
	return real
}

// Holds decisions 70, 75.
func TestTheModelSeesTheDecisionsInForceAfterMovingInTheTree(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		h := decisionsHome(t, version, transport, "")
		h.extensions = []string{helper(t)}
		first := decisionID.FindString(h.decide(t, "add", "Use tabs"))
		h.model.play(say("one"), say("two"), say("three"), say("four"), say("five"), say("summary"), say("six"))
		p := h.start(t)
		p.prompt("First.")
		p.prompt("Second.")
		two := h.model.last(t)
		second := decisionID.FindString(h.decide(t, "add", "Cents are whole numbers"))
		p.prompt("Third.")

		// Back to before the third prompt: the model hears again what it heard after it.
		p.slash("/e2e-tree 2")
		p.prompt("Third again.")
		r := h.model.last(t)
		follows(t, two, r)
		if snapshots(r) != 1 || strings.Count(r.text(), first) != 1 || strings.Count(r.text(), second) != 1 {
			t.Errorf("after a step back: %s", r.text())
		}

		// Back to the beginning: all of it, once.
		p.slash("/e2e-tree 0")
		h.decide(t, "reject", first, "--reason", "no")
		p.prompt("From the start.")
		r = h.model.last(t)
		if snapshots(r) != 1 || strings.Contains(r.text(), first) || strings.Count(r.text(), second) != 1 {
			t.Errorf("from the start: %s", r.text())
		}

		// To the other branch, which was shown what holds no more, with a summary of this one.
		p.slash("/e2e-tree 1 summarize")
		p.prompt("Second again.")
		p.close()
		r = h.model.last(t)
		contains(t, "the other branch", r.text(), "\n"+first+" is no longer in force\n")
		if snapshots(r) != 1 || strings.Count(r.text(), second) != 1 {
			t.Errorf("on the other branch: %s", r.text())
		}
	})
}

// A model hears of the decisions that govern the files that it works on when it does, behind
// the results of that turn; nothing that was sent before changes.
func TestTheModelIsToldOnceOfDecisionsThatGovernTheFilesOfATurn(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, version, transport string) {
		if version == pi073 {
			return // it would deliver the message only after the next request
		}
		h := decisionsHome(t, version, transport, "decisions.context.max_decisions = 1\n")
		h.write(t, "src/api.go", "package api\n")
		h.write(t, "src/db.go", "package db\n")
		h.write(t, "free.txt", "text\n")
		api := decisionID.FindString(h.decide(t, "add", "Errors are problem JSON", "--path", "src/api.go"))
		all := decisionID.FindString(h.decide(t, "add", "No package has state", "--path", "src/**"))
		h.decide(t, "add", "Use tabs")
		h.model.play(
			use("read", object{"path": "free.txt"}), use("read", object{"path": "src/db.go"}),
			use("edit", object{"path": "src/api.go", "edits": []object{{"oldText": "package api", "newText": "package web"}}}),
			use("read", object{"path": "src/api.go"}), say("done"), say("yes"),
		)
		p := h.start(t)
		p.prompt("Go.")
		p.prompt("Again?")
		p.close()
		turns := h.model.turns()
		for i, want := range []struct{ api, all int }{{0, 0}, {0, 0}, {0, 1}, {1, 1}, {1, 1}, {1, 1}} {
			text := turns[i].text()
			if a, b := strings.Count(text, api+" | Errors are"), strings.Count(text, all+" | No package"); a != want.api || b != want.all {
				t.Errorf("request %d: %s %d times, %s %d times, want %+v", i, api, a, all, b, want)
			}
			if i > 0 {
				follows(t, turns[i-1], turns[i])
			}
		}
		contains(t, "the third request", turns[2].text(), "\nDecisions that govern src/db.go:\n")
		contains(t, "the fourth request", turns[3].text(), "\nDecisions that govern src/api.go:\n")
		h.model.check(t)
	})
}

// What has no paths, or is not to be told, changes no request.
func TestASessionWithoutGoverningDecisionsHasTheRequestsThatItHadBefore(t *testing.T) {
	t.Parallel()
	ungoverned := func(p *rpc, what string) {
		p.t.Helper()
		turns := p.ask("Go.", use("read", object{"path": "src/api.go"}), say("done"))
		if n := len(turns[1].Messages) - len(turns[0].Messages); n != 2 || strings.Contains(turns[1].text(), "Decisions that govern") {
			p.t.Errorf("%s: %d messages were added: %s", what, n, turns[1].text())
		}
	}
	everyPi(t, func(t *testing.T, version string) {
		h := decisionsHome(t, version, "serve", "")
		h.write(t, "src/api.go", "package api\n")
		h.write(t, ".pi/settings.json", "{}") // something that pi asks trust for
		h.decide(t, "add", "Errors are problem JSON")
		p := h.start(t)
		ungoverned(p, "no paths")
		h.decide(t, "add", "Pages are short", "--path", "docs/**")
		ungoverned(p, "another")
		for _, when := range []string{"off", "edits"} {
			h.configure(t, fmt.Sprintf("trust = [%q]\nprune.mode = \"off\"\ndecisions.context.governing = %q\n", h.cwd, when))
			h.decide(t, "add", "No state, for "+when, "--path", "src/**")
			p.do(object{"type": "new_session"})
			ungoverned(p, when)
		}
		p.close()
		if version == pi073 { // it takes no message between a result and its request
			h.configure(t, fmt.Sprintf("trust = [%q]\nprune.mode = \"off\"\n", h.cwd))
			p = h.start(t)
			ungoverned(p, "pi 0.73")
			p.close()
			return
		}
	})
}
