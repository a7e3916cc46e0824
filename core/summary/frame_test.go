package summary_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
)

// call appends a call of a tool without a result.
func (s *session) call(t testing.TB, tool, args string) {
	t.Helper()
	s.entry(t, fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":"c%d","name":%q,"arguments":%s}]}`, s.n, tool, args))
}

// extract is the text that stands for the whole session, without a model.
func (s *session) extract(t *testing.T) string {
	t.Helper()
	return s.extracted(t, "")
}

func TestTheToDoListIsTheLastOneHoweverItWasWritten(t *testing.T) {
	for name, write := range map[string]func(s *session){
		"all of it at a time": func(s *session) {
			s.call(t, "TodoWrite", `{"todos":[{"content":"an old plan","status":"pending"}]}`)
			s.call(t, "TodoWrite", `{"todos":[{"content":"read the log","status":"completed"},{"content":"mend the lease","status":"in_progress"},{"content":"write a test","status":"pending"}]}`)
		},
		"in a response": func(s *session) {
			s.says(t, "It works now.\n\nNext steps:\n- [x] read the log\n- [ ] mend the lease\n- [ ] write a test\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			s.user(t, "Please make the lease renew itself.")
			write(s)
			s.says(t, strings.Repeat("And on it goes. ", 200))
			text := s.extract(t)
			_, list, _ := strings.Cut(text, "### To-do list\n")
			list, _, _ = strings.Cut(list, "\n###")
			for _, want := range []string{"[done] read the log", "mend the lease", "write a test"} {
				if !strings.Contains(list, want) {
					t.Errorf("the list lacks %q:\n%s", want, text)
				}
			}
			if strings.Contains(list, "an old plan") || strings.Contains(list, "[done] mend") {
				t.Errorf("the list is not the last one:\n%s", list)
			}
		})
	}
}

func TestALongToDoListKeepsItsOpenItems(t *testing.T) {
	var items []string
	for i := range 60 {
		state := "completed"
		if i >= 55 {
			state = "pending"
		}
		items = append(items, fmt.Sprintf(`{"content":"step %d of the way through the store and back","status":%q}`, i, state))
	}
	s := newSession(t)
	s.user(t, "Please make the lease renew itself.")
	s.call(t, "TodoWrite", `{"todos":[`+strings.Join(items, ",")+`]}`)
	s.says(t, strings.Repeat("And on it goes. ", 200))
	text := s.extract(t)
	for i := 55; i < 60; i++ {
		if !strings.Contains(text, fmt.Sprintf("[pending] step %d ", i)) {
			t.Errorf("open item %d is missing", i)
		}
	}
}

func TestWhatAnExtensionWroteIsNotListedAsDone(t *testing.T) {
	s := newSession(t)
	s.user(t, "Please make the lease renew itself.")
	s.entry(t, `{"role":"custom","customType":"note","content":"[Request interrupted by user]"}`)
	s.says(t, "The lease renews itself now.")
	s.user(t, "Go on.")
	s.says(t, strings.Repeat("And on it goes. ", 200))
	_, done, _ := strings.Cut(s.extract(t), "### Done\n")
	done, _, _ = strings.Cut(done, "\n###")
	if !strings.Contains(done, "The lease renews itself now.") || strings.Contains(done, "interrupted") {
		t.Errorf("done is:\n%s", done)
	}
}

func TestAProposalIsNotListedAsDoneButWithTheReply(t *testing.T) {
	s := newSession(t)
	s.user(t, "How should the packages be laid out?")
	s.runs(t, "ls -R src", "src/main.go")
	s.says(t, "Let me propose a structure: everything moves below lib.\n\nWant me to proceed with this structure?")
	s.user(t, "That is horrible: tools go to core/tools.")
	s.call(t, "edit", `{"path":"core/tools/a.go"}`)
	s.says(t, "The tools are in core/tools now. Shall I commit?")
	s.user(t, "Go on.")
	s.says(t, strings.Repeat("And on it goes. ", 200))
	text := s.extract(t)
	_, done, _ := strings.Cut(text, "### Done\n")
	done, _, _ = strings.Cut(done, "\n###")
	if strings.Contains(done, "below lib") || !strings.Contains(done, "The tools are in core/tools now.") {
		t.Errorf("done is:\n%s", done)
	}
	_, proposed, _ := strings.Cut(text, "### Proposed without a change, and the reply\n")
	proposed, _, _ = strings.Cut(proposed, "\n###")
	if !strings.Contains(proposed, "everything moves below lib") || !strings.Contains(proposed, "the user replied: That is horrible: tools go to core/tools.") {
		t.Errorf("what was proposed is:\n%s", proposed)
	}
}

func TestPromptsThatDoNotFitKeepTheirBeginningAndTheirEnd(t *testing.T) {
	s := newSession(t)
	s.user(t, "/mode")
	s.user(t, "Implement this plan. BEGIN-FIRST "+strings.Repeat("a step of the plan. ", 900)+"END-FIRST")
	for i := range 60 {
		s.user(t, fmt.Sprintf("request number %d: %s", i, strings.Repeat("look at it closely ", 20)))
		s.says(t, "It was looked at.")
	}
	s.user(t, "go on")
	s.user(t, "Now the last thing. BEGIN-LAST "+strings.Repeat("and this too. ", 60)+"END-LAST")
	text := s.extract(t)
	for _, want := range []string{"BEGIN-FIRST", "END-FIRST", "BEGIN-LAST", "END-LAST", `all of it: lcm_expand(id="e0000002")`, "request number 59:"} {
		must.Contain(t, text, want, "what it says")
	}
	asked, _, _ := strings.Cut(text, "\n###")
	if strings.Contains(asked, "go on\n") || strings.Contains(asked, "/mode") {
		t.Error("what sets no task takes room")
	}
	if n := tokensOf(text); n > summary.DefaultBudget {
		t.Errorf("%d tokens", n)
	}
}

func TestACommandThatWorksAtLastIsNotFailing(t *testing.T) {
	s := newSession(t)
	s.user(t, "Please make the tests pass.")
	s.runs(t, "go test ./lease", "--- FAIL: TestLease (0.00s)\n\nCommand exited with code 1")
	s.runs(t, "make lint", "lease.go:12:3: missing cases in switch\n\nCommand exited with code 2")
	s.runs(t, "grep -n never lease.go", "\n\nCommand exited with code 1")
	s.runs(t, "go test ./lease", "ok  lease 0.1s")
	s.says(t, strings.Repeat("And on it goes. ", 200))
	_, failing, _ := strings.Cut(s.extract(t), "### Commands that failed")
	failing, _, _ = strings.Cut(failing, "\n###")
	must.Contain(t, failing, "`make lint`: exit 2: lease.go:12:3: missing cases in switch", "the failing command is missing")
	if strings.Contains(failing, "go test") || strings.Contains(failing, "grep") {
		t.Errorf("commands that do not fail: %s", failing)
	}
}

// compactedWith is a session in which something else compacted the first half into text.
func compactedWith(t *testing.T, text string) *session {
	t.Helper()
	s := talk(t, 20)
	kept := s.user(t, "and now the second half")
	s.says(t, "It begins.")
	s.n++
	s.add(t, fmt.Sprintf(`{"type":"compaction","id":"c0000001","parentId":%q,"timestamp":"2026-11-20T10:59:00Z","summary":%q,"firstKeptEntryId":%q,"tokensBefore":1}`, s.leaf, text, kept))
	for i := range 20 {
		s.user(t, fmt.Sprintf("later question %d: %s", i, strings.Repeat("why ", 40)))
		s.says(t, fmt.Sprintf("later answer %d: %s", i, strings.Repeat("thus ", 40)))
	}
	return s
}

func TestAModelIsAskedOnlyAboutWhatCameAfterTheLastCompaction(t *testing.T) {
	s := compactedWith(t, "## Goal\nThe quokka was chosen.\n\n<read-files>\na.go\n</read-files>")
	b, m, sc := s.branch(t, ""), &memory{}, &scribe{}
	o := summary.Options{Models: []string{"session"}, LeafTokens: 500, Now: (&clock{}).now}
	work(t, m, b, o, sc)
	if len(sc.asked) != 1 {
		t.Fatalf("%d requests", len(sc.asked))
	}
	p := sc.asked[0].Prompt
	if strings.Contains(p, "answer 3: ") && !strings.Contains(p, "later answer 3: ") || strings.Contains(p, "\nanswer 3: ") {
		t.Error("it holds what was summarised before")
	}
	for _, want := range []string{"The quokka was chosen.", "and now the second half", "later answer 19:"} {
		must.Contain(t, p, want, "the prompt lacks")
	}
	c := b.Cover(m.nodes)
	if len(c.Roots) != 2 || c.Roots[0].Text != "## Goal\nThe quokka was chosen." || c.Roots[0].Kind != summary.Model {
		t.Errorf("the summary before is not the oldest of %d roots: %q", len(c.Roots), c.Roots[0].Text)
	}
	again := &scribe{}
	work(t, m, b, o, again)
	must.Equal(t, len(again.asked), 0, "a second run asks again")
}

func TestSummaryThatTheAgentWroteIsListedWithWhatItCovers(t *testing.T) {
	b, m := compactedWith(t, "## Goal\nThe quokka was chosen.").branch(t, ""), &memory{}
	v := must.Get(summary.ViewOf(t.Context(), m, b))(t)
	tree := v.Tree(0)
	if !strings.HasPrefix(tree, "c0000001 (a compaction of the agent, 40 messages): ") {
		t.Errorf("the tree does not begin with it:\n%s", tree)
	}
	if all := v.Describe(summary.Overview, 1000); !strings.Contains(all, "c0000001 (a compaction") || strings.Contains(all, "Nothing is summarised") {
		t.Errorf("described as:\n%s", all)
	}
}

// A store that was lost takes the text of an earlier compaction from the session.
func TestASummaryOfALostStoreIsKept(t *testing.T) {
	first := talk(t, 20)
	m := &memory{}
	b := first.branch(t, "")
	work(t, m, b, summary.Options{Models: []string{"session"}, LeafTokens: 500, Now: (&clock{}).now}, &scribe{
		say: func(summary.Request) (summary.Reply, error) {
			return summary.Reply{Text: "The quokka was chosen."}, nil
		},
	})
	s := compactedWith(t, assembled(t, b, m.nodes))
	must.Contain(t, s.extract(t), "The quokka was chosen.", "it is lost")
}

func TestMoreThanOneRequestHoldsIsDivided(t *testing.T) {
	b, m, sc := talk(t, 80).branch(t, ""), &memory{}, &scribe{}
	work(t, m, b, summary.Options{Models: []string{"session"}, LeafTokens: 500, Span: 3000, Now: (&clock{}).now}, sc)
	if len(sc.asked) < 3 {
		t.Errorf("%d requests", len(sc.asked))
	}
	for _, r := range sc.asked {
		if n := tokensOf(r.Prompt); n > 5000 {
			t.Errorf("a request of %d tokens", n)
		}
	}
	for _, r := range b.Cover(m.nodes).Roots {
		must.Equal(t, r.Kind, summary.Model, "%s is an extract", r.Key)
	}
}
