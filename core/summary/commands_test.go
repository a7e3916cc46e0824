package summary_test

import (
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// stops appends a bash call with a result that is an error without an exit status.
func (s *session) stops(t testing.TB, command, output string) {
	t.Helper()
	s.run(t, command, output, true)
}

// failing is the section of an extract that lists the commands which fail.
func failingIn(text string) string {
	_, list, _ := strings.Cut(text, "### Commands that failed when they were last run\n")
	list, _, _ = strings.Cut(list, "\n###")
	return list
}

func TestACommandIsListedAsFailingOnlyWhileItFails(t *testing.T) {
	const failed = "src/a.ts:3:1: error TS2339: no such property\n\nCommand exited with code 2"
	for name, c := range map[string]struct {
		run  func(s *session)
		want bool
	}{
		"it was not run again":                     {func(*session) {}, true},
		"it failed again":                          {func(s *session) { s.runs(t, "npm run check", failed) }, true},
		"it passed":                                {func(s *session) { s.runs(t, "npm run check", "ok") }, false},
		"it passed with a filter behind it":        {func(s *session) { s.runs(t, "npm run check 2>&1 | tail -5", "ok") }, false},
		"it passed among other commands":           {func(s *session) { s.runs(t, "cd app && npm run fmt && npm run check", "ok") }, false},
		"another command passed":                   {func(s *session) { s.runs(t, "npm run fmt", "ok") }, true},
		"the user stopped it the next time":        {func(s *session) { s.stops(t, "npm run check", "Command aborted") }, true},
		"a chain with it failed at something else": {func(s *session) { s.runs(t, "npm run check && npm run pack", failed) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSession(t)
			s.user(t, "Please make the lease renew itself.")
			s.runs(t, "npm run check", failed)
			c.run(s)
			s.says(t, strings.Repeat("And on it goes. ", 200))
			text := s.extract(t)
			if got := strings.Contains(failingIn(text), "`npm run check"); got != c.want {
				t.Errorf("listed as failing: %t in\n%s", got, text)
			}
		})
	}
}

func TestWhatTheUserStoppedOrDidNotAllowIsNoFailure(t *testing.T) {
	for _, output := range []string{
		"Command aborted", "The user doesn't want to proceed with this tool use. The tool use was rejected.", "why do you do this now?",
	} {
		s := newSession(t)
		s.user(t, "Please make the lease renew itself.")
		s.stops(t, "git push --force", output)
		s.entry(t, `{"role":"assistant","content":[{"type":"toolCall","id":"e","name":"edit","arguments":{"path":"lease.go"}}]}`)
		s.entry(t, `{"role":"toolResult","toolCallId":"e","toolName":"edit","content":[{"type":"text","text":"The user doesn't want to proceed with this tool use."}],"isError":true}`)
		s.says(t, strings.Repeat("And on it goes. ", 200))
		text := s.extract(t)
		if failingIn(text) != "" || strings.Contains(text, "### Errors met") || !strings.Contains(text, "`git push --force`: not allowed, or stopped") {
			t.Errorf("after %q:\n%s", output, text)
		}
	}
	s := newSession(t)
	s.user(t, "Please make the lease renew itself.")
	s.stops(t, "npm test", "Command timed out after 30 seconds")
	s.says(t, strings.Repeat("And on it goes. ", 200))
	if text := s.extract(t); !strings.Contains(failingIn(text), "npm test") {
		t.Errorf("what took too long failed:\n%s", text)
	}
}

func TestAnExtractLeavesOutCommandsThatOnlyLook(t *testing.T) {
	s := newSession(t)
	s.user(t, "Please make the lease renew itself.")
	for _, command := range []string{"ls -la", "grep -n lease core/*.go | head", "git diff", "cat a.go && sed -n 1,20p b.go"} {
		s.says(t, "Now let me read the next file.")
		s.runs(t, command, "lease.go: some line")
	}
	s.runs(t, "grep -rn nothing .", "(no output)\n\nCommand exited with code 1")
	for _, command := range []string{"mkdir -p out", "cat notes > out/all.txt", "make lease", "npm test", "git add -A && git commit -m lease"} {
		s.runs(t, command, map[bool]string{true: "[main 1a2b3c4] lease\n 1 file changed\n delete mode 100644 old.go", false: "(no output)"}[strings.HasPrefix(command, "git")])
	}
	s.says(t, "The lease renews itself now. "+strings.Repeat("And on it goes. ", 200))
	text := s.extract(t)
	_, recent, _ := strings.Cut(text, "### Recent Activity")
	for _, want := range []string{"`mkdir -p out`: exit 0\n", "`cat notes > out/all.txt`", "`make lease`", "`npm test`", "exit 0: commit 1a2b3c4"} {
		must.Contain(t, recent, want, "what it says")
	}
	for _, noise := range []string{"`ls -la`", "`grep", "`git diff`", "sed -n", "(no output)", "delete mode"} {
		must.Lack(t, recent, noise, "what it says")
	}
	if t.Failed() {
		t.Log(text)
	}
}

func TestAToDoListSaysHowMuchWasSaidSince(t *testing.T) {
	s := newSession(t)
	s.user(t, "Please make the lease renew itself.")
	s.call(t, "TodoWrite", `{"todos":[{"content":"mend the lease","status":"pending"}]}`)
	s.user(t, "And the timeout, too.")
	s.user(t, "Where were we?")
	s.says(t, strings.Repeat("And on it goes. ", 200))
	must.Contain(t, s.extract(t), "### To-do list, written before the user's last 2 messages\n", "the list has no age")
}
