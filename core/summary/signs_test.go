package summary_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/coctostan/pictx/internal/must"
)

// decided are sentences that settle something.
func decided() []string {
	return []string{
		"Let's just keep the simple version for now and wire the type through.",
		"We decided to keep the cache in memory, for the disk is shared.",
		"Yes, we go with option 2.",
		"Rejected: one index for each session, since forks would be stored twice.",
		"We won't support drive letters in this release.",
		"Decision: sessions expire after 30 minutes.",
		"I chose a table test, so that a new case is one line.",
		"It was agreed that docs/rejected.md lists the alternatives.",
	}
}

// undecided are sentences of agents and users at work, which settle nothing.
func undecided() []string {
	return []string{
		"Now let's implement the fix.",
		"Let me fix it and add the missing tests.",
		"This fixes the unused variable warning.",
		"The fix is in common.go, next to the list.",
		"I found three issues that need fixing.",
		"Which of these approaches would you have chosen instead of mine?",
		"Want me to fix it now, or track it as a follow-up?",
		"Also fix SaveTaskCheckpoint in the same file.",
		"Good, it is in neither index after the fix.",
		"Let me run the tests to verify the fix.",
		"The loader should catch this error gracefully instead of crashing.",
		"If the terminal has a light background, it might be loading the light theme instead of the dark one.",
		"The problem is clear.",
		"The fix is to rebuild the index of the work tree.",
	}
}

// found are sentences that say what the matter is.
func found() []string {
	return []string{
		"The root cause is the fix: true in the linter's settings.",
		"It fails because the test reads the home directory.",
		"I'll adapt the parser from the old branch, but use replace semantics instead of append.",
		"Use the git command line rather than the library: it honours all ignore files.",
		"The old spreading was off in 19 of the 260 orders.",
		"The handler deletes the cart in src/http/handlers.ts.",
	}
}

func TestDecidedListsWhatWasSettledAndNotThatSomethingIsMended(t *testing.T) {
	s := newSession(t)
	s.user(t, "Look after the store, please, and tell me what you do.")
	for _, line := range slices.Concat(undecided(), decided(), found()) {
		s.says(t, line)
		s.runs(t, "true", "")
	}
	text := s.extract(t)
	_, list, _ := strings.Cut(text, "### Decided\n")
	list, _, _ = strings.Cut(list, "\n### ")
	for _, s := range decided() {
		must.Contain(t, list, s, "Decided lacks")
	}
	for _, s := range slices.Concat(undecided(), found()) {
		must.Lack(t, list, s, "nothing is settled by")
	}
	for _, s := range found() {
		must.Contain(t, text, s, "the extract lacks")
	}
}

// A list of options decides nothing, and neither do code, comments and quotations.
func TestDecidedHoldsNoItemsOfListsAndNoCode(t *testing.T) {
	s := newSession(t)
	s.user(t, "How could the cache be kept, please?")
	s.says(t, "There are two ways:\n- we keep it in memory, which is fast\n2. go with a file\n* Decision: the memory it is\n\n```go\n// we decided to keep the lock\nx := 1\n```\n> we agreed on the disk\n// never use the disk\nWe decided to keep it small.")
	s.runs(t, "true", "")
	text := s.extract(t)
	_, list, _ := strings.Cut(text, "### Decided\n")
	list, _, _ = strings.Cut(list, "\n### ")
	for line, want := range map[string]bool{
		"Decision: the memory it is": true, "We decided to keep it small.": true,
		"which is fast": false, "with a file": false, "keep the lock": false, "on the disk": false, "never use": false,
	} {
		if strings.Contains(list, line) != want {
			t.Errorf("%q is in the list: %v\n%s", line, !want, list)
		}
	}
}
