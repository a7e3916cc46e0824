package summary_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/core/summary"
	"github.com/coctostan/pictx/internal/must"
)

// told is what a session tells, and what a section of the text has that stands for it without
// a model.
type told struct {
	tell         func(t *testing.T, s *session)
	section      string // "" for all of the text
	holds, lacks []string
}

// text is the text that stands for the messages of a case before the kept ones, if there are
// any, and the section.
func (c *told) text(t *testing.T) (s *session, text, section string) {
	t.Helper()
	s = newSession(t)
	s.user(t, "Please make the lease renew itself.")
	c.tell(t, s)
	s.says(t, strings.Repeat("And on it goes. ", 200))
	text = s.extracted(t, s.cut)
	if c.section == "" {
		return s, text, text
	}
	_, section, _ = strings.Cut(text, "### "+c.section+"\n")
	section, _, _ = strings.Cut(section, "\n### ")
	return s, text, section
}

func (c *told) check(t *testing.T) {
	t.Helper()
	_, text, section := c.text(t)
	for _, want := range c.holds {
		must.Contain(t, section, want, "what it says")
	}
	for _, no := range c.lacks {
		must.Lack(t, section, no, "what it says")
	}
	if t.Failed() {
		t.Log(text)
	}
}

func check(t *testing.T, cases map[string]told) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { c.check(t) })
	}
}

// call appends a call of a tool without a result.
func (s *session) call(t testing.TB, tool, args string) {
	t.Helper()
	s.entry(t, fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":"c%d","name":%q,"arguments":%s}]}`, s.n, tool, args))
}

// todo appends a to-do list of items such as "pending: tag it".
func (s *session) todo(t testing.TB, items ...string) {
	t.Helper()
	var list []string
	for _, it := range items {
		state, what, _ := strings.Cut(it, ": ")
		list = append(list, fmt.Sprintf(`{"content":%q,"status":%q}`, what, state))
	}
	s.call(t, "TodoWrite", `{"todos":[`+strings.Join(list, ",")+`]}`)
}

func TestTheToDoListIsTheLastOneHoweverItWasWritten(t *testing.T) {
	check(t, map[string]told{
		"all of it at a time": {func(t *testing.T, s *session) {
			s.todo(t, "pending: an old plan")
			s.todo(t, "completed: read the log", "in_progress: mend the lease", "pending: write a test")
		}, "To-do list", []string{"[done] read the log", "[in progress] mend the lease", "write a test"}, []string{"an old plan", "[done] mend"}},
		"in a response": {func(t *testing.T, s *session) {
			s.says(t, "It works now.\n\nNext steps:\n- [x] read the log\n- [ ] mend the lease\n- [ ] write a test\n")
		}, "To-do list", []string{"[done] read the log", "mend the lease", "write a test"}, []string{"[done] mend"}},
		"a long one keeps its open items": {func(t *testing.T, s *session) {
			items := slices.Repeat([]string{"completed: a step of the way through the store and back"}, 55)
			s.todo(t, append(items, "pending: step one", "pending: step two")...)
		}, "To-do list", []string{"[pending] step one", "[pending] step two"}, nil},
		"how much was said since": {func(t *testing.T, s *session) {
			s.todo(t, "pending: mend the lease")
			s.user(t, "And the timeout, too.")
			s.user(t, "Where were we?")
		}, "", []string{"### To-do list, written before the user's last 2 messages\n"}, nil},
	})
}

func TestDoneHoldsNeitherWhatAnExtensionWroteNorAProposal(t *testing.T) {
	proposal := func(t *testing.T, s *session) {
		s.runs(t, "ls -R src", "src/main.go")
		s.says(t, "Let me propose a structure: everything moves below lib.\n\nWant me to proceed with this structure?")
		s.user(t, "That is horrible: tools go to core/tools.")
		s.call(t, "edit", `{"path":"core/tools/a.go"}`)
		s.says(t, "The tools are in core/tools now.")
		s.user(t, "Go on.")
	}
	check(t, map[string]told{
		"an extension": {func(t *testing.T, s *session) {
			s.entry(t, `{"role":"custom","customType":"note","content":"[Request interrupted by user]"}`)
			s.says(t, "The lease renews itself now.")
			s.user(t, "Go on.")
		}, "Done", []string{"The lease renews itself now."}, []string{"interrupted"}},
		"a proposal": {proposal, "Done", []string{"The tools are in core/tools now."}, []string{"below lib"}},
		"the reply":  {proposal, "Asked at the end of a turn, and the reply", []string{"everything moves below lib", "the user replied: That is horrible: tools go to core/tools."}, nil},
	})
}

const (
	failing = "Commands that failed when they were last run"
	typeErr = "src/a.ts:3:1: error TS2339: no such property\n\nCommand exited with code 2"
)

func TestACommandIsListedAsFailingOnlyWhileItFails(t *testing.T) {
	for name, c := range map[string]struct {
		again func(t *testing.T, s *session)
		fails bool
	}{
		"it was not run again":                     {func(*testing.T, *session) {}, true},
		"it failed again":                          {func(t *testing.T, s *session) { s.runs(t, "npm run check", typeErr) }, true},
		"it passed":                                {func(t *testing.T, s *session) { s.runs(t, "npm run check", "ok") }, false},
		"it passed with a filter behind it":        {func(t *testing.T, s *session) { s.runs(t, "npm run check 2>&1 | tail -5", "ok") }, false},
		"it passed among other commands":           {func(t *testing.T, s *session) { s.runs(t, "cd app && npm run fmt && npm run check", "ok") }, false},
		"another command passed":                   {func(t *testing.T, s *session) { s.runs(t, "npm run fmt", "ok") }, true},
		"the user stopped it the next time":        {func(t *testing.T, s *session) { s.run(t, "npm run check", "Command aborted", true) }, true},
		"a chain with it failed at something else": {func(t *testing.T, s *session) { s.runs(t, "npm run check && npm run pack", typeErr) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			row := told{section: failing, tell: func(t *testing.T, s *session) {
				s.runs(t, "npm run check", typeErr)
				s.runs(t, "grep -n never lease.go", "\n\nCommand exited with code 1") // finds nothing
				c.again(t, s)
			}, lacks: []string{"grep"}}
			if c.fails {
				row.holds = []string{"`npm run check`: exit 2: src/a.ts:3:1: error TS2339"}
			} else {
				row.lacks = append(row.lacks, "npm run check")
			}
			row.check(t)
		})
	}
}

func TestWhatTheUserStoppedOrDidNotAllowIsNoFailure(t *testing.T) {
	for _, output := range []string{
		"Command aborted", "The user doesn't want to proceed with this tool use. The tool use was rejected.", "why do you do this now?",
	} {
		row := told{tell: func(t *testing.T, s *session) {
			s.run(t, "git push --force", output, true)
			s.call(t, "edit", `{"path":"lease.go"}`)
			s.entry(t, `{"role":"toolResult","toolCallId":"e","toolName":"edit","content":[{"type":"text","text":"The user doesn't want to proceed with this tool use."}],"isError":true}`)
		}, holds: []string{"`git push --force`: not allowed, or stopped"}, lacks: []string{"### Errors met", "### " + failing}}
		row.check(t)
	}
	slow := told{tell: func(t *testing.T, s *session) { s.run(t, "npm test", "Command timed out after 30 seconds", true) }, section: failing, holds: []string{"npm test"}}
	slow.check(t)
}

func TestAnExtractLeavesOutCommandsThatOnlyLook(t *testing.T) {
	row := told{func(t *testing.T, s *session) {
		for _, command := range []string{"ls -la", "grep -n lease core/*.go | head", "git diff", "cat a.go && sed -n 1,20p b.go"} {
			s.says(t, "Now let me read the next file.")
			s.runs(t, command, "lease.go: some line")
		}
		s.runs(t, "grep -rn nothing .", "(no output)\n\nCommand exited with code 1")
		for _, command := range []string{"mkdir -p out", "cat notes > out/all.txt", "make lease", "npm test"} {
			s.runs(t, command, "(no output)")
		}
		s.runs(t, "git add -A && git commit -m lease", "[main 1a2b3c4] lease\n 1 file changed\n delete mode 100644 old.go")
	}, "Recent Activity", []string{"`mkdir -p out`: exit 0\n", "`cat notes > out/all.txt`", "`make lease`", "`npm test`", "exit 0: commit 1a2b3c4"}, []string{
		"`ls -la`", "`grep", "`git diff`", "sed -n", "(no output)", "delete mode",
	}}
	row.check(t)
}

// A skill's arguments and what is typed after a command's name are what the user asks.
func TestTheTaskIsWhatTheUserWroteAroundSkillsFilesAndCommands(t *testing.T) {
	entry := func(lines ...string) func(t *testing.T, s *session) {
		return func(t *testing.T, s *session) {
			for _, line := range lines {
				s.entry(t, line)
			}
		}
	}
	const asked = "What the user asked, word for word"
	check(t, map[string]told{
		"skill":   {entry(`{"role":"user","content":"<skill name=\"release\" location=\"/s/SKILL.md\">\nTag, then push.\n</skill>\n\nrelease version 3 please"}`), asked, []string{"[skill release] release version 3 please"}, []string{"Tag, then push."}},
		"files":   {entry(`{"role":"user","content":"<file name=\"/w/a.ts\">\nlet a\n</file>\n<file name=\"/w/b.ts\">\nlet b\n</file>\nWhy does it round wrongly?"}`), asked, []string{"[file /w/a.ts] [file /w/b.ts] Why does it round wrongly?"}, []string{"let a"}},
		"command": {entry(`{"role":"custom","customType":"meta","content":"<command-name>/review</command-name><command-args>the cart and its tests</command-args>"}`), asked, []string{"/review the cart and its tests"}, []string{"<command"}},
		"no end":  {entry(`{"role":"user","content":"<skill name=\"release\" and nothing else here"}`), asked, []string{`<skill name="release" and nothing else here`}, []string{"[skill"}},
		"what a command printed": {entry(
			`{"role":"custom","customType":"command","content":"<local-command-caveat>Caveat: DO NOT respond to these messages.</local-command-caveat>"}`,
			`{"role":"custom","customType":"meta","content":"<local-command-stdout>Compacted it</local-command-stdout>"}`,
		), "", []string{": Compacted it"}, []string{"DO NOT respond", "<local"}},
	})
}

// Of these sentences of agents the first settle something, the next are work, and the last say
// what the matter is.
func TestDecidedListsWhatWasSettledAndNotThatSomethingIsMended(t *testing.T) {
	decided := []string{
		"Let's just keep the simple version for now and wire the type through.",
		"We decided to keep the cache in memory, for the disk is shared.",
		"Yes, we go with option 2.",
		"Rejected: one index for each session, since forks would be stored twice.",
		"We won't support drive letters in this release.",
		"Decision: sessions expire after 30 minutes.",
		"I chose a table test, so that a new case is one line.",
		"It was agreed that docs/rejected.md lists the alternatives.",
	}
	undecided := []string{
		"Now let's implement the fix.",
		"This fixes the unused variable warning.",
		"I found three issues that need fixing.",
		"Which of these approaches would you have chosen instead of mine?",
		"Want me to fix it now, or track it as a follow-up?",
		"The loader should catch this error gracefully instead of crashing.",
		"The problem is clear.",
		"The fix is to rebuild the index of the work tree.",
	}
	found := []string{
		"The root cause is the fix: true in the linter's settings.",
		"It fails because the test reads the home directory.",
		"Use the git command line rather than the library: it honours all ignore files.",
		"The old spreading was off in 19 of the 260 orders.",
		"The handler deletes the cart in src/http/handlers.ts.",
	}
	tell := func(t *testing.T, s *session) {
		for _, line := range slices.Concat(undecided, decided, found) {
			s.says(t, line)
			s.runs(t, "true", "")
		}
	}
	check(t, map[string]told{
		"settled": {tell, "Decided", decided, append(undecided, found...)},
		"found":   {tell, "", found, nil},
		// A list of options decides nothing, and neither do code, comments and quotations.
		"lists and code": {func(t *testing.T, s *session) {
			s.says(t, "There are two ways:\n- we keep it in memory, which is fast\n2. go with a file\n* Decision: the memory it is\n\n```go\n// we decided to keep the lock\nx := 1\n```\n> we agreed on the disk\n// never use the disk\nWe decided to keep it small.")
			s.runs(t, "true", "")
		}, "Decided", []string{"Decision: the memory it is", "We decided to keep it small."}, []string{"which is fast", "with a file", "keep the lock", "on the disk", "never use"}},
	})
}

// keeps has what before tells dropped, and what after tells kept, from the user's next message on.
func keeps(before, after func(t *testing.T, s *session)) func(t *testing.T, s *session) {
	return func(t *testing.T, s *session) {
		for range 8 {
			s.runs(t, "cat notes", strings.Repeat("output ", 100))
		}
		before(t, s)
		s.cut = s.user(t, "No, call it v3.")
		after(t, s)
	}
}

// presents are sessions with an open end that the kept part settles, or does not.
func presents() map[string]told {
	todo := func(items ...string) func(t *testing.T, s *session) {
		return func(t *testing.T, s *session) { s.todo(t, items...) }
	}
	says := func(text string) func(t *testing.T, s *session) {
		return func(t *testing.T, s *session) { s.says(t, text) }
	}
	runs := func(command, output string) func(t *testing.T, s *session) {
		return func(t *testing.T, s *session) { s.runs(t, command, output) }
	}
	return map[string]told{
		"a to-do list that is rewritten": {keeps(todo("pending: tag the release"), todo("completed: tag the release")), "To-do list", []string{"[done] tag"}, []string{"[pending] tag"}},
		"a list with check boxes":        {keeps(says("Open:\n- [ ] tag the release\n- [ ] tell them"), says("Now:\n- [x] tag the release\n- [x] tell them")), "To-do list", []string{"[done] tag"}, []string{"[open] tag"}},
		"a to-do list that is older":     {keeps(todo("pending: tag it"), says("Yes.")), "To-do list, written before the user's last 1 message", []string{"tag it"}, nil},
		"a command that works":           {keeps(runs("npm run check", typeErr), runs("npm run check", "ok")), failing, nil, []string{"npm run check"}},
		"a command that still fails":     {keeps(runs("npm run check", typeErr), runs("npm run lint", "ok")), failing, []string{"npm run check"}, nil},
		"a question that is answered":    {keeps(says("Shall the tag be v2?"), says("Yes.")), "Asked at the end of a turn, and the reply", []string{"No, call it v3."}, []string{"nothing yet"}},
	}
}

// What an extract says of the present is what the kept messages leave of it. A model that
// writes about the dropped messages is told what followed.
func TestThePresentIsThatOfTheWholeBranch(t *testing.T) {
	check(t, presents())
	for name, c := range presents() {
		s, _, _ := c.text(t)
		sc := &scribe{}
		work(t, &memory{}, s.branch(t, s.cut), summary.Options{Models: []string{"session"}, Now: (&clock{}).now}, sc)
		_, after, _ := strings.Cut(sc.asked[0].Prompt, "What came after the span, which the reader still sees.")
		after, _, _ = strings.Cut(after, "\nThe messages follow.")
		must.Contain(t, after, "And on it goes.", "%s", name)
		for _, want := range c.holds {
			if len(c.lacks) > 0 {
				must.Contain(t, after, want, "%s", name)
			}
		}
	}
}

// Thinking is bound to the messages that follow it and no part of a record.
func TestNeitherExtractNorPromptHasThinking(t *testing.T) {
	s := newSession(t)
	s.user(t, "Please make the lease renew itself.")
	for range 10 {
		s.entry(t, `{"role":"assistant","content":[{"type":"thinking","thinking":"We decided: lease.go:42 fails because quokkaCount is 7. - [ ] quokka"},{"type":"text","text":"The lease in lease.go is read."},{"type":"toolCall","id":"c","name":"bash","arguments":{"command":"make"}}]}`)
		s.entry(t, `{"role":"toolResult","toolCallId":"c","toolName":"bash","content":[{"type":"text","text":"ok"}]}`)
	}
	kept := s.entry(t, `{"role":"assistant","content":[{"type":"thinking","thinking":"quokka"},{"type":"text","text":"Done."}]}`)
	sc := &scribe{}
	work(t, &memory{}, s.branch(t, kept), summary.Options{Models: []string{"session"}, Now: (&clock{}).now}, sc)
	if text := s.extracted(t, kept); strings.Contains(text+sc.asked[0].Prompt, "quokka") || !strings.Contains(text, "lease.go") {
		t.Errorf("thinking is cited, or nothing else:\n%s\n%s", text, sc.asked[0].Prompt)
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
	text := s.extracted(t, "")
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
